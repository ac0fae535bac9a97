//! `wabe selfplay`: plays training games of the search against itself.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};

use super::outputs::cannot_write;
use super::progress::Progress;
use super::signals::stop_flag;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::values::at_least_one;
use crate::values::evaluator;
use wabe_arena::ArenaGame;
use wabe_arena::dataset::continue_file;
use wabe_arena::tuning::{SelfPlay, SelfPlaySettings};
use wabe_engine::evaluation::{NetworkEvaluator, NetworkFile};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Play training games of the engine against itself
///
/// One move in four gets a full search, the others a fifth of its nodes. Only full searches give
/// training positions: the root, up to 12 positions of the tree, and some after random moves.
///
/// Ctrl-C stops after the current game. The same command continues the file, also with more
/// `--positions`; other options must stay the same.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File of games, created or continued
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Stop once the file contains N training positions
    #[arg(long, value_name = "N")]
    positions: u64,

    /// Game types to play in turn, such as Base,Base,Base+MLP
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "contest",
        value_name = "GAMES"
    )]
    game: Vec<GameName>,

    /// Random seed, different for each file
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Iterations of a full search
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: u64,

    /// Maximum number of random plies per opening
    #[arg(long, default_value_t = 8, value_name = "N")]
    random_plies: u16,

    /// Network file to use instead of the built-in network
    #[arg(long, value_name = "FILE")]
    weights: Option<NetworkFile>,
}

/// Share of moves with a full search.
const FULL_SHARE: f64 = 0.25;

/// Number of plies after the random ones whose moves are sampled in proportion to visits.
const DRAWN_PLIES: u16 = 14;

/// Maximum number of consecutive games without a new position before the run stops.
const MAX_GAMES_WITHOUT_NEW: u32 = 1_000;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let first = args.game.first().copied().unwrap_or_default();
    with_game!(first, |G, _variant| play::<G>(args))
}

fn play<G: ArenaGame>(args: Args) -> anyhow::Result<Exit> {
    let variants = args.game.iter().map(|name| {
        let word = name.to_string();
        if word == G::WORD {
            return Ok(G::Variant::default());
        }
        word.parse::<G::Variant>()
            .map_err(|_| UsageError::new(format!("{word} and {} use different networks", G::WORD)))
    });
    let variants = variants.collect::<Result<Vec<_>, _>>()?;
    let settings = SelfPlaySettings {
        seed: args.seed,
        nodes: args.nodes,
        short_nodes: (args.nodes / 5).max(1),
        full_share: FULL_SHARE,
        random_plies: args.random_plies,
        drawn_plies: DRAWN_PLIES,
        visits: NetworkEvaluator::<G>::built_in().network().has_policy(),
    };
    let mut games = SelfPlay::<G>::new(&evaluator(args.weights.as_ref())?, &variants, settings);
    let context = || cannot_write(&args.output);
    let (mut count, mut positions, mut plies) = (0_u64, 0, 0);
    let (mut file, mut number) = continue_file::<G>(&args.output, settings.visits, |game| {
        if !games.repeats_opening(&game) || count == 0 && !games.repeats_searches(&game) {
            return Err(format!(
                "game {} is not the one that these options, network and version give: use those \
                 that the file was started with, or choose a new file",
                u64::from(game.number) + 1
            ));
        }
        count += 1;
        positions += game.positions().len() as u64;
        games.skip(&game);
        Ok(())
    })
    .with_context(|| format!("cannot open {}", args.output.display()))?;
    let stop = stop_flag()?;
    let (started, before) = (Instant::now(), positions);
    let mut games_without_new = 0;
    // A log needs no line for each game.
    let is_quiet = !std::io::stderr().is_terminal();
    let progress = Progress::new(is_quiet, "positions", args.positions, positions);
    while positions < args.positions && games_without_new < MAX_GAMES_WITHOUT_NEW && !stop.is_set()
    {
        let game = games.play(number);
        let kept = game.positions().len();
        games_without_new += 1;
        if kept > 0 {
            games_without_new = 0;
            file.append(&game).with_context(context)?;
            count += 1;
            positions += kept as u64;
            plies += game.plies.len();
            progress.advance(kept, || format!("{count} games, "), String::new);
        }
        number = number
            .checked_add(1)
            .context("the file contains the maximum number of games: start a new file")?;
    }
    progress.finish(None);
    let mut summary = format!("positions {positions}\ngames     {count}\n");
    if plies > 0 {
        let per_second = |count: f64| count / started.elapsed().as_secs_f64().max(1e-9);
        summary += &format!(
            "{:.0} positions and {:.0} plies per second\n",
            per_second((positions - before) as f64),
            per_second(plies as f64)
        );
    }
    let printed = std::io::stdout().write_all(summary.as_bytes());
    ignore_broken_pipe(printed.map_err(Into::into))?;
    if games_without_new == MAX_GAMES_WITHOUT_NEW {
        bail!("no new positions in {MAX_GAMES_WITHOUT_NEW} games in a row: raise --random-plies");
    }
    let Some(exit) = stop.exit() else {
        return Ok(Exit::Success);
    };
    let path = args.output.display();
    eprintln!("wabe: {}; the same command continues {path}", stop.signal());
    Ok(exit)
}
