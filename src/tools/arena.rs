//! `wabe arena`: plays many games between engines, with statistics.

mod merge;

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::board::WatchArgs;
use super::engines::{check_logs, engine, explain};
use super::outputs::{cannot_write, check_different, check_output, make_folder, write_file};
use super::progress::Progress;
use super::signals::stop_flag;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::tools::available_cores;
use crate::values::{at_least_one, seconds};
use wabe_arena::ArenaGame;
use wabe_arena::statistics::{Sprt, Verdict};
use wabe_arena::{
    AdjudicationRules, CountedGame, EngineSpec, Format, GameNumber, GameSettings, Games, Journal,
    OpeningSettings, Openings, PairRecord, Plan, RunEnd, RunSettings, Schedule, Shard, Spectator,
    Standings, Summary, Tally, run as run_arena, split_words, write_replays,
};
use wabe_board::{Broadcast, report_page};
use wabe_engine::clock;
use wabe_files::text::{MAX_NAME, printable};
use wabe_records::games::{GameName, word_of};
use wabe_records::with_game;

/// Play engines against each other, and report Elo or an SPRT
///
/// Every opening is played twice with colours swapped. The exit code is 0 when all games were
/// played, 3 or 4 when the SPRT accepted H0 or H1, 130 after Ctrl-C, 143 after SIGTERM, 129 after
/// SIGHUP.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Merge(merge::Args),
}

#[derive(Debug, clap::Args)]
struct RunArgs {
    /// Engine with its options, at least two (see docs/arena.md)
    ///
    /// A built-in player: `mcts:nodes=500 name=base`. A contest client: `cmd:./start.sh name=bot`.
    /// A build of wabe: `wabe:old/wabe nodes=500`. A UHP engine: `uhp:'nokamute uhp' time=1000`.
    ///
    /// Options are separated by spaces and quoted as in a shell: name=NAME, time=MS, nodes=N,
    /// level=N, threads=N, memory=MIB, weights=FILE, seed=N. Programs accept dir=DIR, env=NAME=VALUE
    /// and log=FILE, contest clients also time, nodes, memory and seed, UHP engines time=MS or depth=N
    /// and set='NAME VALUE'.
    #[arg(long = "engine", value_name = "SPEC")]
    engines: Vec<String>,

    /// Default options for all engines, e.g. `nodes=400`
    #[arg(long, value_name = "OPTIONS")]
    each: Vec<String>,

    /// Games per pairing, rounded up to whole pairs
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = at_least_one::<u64>)]
    games: u64,

    /// Tournament format for three or more engines
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Games played at the same time [default: number of cores]
    #[arg(long, value_name = "K", value_parser = at_least_one::<usize>)]
    concurrency: Option<usize>,

    /// Default time per move, in ms (not for `cmd:`)
    ///
    /// Contest clients started with `cmd:` have the contest's 2 s.
    #[arg(long, default_value_t = 100, value_name = "MS", value_parser = at_least_one::<u64>)]
    time: u64,

    /// Grace period before a move counts as late, in ms
    #[arg(long, default_value_t = 100, value_name = "MS")]
    margin: u64,

    /// Random seed for openings and engines
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    #[arg(long, value_name = "N", help = wabe_arena::opening_plies_help(), conflicts_with = "openings")]
    random_plies: Option<u16>,

    /// File of openings, one position or game per line [default: random openings]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    #[arg(long, value_name = "N", help = wabe_arena::max_plies_help(), value_parser = at_least_one::<u32>)]
    max_plies: Option<u32>,

    #[command(flatten)]
    adjudication: AdjudicationRules,

    /// Timeout for programs to start and join, in seconds
    #[arg(long, default_value = "20", value_name = "SECONDS", value_parser = seconds)]
    join_timeout: Duration,

    /// Play only share I of N of the pairs
    #[arg(long, default_value_t = Shard::WHOLE, value_name = "I/N")]
    shard: Shard,

    /// Results file to start or to resume from
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,

    #[command(flatten)]
    about: ResultArgs,

    /// Show no progress
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    watch: WatchArgs,
}

