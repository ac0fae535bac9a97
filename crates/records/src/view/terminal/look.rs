//! Colours of drawings.

use anstyle::{AnsiColor, Color as TermColor, Style};

use crate::diagram::DrawnPiece;
use wabe_hive::game::Paint;

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
    Side(Paint),
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
    let ansi = |color: AnsiColor| Some(TermColor::Ansi(color));
    match role {
        Role::Piece(piece) => {
            let (ground, letter, bee) = colors(piece.paint);
            Style::new()
                .bold()
                .fg_color(ansi(if piece.is_bee { bee } else { letter }))
                .bg_color(ansi(ground))
        }
        Role::Side(Paint::Red) => Style::new().bold().fg_color(ansi(AnsiColor::BrightRed)),
        Role::Side(Paint::Blue) => Style::new().bold().fg_color(ansi(AnsiColor::BrightBlue)),
        // Either colour may be the background, so bold type marks the side.
        Role::Side(Paint::White | Paint::Black) => Style::new().bold(),
        Role::Bramble => Style::new().fg_color(ansi(AnsiColor::Green)),
        Role::Faint => Style::new().fg_color(ansi(AnsiColor::BrightBlack)),
        // Black on yellow, because yellow is unreadable on a white background.
        Role::Mark => Style::new()
            .bold()
            .fg_color(ansi(AnsiColor::Black))
            .bg_color(ansi(AnsiColor::Yellow)),
        Role::Strong => Style::new().bold(),
    }
}

/// A piece's colours: its background, its letter, and the letter of a bee.
const fn colors(paint: Paint) -> (AnsiColor, AnsiColor, AnsiColor) {
    match paint {
        Paint::Red => (
            AnsiColor::Red,
            AnsiColor::BrightWhite,
            AnsiColor::BrightYellow,
        ),
        Paint::Blue => (
            AnsiColor::Blue,
            AnsiColor::BrightWhite,
            AnsiColor::BrightYellow,
        ),
        Paint::White => (AnsiColor::White, AnsiColor::Black, AnsiColor::Red),
        // Brighter than black, which may be the background.
        Paint::Black => (
            AnsiColor::BrightBlack,
            AnsiColor::BrightWhite,
            AnsiColor::BrightYellow,
        ),
    }
}
