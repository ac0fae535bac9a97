//! The two sides.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A side. Red moves first; standard Hive calls red white and blue black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// Moves on even turns.
    Red,
    /// Moves on odd turns.
    Blue,
}

impl Color {
    /// Both sides, in the order of play.
    pub const ALL: [Color; 2] = [Color::Red, Color::Blue];

    /// The side to move at `turn`, in plies from 0.
    #[inline]
    pub const fn to_move(turn: u16) -> Color {
        if turn.is_multiple_of(2) {
            Color::Red
        } else {
            Color::Blue
        }
    }

    /// The other side.
    #[inline]
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Red => Color::Blue,
            Color::Blue => Color::Red,
        }
    }

    /// The letter used in text forms: `r` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Color::Red => 'r',
            Color::Blue => 'b',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Red => "red",
            Color::Blue => "blue",
        })
    }
}

/// One value per side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByColor<T> {
    /// The first mover's value.
    pub red: T,
    /// The second mover's value.
    pub blue: T,
}

impl<T> ByColor<T> {
    /// Calls `value` for red, then for blue.
    pub fn from_fn(mut value: impl FnMut(Color) -> T) -> ByColor<T> {
        ByColor {
            red: value(Color::Red),
            blue: value(Color::Blue),
        }
    }

    /// Applies `value` to red's value, then to blue's.
    pub fn map<U>(self, mut value: impl FnMut(T) -> U) -> ByColor<U> {
        ByColor {
            red: value(self.red),
            blue: value(self.blue),
        }
    }
}

impl<T> Index<Color> for ByColor<T> {
    type Output = T;

    #[inline]
    fn index(&self, color: Color) -> &T {
        match color {
            Color::Red => &self.red,
            Color::Blue => &self.blue,
        }
    }
}

impl<T> IndexMut<Color> for ByColor<T> {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        match color {
            Color::Red => &mut self.red,
            Color::Blue => &mut self.blue,
        }
    }
}
