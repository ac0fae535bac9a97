//! Who plays: the text form of a side of a match.

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::protocol::ReservationCode;
use crate::search::{ParsePlayerSpecError, PlayerKind, PlayerSpec};

/// One side of a match.
///
/// The text form is that of a [`PlayerSpec`], such as `mcts:nodes=5000`, or else a command line. A program with the name of a
/// built-in player is given with its path: `./greedy`.
#[derive(Clone, Debug, PartialEq)]
pub enum Contender {
    /// A built-in player.
    BuiltIn(PlayerSpec),
    /// A program to start.
    Program(CommandLine),
}

/// A program and its own arguments. The text form is split into words as a shell would, with quotes and backslashes but
/// without anything else that shells do.
///
/// `{host}`, `{port}` and `{reservation}` in the arguments stand for where to play. If none of them is there,
/// `--host`, `--port` and `--reservation` come behind the arguments, as the contest's server starts its clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The program's name or path; a relative path begins at `directory`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it is started, if not here. No part of the text form.
    pub directory: Option<PathBuf>,
    /// Environment variables it gets beside ours. No part of the text form.
    pub environment: Vec<(String, String)>,
}

impl CommandLine {
    /// The program's name without the path.
    pub fn file_name(&self) -> String {
        Path::new(&self.program)
            .file_name()
            .unwrap_or(self.program.as_ref())
            .to_string_lossy()
            .into_owned()
    }

    /// All arguments of a client that is to play there.
    pub(super) fn arguments_to_play(
        &self,
        server: SocketAddr,
        reservation: &ReservationCode,
    ) -> Vec<OsString> {
        let values = [
            ("host", server.ip().to_string()),
            ("port", server.port().to_string()),
            ("reservation", reservation.0.clone()),
        ];
        let mut has_placeholder = false;
        let mut arguments = self.arguments.clone();
        for argument in &mut arguments {
            for (name, value) in &values {
                let placeholder = format!("{{{name}}}");
                if argument.contains(&placeholder) {
                    *argument = argument.replace(&placeholder, value);
                    has_placeholder = true;
                }
            }
        }
        if !has_placeholder {
            for (name, value) in values {
                arguments.extend([format!("--{name}"), value]);
            }
        }
        arguments.into_iter().map(OsString::from).collect()
    }
}

impl Contender {
    /// What the player is called in the game: the text form of a built-in player, the file name of a program.
    pub fn name(&self) -> String {
        match self {
            Contender::BuiltIn(spec) => spec.to_string(),
            Contender::Program(command) => command.file_name(),
        }
    }
}

/// Why a text is no contender.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseContenderError {
    /// It begins like a built-in player.
    #[error(transparent)]
    Player(#[from] ParsePlayerSpecError),
    /// Quotes that do not match.
    #[error("`{0}` has a quote without its partner")]
    Quotes(String),
    /// An empty text.
    #[error("expected a built-in player, such as `mcts`, or the command line of a program")]
    Empty,
}

impl FromStr for Contender {
    type Err = ParseContenderError;

    fn from_str(text: &str) -> Result<Contender, ParseContenderError> {
        let name = text.split(':').next().unwrap_or_default();
        if name.parse::<PlayerKind>().is_ok() {
            return Ok(Contender::BuiltIn(text.parse()?));
        }
        text.parse().map(Contender::Program)
    }
}

impl FromStr for CommandLine {
    type Err = ParseContenderError;

    fn from_str(text: &str) -> Result<CommandLine, ParseContenderError> {
        let words =
            shell_words::split(text).map_err(|_| ParseContenderError::Quotes(text.to_owned()))?;
        let (program, arguments) = words.split_first().ok_or(ParseContenderError::Empty)?;
        Ok(CommandLine {
            program: program.clone(),
            arguments: arguments.to_vec(),
            ..CommandLine::default()
        })
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::BuiltIn(spec) => spec.fmt(f),
            Contender::Program(command) => command.fmt(f),
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        f.write_str(&shell_words::join(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_round_trip() {
        for text in [
            "mcts",
            "greedy:seed=3",
            "./greedy",
            "java -jar simpleclient.jar",
            "'my bot/start.sh' --name 'it'\\''s me'",
        ] {
            assert_eq!(text.parse::<Contender>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_begins_like_a_built_in_player_is_no_program() {
        let player = "mcts:nodes=5000".parse::<Contender>().unwrap();
        assert!(matches!(player, Contender::BuiltIn(spec) if spec.nodes == Some(5000)));
        let error = "mcts:depth=3".parse::<Contender>().unwrap_err();
        assert!(error.to_string().contains("depth=3"), "{error}");
        let program = "mcts-client".parse::<Contender>().unwrap();
        assert!(matches!(program, Contender::Program(_)));
    }

    #[test]
    fn programs_are_called_like_their_files() {
        let name = |text: &str| text.parse::<Contender>().unwrap().name();
        assert_eq!(name("../bots/'my bot'/start.sh --fast"), "start.sh");
        assert_eq!(name("java -jar bot.jar"), "java");
        assert_eq!(name("mcts:nodes=5"), "mcts:nodes=5");
    }

    #[test]
    fn where_to_play_is_said_behind_the_arguments_or_in_their_placeholders() {
        let server = SocketAddr::from(([127, 0, 0, 1], 13050));
        let arguments = |text: &str| {
            let command: CommandLine = text.parse().unwrap();
            command.arguments_to_play(server, &ReservationCode("r-1".to_owned()))
        };
        assert_eq!(
            arguments("bot --fast"),
            [
                "--fast",
                "--host",
                "127.0.0.1",
                "--port",
                "13050",
                "--reservation",
                "r-1"
            ]
        );
        assert_eq!(
            arguments("bot -a {host}:{port} -r={reservation} {seed}"),
            ["-a", "127.0.0.1:13050", "-r=r-1", "{seed}"]
        );
    }

    #[test]
    fn nothing_and_half_a_quote_are_no_contenders() {
        assert_eq!("  ".parse::<Contender>(), Err(ParseContenderError::Empty));
        assert!(matches!(
            "bot 'x".parse::<Contender>(),
            Err(ParseContenderError::Quotes(_))
        ));
    }
}
