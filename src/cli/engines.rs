//! Engines and networks named on the command line.

use std::fs::File;
use std::path::Path;

use anyhow::Context;

use super::errors::{MAX_CAUSE, UsageError};
use super::outputs::{cannot_write, check_output};
use crate::arena::{EngineSpec, GameError};
use crate::evaluation::{NetworkEvaluator, NetworkFile};
use crate::game::Game;
use crate::hive::Color;
use crate::text::printable;

/// The engine named on the command line: by its text form, or by the command line of a program.
pub(super) fn engine<G: Game>(text: &str, common: &[String]) -> Result<EngineSpec, UsageError> {
    let engine = EngineSpec::from_command_line::<G>(text, common);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    engine.map_err(|error| UsageError::new(printable(&error.to_string(), MAX_CAUSE)))
}

/// The error of a game. `whose` names the program of that side and engine that cannot be started; a guess at the mistake follows.
pub(super) fn explain(
    error: GameError,
    whose: impl FnOnce(Color, &str, &str) -> String,
) -> anyhow::Error {
    let GameError::Program {
        color,
        engine,
        program,
        source,
    } = error
    else {
        return error.into();
    };
    let guess = guess(&program, &source);
    let problem = format!("cannot start {}{guess}", whose(color, &engine, &program));
    anyhow::Error::new(source).context(problem)
}

/// A guess at the mistake when a program cannot be started. A name without a slash is searched for in `PATH` only.
fn guess(program: &str, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        String::new()
    } else if !program.contains('/') && Path::new(program).is_file() {
        format!(" (the file here is `./{program}`)")
    } else if program.starts_with("~/") {
        " (a shell would know what ~ is, if it stood outside of the quotes)".to_owned()
    } else if program.contains('/') {
        String::new()
    } else {
        " (nor is that a built-in player: random, greedy, mcts)".to_owned()
    }
}

/// Checks that the logs of programs can be written to.
pub(super) fn check_logs<'a>(
    engines: impl IntoIterator<Item = &'a EngineSpec>,
) -> anyhow::Result<()> {
    for path in engines.into_iter().filter_map(EngineSpec::log) {
        if path.is_file() {
            // An existing log is continued, even in a folder where no file can be created.
            let opened = File::options().append(true).open(path);
            opened.with_context(|| cannot_write(path))?;
        } else {
            check_output(path, [])?;
        }
    }
    Ok(())
}

/// The evaluation by the network of a file, or by the built-in one.
pub(super) fn evaluator<G: Game>(
    file: Option<&NetworkFile>,
) -> Result<NetworkEvaluator<G>, UsageError> {
    match file {
        Some(file) => file
            .evaluator()
            .map_err(|error| UsageError::new(error.to_string())),
        None => Ok(NetworkEvaluator::built_in()),
    }
}
