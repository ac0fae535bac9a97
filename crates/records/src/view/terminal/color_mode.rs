//! Colours of drawings.

use anstyle::AnsiColor::{
    Black, Blue, BrightBlack, BrightBlue, BrightRed, BrightWhite, BrightYellow, Green, Red, White,
    Yellow,
};
use anstyle::Style;

use crate::diagram::DrawnPiece;
use wabe_hive::game::Side;

/// Plain or coloured drawings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorMode {
    /// No escape sequences.
    #[default]
    Plain,
    /// With the terminal's sixteen colours.
    Color,
}

/// A kind of element in a drawing, which determines the style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Letter and number of a piece.
    Piece(DrawnPiece),
    /// The name of a side.
    Side(Side),
    /// A blocked field.
    Bramble,
    /// Outlines of fields and coordinates.
    Faint,
    /// Marks of the last move.
    Mark,
    /// Headings.
    Strong,
}

impl ColorMode {
    /// The style of an element; unstyled for [`ColorMode::Plain`].
    pub fn style(self, role: Role) -> Style {
        match self {
            ColorMode::Plain => Style::new(),
            ColorMode::Color => colored(role),
        }
    }
}

fn colored(role: Role) -> Style {
    match role {
        Role::Piece(piece) => {
            let (ground, letter, bee) = match piece.side {
                Side::Red => (Red, BrightWhite, BrightYellow),
                Side::Blue => (Blue, BrightWhite, BrightYellow),
                Side::White => (White, Black, Red),
                // Not black, which may be the background colour.
                Side::Black => (BrightBlack, BrightWhite, BrightYellow),
            };
            let letter = if piece.is_bee { bee } else { letter };
            letter.on(ground).bold()
        }
        Role::Side(Side::Red) => BrightRed.on_default().bold(),
        Role::Side(Side::Blue) => BrightBlue.on_default().bold(),
        // White or black may be the background colour, so only bold type is used.
        Role::Side(Side::White | Side::Black) | Role::Strong => Style::new().bold(),
        Role::Bramble => Green.on_default(),
        Role::Faint => BrightBlack.on_default(),
        // Black on yellow, because yellow is unreadable on a white background.
        Role::Mark => Black.on(Yellow).bold(),
    }
}
