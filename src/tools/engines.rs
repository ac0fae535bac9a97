//! Parses engines and checks their files before a run.

use std::fs::File;
use std::path::Path;

use anyhow::Context;

use super::outputs::{cannot_write, check_no_input, check_output};
use crate::errors::{MAX_CAUSE, UsageError};
use wabe_arena::ArenaGame;
use wabe_arena::{EngineSpec, GameError, local_file_hint};
use wabe_files::text::printable;
use wabe_hive::Color;

/// Parses an engine's text form, or the command line of a program.
pub(super) fn engine<G: ArenaGame>(
    text: &str,
    common: &[String],
) -> Result<EngineSpec, UsageError> {
    let engine = EngineSpec::from_command_line::<G>(text, common);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    engine.map_err(|error| UsageError::new(printable(&error.to_string(), MAX_CAUSE)))
}

/// Formats the error of a game. If a program cannot be started, `whose` names it from its side,
/// engine and path, and a hint follows.
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

/// Hint about why a program cannot be started.
fn guess(program: &str, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        String::new()
    } else if program.starts_with("~/") {
        " (write ~ outside the quotes, so that the shell expands it)".to_owned()
    } else {
        local_file_hint(program)
    }
}

/// Checks that the programs' logs can be written, and are neither engines' networks nor `openings`.
pub(super) fn check_logs<'a>(
    engines: impl IntoIterator<Item = &'a EngineSpec> + Clone,
    openings: Option<&'a Path>,
) -> anyhow::Result<()> {
    let weights = engines.clone().into_iter().filter_map(EngineSpec::weights);
    let inputs: Vec<&Path> = weights.chain(openings).collect();
    for path in engines.into_iter().filter_map(EngineSpec::log) {
        check_no_input(path, inputs.iter().copied())?;
        if path.is_file() {
            // An existing log is appended to, even if its folder is read-only.
            let opened = File::options().append(true).open(path);
            opened.with_context(|| cannot_write(path))?;
        } else {
            check_output(path, [])?;
        }
    }
    Ok(())
}
