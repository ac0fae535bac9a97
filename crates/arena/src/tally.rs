//! Counts the games of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use super::game::GameNumber;
use super::record::{GameEnd, GameRecord, GameResult, PairRecord};
use crate::ArenaGame;
use crate::statistics::{MatchTally, Pentanomial, WinDrawLoss};
use wabe_hive::Color;

/// Bars per decade in the histogram of times per move: each is 12% wider than the one before.
const BARS_PER_DECADE: f64 = 20.0;

/// Number of games that an engine may lose by faults before its first move.
const MAX_GAMES_WITHOUT_MOVES: u64 = 4;

/// Counts of one engine's games and moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineTally {
    /// Time of each move in microseconds, unordered.
    pub(super) move_micros: Vec<u64>,
    /// Moves by [`BARS_PER_DECADE`] times the logarithm of their time in microseconds.
    times: BTreeMap<u32, u64>,
    /// Search iterations of all moves.
    pub nodes: u64,
    /// Games won, by how they ended. Faults are the opponent's.
    pub wins: BTreeMap<GameEnd, u64>,
    /// Games lost, by how they ended. Faults are the engine's own.
    pub losses: BTreeMap<GameEnd, u64>,
}

impl EngineTally {
    fn add_time(&mut self, micros: u64) {
        self.move_micros.push(micros);
        let bar = (micros.max(1) as f64).log10() * BARS_PER_DECADE;
        *self.times.entry(bar as u32).or_default() += 1;
    }

    /// Histogram of the times per move, without gaps: lower end of each bar in milliseconds, and
    /// its number of moves.
    pub(super) fn time_histogram(&self) -> Vec<(f64, u64)> {
        let (Some(&first), Some(&last)) = (self.times.keys().next(), self.times.keys().last())
        else {
            return Vec::new();
        };
        let low = |bar: u32| 10f64.powf(f64::from(bar) / BARS_PER_DECADE) / 1e3;
        let moves = |bar| self.times.get(&bar).copied().unwrap_or_default();
        (first..=last).map(|bar| (low(bar), moves(bar))).collect()
    }

    /// Games lost by a fault, by fault.
    pub fn faults(&self) -> impl Iterator<Item = (GameEnd, u64)> {
        let losses = self.losses.iter().map(|(&end, &count)| (end, count));
        losses.filter(|(end, _)| !end.is_regular())
    }

    /// Total time of all moves, in microseconds.
    pub fn total_micros(&self) -> u64 {
        let times = self.move_micros.iter().copied();
        times.fold(0, u64::saturating_add)
    }

    /// Mean time per move in milliseconds; `None` without moves.
    pub fn mean_move_ms(&self) -> Option<f64> {
        let moves = self.move_micros.len();
        (moves > 0).then(|| self.total_micros() as f64 / moves as f64 / 1e3)
    }

    /// Quantile (`0..=1`) of the time per move, in milliseconds; `None` without moves.
    pub fn move_ms_quantile(&self, quantile: f64) -> Option<f64> {
        let mut times = self.move_micros.clone();
        let rank = (quantile.clamp(0.0, 1.0) * times.len() as f64).ceil() as usize;
        let index = rank.max(1) - 1;
        (index < times.len()).then(|| *times.select_nth_unstable(index).1 as f64 / 1e3)
    }

    /// Search iterations per second; `None` without a search.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let micros = self.total_micros();
        (self.nodes > 0 && micros > 0).then(|| self.nodes as f64 / micros as f64 * 1e6)
    }
}

/// Counts of the games between two engines, from the view of the one with the smaller index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairingTally {
    /// All games.
    pub all: MatchTally,
    /// Games as red.
    pub as_red: WinDrawLoss,
    /// Counts after each pair.
    pub(super) history: Vec<Pentanomial>,
}

/// A game in the list of a run's games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedGame {
    /// Its number in the run.
    pub number: GameNumber,
    /// Indices of the engines on both sides.
    pub engines: [usize; 2],
    /// The winning side, 0 or 1; `None` for a draw.
    pub winner: Option<u8>,
    /// Why the game ended.
    pub end: GameEnd,
    /// Plies after the opening.
    pub plies: usize,
}