/// SPRT, report and replays of a run.
#[derive(Debug, clap::Args)]
struct ResultArgs {
    /// Test the first two engines, e.g. `elo0=0 elo1=10`
    ///
    /// Its decision ends a run, while `merge` only reports it. `alpha=0.05`, `beta=0.05` and
    /// `model=normalized` or `model=logistic` may follow.
    #[arg(long, num_args = 1.., value_name = "NAME=VALUE")]
    sprt: Vec<String>,

    /// Write a web page with tables, charts and the list of games
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Write replays into this folder, such as pair-1-game-2.xml
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,
}

impl ResultArgs {
    fn test(&self) -> Result<Option<Sprt>, UsageError> {
        let text = self.sprt.join(" ");
        if text.is_empty() {
            return Ok(None);
        }
        let sprt = text.parse().map(Some);
        sprt.map_err(|error| UsageError::new(format!("--sprt: {error}")))
    }

    /// Writes a run's report, if requested.
    fn write_report<G: ArenaGame>(
        &self,
        variant: G::Variant,
        standings: &Standings,
        games: &[CountedGame],
        recordings: &Recordings,
    ) -> anyhow::Result<()> {
        let Some(path) = &self.report else {
            return Ok(());
        };
        let page = report_page::<G>(variant, standings, games, recordings);
        write_file(path, page)
    }

    /// Writes the replays of a pair, if requested, and adds them to `recordings`. Reports games that
    /// cannot be replayed, and returns their number.
    fn write_replays<G: ArenaGame>(
        &self,
        pair: &PairRecord,
        engines: &[EngineSpec],
        recordings: &mut Recordings,
    ) -> anyhow::Result<usize> {
        let Some(folder) = &self.replays else {
            return Ok(0);
        };
        let written = write_replays::<G>(folder, pair, engines);
        let written = written.with_context(|| format!("cannot write to {}", folder.display()))?;
        let mut unplayable = 0;
        for (game, path) in written {
            if let Some(path) = path {
                recordings.insert(game, path);
            } else {
                unplayable += 1;
                eprintln!("wabe: no replay of {game}: its moves cannot be replayed");
            }
        }
        Ok(unplayable)
    }
}

/// The replays that were written.
type Recordings = HashMap<GameNumber, PathBuf>;

impl RunArgs {
    /// Opens or creates the results file, and returns the pairs in it.
    fn open_journal(
        &self,
        settings: &RunSettings,
    ) -> anyhow::Result<(Option<Journal>, Vec<PairRecord>)> {
        let Some(path) = &self.results else {
            return Ok((None, Vec::new()));
        };
        let context = || format!("cannot continue {}", path.display());
        let (journal, played) = Journal::resume(path, settings).with_context(context)?;
        settings.check(&played).with_context(context)?;
        Ok((Some(journal), played))
    }

