//! Engines and networks named on the command line.

use std::fs::File;
use std::path::Path;

use anyhow::Context;

use super::outputs::{cannot_write, check_output};
use crate::errors::{MAX_CAUSE, UsageError};
use wabe_arena::ArenaGame;
use wabe_arena::{EngineSpec, GameError};
use wabe_files::text::printable;
use wabe_hive::Color;

/// The engine named on the command line: by its text form, or by the command line of a program.
pub(super) fn engine<G: ArenaGame>(
    text: &str,
    common: &[String],
) -> Result<EngineSpec, UsageError> {
    let engine = EngineSpec::from_command_line::<G>(text, common);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    engine.map_err(|error| UsageError::new(printable(&error.to_string(), MAX_CAUSE)))
}

/// The error of a game. `whose` names the program of that side and engine that cannot be started; a
/// guess at the mistake follows.
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

/// A guess at the mistake when a program cannot be started. A name without a slash is searched for
/// in `PATH` only.
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