/// All counts of a run. Except for the histories of pairings and the list of games, they do not
/// depend on the order of pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Counts per pairing, keyed by the engines' indices, the smaller first.
    pub pairings: BTreeMap<(usize, usize), PairingTally>,
    /// Counts per engine, keyed by its index.
    pub engines: BTreeMap<usize, EngineTally>,
    /// Games won by red, drawn, and won by blue.
    pub by_color: [u64; 3],
    /// Games by how they ended.
    pub ends: BTreeMap<GameEnd, u64>,
    /// Plies of all games, not counting openings.
    pub plies: u64,
    /// All games, in the order in which they were counted.
    pub games: Vec<CountedGame>,
}

impl Tally {
    /// Counts pairs of games of `G`.
    pub fn new<'a, G: ArenaGame>(pairs: impl IntoIterator<Item = &'a PairRecord>) -> Tally {
        let mut tally = Tally::default();
        for pair in pairs {
            tally.add::<G>(pair);
        }
        tally
    }

    /// Total time of all engines' moves.
    pub fn total_move_time(&self) -> Duration {
        let micros = self.engines.values().map(EngineTally::total_micros);
        Duration::from_micros(micros.fold(0, u64::saturating_add))
    }

    /// An engine that lost at least four games by faults and never made a move, if there is one: its
    /// index and the number of these games.
    pub fn engine_without_moves(&self) -> Option<(usize, u64)> {
        let mut engines = self.engines.iter();
        engines.find_map(|(&index, tally)| {
            let faults = tally.faults().map(|(_, count)| count).sum();
            let is_without = tally.move_micros.is_empty() && faults >= MAX_GAMES_WITHOUT_MOVES;
            is_without.then_some((index, faults))
        })
    }

    /// Pairs of the first two engines.
    pub fn first_pairing(&self) -> Pentanomial {
        let pairing = self.pairings.get(&(0, 1));
        pairing
            .map(|pairing| pairing.all.pairs())
            .unwrap_or_default()
    }

    /// Counts a pair of games of `G`.
    pub fn add<G: ArenaGame>(&mut self, pair: &PairRecord) {
        let (key, scores) = (pair.engines(), pair.scores());
        let pairing = self.pairings.entry(key).or_default();
        pairing.all.record(scores);
        pairing.history.push(pairing.all.pairs());
        for (game, score) in pair.games.iter().zip(scores) {
            if game.red == key.0 {
                pairing.as_red.record(score);
            }
        }
        let first = pair.first_to_move::<G>();
        for (number, game) in pair.numbered_games() {
            self.add_game(game, first);
            self.games.push(CountedGame {
                number,
                engines: [game.red, game.blue],
                winner: game.result.winner().map(|winner| winner as u8),
                end: game.end,
                plies: game.micros.len(),
            });
        }
    }

    fn add_game(&mut self, game: &GameRecord, first: Color) {
        let column = match game.result {
            GameResult::Red => 0,
            GameResult::Draw => 1,
            GameResult::Blue => 2,
        };
        self.by_color[column] += 1;
        *self.ends.entry(game.end).or_default() += 1;
        self.plies += game.micros.len() as u64;
        if let Some(winner) = game.result.winner() {
            let loser = winner.opponent();
            let winner = self.engines.entry(game.engine(winner)).or_default();
            *winner.wins.entry(game.end).or_default() += 1;
            let loser = self.engines.entry(game.engine(loser)).or_default();
            *loser.losses.entry(game.end).or_default() += 1;
        }
        let mut mover = first;
        for (&micros, &nodes) in game.micros.iter().zip(&game.nodes) {
            let engine = self.engines.entry(game.engine(mover)).or_default();
            engine.add_time(micros);
            // Numbers from files can be arbitrarily large.
            engine.nodes = engine.nodes.saturating_add(nodes);
            mover = mover.opponent();
        }
    }
}
