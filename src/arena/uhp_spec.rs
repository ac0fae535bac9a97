//! An engine of the Universal Hive Protocol.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::command::{ParseCommandError, parse_command_line, set_surroundings, surroundings};
use super::game::{GameSettings, HARD_LIMIT_FACTOR};
use crate::local_match::CommandLine;

/// What names such an engine.
const PREFIX: &str = "uhp:";

/// Iterations that a depth of 0 stands for in `wabe uhp`; each further ply means four times as many.
const NODES_OF_DEPTH_0: u64 = 32;

/// A program that plays standard Hive over the Universal Hive Protocol.
///
/// The text form is `uhp:COMMAND LINE`; its options are `time=MS` or `depth=N`, `set='NAME VALUE'` for each option of the
/// engine's own, and those that every program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UhpSpec {
    /// What is started.
    pub command: CommandLine,
    /// Time for a move.
    pub move_time: Option<Duration>,
    /// Depth for a move, instead of a time.
    pub depth: Option<u32>,
    /// Search iterations for a move, instead of a time. The protocol knows none: the engine is asked for the largest depth whose
    /// iterations these are in `wabe uhp`, 32 · 4^depth, and at least 1.
    pub nodes: Option<u64>,
    /// The engine's own options: names and values.
    pub options: Vec<(String, String)>,
    /// The file to which the dialogue and what it writes to standard error are appended, game by game.
    pub log: Option<PathBuf>,
}

/// Why a text is no engine of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseUhpError {
    /// The command line or what surrounds it.
    #[error(transparent)]
    Command(#[from] ParseCommandError),
    /// Several limits.
    #[error("a UHP engine is asked for a move by either time=, depth= or nodes=")]
    SeveralLimits,
    /// A value.
    #[error("`{0}`: expected a whole number")]
    Number(String),
    /// An option of its own without a value.
    #[error("`set={0}`: expected set='NAME VALUE'")]
    Setting(String),
    /// An option that it does not have.
    #[error(
        "`{0}` is not an option of a UHP engine: expected name=NAME, time=MS, depth=N, nodes=N, set='NAME VALUE' for its own options, \
         dir=DIR, env=NAME=VALUE, log=FILE"
    )]
    Option(String),
}

/// What an engine is asked for a move with, and how long the referee waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The protocol's command.
    pub(super) command: String,
    /// After this time, the game is lost.
    pub(super) allowed: Duration,
    /// After this time, nobody waits any more.
    pub(super) patience: Duration,
}

impl UhpSpec {
    /// The engine that a word such as `uhp:./start.sh` names; `None` for a word that names none.
    pub(super) fn parse_command(word: &str) -> Result<Option<UhpSpec>, ParseUhpError> {
        let Some(text) = word.strip_prefix(PREFIX) else {
            return Ok(None);
        };
        Ok(Some(UhpSpec {
            command: parse_command_line(word, text)?,
            move_time: None,
            depth: None,
            nodes: None,
            options: Vec::new(),
            log: None,
        }))
    }

