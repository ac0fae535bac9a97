//! Analysis of positions and review of games by search.

mod puzzle;
mod review;
#[cfg(test)]
mod tests;
mod theme;
mod value;

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::Playable;
use crate::evaluation::NetworkEvaluator;
use crate::search::{
    BestMove, Limits, MctsOptions, MctsPlayer, Player, RootMove, SearchControl, Solved, SystemClock,
};
use wabe_hive::Move;
use wabe_hive::game::Record;

pub use puzzle::{Goal, Puzzle, PuzzleLimits};
pub use review::{GameReview, Mistake, ReviewedPly};
pub use theme::Theme;
pub use value::Value;

/// Analyses positions one after another with a searching player.
#[derive(Debug)]
pub struct Analyzer<G: Playable> {
    player: MctsPlayer<G>,
    limits: Limits,
    stop: Arc<AtomicBool>,
}

/// The result of searching a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<G: Playable> {
    /// The root moves, best first.
    pub lines: Vec<RootMove<G>>,
    /// The value for the side to move.
    pub value: Value,
    /// Number of search iterations.
    pub nodes: u64,
    /// Number of forced plies between the analysed and the searched position.
    pub forced: usize,
}

impl<G: Playable> Analysis<G> {
    /// One line per root move: rank, move, value, visits and PV. `record` is the analysed game.
    pub fn table(&self, record: &Record<G>) -> String {
        let texts: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| record.write_line(line.pv()))
            .collect();
        let first = |texts: &Vec<String>| texts.first().cloned().unwrap_or_default();
        let widths = texts.iter().map(|texts| first(texts).len());
        let width = widths.max().unwrap_or(0);
        let values: Vec<String> = self.lines.iter().map(value_text).collect();
        let value_width = values.iter().map(String::len).max().unwrap_or(0).max(6);
        let mut table = String::new();
        for (((rank, line), value), texts) in (1..).zip(&self.lines).zip(&values).zip(&texts) {
            let _ = write!(
                table,
                "{rank:3}. {:width$}  {value:>value_width$}  {:>9} visits",
                first(texts),
                line.visits
            );
            for (i, next) in texts.iter().skip(1).enumerate() {
                let _ = write!(table, "{}{next}", if i == 0 { "  then " } else { "; " });
            }
            table.push('\n');
        }
        table
    }
}

/// The value of a root move, and the number of plies if proven: `win in 3 plies`.
fn value_text<G: Playable>(line: &RootMove<G>) -> String {
    match (line.proof, line.plies) {
        (Some(proof), Some(1)) => format!("{proof} in 1 ply"),
        (Some(proof), Some(plies)) => format!("{proof} in {plies} plies"),
        _ => Value::from_line(line).to_string(),
    }
}

impl<G: Playable> Analyzer<G> {
    /// An analyzer that searches each position within `limits`, on `threads` threads, with a tree
    /// of at most `memory_mib` MiB.
    pub fn new(
        threads: usize,
        evaluator: &NetworkEvaluator<G>,
        limits: Limits,
        memory_mib: usize,
    ) -> Analyzer<G> {
        let options = MctsOptions {
            threads,
            memory_mib,
            ..MctsOptions::for_analysis::<G>()
        };
        Analyzer {
            player: MctsPlayer::new(evaluator, options),
            limits,
            stop: Arc::default(),
        }
    }

    /// Stops any search once `stop` is set.
    #[must_use]
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Analyzer<G> {
        self.stop = stop;
        self
    }

    /// Empties the search tree.
    pub fn forget(&mut self) {
        self.player.new_game();
    }

    /// The best `max_lines` root moves in the current position; none when the game is over. Forced
    /// moves are played without a search, up to the next position with a choice.
    pub fn analyze(&mut self, record: &Record<G>, max_lines: usize) -> Analysis<G> {
        let mut searched = record.clone();
        let mut forced: Vec<Move<G>> = Vec::new();
        while let Some(only) = only_move(&searched)
            && searched.play(only).is_ok()
        {
            forced.push(only);
        }
        let mut analysis = self.search(searched);
        if let Some((&only, later)) = forced.split_first() {
            if !forced.len().is_multiple_of(2) {
                analysis.value = analysis.value.reversed();
            }
            let best = analysis.lines.first();
            let continuation = best.into_iter().flat_map(RootMove::pv);
            let (score, proof) = (analysis.value.score(), analysis.value.proof());
            let plies_before = u16::try_from(forced.len()).unwrap_or(u16::MAX);
            let plies = match best {
                Some(line) => line.plies,
                // The forced moves end the game.
                None => proof.filter(|&proof| proof != Solved::Draw).map(|_| 0),
            };
            analysis.lines = vec![RootMove {
                mv: only,
                continuation: later.iter().copied().chain(continuation).collect(),
                score: Some(score),
                proof,
                plies: plies.map(|plies| plies.saturating_add(plies_before)),
                visits: analysis.lines.iter().map(|line| line.visits).sum(),
            }];
            analysis.forced = forced.len();
        }
        analysis.lines.truncate(max_lines);
        analysis
    }

    /// Searches a position with several legal moves. A finished game needs no search.
    fn search(&mut self, record: Record<G>) -> Analysis<G> {
        let control = SearchControl {
            limits: self.limits,
            clock: &SystemClock::for_limits(self.limits),
            stop: &self.stop,
            observer: &BestMove::default(),
        };
        let choice = self.player.choose(&record, &control);
        let (lines, nodes) = match choice {
            Some(choice) => (self.player.lines(usize::MAX), choice.nodes),
            None => (Vec::new(), 0),
        };
        let side = record.position().side_to_move();
        let value = match record.ending() {
            Some(ending) => Value::Proven(Solved::from_winner(ending.winner(), side)),
            None => value_of(&lines),
        };
        Analysis {
            lines,
            value,
            nodes,
            forced: 0,
        }
    }
}

/// The only legal move, if there is exactly one.
fn only_move<G: Playable>(record: &Record<G>) -> Option<Move<G>> {
    match record.legal_moves()[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The value of a position with these root moves, best first.
fn value_of<G: Playable>(lines: &[RootMove<G>]) -> Value {
    let best_proof = lines.iter().filter_map(|line| line.proof).max();
    match best_proof {
        Some(proof) if proof == Solved::Win || lines.iter().all(|line| line.proof.is_some()) => {
            Value::Proven(proof)
        }
        _ => {
            let best = lines.first().and_then(|line| line.score);
            Value::Expected(best.unwrap_or(0.5))
        }
    }
}
