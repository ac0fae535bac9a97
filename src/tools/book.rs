//! `wabe book`: the opening book of the board, from games of the search against itself.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::slice;

use serde_json::{Map, json};

use super::signals::stop_flag;
use super::training_files::{check_distinct, for_each_game, game_of};
use crate::exit::Exit;
use wabe_arena::ArenaGame;
use wabe_arena::dataset::{TrainingGame, result_for};
use wabe_board::opening_keys;
use wabe_records::games::word_of;
use wabe_records::with_game;

/// Make the board's opening book from self-play
///
/// For each of the most frequent positions: number of games, wins of the side that moves first,
/// draws, and mean expected score of that side in percent, by search and result. Positions that
/// differ only by a symmetry count as one. Prints JSON.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of `wabe selfplay`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Maximum number of positions per game type.
const MAX_POSITIONS: usize = 1500;

/// Minimum number of games of a position.
const MIN_GAMES: u32 = 3;

/// Results and scores of a position.
#[derive(Default)]
struct Statistics {
    games: u32,
    wins: u32,
    draws: u32,
    /// Sum of expected scores of the side that moves first, in `0..=1` per game.
    scores: f64,
}

/// Statistics by key, by game type.
type Book = BTreeMap<String, BTreeMap<String, Statistics>>;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    check_distinct(&args.files)?;
    let stop = stop_flag()?;
    let mut book = Book::new();
    let mut is_complete = true;
    for path in &args.files {
        let game = game_of(slice::from_ref(path))?;
        is_complete &= with_game!(game, |G, _variant| for_each_game::<G>(
            slice::from_ref(path),
            &stop,
            |_, game| {
                add(&mut book, &game);
                Ok(())
            }
        ))?;
    }
    if let Some(exit) = stop.exit() {
        return Ok(exit);
    }
    let mut games = Map::new();
    for (word, positions) in book {
        let mut positions: Vec<_> = (positions.into_iter())
            .filter(|(_, statistics)| statistics.games >= MIN_GAMES)
            .collect();
        positions.sort_by_key(|(_, statistics)| std::cmp::Reverse(statistics.games));
        positions.truncate(MAX_POSITIONS);
        let entries = positions.into_iter().map(|(key, statistics)| {
            let Statistics {
                games,
                wins,
                draws,
                scores,
            } = statistics;
            let percent = (100.0 * scores / f64::from(games)).round() as u32;
            (key, json!([games, wins, draws, percent]))
        });
        games.insert(word, entries.collect::<Map<_, _>>().into());
    }
    writeln!(std::io::stdout(), "{}", serde_json::Value::Object(games))?;
    Ok(Exit::success_if(is_complete))
}

fn add<G: ArenaGame>(book: &mut Book, game: &TrainingGame<G>) {
    let positions = book.entry(word_of::<G>(game.variant)).or_default();
    let first = game.start.side_to_move();
    let result = result_for(first, game.winner).points();
    let mut seen = HashSet::new();
    for (ply, key) in opening_keys(&game.record()).into_iter().enumerate() {
        // A game counts once for a position that it repeats.
        if !seen.insert(key.clone()) {
            continue;
        }
        let searched = game.plies.get(ply).and_then(|ply| ply.search.as_ref());
        let score = searched.map(|search| f64::from(search.root.score) / 1000.0);
        let side = if ply % 2 == 0 {
            first
        } else {
            first.opponent()
        };
        let score = score.map_or(
            result,
            |score| if side == first { score } else { 1.0 - score },
        );
        let statistics = positions.entry(key).or_default();
        statistics.games += 1;
        statistics.wins += u32::from(game.winner == Some(first));
        statistics.draws += u32::from(game.winner.is_none());
        statistics.scores += score;
    }
}
