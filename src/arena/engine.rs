//! Who plays: the text form of an engine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::command::set_surroundings;
use super::program::{ParseProgramError, ProgramSpec};
use super::uhp_spec::{ParseUhpError, UhpSpec};
use crate::search::{ParsePlayerSpecError, PlayerSpec};

/// An engine of a run: who plays, and the name it has in tables.
///
/// The text form is split into words as a shell would. The first one is a [`PlayerSpec`], a [`ProgramSpec`] or a [`UhpSpec`],
/// the others are options: `mcts:nodes=500 name=base`, `cmd:'./bot/start.sh --fast' name=bot dir=bots`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineSpec {
    /// Name in tables and records.
    pub name: String,
    /// Who plays.
    pub player: EnginePlayer,
}

/// Who plays for an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum EnginePlayer {
    /// A built-in player, in process.
    BuiltIn(PlayerSpec),
    /// A client program, over the contest's protocol.
    Program(Box<ProgramSpec>),
    /// A program for standard Hive, over the Universal Hive Protocol.
    Uhp(Box<UhpSpec>),
}

impl EngineSpec {
    /// Whether the engine is a program of its own.
    pub fn is_program(&self) -> bool {
        match self.player {
            EnginePlayer::BuiltIn(_) => false,
            EnginePlayer::Program(_) | EnginePlayer::Uhp(_) => true,
        }
    }
}

impl EnginePlayer {
    fn default_name(&self) -> String {
        match self {
            EnginePlayer::BuiltIn(spec) => spec.to_string(),
            EnginePlayer::Program(spec) => spec.command.file_name(),
            EnginePlayer::Uhp(spec) => spec.command.file_name(),
        }
    }
}

/// Why a text is no engine.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseEngineSpecError {
    /// The player.
    #[error(transparent)]
    Player(#[from] ParsePlayerSpecError),
    /// The program.
    #[error(transparent)]
    Program(#[from] ParseProgramError),
    /// The engine of standard Hive.
    #[error(transparent)]
    Uhp(#[from] ParseUhpError),
    /// Quotes that do not match.
    #[error("`{0}` has a quote without its partner")]
    Quotes(String),
    /// An empty text.
    #[error(
        "an engine needs a player, such as `mcts:nodes=500`, or a program, such as `cmd:./start.sh` or `uhp:'wabe uhp'`"
    )]
    Empty,
    /// A word after the player that is no option.
    #[error(
        "`{0}` is not an option of an engine: expected name=NAME, time=MS, nodes=N, memory=MIB, seed=N or, \
         for programs, dir=DIR, env=NAME=VALUE, log=FILE"
    )]
    Option(String),
    /// A value.
    #[error("`{0}`: expected a whole number")]
    Number(String),
    /// An option that a built-in player does not have.
    #[error("`{0}` is an option of programs, not of built-in players")]
    ForPrograms(String),
}

impl FromStr for EngineSpec {
    type Err = ParseEngineSpecError;

    fn from_str(text: &str) -> Result<EngineSpec, ParseEngineSpecError> {
        let words =
            shell_words::split(text).map_err(|_| ParseEngineSpecError::Quotes(text.to_owned()))?;
        let (player, options) = words.split_first().ok_or(ParseEngineSpecError::Empty)?;
        let mut player = EnginePlayer::parse(player)?;
        let mut name = None;
        for option in options {
            match option.split_once('=') {
                Some(("name", value)) if !value.is_empty() => name = Some(value.to_owned()),
                Some((key, value)) => player.set(key, value, option)?,
                None => return Err(ParseEngineSpecError::Option(option.clone())),
            }
        }
        match &player {
            EnginePlayer::BuiltIn(_) => {}
            EnginePlayer::Program(program) => program.check()?,
            EnginePlayer::Uhp(program) => program.check()?,
        }
        Ok(EngineSpec {
            name: name.unwrap_or_else(|| player.default_name()),
            player,
        })
    }
}

