//! Reads games from files of `wabe selfplay`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};

use crate::errors::UsageError;
use wabe_arena::ArenaGame;
use wabe_arena::dataset::{DatasetError, GameReader, TrainingGame, game_word};
use wabe_records::games::GameName;

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

fn open(path: &Path) -> io::Result<BufReader<File>> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(BufReader::new(file))
}

/// Checks that no file is given twice.
pub(super) fn check_distinct(files: &[PathBuf]) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for path in files {
        if std::fs::canonicalize(path).is_ok_and(|path| !seen.insert(path)) {
            let problem = format!("{} is given twice", path.display());
            return Err(UsageError::new(problem).into());
        }
    }
    Ok(())
}

/// The game of `files`. All variants of a game count as the same.
///
/// # Errors
/// When a file cannot be read, is given twice, or contains another game than the first.
pub(super) fn game_of(files: &[PathBuf]) -> anyhow::Result<GameName> {
    check_distinct(files)?;
    let mut first: Option<(String, &PathBuf)> = None;
    for path in files {
        let word = open(path).map_err(DatasetError::from).and_then(game_word);
        let word = word.with_context(|| cannot_read(path))?;
        let (expected, of) = first.get_or_insert((word.clone(), path));
        if word != *expected {
            bail!(
                "all files must be of the same game: {} contains {expected}, {} contains {word}",
                of.display(),
                path.display()
            );
        }
    }
    Ok(first.map_or(Ok(GameName::default()), |(word, _)| word.parse())?)
}

/// Passes every game of `files`, which must be of `G`, to `receive`, together with the index of its
/// file, until `stop` is set. Reports damaged games on standard error and skips them. Returns false
/// in that case.
///
/// # Errors
/// When a file cannot be read or has another format, or when `receive` fails.
pub(super) fn for_each_game<G: ArenaGame>(
    files: &[PathBuf],
    stop: &AtomicBool,
    mut receive: impl FnMut(u32, TrainingGame<G>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut is_complete = true;
    for (number, path) in (0..).zip(files) {
        let context = || cannot_read(path);
        for game in GameReader::new(open(path).with_context(context)?).with_context(context)? {
            if stop.load(Ordering::Relaxed) {
                return Ok(is_complete);
            }
            match game {
                Ok(game) => receive(number, game)?,
                Err(error @ (DatasetError::Damaged { .. } | DatasetError::Record { .. })) => {
                    eprintln!("wabe: {}: {error}", path.display());
                    is_complete = false;
                }
                Err(error) => return Err(error).with_context(context),
            }
        }
    }
    Ok(is_complete)
}
