//! With or without colours.

use anstyle::{AnsiColor, Color as TermColor, Style};

use crate::hive::Color;
use crate::hive::contest::{ContestPiece, Kind};

/// How drawings are to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Look {
    /// Characters only.
    #[default]
    Plain,
    /// With the terminal's sixteen colours.
    Color,
}

/// What a part of a drawing is, and with it how it is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A piece.
    Piece(ContestPiece),
    /// Text about a side.
    Side(Color),
    /// A bramble.
    Bramble,
    /// The outlines of the fields, and other things that should not stand out.
    Faint,
    /// The marks of the last move.
    Mark,
    /// A heading.
    Strong,
}

impl Look {
    /// The style of a part: none at all in a plain drawing.
    pub fn style(self, role: Role) -> Style {
        match self {
            Look::Plain => Style::new(),
            Look::Color => colored(role),
        }
    }
}

fn colored(role: Role) -> Style {
    let ansi = |color: AnsiColor| Some(TermColor::Ansi(color));
    let base = |color| match color {
        Color::Red => AnsiColor::Red,
        Color::Blue => AnsiColor::Blue,
    };
    match role {
        Role::Piece(piece) => Style::new()
            .bold()
            .fg_color(ansi(match piece.kind {
                Kind::Bee => AnsiColor::BrightYellow,
                _ => AnsiColor::BrightWhite,
            }))
            .bg_color(ansi(base(piece.color))),
        Role::Side(Color::Red) => Style::new().bold().fg_color(ansi(AnsiColor::BrightRed)),
        Role::Side(Color::Blue) => Style::new().bold().fg_color(ansi(AnsiColor::BrightBlue)),
        Role::Bramble => Style::new().fg_color(ansi(AnsiColor::Green)),
        Role::Faint => Style::new().fg_color(ansi(AnsiColor::BrightBlack)),
        // Black on yellow: yellow alone cannot be seen on a white ground.
        Role::Mark => Style::new()
            .bold()
            .fg_color(ansi(AnsiColor::Black))
            .bg_color(ansi(AnsiColor::Yellow)),
        Role::Strong => Style::new().bold(),
    }
}
