//! The files of a running arena.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::RunArgs;
use crate::arena::{
    EngineSpec, GameNumber, Journal, JournalError, PairRecord, ReplayFolder, RunSettings,
};
use crate::cli::outputs::cannot_write;
use crate::dataset::DatasetFile;
use crate::replay::Recorded;

/// The files of a run: results, labelled positions and replays, each if requested.
#[derive(Debug)]
pub(super) struct Outputs<'a, G: Recorded> {
    args: &'a RunArgs,
    journal: Option<Journal>,
    positions: Option<DatasetFile<G>>,
    replays: Option<ReplayFolder>,
}

impl<'a, G: Recorded> Outputs<'a, G> {
    /// Opens the files, and returns the pairs that the results already hold.
    pub(super) fn open(
        args: &'a RunArgs,
        settings: &RunSettings,
    ) -> anyhow::Result<(Outputs<'a, G>, Vec<PairRecord>)> {
        let positions = args.positions.as_deref();
        // Checked before the results are created: a run that does not begin leaves nothing behind.
        if let (Some(path), None) = (positions, &args.resume)
            && path.exists()
        {
            let exists = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(exists).with_context(|| format!("cannot use {}", path.display()));
        }
        let (journal, played) = open_journal(args, settings)?;
        let outputs = Outputs {
            args,
            journal,
            positions: positions
                .map(|path| open_positions(path, args.resume.is_some(), &played))
                .transpose()?,
            replays: args.about.folder(),
        };
        // The run may have been killed between the pair's results and its replays.
        if let Some(last) = played.last() {
            outputs.keep_replays(last, &settings.engines)?;
        }
        Ok((outputs, played))
    }

    /// Keeps a pair: first its results, from which a resumed run restores whatever is missing elsewhere.
    pub(super) fn keep(&mut self, pair: &PairRecord, engines: &[EngineSpec]) -> anyhow::Result<()> {
        let context = |path: Option<&PathBuf>| path.map_or(String::new(), |p| cannot_write(p));
        if let Some(journal) = &mut self.journal {
            let results = self.args.resume.as_ref().or(self.args.results.as_ref());
            journal.append(pair).with_context(|| context(results))?;
        }
        if let Some(positions) = &mut self.positions {
            positions
                .append(&pair.labelled_positions())
                .with_context(|| context(self.args.positions.as_ref()))?;
        }
        self.keep_replays(pair, engines)
    }

    fn keep_replays(&self, pair: &PairRecord, engines: &[EngineSpec]) -> anyhow::Result<()> {
        let Some(replays) = &self.replays else {
            return Ok(());
        };
        let unplayable = keep_replays::<G>(replays, pair, engines)?;
        for game in unplayable {
            eprintln!("wabe: no replay of {game}: its moves cannot be played");
        }
        Ok(())
    }
}

/// Returns the games that have no replay.
pub(super) fn keep_replays<G: Recorded>(
    replays: &ReplayFolder,
    pair: &PairRecord,
    engines: &[EngineSpec],
) -> anyhow::Result<Vec<GameNumber>> {
    let kept = replays.keep::<G>(pair, engines);
    kept.with_context(|| format!("cannot write to {}", replays.directory.display()))
}

fn open_journal(
    args: &RunArgs,
    settings: &RunSettings,
) -> anyhow::Result<(Option<Journal>, Vec<PairRecord>)> {
    let context = |path: &PathBuf, hint: &str| format!("cannot use {}{hint}", path.display());
    let (journal, played) = match (&args.resume, &args.results) {
        (Some(path), _) => {
            let resumed = Journal::resume(path, settings);
            let hint = match &resumed {
                Err(JournalError::OtherSettings(names))
                    if names.iter().any(|name| name == "openings.balanced") =>
                {
                    match args.unbalanced {
                        true => " (its openings are balanced: leave --unbalanced out)",
                        false => " (its openings are not balanced: resume it with --unbalanced)",
                    }
                }
                _ => "",
            };
            let (journal, played) = resumed.with_context(|| context(path, hint))?;
            settings.check(&played).with_context(|| context(path, ""))?;
            (journal, played)
        }
        (None, Some(path)) => {
            let begun = Journal::create(path, settings);
            let hint = match &begun {
                Err(JournalError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists => {
                    " (--resume continues a run)"
                }
                _ => "",
            };
            (begun.with_context(|| context(path, hint))?, Vec::new())
        }
        (None, None) => return Ok((None, Vec::new())),
    };
    Ok((Some(journal), played))
}

/// The file for labelled positions: a new one, or that of the resumed run.
fn open_positions<G: Recorded>(
    path: &Path,
    is_resumed: bool,
    played: &[PairRecord],
) -> anyhow::Result<DatasetFile<G>> {
    let context = || format!("cannot use {}", path.display());
    if is_resumed {
        let batches = played.iter().map(PairRecord::labelled_positions::<G>);
        DatasetFile::resume(path, batches).with_context(context)
    } else {
        DatasetFile::create(path).with_context(context)
    }
}
