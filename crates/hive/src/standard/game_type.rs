//! The eight game types: the base game with any of three expansions.

use std::fmt;
use std::str::FromStr;

use super::{Kind, OpeningRule, Reserve, RuleState, StandardOn};
use crate::hex::{CellSet, Grid};
use crate::{ByColor, ParseError, PieceKind, Position};

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

const EXPANSIONS: [Kind; 3] = [Kind::Mosquito, Kind::Ladybug, Kind::Pillbug];

impl GameType {
    /// All eight, the base game first and the one with every expansion last.
    pub const ALL: [GameType; 8] = [
        // In the order of the published perft tables.
        GameType::new(false, false, false),
        GameType::new(true, false, false),
        GameType::new(false, true, false),
        GameType::new(false, false, true),
        GameType::new(true, true, false),
        GameType::new(true, false, true),
        GameType::new(false, true, true),
        GameType::new(true, true, true),
    ];

    const fn new(mosquito: bool, ladybug: bool, pillbug: bool) -> GameType {
        GameType {
            mosquito,
            ladybug,
            pillbug,
        }
    }

    /// Adds the expansions among these kinds.
    #[must_use]
    pub fn with(mut self, kinds: impl IntoIterator<Item = Kind>) -> GameType {
        for kind in kinds {
            match kind {
                Kind::Mosquito => self.mosquito = true,
                Kind::Ladybug => self.ladybug = true,
                Kind::Pillbug => self.pillbug = true,
                Kind::Queen | Kind::Spider | Kind::Beetle | Kind::Grasshopper | Kind::Ant => {}
            }
        }
        self
    }

    /// True if the game includes pieces of `kind`.
    pub const fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::Mosquito => self.mosquito,
            Kind::Ladybug => self.ladybug,
            Kind::Pillbug => self.pillbug,
            Kind::Queen | Kind::Spider | Kind::Beetle | Kind::Grasshopper | Kind::Ant => true,
        }
    }

    /// The pieces of one side, 11 to 14 in total.
    pub fn reserve(self) -> Reserve {
        Reserve::from_counts(|kind| {
            if self.has(kind) {
                kind.pieces_per_side()
            } else {
                0
            }
        })
    }

    /// The start position.
    pub fn start<G: Grid>(self, opening: OpeningRule) -> Position<StandardOn<G>> {
        let reserve = ByColor::from_fn(|_| self.reserve());
        Position::start(CellSet::EMPTY, reserve)
            .expect("every rule book allows a board without obstacles")
            .with_rule_state(RuleState::new(opening))
    }
}

impl fmt::Display for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Base")?;
        let letters: String = EXPANSIONS
            .into_iter()
            .filter(|&kind| self.has(kind))
            .map(PieceKind::letter)
            .collect();
        if !letters.is_empty() {
            write!(f, "+{letters}")?;
        }
        Ok(())
    }
}

/// Letters may be in any case and order, and may be repeated.
impl FromStr for GameType {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<GameType, ParseError> {
        let expected = "a game type: expected `Base`, or `Base+` and any of M, L and P";
        let error = || ParseError::new(text, expected);
        let (base, rest) = text.split_at_checked(4).ok_or_else(error)?;
        if !base.eq_ignore_ascii_case("Base") {
            return Err(error());
        }
        let letters = match rest.strip_prefix('+') {
            Some(letters) => letters,
            None if rest.is_empty() => "",
            None => return Err(error()),
        };
        let kinds: Option<Vec<Kind>> = letters
            .chars()
            .map(|letter| {
                Kind::from_letter(letter.to_ascii_uppercase())
                    .filter(|kind| EXPANSIONS.contains(kind))
            })
            .collect();
        Ok(GameType::default().with(kinds.ok_or_else(error)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip() {
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
            assert_eq!(game_type.reserve().to_string().len(), pieces);
        }
        assert_eq!("Base+PLM".parse(), Ok(GameType::ALL[7]));
        assert_eq!("Base+".parse(), Ok(GameType::default()));
        for text in ["", "bas", "Base+X", "BaseM", "Base+M;"] {
            assert!(text.parse::<GameType>().is_err(), "{text}");
        }
    }
}
