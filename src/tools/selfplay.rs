//! `wabe selfplay`: games of the search against itself, for training.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};

use super::outputs::cannot_write;
use super::signals::stop_flag;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::values::evaluator;
use crate::values::{at_least_one, network_file, positive_share};
use wabe_arena::ArenaGame;
use wabe_arena::dataset::continue_file;
use wabe_arena::tuning::{SelfPlay, SelfPlaySettings};
use wabe_engine::evaluation::{NetworkEvaluator, NetworkFile};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Play games of the search against itself and write them to train with
///
/// Most moves are made by a short search. The positions of the others, which are searched in full,
/// are training positions, and so are some inside their trees. A run that was interrupted continues
/// where it stopped; Ctrl-C ends it after the current game.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file of games. A file of an earlier run is continued: give it the same options
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Number of training positions in the file at which the run ends
    #[arg(long, value_name = "N")]
    positions: u64,

    /// The games to play in turn, separated by commas; one that is named twice is played twice as
    /// often
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "contest",
        value_name = "GAMES"
    )]
    game: Vec<GameName>,

    /// Decides everything that is left to chance; files that are trained on together need different
    /// seeds
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Iterations of a full search
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: u64,

    /// Iterations of a short search, at most those of a full one [default: 80, or those of a full
    /// one if fewer]
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    short_nodes: Option<u64>,

    /// Share of the moves that are searched in full, from 0 to 1
    #[arg(long, default_value_t = 0.25, value_name = "SHARE", value_parser = positive_share)]
    full_share: f64,

    /// Most random plies at the start of a game; the number is drawn for each game
    #[arg(long, default_value_t = 8, value_name = "N")]
    random_plies: u16,

    /// Plies after the random ones whose moves are drawn by visits
    #[arg(long, default_value_t = 14, value_name = "N")]
    drawn_plies: u16,

    /// Record the visits of moves, to train a policy [default: true in standard Hive]
    #[arg(long, value_name = "BOOL")]
    visits: Option<bool>,

    /// A network instead of the built-in one
    #[arg(long, value_name = "FILE", value_parser = network_file)]
    weights: Option<NetworkFile>,
}

/// Games in a row without a new position after which there are hardly any left.
const MAX_BARREN: u32 = 1_000;

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
            .map_err(|_| UsageError::new(format!("{word} and {} do not share a network", G::WORD)))
    });
    let variants = variants.collect::<Result<Vec<_>, _>>()?;
    let short_nodes = args.short_nodes.unwrap_or(args.nodes.min(80));
    if short_nodes > args.nodes {
        return Err(UsageError::new(format!(
                "--short-nodes {short_nodes} is more than --nodes {}: a short search has at most the iterations of a full one",
                args.nodes
            ))
            .into());
    }
    let settings = SelfPlaySettings {
        seed: args.seed,
        nodes: args.nodes,
        short_nodes,
        full_share: args.full_share,
        random_plies: args.random_plies,
        drawn_plies: args.drawn_plies,
        visits: (args.visits)
            .unwrap_or_else(|| NetworkEvaluator::<G>::built_in().network().has_policy()),
    };
    let mut games = SelfPlay::<G>::new(&evaluator(args.weights.as_ref())?, &variants, settings);
    let context = || cannot_write(&args.output);
    let (mut positions, mut plies) = (0, 0);
    let (mut file, mut number) = continue_file::<G>(&args.output, settings.visits, |game| {
        positions += game.positions().len() as u64;
        games.skip(&game);
    })
    .with_context(context)?;
    let stop = stop_flag()?;
    let (started, before) = (Instant::now(), positions);
    let mut barren = 0;
    while positions < args.positions && barren < MAX_BARREN && !stop.is_set() {
        let game = games.play(number);
        let kept = game.positions().len();
        barren += 1;
        if kept > 0 {
            barren = 0;
            file.append(&game).with_context(context)?;
            positions += kept as u64;
            plies += game.plies.len();
        }
        number = number
            .checked_add(1)
            .context("no more numbers for games: begin another file")?;
    }
    let per_second = |count: f64| count / started.elapsed().as_secs_f64().max(1e-9);
    let printed = writeln!(
        std::io::stdout(),
        "positions {positions}\ngames     {number}\n{:.0} positions and {:.0} plies per second",
        per_second((positions - before) as f64),
        per_second(plies as f64)
    );
    ignore_broken_pipe(printed.map_err(Into::into))?;
    if barren == MAX_BARREN {
        bail!("{MAX_BARREN} games in a row had no new position: draw more plies");
    }
    Ok(stop.exit().unwrap_or(Exit::Success))
}
