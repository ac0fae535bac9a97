//! Positions on the smaller board of the search, where moves are generated faster.

use wabe_engine::{Playable, SearchBoard};
use wabe_hive::{Move, Position, RuleBook};

use crate::action::Actions;

/// The rules on the smaller board.
type FastRules<G> = <<G as Playable>::Frame as SearchBoard<G>>::Rules;

/// A position on the smaller board.
#[derive(Clone, Debug)]
pub(crate) struct Fast<G: Playable> {
    frame: G::Frame,
    pub(crate) position: Position<FastRules<G>>,
    /// The same as on the board of `G`, once a queen is placed.
    pub(crate) repetition_hash: u64,
}

impl<G: Playable> Fast<G> {
    /// `None` if the hive is too large.
    pub(crate) fn new(position: &Position<G>) -> Option<Fast<G>> {
        let frame = G::Frame::around(position, None)?;
        let position = frame.narrow(position)?;
        let repetition_hash = FastRules::<G>::repetition_hash(&position);
        Some(Fast {
            frame,
            position,
            repetition_hash,
        })
    }

    /// Makes a legal move; `None` if it leaves the frame. The position is then unchanged.
    pub(crate) fn play(&mut self, mv: Move<G>) -> Option<()> {
        let (before, mv) = (&self.position, self.frame.narrow_move(mv)?);
        self.repetition_hash =
            FastRules::<G>::repetition_hash_after(before, mv, self.repetition_hash);
        self.position.play(mv);
        Some(())
    }

    /// A random legal move.
    pub(crate) fn random_move(&self, rng: &mut impl rand::Rng) -> Option<Move<G>> {
        let mv = self.position.random_move(rng)?;
        Some(self.frame.widen(mv))
    }
}

/// Passes the legal moves of a position and their actions to `sink`, in an order that depends on the
/// board. `fast` is the same position, if the hive is small enough.
pub(crate) fn list_actions<G: Actions + Playable>(
    position: &Position<G>,
    notation: &G::Notation,
    fast: Option<&Fast<G>>,
    mut sink: impl FnMut(Move<G>, usize),
) {
    let numbering = G::numbering(position, notation);
    let add = |mv| {
        if let Some(action) = G::action(&numbering, mv) {
            sink(mv, action);
        }
    };
    // Lists are iterated by reference, because they are large.
    if let Some(fast) = fast {
        let moves = fast.position.legal_moves();
        let widened = moves.iter().map(|&mv| fast.frame.widen(mv));
        widened.for_each(add);
    } else {
        let moves = position.legal_moves();
        moves.iter().copied().for_each(add);
    }
}
