//! The files of a running arena.

use std::io;
use std::path::PathBuf;
use wabe_arena::ArenaGame;

use anyhow::Context;

use super::RunArgs;
use crate::tools::outputs::cannot_write;
use wabe_arena::{
    EngineSpec, GameNumber, Journal, JournalError, PairRecord, ReplayFolder, RunSettings,
};

/// The files of a run: results and replays, each if requested.
#[derive(Debug)]
pub(super) struct Outputs<'a> {
    args: &'a RunArgs,
    journal: Option<Journal>,
    replays: Option<ReplayFolder>,
}

impl<'a> Outputs<'a> {
    /// Opens the files, and returns the pairs that the results already hold.
    pub(super) fn open<G: ArenaGame>(
        args: &'a RunArgs,
        settings: &RunSettings,
    ) -> anyhow::Result<(Outputs<'a>, Vec<PairRecord>)> {
        let (journal, played) = open_journal(args, settings)?;
        let outputs = Outputs {
            args,
            journal,
            replays: args.about.folder(),
        };
        // The run may have been killed between the pair's results and its replays.
        if let Some(last) = played.last() {
            outputs.keep_replays::<G>(last, &settings.engines)?;
        }
        Ok((outputs, played))
    }

    /// Keeps a pair: first its results, from which a resumed run restores whatever is missing elsewhere.
    pub(super) fn keep<G: ArenaGame>(
        &mut self,
        pair: &PairRecord,
        engines: &[EngineSpec],
    ) -> anyhow::Result<()> {
        let context = |path: Option<&PathBuf>| path.map_or(String::new(), |p| cannot_write(p));
        if let Some(journal) = &mut self.journal {
            let results = self.args.resume.as_ref().or(self.args.results.as_ref());
            journal.append(pair).with_context(|| context(results))?;
        }
        self.keep_replays::<G>(pair, engines)
    }

    fn keep_replays<G: ArenaGame>(
        &self,
        pair: &PairRecord,
        engines: &[EngineSpec],
    ) -> anyhow::Result<()> {
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
pub(super) fn keep_replays<G: ArenaGame>(
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
