//! `wabe puzzles`: positions with exactly one solution, from games.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::slice;

use anyhow::Context;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::game_file::GameFile;
use super::outputs::{check_output, write_file};
use super::progress::Progress;
use super::signals::{StopFlag, stop_flag};
use super::training_files::{for_each_game, game_of};
use crate::errors::describe;
use crate::exit::Exit;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_arena::dataset::MAGIC;
use wabe_engine::analysis::{Goal, Puzzle, PuzzleLimits, Theme};
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{Level, Limits, MctsOptions, MctsPlayer, Player, PlayerSpec};
use wabe_hive::game::Record;
use wabe_records::games::{GameName, word_of};
use wabe_records::with_game;

/// Find puzzles in games
///
/// In a puzzle, exactly one move wins by force, or all moves but one lose by force.
/// Both are proven by exhaustive search. Prints one JSON object per puzzle; see docs/json.md.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files that `wabe replay` reads, or files of `wabe selfplay`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// File to write if puzzles are found [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only puzzles of this game type
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,

    /// Stop after this number of puzzles
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    count: Option<usize>,

    /// Maximum number of plies of a win or loss, at most 9
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=9))]
    plies: u16,
}

/// Maximum number of positions of the search that selects candidates.
const MAX_QUICK_POSITIONS: u32 = 50_000;

/// Maximum number of positions that the proof of one puzzle may search.
const MAX_POSITIONS: u32 = 500_000;

/// Memory of the searches that rate puzzles, in MiB.
const MEMORY_MIB: usize = 16;

/// Iterations of the search that counts plausible wrong moves.
const NODES: u64 = 100;

/// Minimum share of that search's visits of a plausible move.
const PLAUSIBLE: f64 = 0.05;

