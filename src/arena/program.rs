//! An engine that is a program of its own.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::command::{ParseCommandError, parse_command_line, surroundings};
use super::game::{GameSettings, HARD_LIMIT_FACTOR};
use crate::local_match::CommandLine;
use crate::server::TimeLimits;

/// A client program, started for each game as the contest's server starts its clients.
///
/// `cmd:COMMAND LINE` is any contest client, `wabe:COMMAND LINE` a build of this program, which is told its limits by
/// `--move-time`, `--nodes`, `--memory` and `--seed`. In the command line of any other client they take the places of
/// `{time}`, `{nodes}`, `{memory}` and `{seed}`.
///
/// A build of this program does not think on during the other side's turns, as both sides may have to share a core, unless its
/// environment variable `WABE_PONDER` is said to be `on`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSpec {
    /// How it wants to be told its limits.
    pub kind: ProgramKind,
    /// What is started.
    pub command: CommandLine,
    /// Time for a move.
    pub move_time: Option<Duration>,
    /// Search iterations for a move.
    pub nodes: Option<u64>,
    /// Memory for its search, in MiB.
    pub memory_mib: Option<usize>,
    /// Decides everything random in it.
    pub seed: Option<u64>,
    /// The file to which everything that it writes is appended, game by game.
    pub log: Option<PathBuf>,
}

/// How a program wants to be told its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// By the placeholders of its command line, if at all.
    Client,
    /// As a build of this program.
    Wabe,
}

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseProgramError {
    /// The command line or what surrounds it.
    #[error(transparent)]
    Command(#[from] ParseCommandError),
    /// An option that the program would never hear of.
    #[error("{option}= says nothing to a program without {{{option}}} in its command line")]
    Unused {
        /// The option's name.
        option: &'static str,
    },
    /// A placeholder without a value.
    #[error("{{{option}}} in a command line needs a value: {option}=…")]
    Missing {
        /// The option's name.
        option: &'static str,
    },
}

/// What tells a build of this program whether to think on during the other side's turns.
const PONDER_VARIABLE: &str = "WABE_PONDER";

impl ProgramKind {
    const ALL: [ProgramKind; 2] = [ProgramKind::Client, ProgramKind::Wabe];

    const fn prefix(self) -> &'static str {
        match self {
            ProgramKind::Client => "cmd:",
            ProgramKind::Wabe => "wabe:",
        }
    }
}

impl ProgramSpec {
    /// The program that a word such as `cmd:./start.sh` names; `None` for a word that names none.
    pub(super) fn parse_command(word: &str) -> Result<Option<ProgramSpec>, ParseProgramError> {
        let found = ProgramKind::ALL
            .into_iter()
            .find_map(|kind| Some((kind, word.strip_prefix(kind.prefix())?)));
        let Some((kind, text)) = found else {
            return Ok(None);
        };
        Ok(Some(ProgramSpec {
            kind,
            command: parse_command_line(word, text)?,
            move_time: None,
            nodes: None,
            memory_mib: None,
            seed: None,
            log: None,
        }))
    }

    /// Whether every option reaches the program, and every placeholder has a value.
    pub(super) fn check(&self) -> Result<(), ParseProgramError> {
        let given = [
            ("nodes", self.nodes.is_some()),
            ("memory", self.memory_mib.is_some()),
            ("seed", self.seed.is_some()),
        ];
        for (option, is_given) in given {
            let takes = self.takes(option);
            if is_given && !takes && self.kind == ProgramKind::Client {
                return Err(ParseProgramError::Unused { option });
            }
            // A seed can be drawn, the others cannot.
            if takes && !is_given && option != "seed" {
                return Err(ParseProgramError::Missing { option });
            }
        }
        Ok(())
    }

    fn takes(&self, option: &str) -> bool {
        let placeholder = format!("{{{option}}}");
        let mut arguments = self.command.arguments.iter();
        arguments.any(|argument| argument.contains(&placeholder))
    }

    /// The time for a move that the program is told; `None` if it is told none.
    fn told_time(&self, settings: &GameSettings) -> Option<Duration> {
        let default = match self.kind {
            ProgramKind::Wabe => self.nodes.is_none(),
            ProgramKind::Client => self.takes("time"),
        };
        self.move_time
            .or_else(|| default.then_some(settings.move_time))
    }

    /// How long the referee waits for its moves: its own time and the margin. The contest's limits hold for a client that was
    /// not told any, the run's patience for a search of so many nodes.
    pub(super) fn time_limits(&self, settings: &GameSettings) -> TimeLimits {
        let limits = match (self.told_time(settings), self.nodes) {
            (Some(time), _) => {
                let soft = time.saturating_add(settings.margin);
                TimeLimits::new(soft, soft.saturating_mul(HARD_LIMIT_FACTOR))
            }
            (None, Some(_)) => {
                let patience = settings.programs.hang_patience;
                TimeLimits::new(patience, patience)
            }
            (None, None) => Ok(TimeLimits::default()),
        };
        limits.unwrap_or_default()
    }

