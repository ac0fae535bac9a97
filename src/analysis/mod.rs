//! What a search thinks of positions and of whole games.

mod notation;
mod review;
mod steps;
#[cfg(test)]
mod tests;
mod tree_picture;
mod value;

use std::fmt::Write;

use crate::hive::{Move, MoveList, Position, RuleBook};
use crate::search::{
    Branches, Evaluator, Limits, Line, MctsOptions, MctsPlayer, Params, Player, Proof, unstopped,
};

pub use notation::{ContestNotation, Notation};
pub use review::{Mistake, ReviewedPly, Reviewer, Step};
pub use tree_picture::tree_picture;
pub use value::Value;

/// A searching player that is asked about one position after the other.
#[derive(Debug)]
pub struct Analyst<R: RuleBook, E> {
    player: MctsPlayer<R, E>,
    limits: Limits,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis<R: RuleBook> {
    /// The best moves, in the order in which the searching player would choose them.
    pub lines: Vec<Line<R>>,
    /// What the side to move can expect.
    pub value: Value,
    /// Search iterations.
    pub nodes: u64,
    /// The position that was searched.
    pub searched: Position<R>,
    /// How many plies with a single legal move come before it.
    pub forced: usize,
}

impl<R: RuleBook> Analysis<R> {
    /// A line for each move: its rank, what it is worth, how often it was looked at, and what comes after it. `notation` is that of
    /// the position that was asked about.
    pub fn table(&self, notation: &impl Notation<R>) -> String {
        let texts: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| notation.write_line(line.variation()))
            .collect();
        let first = |texts: &Vec<String>| texts.first().cloned().unwrap_or_default();
        let width = texts.iter().map(|texts| first(texts).len()).max();
        let width = width.unwrap_or(0);
        let mut table = String::new();
        for ((rank, line), texts) in (1..).zip(&self.lines).zip(&texts) {
            let _ = write!(
                table,
                "{rank:3}. {:width$}  {:>6}  {:>9} visits",
                first(texts),
                Value::of_line(line),
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

impl<R: RuleBook, E: Evaluator<R>> Analyst<R, E> {
    /// An analyst that judges with `evaluator`, searches as `params` say, and spends `limits` on each position and at most
    /// `memory_mib` MiB on its tree.
    pub fn new(evaluator: E, params: Params, limits: Limits, memory_mib: usize) -> Analyst<R, E> {
        let options = MctsOptions {
            memory_mib,
            params,
            ..MctsOptions::default()
        };
        Analyst {
            player: MctsPlayer::new(evaluator, options),
            limits,
        }
    }

    /// Forgets all positions that were searched.
    pub fn forget(&mut self) {
        self.player.new_game();
    }

    /// The `most` best moves of a position; none when the game is over. A single legal move is judged by what comes after it:
    /// the first position with a choice is searched.
    pub fn analyze(&mut self, position: &Position<R>, most: usize) -> Analysis<R> {
        let mut searched = *position;
        let mut forced: Vec<Move<R>> = Vec::new();
        while let Some(only) = only_move(&searched) {
            searched.play(only);
            forced.push(only);
        }
        let mut analysis = self.search(&searched);
        if let Some((&only, later)) = forced.split_first() {
            if !forced.len().is_multiple_of(2) {
                analysis.value = analysis.value.reversed();
            }
            let best = analysis.lines.first();
            let continuation = best.into_iter().flat_map(Line::variation);
            let (score, proof) = (analysis.value.score(), analysis.value.proof());
            analysis.lines = vec![Line {
                mv: only,
                continuation: later.iter().copied().chain(continuation).collect(),
                score: Some(score),
                proof,
                visits: analysis.lines.iter().map(|line| line.visits).sum(),
            }];
            analysis.forced = forced.len();
        }
        analysis.lines.truncate(most);
        analysis
    }

    /// The upper part of the tree that the last analysis has left: see [`MctsPlayer::branches`].
    pub fn branches(&self, widths: &[usize]) -> Branches<R> {
        self.player.branches(widths)
    }

    /// All moves of a position that has several, or none.
    fn search(&mut self, position: &Position<R>) -> Analysis<R> {
        let choice = unstopped(self.limits, |control| self.player.choose(position, control));
        let (lines, nodes) = match choice {
            Some(choice) => (self.player.lines(usize::MAX), choice.nodes),
            None => (Vec::new(), 0),
        };
        let value = match position.outcome() {
            Some(outcome) => Value::Proven(Proof::of(outcome, position.side_to_move())),
            None => value_of(&lines),
        };
        Analysis {
            lines,
            value,
            nodes,
            searched: *position,
            forced: 0,
        }
    }
}

/// The only legal move, if there is exactly one.
fn only_move<R: RuleBook>(position: &Position<R>) -> Option<Move<R>> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    match moves[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// What a side can expect that has all of these moves, the best first.
fn value_of<R: RuleBook>(lines: &[Line<R>]) -> Value {
    let best_proof = lines.iter().filter_map(|line| line.proof).max();
    match best_proof {
        Some(proof) if proof == Proof::Win || lines.iter().all(|line| line.proof.is_some()) => {
            Value::Proven(proof)
        }
        _ => {
            let best = lines.first().and_then(|line| line.score);
            Value::Expected(best.unwrap_or(0.5))
        }
    }
}
