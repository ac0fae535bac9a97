//! `wabe arena merge`: prints the statistics of finished results files.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::{Recordings, ResultArgs, check_moves, exit_of, print};
use crate::errors::ignore_broken_pipe;
use crate::exit::Exit;
use crate::tools::outputs::check_output;
use wabe_arena::ArenaGame;
use wabe_arena::statistics::Sprt;
use wabe_arena::{
    Journal, PairRecord, RunSettings, Shard, Standings, Summary, Tally, differing_settings,
};
use wabe_records::games::{GameName, word_of};
use wabe_records::with_game;

/// Print the statistics of results files, such as the shards of a run
///
/// The exit code is 0, or 3 or 4 when the SPRT accepted H0 or H1.
#[derive(Debug, clap::Args)]
// `--sprt` takes all words after it, so the files must come first.
#[command(override_usage = "wabe arena merge <FILES>... [OPTIONS]")]
pub(super) struct Args {
    /// Results files
    #[arg(required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    about: ResultArgs,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    // Parse the SPRT before reading large files.
    let sprt = args.about.test()?;
    if let Some(path) = &args.about.report {
        check_output(path, args.files.iter().map(PathBuf::as_path))?;
    }
    let Some((settings, pairs)) = load(&args.files)? else {
        return Ok(Exit::Success);
    };
    let game: GameName = settings.game.parse()?;
    with_game!(game, |G, variant| {
        merge::<G>(&args, variant, &settings, &pairs, sprt.as_ref())
    })
}

/// Prints the statistics of the merged pairs, and writes the requested outputs.
fn merge<G: ArenaGame>(
    args: &Args,
    variant: G::Variant,
    settings: &RunSettings,
    pairs: &[PairRecord],
    sprt: Option<&Sprt>,
) -> anyhow::Result<Exit> {
    let all = pairs.last().map_or(0, |last| last.pair + 1);
    let missing = all.saturating_sub(pairs.len() as u64);
    if missing > 0 {
        eprintln!("wabe: missing pairs: {missing}; a shard is missing or incomplete");
    }
    if pairs.is_empty() {
        eprintln!("wabe: no pair is finished");
    }
    let tally = Tally::new::<G>(pairs);
    let summary = Summary::new::<G>(&settings.engines, &tally, sprt);
    // A failed output must not prevent the others.
    let printed = print(&summary);
    let standings = Standings::new(word_of::<G>(variant), settings, &tally, sprt, None);
    let mut recordings = Recordings::new();
    let mut write =
        |pair| (args.about).write_replays::<G>(pair, &settings.engines, &mut recordings);
    let unplayable = pairs
        .iter()
        .try_fold(0, |sum, pair| anyhow::Ok(sum + write(pair)?));
    (args.about).write_report::<G>(variant, &standings, &tally.games, &recordings)?;
    ignore_broken_pipe(printed)?;
    check_moves(&tally, &settings.engines)?;
    match unplayable? {
        0 => Ok(exit_of(summary.verdict())),
        count => bail!("games without a replay: {count}"),
    }
}

/// Loads the settings and all pairs of a run, ordered by pair number.
fn load(files: &[PathBuf]) -> anyhow::Result<Option<(RunSettings, Vec<PairRecord>)>> {
    let mut run: Option<(RunSettings, Vec<PairRecord>)> = None;
    for path in files {
        let (settings, pairs) = load_share(path)?;
        let Some((first, all)) = &mut run else {
            run = Some((settings, pairs));
            continue;
        };
        let differences = differing_settings(first, &settings);
        if !differences.is_empty() {
            bail!(
                "{} belongs to another run; different settings: {}",
                path.display(),
                differences.join(", ")
            );
        }
        all.extend(pairs);
        all.sort_by_key(|pair| pair.pair);
        if let Some(twice) = all.windows(2).find(|two| two[0].pair == two[1].pair) {
            let number = twice[0].pair.saturating_add(1);
            bail!("{}: pair {number} is also in another file", path.display());
        }
    }
    Ok(run)
}

/// Loads a file's pairs and settings. Resets the shard, the only setting that differs between
/// shards.
fn load_share(path: &Path) -> anyhow::Result<(RunSettings, Vec<PairRecord>)> {
    let context = || format!("cannot read {}", path.display());
    let (settings, pairs): (RunSettings, Vec<PairRecord>) =
        Journal::load(path).with_context(context)?;
    settings.check(&pairs).with_context(context)?;
    let whole = RunSettings {
        shard: Shard::WHOLE.to_string(),
        ..settings
    };
    Ok((whole, pairs))
}
