//! The eight game types: which expansions are in play.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Kind, Memory, Opening, Reserve, Standard};
use crate::hex::{CellSet, Grid};
use crate::{ByColor, Position};

/// The pieces of a game: the base set and any of mosquito, ladybug and pillbug.
///
/// The text form is the protocol's `Base`, `Base+M` … `Base+MLP`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GameType {
    /// Each side has a mosquito.
    pub mosquito: bool,
    /// Each side has a ladybug.
    pub ladybug: bool,
    /// Each side has a pillbug.
    pub pillbug: bool,
}

impl GameType {
    /// True if the other game has all pieces of this one.
    pub fn is_within(self, other: GameType) -> bool {
        (!self.mosquito || other.mosquito)
            && (!self.ladybug || other.ladybug)
            && (!self.pillbug || other.pillbug)
    }

    /// The smallest game with that kind of piece.
    pub const fn with_kind(kind: Kind) -> GameType {
        GameType::of(
            matches!(kind, Kind::Mosquito),
            matches!(kind, Kind::Ladybug),
            matches!(kind, Kind::Pillbug),
        )
    }

    /// The game with the pieces of both.
    #[must_use]
    pub const fn with(self, other: GameType) -> GameType {
        GameType {
            mosquito: self.mosquito || other.mosquito,
            ladybug: self.ladybug || other.ladybug,
            pillbug: self.pillbug || other.pillbug,
        }
    }

    /// All eight, the base game first and the one with every expansion last.
    pub const ALL: [GameType; 8] = [
        // In the order of the published tables.
        GameType::of(false, false, false),
        GameType::of(true, false, false),
        GameType::of(false, true, false),
        GameType::of(false, false, true),
        GameType::of(true, true, false),
        GameType::of(true, false, true),
        GameType::of(false, true, true),
        GameType::of(true, true, true),
    ];

    const fn of(mosquito: bool, ladybug: bool, pillbug: bool) -> GameType {
        GameType {
            mosquito,
            ladybug,
            pillbug,
        }
    }

    /// True if the game is played with pieces of `kind`.
    pub const fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::Mosquito => self.mosquito,
            Kind::Ladybug => self.ladybug,
            Kind::Pillbug => self.pillbug,
            Kind::Queen | Kind::Spider | Kind::Beetle | Kind::Grasshopper | Kind::Ant => true,
        }
    }

    /// One side's pieces.
    pub fn reserve(self) -> Reserve {
        Reserve::from_counts(|kind| {
            if self.has(kind) {
                kind.pieces_per_side()
            } else {
                0
            }
        })
    }

    /// The first position of a game.
    pub fn start<G: Grid>(self, opening: Opening) -> Position<Standard<G>> {
        let reserve = ByColor::from_fn(|_| self.reserve());
        Position::start(CellSet::EMPTY, reserve)
            .expect("every rule book allows a board without obstacles")
            .with_memory(Memory::new(opening))
    }
}

impl fmt::Display for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Base")?;
        let expansions = [Kind::Mosquito, Kind::Ladybug, Kind::Pillbug];
        let letters: String = expansions
            .into_iter()
            .filter(|&kind| self.has(kind))
            .map(super::super::PieceKind::letter)
            .collect();
        if !letters.is_empty() {
            write!(f, "+{letters}")?;
        }
        Ok(())
    }
}

/// The text names no game type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a game type: expected `Base`, or `Base+` with some of the letters M, L and P"
)]
pub struct ParseGameTypeError(String);

/// The letters may come in any case and order, and repeatedly.
impl FromStr for GameType {
    type Err = ParseGameTypeError;

    fn from_str(text: &str) -> Result<GameType, ParseGameTypeError> {
        let error = || ParseGameTypeError(text.to_owned());
        let (base, rest) = text.split_at_checked(4).ok_or_else(error)?;
        if !base.eq_ignore_ascii_case("Base") {
            return Err(error());
        }
        let letters = match rest.strip_prefix('+') {
            Some(letters) => letters,
            None if rest.is_empty() => "",
            None => return Err(error()),
        };
        let mut game_type = GameType::default();
        for letter in letters.chars() {
            match letter.to_ascii_uppercase() {
                'M' => game_type.mosquito = true,
                'L' => game_type.ladybug = true,
                'P' => game_type.pillbug = true,
                _ => return Err(error()),
            }
        }
        Ok(game_type)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip_in_the_tables_order() {
        for (number, text, pieces) in [
            (0, "Base", 11),
            (1, "Base+M", 12),
            (2, "Base+L", 12),
            (3, "Base+P", 12),
            (4, "Base+ML", 13),
            (5, "Base+MP", 13),
            (6, "Base+LP", 13),
            (7, "Base+MLP", 14),
        ] {
            let game_type = GameType::ALL[number];
            assert_eq!(game_type.to_string(), text);
            assert_eq!(text.parse(), Ok(game_type));
            assert_eq!(game_type.reserve().total(), pieces);
        }
        assert_eq!("Base+PLM".parse(), Ok(GameType::ALL[7]));
        assert_eq!("Base+".parse(), Ok(GameType::default()));
        for text in ["", "bas", "Base+X", "BaseM", "Base+M;"] {
            assert!(text.parse::<GameType>().is_err(), "{text}");
        }
    }
}
