//! What a search thinks of positions and of whole games.

mod review;
#[cfg(test)]
mod tests;
mod tree_picture;
mod value;

use std::fmt;

use crate::hive::contest::{Contest, Move, MoveList, Position};
use crate::search::{
    Branches, ContestEvaluator, Limits, Line, MctsOptions, MctsPlayer, Player, Proof, unstopped,
};

pub use review::{Mistake, ReviewedPly, Reviewer};
pub use tree_picture::tree_picture;
pub use value::Value;

/// A searching player that is asked about one position after the other.
#[derive(Debug)]
pub struct Analyst {
    player: MctsPlayer<Contest, ContestEvaluator>,
    limits: Limits,
}

/// What a search found in a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The best moves, in the order in which the searching player would choose them.
    pub lines: Vec<Line<Contest>>,
    /// What the side to move can expect.
    pub value: Value,
    /// Search iterations.
    pub nodes: u64,
    /// The position that was searched.
    pub searched: Position,
    /// How many plies with a single legal move come before it.
    pub forced: usize,
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .lines
            .iter()
            .map(|line| line.mv.to_string().len())
            .max()
            .unwrap_or(0);
        for (rank, line) in (1..).zip(&self.lines) {
            let mv = line.mv.to_string();
            let judgement = Value::of_line(line);
            write!(
                f,
                "{rank:3}. {mv:width$}  {judgement:>6}  {:>9} visits",
                line.visits
            )?;
            for (i, next) in line.continuation.iter().enumerate() {
                write!(f, "{}{next}", if i == 0 { "  then " } else { "; " })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Analyst {
    /// An analyst that judges with `evaluator` and spends `limits` on each position and at most `memory_mib` MiB on its tree.
    pub fn new(evaluator: ContestEvaluator, limits: Limits, memory_mib: usize) -> Analyst {
        let options = MctsOptions {
            memory_mib,
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
    pub fn analyze(&mut self, position: &Position, most: usize) -> Analysis {
        let mut searched = *position;
        let mut forced: Vec<Move> = Vec::new();
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
    pub fn branches(&self, widths: &[usize]) -> Branches<Contest> {
        self.player.branches(widths)
    }

    /// All moves of a position that has several, or none.
    fn search(&mut self, position: &Position) -> Analysis {
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
fn only_move(position: &Position) -> Option<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    match moves[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// What a side can expect that has all of these moves, the best first.
fn value_of(lines: &[Line<Contest>]) -> Value {
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
