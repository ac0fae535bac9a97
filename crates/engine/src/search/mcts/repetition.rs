//! Draws by repetition inside the tree.
//!
//! In a game with a repetition rule each node has a single path from the start, so whether it is
//! the third occurrence of its position never changes. Only positions since the last placement can
//! occur again.

use crate::search::choice::Solved;
use wabe_hive::{Color, Move, Position, RuleBook};

/// The positions on the path from the start of the game to a node that can occur again.
#[derive(Debug)]
pub(super) struct Repetitions<R: RuleBook> {
    /// False if the game ignores repetition. Nothing is then stored.
    is_active: bool,
    /// The positions of the game up to the root, then those of the path.
    positions: Vec<Position<R>>,
    /// [`Position::board_hash`] of each.
    hashes: Vec<u64>,
    /// The index of the first position that can occur again.
    first: usize,
    /// Indices of positions whose next occurrence is a draw.
    drawing: Vec<usize>,
    /// The lengths of `positions` and `drawing` at the root.
    at_root: (usize, usize),
}

impl<R: RuleBook> Default for Repetitions<R> {
    fn default() -> Repetitions<R> {
        Repetitions {
            is_active: false,
            positions: Vec::new(),
            hashes: Vec::new(),
            first: 0,
            drawing: Vec::new(),
            at_root: (0, 0),
        }
    }
}

impl<R: RuleBook> Repetitions<R> {
    /// Starts a search at `root`. `history` contains the positions before it that can occur again;
    /// `None` if the game ignores repetition.
    pub(super) fn begin(&mut self, history: Option<&[Position<R>]>, root: &Position<R>) {
        self.is_active = R::REPETITION_LIMIT.is_some() && history.is_some();
        self.positions.clear();
        self.hashes.clear();
        self.drawing.clear();
        self.first = 0;
        if self.is_active {
            for position in history.into_iter().flatten().chain([root]) {
                self.push(position);
            }
        }
        self.at_root = (self.positions.len(), self.drawing.len());
    }

    /// Returns to the root.
    #[inline]
    pub(super) fn restart(&mut self) {
        if R::REPETITION_LIMIT.is_some() && self.is_active {
            self.positions.truncate(self.at_root.0);
            self.hashes.truncate(self.at_root.0);
            self.drawing.truncate(self.at_root.1);
            self.first = 0;
        }
    }

    /// Follows a move of the path to the position after it.
    #[inline]
    pub(super) fn follow(&mut self, mv: Move<R>, after: &Position<R>) {
        if R::REPETITION_LIMIT.is_some() && self.is_active {
            if let Move::Place { .. } = mv {
                self.first = self.positions.len();
            }
            self.push(after);
        }
    }

    fn push(&mut self, position: &Position<R>) {
        let hash = position.board_hash();
        let earlier = self.count_earlier(position, hash);
        // The next occurrence after this one is a draw.
        if R::REPETITION_LIMIT.is_some_and(|limit| earlier + 2 >= limit) {
            self.drawing.push(self.positions.len());
        }
        self.positions.push(*position);
        self.hashes.push(hash);
    }

    /// Number of earlier occurrences of a position with this hash.
    #[inline]
    fn count_earlier(&self, position: &Position<R>, hash: u64) -> usize {
        let same = |i: &usize| self.hashes[*i] == hash && self.positions[*i].repeats(position);
        (self.first..self.positions.len()).filter(same).count()
    }

    /// True if the next occurrence of a position of the game is a draw.
    pub(super) fn may_draw_soon(&self) -> bool {
        self.at_root.1 > 0
    }

    /// The exact result of a legal move for the side that makes it, if the move ends the game.
    #[inline]
    pub(super) fn proof_of(&self, mv: Move<R>, after: &Position<R>, side: Color) -> Option<Solved> {
        if let Some(outcome) = after.outcome() {
            return Some(Solved::from_winner(outcome.winner(), side));
        }
        let is_drawn = R::REPETITION_LIMIT.is_some()
            && !self.drawing.is_empty()
            && !matches!(mv, Move::Place { .. })
            && self.drawing.iter().any(|&i| {
                i >= self.first
                    && self.hashes[i] == after.board_hash()
                    && self.positions[i].repeats(after)
            });
        is_drawn.then_some(Solved::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::super::on_board::history;
    use super::*;
    use wabe_hive::game::{Record, Repetition};
    use wabe_hive::standard::Standard;

    #[test]
    fn games_may_ignore_repetition() {
        for (rule, last) in [
            (Repetition::Draw, Some(Solved::Draw)),
            (Repetition::Ignore, None),
        ] {
            let root = "Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-";
            let mut record: Record<Standard> = root.parse().unwrap();
            record.set_repetition(rule);
            let mut repetitions = Repetitions::default();
            repetitions.begin(history(&record).as_deref(), record.position());
            let cycle = [r"wQ \wS1", "bQ bG1/", "wQ -wS1", "bQ bG1-"];
            let proofs = cycle.repeat(2).into_iter().map(|text| {
                let mv = record.read(text).unwrap();
                let side = record.position().side_to_move();
                record.play(mv).unwrap();
                let proof = repetitions.proof_of(mv, record.position(), side);
                repetitions.follow(mv, record.position());
                proof
            });
            let proofs: Vec<_> = proofs.collect();
            assert_eq!(proofs, [&[None; 7][..], &[last]].concat(), "{rule:?}");
        }
    }
}