    /// Sets an option of the text form.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), ParseUhpError> {
        let number = || ParseUhpError::Number(format!("{key}={value}"));
        match key {
            "time" => {
                let milliseconds = value.parse().map_err(|_| number())?;
                self.move_time = Some(Duration::from_millis(milliseconds));
            }
            "depth" => self.depth = Some(value.parse().map_err(|_| number())?),
            "nodes" => self.nodes = Some(value.parse().map_err(|_| number())?),
            "set" => {
                let setting = value.trim().split_once(char::is_whitespace);
                let setting =
                    setting.filter(|(_, value)| !value.contains(|c: char| c.is_control()));
                let (name, value) =
                    setting.ok_or_else(|| ParseUhpError::Setting(value.to_owned()))?;
                self.options
                    .push((name.to_owned(), value.trim_start().to_owned()));
            }
            "dir" | "env" | "log" => {
                set_surroundings(&mut self.command, &mut self.log, key, value)?;
            }
            _ => return Err(ParseUhpError::Option(format!("{key}={value}"))),
        }
        Ok(())
    }

    /// Whether the options make sense together.
    pub(super) fn check(&self) -> Result<(), ParseUhpError> {
        let given = [
            self.move_time.is_some(),
            self.depth.is_some(),
            self.nodes.is_some(),
        ];
        if given.into_iter().filter(|&is_given| is_given).count() > 1 {
            return Err(ParseUhpError::SeveralLimits);
        }
        Ok(())
    }

    /// The first word of the text form, without quotes around it.
    pub(super) fn command_text(&self) -> String {
        format!("{PREFIX}{}", self.command)
    }

    /// The options of the text form.
    pub(super) fn options(&self) -> Vec<(&'static str, String)> {
        let time = self.move_time.map(|t| ("time", t.as_millis().to_string()));
        let depth = self.depth.map(|depth| ("depth", depth.to_string()));
        let nodes = self.nodes.map(|nodes| ("nodes", nodes.to_string()));
        let own = self.options.iter();
        let own = own.map(|(name, value)| ("set", format!("{name} {value}")));
        let around = surroundings(&self.command, self.log.as_ref());
        time.into_iter()
            .chain(depth)
            .chain(nodes)
            .chain(own)
            .chain(around)
            .collect()
    }

    /// How it is asked for a move.
    pub(super) fn request(&self, settings: &GameSettings) -> Request {
        let depth_of = |nodes: u64| (nodes / NODES_OF_DEPTH_0).checked_ilog(4);
        let depth = self.nodes.map(|nodes| depth_of(nodes).unwrap_or(0).max(1));
        if let Some(depth) = self.depth.or(depth) {
            let patience = settings.programs.hang_patience;
            return Request {
                command: format!("bestmove depth {depth}"),
                allowed: patience,
                patience,
            };
        }
        let time = self.move_time.unwrap_or(settings.move_time);
        let allowed = time.saturating_add(settings.margin);
        Request {
            command: format!("bestmove time {}", time_text(time)),
            allowed,
            patience: allowed.saturating_mul(HARD_LIMIT_FACTOR),
        }
    }
}

/// `hh:mm:ss`, with milliseconds only where there are some: not every engine takes fractions.
fn time_text(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let whole = format!("{hours:02}:{minutes:02}:{seconds:02}");
    match milliseconds {
        0 => whole,
        _ => format!("{whole}.{milliseconds:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::{EnginePlayer, EngineSpec};

    fn request(text: &str) -> (String, u128, u128) {
        let EnginePlayer::Uhp(spec) = text.parse::<EngineSpec>().unwrap().player else {
            panic!("{text} does not speak the protocol");
        };
        let request = spec.request(&GameSettings {
            move_time: Duration::from_millis(100),
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        });
        let (allowed, patience) = (request.allowed.as_millis(), request.patience.as_millis());
        (request.command, allowed, patience)
    }

    #[test]
    fn whole_seconds_are_asked_for_without_a_fraction() {
        let command = |text| request(text).0;
        assert_eq!(command("uhp:x time=2000"), "bestmove time 00:00:02");
        assert_eq!(command("uhp:x time=3723000"), "bestmove time 01:02:03");
        assert_eq!(command("uhp:x"), "bestmove time 00:00:00.100");
        assert_eq!(command("uhp:x depth=4"), "bestmove depth 4");
        assert_eq!(command("uhp:x nodes=2048"), "bestmove depth 3");
        assert_eq!(command("uhp:x nodes=2047"), "bestmove depth 2");
        assert_eq!(command("uhp:x nodes=1"), "bestmove depth 1");
    }

    #[test]
    fn the_referee_waits_as_long_as_the_engine_was_told_to_take() {
        let waits = |text| {
            let (_, allowed, patience) = request(text);
            (allowed, patience)
        };
        assert_eq!(waits("uhp:x time=2000"), (2_050, 10_250));
        assert_eq!(waits("uhp:x"), (150, 750));
        assert_eq!(waits("uhp:x depth=4"), (60_000, 60_000));
    }
}