impl EnginePlayer {
    fn parse(word: &str) -> Result<EnginePlayer, ParseEngineSpecError> {
        if let Some(program) = ProgramSpec::parse_command(word)? {
            return Ok(EnginePlayer::Program(Box::new(program)));
        }
        if let Some(program) = UhpSpec::parse_command(word)? {
            return Ok(EnginePlayer::Uhp(Box::new(program)));
        }
        Ok(EnginePlayer::BuiltIn(word.parse()?))
    }

    fn set(&mut self, key: &str, value: &str, option: &str) -> Result<(), ParseEngineSpecError> {
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| ParseEngineSpecError::Number(option.to_owned()))
        };
        let (move_time, nodes, memory_mib, seed) = match self {
            EnginePlayer::BuiltIn(spec) => (
                &mut spec.move_time,
                &mut spec.nodes,
                &mut spec.memory_mib,
                &mut spec.seed,
            ),
            EnginePlayer::Program(spec) => (
                &mut spec.move_time,
                &mut spec.nodes,
                &mut spec.memory_mib,
                &mut spec.seed,
            ),
            EnginePlayer::Uhp(spec) => return Ok(spec.set(key, value)?),
        };
        match key {
            "time" => *move_time = Some(Duration::from_millis(number()?)),
            "nodes" => *nodes = Some(number()?),
            "memory" => *memory_mib = Some(usize::try_from(number()?).unwrap_or(usize::MAX)),
            "seed" => *seed = Some(number()?),
            "dir" | "env" | "log" => match self {
                EnginePlayer::Program(spec) => {
                    set_surroundings(&mut spec.command, &mut spec.log, key, value)
                        .map_err(ParseProgramError::from)?;
                }
                _ => return Err(ParseEngineSpecError::ForPrograms(option.to_owned())),
            },
            _ => return Err(ParseEngineSpecError::Option(option.to_owned())),
        }
        Ok(())
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut options = Vec::new();
        if self.name != self.player.default_name() {
            options.push(("name", self.name.clone()));
        }
        match &self.player {
            EnginePlayer::BuiltIn(spec) => write!(f, "{spec}")?,
            EnginePlayer::Program(spec) => {
                f.write_str(&shell_words::quote(&spec.command_text()))?;
                options.extend(spec.options());
            }
            EnginePlayer::Uhp(spec) => {
                f.write_str(&shell_words::quote(&spec.command_text()))?;
                options.extend(spec.options());
            }
        }
        for (key, value) in options {
            write!(f, " {key}={}", shell_words::quote(&value))?;
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
            "cmd:./start.sh",
            "'cmd:java -jar '\\''my bot.jar'\\''' name=bot time=500 dir='my bots' env='A=1' env='B=x y' log=bot.log",
            "wabe:old/wabe name=old nodes=500 memory=64 seed=7",
            "'uhp:nokamute uhp' name=other time=1000 set='TableSizeMiB 64' set='Verbose False' dir=bots env='A=1' log=l",
            "uhp:./start.sh depth=3",
        ] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn options_may_stand_behind_a_built_in_player_too() {
        let engine: EngineSpec = "mcts nodes=5 seed=3 name=x".parse().unwrap();
        assert_eq!(engine.to_string(), "mcts:nodes=5,seed=3 name=x");
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |text: &str| text.parse::<EngineSpec>().unwrap_err().to_string();
        for (text, part) in [
            ("", "needs a player"),
            ("mcts nam=x", "`nam=x`"),
            ("mcts name='x", "quote"),
            ("minimax", "`minimax`"),
            ("mcts nodes=many", "`nodes=many`"),
            ("greedy dir=x", "`dir=x`"),
            ("cmd:", "command line"),
            ("\"cmd:bot 'x\"", "quote"),
            ("cmd:bot env=A", "`env=A`"),
            ("cmd:bot nodes=5", "{nodes}"),
            ("'cmd:bot {memory}'", "memory="),
            ("uhp:", "command line"),
            ("uhp:bot memory=5", "depth=N"),
            ("uhp:bot depth=-1", "`depth=-1`"),
            ("uhp:bot depth=1 time=1", "either"),
            ("uhp:bot set=Threads", "set='NAME VALUE'"),
            ("uhp:bot env=A", "`env=A`"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }
}
