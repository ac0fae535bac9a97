//! Who plays: the text form of an engine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::search::{ParsePlayerSpecError, PlayerSpec};

/// An engine of a run: a built-in player and the name it has in tables.
///
/// The text form is a [`PlayerSpec`], optionally followed by ` name=NAME`: `mcts:nodes=500 name=base`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineSpec {
    /// Name in tables and records.
    pub name: String,
    /// The player.
    pub player: PlayerSpec,
}

/// Why a text is no engine.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseEngineSpecError {
    /// The player.
    #[error(transparent)]
    Player(#[from] ParsePlayerSpecError),
    /// Quotes that do not match.
    #[error("`{0}` has a quote without its partner")]
    Quotes(String),
    /// An empty text.
    #[error("an engine needs a player, such as `mcts:nodes=500`")]
    Empty,
    /// A word after the player that is no option.
    #[error("`{0}` is not an option of an engine: expected name=NAME")]
    Option(String),
}

impl FromStr for EngineSpec {
    type Err = ParseEngineSpecError;

    fn from_str(text: &str) -> Result<EngineSpec, ParseEngineSpecError> {
        let words =
            shell_words::split(text).map_err(|_| ParseEngineSpecError::Quotes(text.to_owned()))?;
        let (player, options) = words.split_first().ok_or(ParseEngineSpecError::Empty)?;
        let player: PlayerSpec = player.parse()?;
        let mut name = player.to_string();
        for option in options {
            match option.split_once('=') {
                Some(("name", value)) if !value.is_empty() => name = value.to_owned(),
                _ => return Err(ParseEngineSpecError::Option(option.clone())),
            }
        }
        Ok(EngineSpec { name, player })
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.player)?;
        if self.name != self.player.to_string() {
            write!(f, " name={}", shell_words::quote(&self.name))?;
        }
        Ok(())
    }
}

impl TryFrom<String> for EngineSpec {
    type Error = ParseEngineSpecError;

    fn try_from(text: String) -> Result<EngineSpec, ParseEngineSpecError> {
        text.parse()
    }
}

impl From<EngineSpec> for String {
    fn from(engine: EngineSpec) -> String {
        engine.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_round_trip() {
        for text in [
            "greedy",
            "mcts:nodes=5 name=base",
            "mcts:time=10 name='the new one'",
        ] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |text: &str| text.parse::<EngineSpec>().unwrap_err().to_string();
        assert!(message("").contains("needs a player"));
        assert!(message("mcts nam=x").contains("`nam=x`"));
        assert!(message("mcts name='x").contains("quote"));
        assert!(message("minimax").contains("`minimax`"));
    }
}