    /// Checks before the first game that all outputs can be written.
    fn check_outputs(&self, engines: &[EngineSpec]) -> anyhow::Result<()> {
        let report = self.about.report.as_deref();
        let results = self.results.as_deref();
        for path in [results, report].into_iter().flatten() {
            let read = engines.iter().flat_map(|e| [e.log(), e.weights()]);
            check_output(path, read.flatten().chain(self.openings.as_deref()))?;
        }
        check_different(("--results", results), ("--report", report))?;
        if let Some(folder) = &self.about.replays {
            make_folder(folder)?;
        }
        check_logs(engines, self.openings.as_deref())
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    match args.command {
        Some(Command::Merge(args)) => merge::run(args),
        None => with_game!(args.run.game, |G, variant| play::<G>(&args.run, variant)),
    }
}

fn play<G: ArenaGame>(args: &RunArgs, variant: G::Variant) -> anyhow::Result<Exit> {
    let sprt = args.about.test()?;
    if sprt.is_some() && args.shard != Shard::WHOLE {
        bail!(UsageError::new(
            "--sprt does not work with --shard: test the merged shards with `wabe arena merge --sprt`"
        ));
    }
    let engines = engines::<G>(args)?;
    let games = games::<G>(args, variant)?;
    let game_settings = GameSettings {
        move_time: Duration::from_millis(args.time),
        margin: Duration::from_millis(args.margin),
        seed: args.seed,
        join_timeout: args.join_timeout,
        adjudication: args.adjudication,
        ..GameSettings::default()
    };
    let settings = RunSettings::new(&engines, args.format, &game_settings, &games, args.shard);
    args.check_outputs(&engines)?;
    let board = args.watch.serve()?;
    let (mut journal, played) = args.open_journal(&settings)?;
    // An earlier run may have been killed before writing replays, or may have written none.
    let mut recordings = Recordings::new();
    for pair in &played {
        (args.about).write_replays::<G>(pair, &engines, &mut recordings)?;
    }
    let mut tally = Tally::new::<G>(&played);
    let schedule = Schedule::new(args.format, engines.len(), args.games.div_ceil(2));
    let live = board.as_ref().map(|board| Arc::clone(&board.live));
    let broadcast = live.clone().map(Broadcast);
    let plan = Plan {
        engines: &engines,
        schedule: &schedule,
        shard: args.shard,
        done: played.len() as u64,
        games: &games,
        settings: &game_settings,
        concurrency: args.concurrency.unwrap_or_else(available_cores),
        spectator: (broadcast.as_ref()).map(|broadcast| broadcast as &dyn Spectator<G>),
    };
    let stop = stop_flag()?;
    let sprt = sprt.as_ref();
    // Results are written first. When the run is resumed, missing replays are restored from them.
    let mut keep = |pair: &PairRecord| {
        if let (Some(journal), Some(path)) = (&mut journal, &args.results) {
            journal.append(pair).with_context(|| cannot_write(path))?;
        }
        (args.about).write_replays::<G>(pair, &engines, &mut recordings)
    };
    let games = schedule.pairs_of(args.shard).saturating_mul(2);
    let standings = |tally: &Tally| {
        let game = word_of::<G>(variant);
        Standings::new(game, &settings, tally, sprt, Some(games))
    };
    if let Some(live) = &live {
        live.set_standings(standings(&tally));
    }
    let mut kept = Ok(0);
    let mut end = Ok(RunEnd::Decided);
    // In a tournament, the other engines go on.
    let is_pointless = |tally: &Tally| engines.len() == 2 && tally.engine_without_moves().is_some();
    let is_open = Summary::new::<G>(&engines, &tally, sprt).verdict() == Verdict::Continue;
    if is_open && !is_pointless(&tally) {
        let started = Instant::now();
        let thought_before = tally.total_move_time();
        let progress = Progress::new(args.quiet, "games", games, 2 * played.len() as u64);
        end = run_arena(&plan, &stop, |pair| {
            kept = keep(&pair);
            if kept.is_err() {
                return ControlFlow::Break(());
            }
            tally.add::<G>(&pair);
            let summary = Summary::new::<G>(&engines, &tally, sprt);
            progress.advance(2, || summary.standing(), || summary.pair_line(&pair));
            if let Some(live) = &live {
                live.set_standings(standings(&tally));
            }
            match summary.verdict() {
                Verdict::Continue if !is_pointless(&tally) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        });
        let thought = tally.total_move_time().saturating_sub(thought_before);
        let left = (games / 2).saturating_sub(played.len() as u64);
        let parallel = left.clamp(1, plan.concurrency.max(1) as u64);
        progress.finish(occupancy(thought, started.elapsed(), parallel));
    }
    // Print the results so far, however the run ended.
    let summary = Summary::new::<G>(&engines, &tally, sprt);
    let standings = standings(&tally);
    let printed = print(&summary);
    let reported = (args.about).write_report::<G>(variant, &standings, &tally.games, &recordings);
    let end = end.map_err(|error| {
        explain(error, |_, engine, program| {
            format!("`{program}` of the engine `{engine}`")
        })
    })?;
    kept?;
    reported?;
    ignore_broken_pipe(printed)?;
    if end == RunEnd::Interrupted {
        let signal = stop.signal();
        match &args.results {
            Some(path) => {
                let path = path.display();
                eprintln!("wabe: {signal}; the same command continues {path}");
            }
            None => eprintln!("wabe: {signal}"),
        }
        return Ok(stop.signal().into());
    }
    check_moves(&tally, &engines)?;
    if let Some(board) = board {
        board.wait_for_pages()?;
    }
    Ok(exit_of(summary.verdict()))
}

/// Rejects the result of a run with an engine that never moved.
fn check_moves(tally: &Tally, engines: &[EngineSpec]) -> anyhow::Result<()> {
    if let Some((engine, games)) = tally.engine_without_moves() {
        let name = engines.get(engine).map_or("?", |engine| &engine.name);
        bail!("the engine `{name}` lost {games} games by faults without making a move");
    }
    Ok(())
}

/// Parses the engines from the options.
fn engines<G: ArenaGame>(args: &RunArgs) -> Result<Vec<EngineSpec>, UsageError> {
    if args.engines.len() < 2 {
        return Err(UsageError::new(
            "a run needs at least two engines: --engine mcts --engine greedy",
        ));
    }
    let each = args.each.join(" ");
    let words = split_words(&each);
    let each = words.map_err(|error| UsageError::new(format!("--each {each}: {error}")))?;
    if each.iter().any(|option| option.starts_with("name=")) {
        return Err(UsageError::new("--each cannot contain `name=`"));
    }
    let engines = args.engines.iter().map(|text| engine::<G>(text, &each));
    let engines = engines.collect::<Result<Vec<EngineSpec>, UsageError>>()?;
    let mut names = HashSet::new();
    if let Some(second) = engines.iter().find(|engine| !names.insert(&*engine.name)) {
        return Err(UsageError::new(format!(
            "two engines are named `{}`: set name=NAME",
            printable(&second.name, MAX_NAME)
        )));
    }
    Ok(engines)
}

/// Maximum size of a file of openings, in bytes.
const MAX_OPENINGS: u64 = 64 << 20;

/// Reads the openings from the file, or sets up random ones.
fn games<G: ArenaGame>(args: &RunArgs, variant: G::Variant) -> anyhow::Result<Games<G>> {
    let plies = args.random_plies.unwrap_or(G::OPENING_PLIES);
    let max_plies = args.max_plies.or(G::MAX_PLIES);
    let openings = match &args.openings {
        Some(path) => {
            let context = || format!("cannot read openings from {}", path.display());
            let text = wabe_files::read_text(path, MAX_OPENINGS).with_context(context)?;
            Openings::Listed(Games::<G>::read_openings(&text, variant).with_context(context)?)
        }
        None => Openings::Drawn(OpeningSettings {
            seed: args.seed,
            plies,
        }),
    };
    let longest = match &openings {
        Openings::Drawn(settings) => settings.plies,
        Openings::Listed(records) => {
            let turns = records.iter().map(|record| record.position().turn());
            turns.max().unwrap_or_default()
        }
    };
    if max_plies.is_some_and(|most| most <= u32::from(longest)) {
        bail!(UsageError::new(format!(
            "--max-plies must exceed the longest opening ({longest} plies)"
        )));
    }
    let games = Games {
        variant,
        openings,
        max_plies,
    };
    let is_drawn = args.openings.is_none() && plies > 0;
    if is_drawn && games.opening(0).position().turn() == 0 {
        bail!(UsageError::new(format!(
            "--random-plies {plies}: games end earlier"
        )));
    }
    Ok(games)
}

/// Describes the share of time spent in engines; `None` if they used none.
fn occupancy(thought: Duration, wall: Duration, concurrency: u64) -> Option<String> {
    let (thought, wall) = (thought.as_secs_f64(), wall.as_secs_f64());
    let percent = 100.0 * thought / (wall * concurrency as f64);
    (thought > 0.0).then(|| {
        format!("{wall:.1} s at concurrency {concurrency}, {percent:.1}% of it in engines")
    })
}

fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::AcceptH0 => Exit::AcceptedH0,
        Verdict::AcceptH1 => Exit::AcceptedH1,
        Verdict::Continue => Exit::Success,
    }
}

/// Prints a run's summary.
fn print(summary: &Summary<'_>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut printed = write!(out, "{summary}");
    let paused = clock::reported_pauses();
    if !paused.is_zero() {
        let seconds = paused.as_secs_f64();
        let line = format!("paused   {seconds:.1} s (wabe itself, not part of any move's time)");
        printed = printed.and_then(|()| writeln!(out, "{line}"));
    }
    Ok(printed.and_then(|()| out.flush())?)
}
