//! Colours of drawings.

use anstyle::AnsiColor::{
    Black, Blue, BrightBlack, BrightBlue, BrightRed, BrightWhite, BrightYellow, Green, Red, White,
    Yellow,
};
use anstyle::Style;

use crate::diagram::DrawnPiece;
use wabe_hive::game::Side;

/// The look of drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Look {
    /// Characters only.
    #[default]
    Plain,
    /// With the terminal's sixteen colours.
    Color,
}

/// The role of a part of a drawing, which decides its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A piece.
    Piece(DrawnPiece),
    /// Text about a side.
    Side(Side),
    /// A bramble.
    Bramble,
    /// The outlines of the fields, and other unobtrusive parts.
    Faint,
    /// The marks of the last move.
    Mark,
    /// A heading.
    Strong,
}

impl Look {
    /// The style of a part; empty in a plain drawing.
    pub fn style(self, role: Role) -> Style {
        match self {
            Look::Plain => Style::new(),
            Look::Color => colored(role),
        }
    }
}

fn colored(role: Role) -> Style {
    match role {
        Role::Piece(piece) => {
            let (ground, letter, bee) = match piece.paint {
                Side::Red => (Red, BrightWhite, BrightYellow),
                Side::Blue => (Blue, BrightWhite, BrightYellow),
                Side::White => (White, Black, Red),
                // Brighter than black, which may be the background.
                Side::Black => (BrightBlack, BrightWhite, BrightYellow),
            };
            let letter = if piece.is_bee { bee } else { letter };
            letter.on(ground).bold()
        }
        Role::Side(Side::Red) => BrightRed.on_default().bold(),
        Role::Side(Side::Blue) => BrightBlue.on_default().bold(),
        // Either colour may be the background, so bold type marks the side.
        Role::Side(Side::White | Side::Black) | Role::Strong => Style::new().bold(),
        Role::Bramble => Green.on_default(),
        Role::Faint => BrightBlack.on_default(),
        // Black on yellow, because yellow is unreadable on a white background.
        Role::Mark => Black.on(Yellow).bold(),
    }
}