    /// The command line for a game whose seed for this side is `seed`.
    pub(super) fn command_for(&self, settings: &GameSettings, seed: u64) -> CommandLine {
        let mut command = self.command.clone();
        let milliseconds = |time: Duration| time.as_millis().to_string();
        let values = [
            (
                "time",
                "--move-time",
                self.told_time(settings).map(milliseconds),
            ),
            ("nodes", "--nodes", self.nodes.map(|n| n.to_string())),
            ("memory", "--memory", self.memory_mib.map(|m| m.to_string())),
            (
                "seed",
                "--seed",
                Some(self.seed.unwrap_or(seed).to_string()),
            ),
        ];
        // An environment variable, because builds that cannot ponder would not know an option.
        let says_whether = |(name, _): &(String, String)| name == PONDER_VARIABLE;
        if self.kind == ProgramKind::Wabe && !command.environment.iter().any(says_whether) {
            let variable = (PONDER_VARIABLE.to_owned(), "off".to_owned());
            command.environment.push(variable);
        }
        for (name, argument, value) in values {
            let Some(value) = value else { continue };
            if self.takes(name) {
                let placeholder = format!("{{{name}}}");
                for argument in &mut command.arguments {
                    *argument = argument.replace(&placeholder, &value);
                }
            } else if self.kind == ProgramKind::Wabe {
                command.arguments.extend([argument.to_owned(), value]);
            }
        }
        command
    }

    /// The first word of the text form, without quotes around it.
    pub(super) fn command_text(&self) -> String {
        format!("{}{}", self.kind.prefix(), self.command)
    }

    /// The options of the text form.
    pub(super) fn options(&self) -> Vec<(&'static str, String)> {
        let mut options = Vec::new();
        let mut add =
            |name, value: Option<String>| options.extend(value.map(|value| (name, value)));
        add("time", self.move_time.map(|t| t.as_millis().to_string()));
        add("nodes", self.nodes.map(|n| n.to_string()));
        add("memory", self.memory_mib.map(|m| m.to_string()));
        add("seed", self.seed.map(|s| s.to_string()));
        options.extend(surroundings(&self.command, self.log.as_ref()));
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::{EnginePlayer, EngineSpec};

    fn settings() -> GameSettings {
        GameSettings {
            move_time: Duration::from_millis(100),
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        }
    }

    fn program(text: &str) -> ProgramSpec {
        match text.parse::<EngineSpec>().unwrap().player {
            EnginePlayer::Program(program) => *program,
            _ => panic!("{text} is no client"),
        }
    }

    #[test]
    fn builds_of_this_program_are_told_their_limits_by_its_options() {
        let command = |text: &str| program(text).command_for(&settings(), 9).to_string();
        assert_eq!(
            command("'wabe:./old --player greedy' memory=64"),
            "./old --player greedy --move-time 100 --memory 64 --seed 9"
        );
        assert_eq!(
            command("wabe:./old nodes=500 seed=3"),
            "./old --nodes 500 --seed 3"
        );
    }

    #[test]
    fn builds_of_this_program_ponder_only_if_asked_to() {
        let environment = |text: &str| program(text).command_for(&settings(), 9).environment;
        let variable = |value: &str| ("WABE_PONDER".to_owned(), value.to_owned());
        assert_eq!(environment("wabe:./old"), [variable("off")]);
        assert_eq!(
            environment("wabe:./old env=WABE_PONDER=on"),
            [variable("on")]
        );
        assert!(environment("cmd:./old").is_empty());
    }

    #[test]
    fn other_clients_are_told_by_placeholders() {
        let command = |text: &str| program(text).command_for(&settings(), 9).to_string();
        assert_eq!(command("'cmd:bot -x'"), "bot -x");
        assert_eq!(
            command("'cmd:bot --ms={time} -s {seed}' time=70"),
            "bot '--ms=70' -s 9"
        );
    }

    #[test]
    fn the_referee_waits_as_long_as_the_program_was_told_to_take() {
        let limits = |text: &str| {
            let limits = program(text).time_limits(&settings());
            (limits.soft().as_millis(), limits.hard().as_millis())
        };
        assert_eq!(limits("cmd:bot"), (2_000, 10_000));
        assert_eq!(limits("cmd:bot time=300"), (350, 1_750));
        assert_eq!(limits("'cmd:bot {time}'"), (150, 750));
        assert_eq!(limits("wabe:bot"), (150, 750));
        assert_eq!(limits("wabe:bot nodes=5"), (60_000, 60_000));
    }
}
