//! The files of a running arena.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::RunArgs;
use crate::arena::{EngineSpec, Journal, JournalError, PairRecord, ReplayFolder, RunSettings};
use crate::dataset::DatasetFile;
use crate::replay::Recorded;

/// The files of a run: results, labelled positions and replays, as far as they are wanted.
#[derive(Debug)]
pub(super) struct Outputs<G: Recorded> {
    journal: Option<Journal>,
    positions: Option<DatasetFile<G>>,
    replays: Option<ReplayFolder>,
}

impl<G: Recorded> Outputs<G> {
    /// Opens the files, and gives the pairs that the results hold already.
    pub(super) fn open(
        args: &RunArgs,
        settings: &RunSettings,
    ) -> anyhow::Result<(Outputs<G>, Vec<PairRecord>)> {
        let (journal, played) = open_journal(args, settings)?;
        let positions = args.positions.as_deref();
        let outputs = Outputs {
            journal,
            positions: positions
                .map(|path| open_positions(path, args.resume.is_some(), &played))
                .transpose()?,
            replays: args.about.folder(),
        };
        Ok((outputs, played))
    }

    /// Keeps a pair.
    pub(super) fn keep(&mut self, pair: &PairRecord, engines: &[EngineSpec]) -> anyhow::Result<()> {
        if let Some(replays) = &self.replays {
            // Before the pair is on record: a run that is killed in between writes it again.
            replays
                .keep::<G>(pair, engines)
                .context("cannot write the replays")?;
        }
        if let Some(journal) = &mut self.journal {
            journal.append(pair).context("cannot write the results")?;
        }
        if let Some(positions) = &mut self.positions {
            // After it: what is missing here is found there.
            positions
                .append(&pair.labelled_positions())
                .context("cannot write the positions")?;
        }
        Ok(())
    }
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

/// The file for labelled positions: a new one, or the one of the run that is resumed.
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
