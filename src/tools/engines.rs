//! Parses engines and checks their files before a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::outputs::{cannot_write, check_output};
use crate::errors::{MAX_CAUSE, UsageError};
use wabe_arena::ArenaGame;
use wabe_arena::{EnginePlayer, EngineSpec, GameError};
use wabe_files::text::{MAX_NAME, printable};
use wabe_hive::Color;

/// Parses an engine's text form, or the command line of a program. Rejects a bare name that is not
/// a program in `PATH`, before any game begins.
pub(super) fn engine<G: ArenaGame>(
    text: &str,
    common: &[String],
) -> Result<EngineSpec, UsageError> {
    let engine = EngineSpec::from_command_line::<G>(text, common);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    let engine =
        engine.map_err(|error| UsageError::new(printable(&error.to_string(), MAX_CAUSE)))?;
    let EnginePlayer::Program(program) = &engine.player else {
        return Ok(engine);
    };
    let name = &program.program;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let file_name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let is_there =
        |folder: PathBuf| folder.join(name).is_file() || folder.join(&file_name).is_file();
    let is_bare = text.starts_with(name.as_str()) && !name.contains(['/', '\\']);
    if is_bare && !std::env::split_paths(&paths).any(is_there) {
        let guess = if Path::new(name).is_file() {
            format!(" (the file here is `./{name}`)")
        } else {
            String::new()
        };
        return Err(UsageError::new(format!(
            "`{}` is not a built-in player (random, greedy, mcts), nor a program in PATH{guess}",
            printable(name, MAX_NAME)
        )));
    }
    Ok(engine)
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

/// Hint about why a program cannot be started. Names without a slash are searched for in `PATH`
/// only.
fn guess(program: &str, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        String::new()
    } else if !program.contains('/') && Path::new(program).is_file() {
        format!(" (the file here is `./{program}`)")
    } else if program.starts_with("~/") {
        " (write ~ outside the quotes, so that the shell expands it)".to_owned()
    } else {
        String::new()
    }
}

/// Checks that the programs' logs can be written.
pub(super) fn check_logs<'a>(
    engines: impl IntoIterator<Item = &'a EngineSpec>,
) -> anyhow::Result<()> {
    for path in engines.into_iter().filter_map(EngineSpec::log) {
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