/// Seeds with which each level tries a puzzle. It solves it if most of them do.
const SEEDS: u64 = 3;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    if let Some(path) = &args.output {
        check_output(path, args.files.iter().map(PathBuf::as_path))?;
    }
    // A missing file must not be noticed after the work on the others.
    for path in &args.files {
        File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let stop = stop_flag()?;
    let mut lines = Vec::new();
    let mut seen = HashSet::new();
    let mut is_complete = true;
    for path in &args.files {
        if stop.is_set() || args.count.is_some_and(|count| lines.len() >= count) {
            break;
        }
        let found = find_in_file(&args, path, &stop, &mut seen, lines.len());
        let (found, is_whole) = found.unwrap_or_else(|error| {
            eprintln!("wabe: {}", describe(&error));
            (Vec::new(), false)
        });
        lines.extend(found);
        is_complete &= is_whole;
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    match &args.output {
        Some(path) if lines.is_empty() => {
            eprintln!(
                "wabe: found no puzzles and did not write {}",
                path.display()
            );
        }
        Some(path) => write_file(path, text)?,
        None if lines.is_empty() => eprintln!("wabe: found no puzzles"),
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    Ok(stop.exit().unwrap_or(Exit::success_if(is_complete)))
}

/// The puzzles of a file, and whether the whole file could be read.
fn find_in_file(
    args: &Args,
    path: &PathBuf,
    stop: &StopFlag,
    seen: &mut HashSet<u64>,
    known: usize,
) -> anyhow::Result<(Vec<Value>, bool)> {
    let file = GameFile::open(path)?;
    if file.beginning.starts_with(MAGIC) {
        let path = slice::from_ref(path);
        return with_game!(game_of(path)?, |G, _variant| {
            let mut records = Vec::new();
            let is_whole = for_each_game::<G>(path, stop, |_, game| {
                records.push(game.record());
                Ok(())
            })?;
            Ok((find::<G>(args, &records, stop, seen, known), is_whole))
        });
    }
    with_game!(file.game, |G, _variant| {
        let replays = file.read::<G>(None)?;
        let is_whole = replays.iter().all(|replay| replay.damage.is_none());
        let records: Vec<_> = replays.into_iter().map(|r| r.record).collect();
        Ok((find::<G>(args, &records, stop, seen, known), is_whole))
    })
}

/// The puzzles of games as JSON, without those whose position is in `seen`.
fn find<G: ArenaGame>(
    args: &Args,
    records: &[Record<G>],
    stop: &StopFlag,
    seen: &mut HashSet<u64>,
    known: usize,
) -> Vec<Value> {
    let limits = PuzzleLimits {
        plies: args.plies,
        quick_positions: MAX_QUICK_POSITIONS,
        positions: MAX_POSITIONS,
        is_stopped: &|| stop.is_set(),
    };
    let wanted = args
        .count
        .map_or(usize::MAX, |count| count.saturating_sub(known));
    let is_wanted = |record: &&Record<G>| {
        args.game
            .is_none_or(|game| game.to_string() == word_of::<G>(record.variant()))
    };
    let records: Vec<_> = records.iter().filter(is_wanted).collect();
    let mut found = Vec::new();
    let progress = Progress::new(false, "games", records.len() as u64, 0);
    for games in records.chunks(CHUNK) {
        if stop.is_set() || found.len() >= wanted {
            break;
        }
        let of_game = |record: &&Record<G>| {
            let puzzles = if stop.is_set() {
                Vec::new()
            } else {
                puzzles_of(record, limits)
            };
            let rated = puzzles.into_iter().map(|puzzle| {
                let hash = puzzle.record.position().hash();
                (hash, json_of(&puzzle))
            });
            rated.collect::<Vec<_>>()
        };
        let chunk: Vec<_> = games.par_iter().flat_map_iter(of_game).collect();
        let new = chunk.into_iter().filter(|(hash, _)| seen.insert(*hash));
        found.extend(new.map(|(_, line)| line));
        found.truncate(wanted);
        let count = known + found.len();
        progress.advance(
            games.len(),
            || format!("{count} puzzles, "),
            || format!("{count} puzzles"),
        );
    }
    progress.finish(None);
    found
}

/// Number of final plies of a game that are searched for puzzles.
const LAST_PLIES: usize = 14;

/// Games per batch, after which the number of puzzles is checked.
const CHUNK: usize = 16;

/// The puzzles of a game, without later positions of the same win.
fn puzzles_of<G: ArenaGame>(record: &Record<G>, limits: PuzzleLimits<'_>) -> Vec<Puzzle<G>> {
    let mut puzzles: Vec<Puzzle<G>> = Vec::new();
    let last = record.plies().len();
    for plies in last.saturating_sub(LAST_PLIES)..last {
        let Some(puzzle) = record.after(plies).and_then(|r| Puzzle::find(&r, limits)) else {
            continue;
        };
        if !puzzles
            .last()
            .is_some_and(|last| puzzle.is_continuation_of(last))
        {
            puzzles.push(puzzle);
        }
    }
    puzzles
}

/// A puzzle with its rating, in JSON.
fn json_of<G: ArenaGame>(puzzle: &Puzzle<G>) -> Value {
    // Without the game, because pieces are numbered by it.
    let position = *puzzle.record.position();
    let record = Record::<G>::new(puzzle.record.variant(), position);
    let level = lowest_level(puzzle);
    let wrong = plausible_wrong_moves(puzzle);
    let themes: Vec<&str> = puzzle.themes().into_iter().map(Theme::name).collect();
    json!({
        "id": format!("{:08x}", position.hash() >> 32),
        "game": word_of::<G>(record.variant()),
        "position": position.to_string(),
        "goal": match puzzle.goal {
            Goal::Win => "win",
            Goal::Save => "save",
        },
        "plies": puzzle.plies,
        "line": record.write_line(puzzle.line.iter().copied()),
        "themes": themes,
        "wrong": wrong,
        "level": level,
        "rating": rating(puzzle.plies, wrong, level),
    })
}

/// The rating on a scale like that of players: 520 for the easiest puzzles, 2,450 for the hardest.
fn rating(plies: u16, wrong: usize, level: Option<u8>) -> u32 {
    let level = u32::from(level.unwrap_or(Level::MAX));
    400 + 120 * level + 75 * u32::from(plies - 1) + 25 * wrong.min(10) as u32
}

/// The lowest level that solves the puzzle; `None` if all levels with node limits fail.
fn lowest_level<G: ArenaGame>(puzzle: &Puzzle<G>) -> Option<u8> {
    let mut limited = Level::all().filter(|level| level.nodes().is_some());
    let solver = limited.find(|&level| {
        let spec = PlayerSpec {
            level: Some(level),
            memory_mib: Some(MEMORY_MIB),
            ..PlayerSpec::default()
        };
        let solves = |&seed: &u64| {
            let Ok(player) = spec.prepare::<G>(seed) else {
                return false;
            };
            let limits = spec.limits(Default::default());
            let mut player = player();
            let choice = player.choose_within(&puzzle.record, limits);
            choice.is_some_and(|choice| Some(&choice.best.mv) == puzzle.line.first())
        };
        (0..SEEDS).filter(solves).count() as u64 > SEEDS / 2
    });
    solver.map(Level::number)
}

/// The number of wrong moves to which a short search gives many visits.
fn plausible_wrong_moves<G: ArenaGame>(puzzle: &Puzzle<G>) -> usize {
    let options = MctsOptions {
        memory_mib: MEMORY_MIB,
        ..MctsOptions::for_game::<G>()
    };
    let mut player = MctsPlayer::<G>::new(&NetworkEvaluator::built_in(), options);
    let _ = player.choose_within(&puzzle.record, Limits::Nodes(NODES));
    let lines = player.lines(usize::MAX);
    let all: u64 = lines.iter().map(|line| line.visits).sum();
    let is_plausible = |visits: u64| visits as f64 >= PLAUSIBLE * all as f64;
    let wrong = lines
        .iter()
        .filter(|line| Some(&line.mv) != puzzle.line.first());
    wrong.filter(|line| is_plausible(line.visits)).count()
}
