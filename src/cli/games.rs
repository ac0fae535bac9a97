//! The games that the command line knows: the one place where a word becomes a type.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::dataset::header;
use crate::game::Game;
use crate::hive::contest::{Contest, Deal};
use crate::hive::standard::{GameType, Wide};
use crate::replay::Recorded;

/// What is done with a game, whichever it is.
pub(super) trait ForGame {
    /// What comes of it.
    type Output;

    /// Does it with the game `G`.
    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output;
}

/// A list of all games: for each its name in the enum, its type, the type of its variants, and the words for these.
macro_rules! games {
    ($($name:ident: $game:ty, $variant:ty, $words:literal;)*) => {
        /// A game and its variant, as the command line names them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub(super) enum GameName {
            $(#[doc = stringify!($name)] $name($variant),)*
        }

        impl GameName {
            /// The words for all games and their variants.
            fn words() -> String {
                [$($words),*].join(", or ")
            }

            /// The help of an option for the random plies of openings.
            pub(super) fn opening_plies_help() -> String {
                let plies = [$(format!("{} in `{}`", <$game>::OPENING_PLIES, <$game>::WORD)),*];
                format!("Random plies of an opening [default: {}]", plies.join(", "))
            }

            /// The help of an option for the length of games.
            pub(super) fn max_plies_help() -> String {
                let plies = [$(<$game>::MAX_PLIES.map(|plies| format!("{plies} in `{}`", <$game>::WORD))),*];
                let plies: Vec<String> = plies.into_iter().flatten().collect();
                format!("Plies after which a game is a draw [default: {}]", plies.join(", "))
            }

            /// Calls `task` with the type that the name stands for.
            pub(super) fn dispatch<T: ForGame>(self, task: T) -> T::Output {
                match self {
                    $(GameName::$name(variant) => task.run::<$game>(variant),)*
                }
            }

            /// The game that a record's or position's text is of; the default for other texts.
            pub(super) fn of_text(text: &str) -> GameName {
                $(
                    if <$game>::recognises(text) {
                        return GameName::$name(Default::default());
                    }
                )*
                GameName::default()
            }

            /// The game that a file is of whose text begins like this; `None` for unknown forms.
            pub(super) fn of_file(beginning: &str) -> Option<GameName> {
                $(
                    if <$game>::is_recording(beginning) {
                        return Some(GameName::$name(Default::default()));
                    }
                )*
                None
            }

            /// The game of a file of labelled positions that begins with `start`.
            pub(super) fn of_labelled_positions(start: &[u8]) -> Option<GameName> {
                $(
                    if start.starts_with(&header::<$game>()) {
                        return Some(GameName::$name(Default::default()));
                    }
                )*
                None
            }

            /// The game that a word names by itself or by one of its variants.
            fn named(word: &str) -> Option<GameName> {
                $(
                    if word.eq_ignore_ascii_case(<$game>::WORD) {
                        return Some(GameName::$name(Default::default()));
                    }
                    if let Ok(variant) = word.parse::<$variant>() {
                        return Some(GameName::$name(variant));
                    }
                )*
                None
            }
        }

        impl fmt::Display for GameName {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(GameName::$name(variant) => {
                        if *variant == Default::default() {
                            f.write_str(<$game>::WORD)
                        } else {
                            write!(f, "{variant}")
                        }
                    })*
                }
            }
        }
    };
}

games! {
    Standard: Wide, GameType, "`Base`, or `Base+` with some of the letters M, L and P";
    Contest: Contest, Deal, "`contest`";
}

impl GameName {
    /// The help of an option that names a game.
    pub(super) fn help() -> String {
        format!("The game: {}", GameName::words())
    }
}

/// The contest's game.
impl Default for GameName {
    fn default() -> GameName {
        GameName::Contest(Deal::default())
    }
}

/// The word names no game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a game: expected {words}", words = GameName::words())]
pub(super) struct ParseGameNameError(String);

impl FromStr for GameName {
    type Err = ParseGameNameError;

    fn from_str(word: &str) -> Result<GameName, ParseGameNameError> {
        GameName::named(word).ok_or_else(|| ParseGameNameError(word.to_owned()))
    }
}

impl TryFrom<String> for GameName {
    type Error = ParseGameNameError;

    fn try_from(word: String) -> Result<GameName, ParseGameNameError> {
        word.parse()
    }
}

impl From<GameName> for String {
    fn from(name: GameName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_named_in_any_case() {
        for (word, text) in [
            ("contest", "contest"),
            ("Contest", "contest"),
            ("rulebook", "rulebook"),
            ("Base", "Base"),
            ("Base+MLP", "Base+MLP"),
            ("base+plm", "Base+MLP"),
        ] {
            assert_eq!(word.parse::<GameName>().unwrap().to_string(), text);
        }
        for word in ["", "chess", "Base+X"] {
            assert!(word.parse::<GameName>().is_err(), "{word}");
        }
    }

    #[test]
    fn files_of_labelled_positions_name_their_game() {
        let game = |start| GameName::of_labelled_positions(start).map(|game| game.to_string());
        assert_eq!(game(b"wabepos\x01 records"), Some("contest".to_owned()));
        assert_eq!(
            game(b"wabepos\x02\x04Base records"),
            Some("Base".to_owned())
        );
        for start in [
            &b""[..],
            b"wabepos",
            b"wabepos\x02\x05Basel",
            b"wabepos\x03",
        ] {
            assert_eq!(game(start), None);
        }
    }
}
