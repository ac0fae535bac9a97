//! Labelled positions from files of either form: their own, or the results of a run of the arena.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::arena::{Journal, LabelledGame};
use crate::dataset::{DatasetError, DatasetReader, LabelledPosition};
use crate::hive::RuleBook;
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;

/// The game that positions are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LearnedGame {
    /// The contest's.
    Contest,
    /// Standard Hive.
    Standard,
}

impl LearnedGame {
    fn name(self) -> &'static str {
        match self {
            LearnedGame::Contest => Contest::NAME,
            LearnedGame::Standard => Wide::NAME,
        }
    }

    /// The game of a file.
    fn of(path: &Path) -> anyhow::Result<LearnedGame> {
        let context = || format!("cannot read {}", path.display());
        if !is_results(path).with_context(context)? {
            return Ok(LearnedGame::Contest);
        }
        let (settings, _) = Journal::load(path).with_context(context)?;
        Ok(match settings.standard {
            Some(_) => LearnedGame::Standard,
            None => LearnedGame::Contest,
        })
    }

    /// The game of all of `files`.
    ///
    /// # Errors
    /// When a file cannot be read, or is of another game than the first.
    pub(super) fn of_all(files: &[PathBuf]) -> anyhow::Result<LearnedGame> {
        let mut first = None;
        for path in files {
            let game = LearnedGame::of(path)?;
            let (expected, of) = *first.get_or_insert((game, path));
            if game != expected {
                bail!(
                    "{} holds positions of {}, {} of {}: only one game can be learned at a time",
                    of.display(),
                    expected.name(),
                    path.display(),
                    game.name()
                );
            }
        }
        Ok(first.map_or(LearnedGame::Contest, |(game, _)| game))
    }
}

/// A game whose positions files hold.
pub(super) trait FiledGame: LabelledGame {
    /// Hands the positions of a file that is no run's to `receive`. `false` if the file was damaged.
    fn for_each_in_dataset(
        path: &Path,
        receive: &mut impl FnMut(LabelledPosition<Self>) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool>;
}

impl FiledGame for Contest {
    fn for_each_in_dataset(
        path: &Path,
        receive: &mut impl FnMut(LabelledPosition) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let mut complete = true;
        for labelled in DatasetReader::new(BufReader::new(File::open(path)?))? {
            match labelled {
                Ok(labelled) => receive(labelled)?,
                Err(error @ (DatasetError::Truncated { .. } | DatasetError::Record { .. })) => {
                    eprintln!("wabe: {}: {error}", path.display());
                    complete = false;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(complete)
    }
}

impl FiledGame for Wide {
    fn for_each_in_dataset(
        _path: &Path,
        _receive: &mut impl FnMut(LabelledPosition<Wide>) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        bail!("files of labelled positions are of the contest's game: give results of `wabe arena`")
    }
}

/// Hands every position of `files`, which are of the game of `R`, to `receive`, each with the number of its file. `false` if a file was
/// damaged: what comes before the damage was used, and standard error was told.
///
/// # Errors
/// When a file cannot be read at all or has another form, and what `receive` gives.
pub(super) fn for_each_position<R: FiledGame>(
    files: &[PathBuf],
    mut receive: impl FnMut(u32, LabelledPosition<R>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut complete = true;
    for (number, path) in (0..).zip(files) {
        let context = || format!("cannot read {}", path.display());
        if is_results(path).with_context(context)? {
            let (_, pairs) = Journal::load(path).with_context(context)?;
            for labelled in pairs.iter().flat_map(|pair| pair.labelled_positions()) {
                receive(number, labelled)?;
            }
            continue;
        }
        let mut receive = |labelled| receive(number, labelled);
        complete &= R::for_each_in_dataset(path, &mut receive).with_context(context)?;
    }
    Ok(complete)
}

/// The results of a run are JSON.
fn is_results(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let mut first = [0];
    let read = file.read(&mut first)?;
    Ok(read == 1 && first[0] == b'{')
}
