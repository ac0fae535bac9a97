//! Labelled positions from files of either form: their own, and the results of a run of the arena.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::arena::{Journal, PairRecord};
use crate::dataset::{DatasetError, DatasetReader, LabelledPosition};
use crate::game::Game;
use crate::games::GameName;

/// The game of all `files`. Variants of a game count as one.
///
/// # Errors
/// When a file cannot be read, or is of another game than the first.
pub(super) fn game_of(files: &[PathBuf]) -> anyhow::Result<GameName> {
    let mut first: Option<(GameName, &PathBuf)> = None;
    for path in files {
        let game = game_of_file(path).with_context(|| format!("cannot read {}", path.display()))?;
        let (expected, of) = *first.get_or_insert((game, path));
        if discriminant(&game) != discriminant(&expected) {
            bail!(
                "{} holds positions of {expected}, {} of {game}: give files of one game",
                of.display(),
                path.display()
            );
        }
    }
    Ok(first.map_or(GameName::default(), |(game, _)| game))
}

fn game_of_file(path: &Path) -> anyhow::Result<GameName> {
    let start = start_of(path)?;
    if is_results(&start) {
        let settings = Journal::settings(path)?;
        Ok(settings.game.parse()?)
    } else {
        // Reading fails at the header of any other file.
        Ok(GameName::of_labelled_positions(&start).unwrap_or_default())
    }
}

/// Hands every position of `files`, which are of the game `G`, to `receive`, with the number of its file. `false` if a file was damaged:
/// the positions before the damage were used, and a message went to standard error.
///
/// # Errors
/// When a file cannot be read at all or has another form, and when `receive` fails.
pub(super) fn for_each_position<G: Game>(
    files: &[PathBuf],
    mut receive: impl FnMut(u32, LabelledPosition<G>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut complete = true;
    for (number, path) in (0..).zip(files) {
        let mut receive = |labelled| receive(number, labelled);
        complete &= for_each_in_file(path, &mut receive)?;
    }
    Ok(complete)
}

fn for_each_in_file<G: Game>(
    path: &Path,
    receive: &mut impl FnMut(LabelledPosition<G>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let context = || format!("cannot read {}", path.display());
    if is_results(&start_of(path).with_context(context)?) {
        let (settings, pairs) = Journal::load(path).with_context(context)?;
        settings.check(&pairs).with_context(context)?;
        let mut unreadable = 0;
        for game in pairs.iter().flat_map(PairRecord::labelled_games) {
            let Some(positions) = game else {
                unreadable += 1;
                continue;
            };
            positions.into_iter().try_for_each(&mut *receive)?;
        }
        if unreadable > 0 {
            let path = path.display();
            eprintln!(
                "wabe: {path}: games left out because their moves are not legal: {unreadable}"
            );
        }
        return Ok(true);
    }
    let file = File::open(path).with_context(context)?;
    for labelled in DatasetReader::new(BufReader::new(file)).with_context(context)? {
        match labelled {
            Ok(labelled) => receive(labelled)?,
            Err(error @ (DatasetError::Truncated { .. } | DatasetError::Record { .. })) => {
                eprintln!("wabe: {}: {error}", path.display());
                return Ok(false);
            }
            Err(error) => return Err(error).with_context(context),
        }
    }
    Ok(true)
}

/// The first bytes of a file: enough for every header.
fn start_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(
            "it is not a regular file, and files of positions are read more than once",
        ));
    }
    file.take(64).read_to_end(&mut start)?;
    Ok(start)
}

/// The results of a run are JSON.
fn is_results(start: &[u8]) -> bool {
    start.starts_with(b"{")
}
