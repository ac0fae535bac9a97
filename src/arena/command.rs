//! What all programs have in common: a command line, and what surrounds them when they are started.

use std::path::PathBuf;

use thiserror::Error;

use crate::local_match::{CommandLine, ParseContenderError};

/// Why a text is no command line, or what surrounds one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseCommandError {
    /// Nothing to start.
    #[error("`{0}` needs the command line of a program")]
    Empty(String),
    /// Quotes that do not match.
    #[error("`{0}` has a quote without its partner")]
    Quotes(String),
    /// An environment variable.
    #[error("`env={0}` is not an environment variable: expected env=NAME=VALUE")]
    Variable(String),
}

/// Sets `dir`, `env` or `log`, which every program has.
pub(super) fn set_surroundings(
    command: &mut CommandLine,
    log: &mut Option<PathBuf>,
    key: &str,
    value: &str,
) -> Result<(), ParseCommandError> {
    match key {
        "dir" => command.directory = Some(value.into()),
        "log" => *log = Some(value.into()),
        _ => {
            let (name, value) = value
                .split_once('=')
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| ParseCommandError::Variable(value.to_owned()))?;
            let variable = (name.to_owned(), value.to_owned());
            command.environment.push(variable);
        }
    }
    Ok(())
}

/// The options of the text form that [`set_surroundings`] sets.
pub(super) fn surroundings(
    command: &CommandLine,
    log: Option<&PathBuf>,
) -> Vec<(&'static str, String)> {
    let path = |path: &PathBuf| path.display().to_string();
    let directory = command.directory.as_ref().map(|dir| ("dir", path(dir)));
    let variables = command.environment.iter();
    let variables = variables.map(|(name, value)| ("env", format!("{name}={value}")));
    let log = log.map(|log| ("log", path(log)));
    directory.into_iter().chain(variables).chain(log).collect()
}

/// The command line behind the prefix of a program's word.
pub(super) fn parse_command_line(word: &str, text: &str) -> Result<CommandLine, ParseCommandError> {
    text.parse().map_err(|error| match error {
        ParseContenderError::Quotes(text) => ParseCommandError::Quotes(text),
        _ => ParseCommandError::Empty(word.to_owned()),
    })
}
