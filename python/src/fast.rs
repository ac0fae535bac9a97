//! Positions on the smaller board of the search, where moves are generated faster.

use wabe_engine::{Playable, SearchBoard};
use wabe_hive::game::Record;
use wabe_hive::{Move, MoveList, Position, RuleBook};

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
        self.frame.widen(self.position.random_move(rng)?)
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
        let mut moves = MoveList::<FastRules<G>>::new();
        fast.position.legal_moves(&mut moves);
        let widened = moves.iter().filter_map(|&mv| fast.frame.widen(mv));
        widened.for_each(add);
    } else {
        let mut moves = MoveList::<G>::new();
        position.legal_moves(&mut moves);
        moves.iter().copied().for_each(add);
    }
}

/// The legal moves of a game. Follows the game, so that the moves of most positions are generated
/// on the smaller board.
#[derive(Debug)]
pub(crate) struct LegalMoves<G: Playable> {
    fast: Option<Fast<G>>,
    /// The legal moves, if `is_listed`.
    moves: Vec<Move<G>>,
    /// For each legal move, its action in the upper half and its index in `moves` in the lower one,
    /// sorted. Numbers are sorted faster than pairs.
    order: Vec<u32>,
    is_listed: bool,
}

impl<G: Actions + Playable> LegalMoves<G> {
    pub(crate) fn new(record: &Record<G>) -> LegalMoves<G> {
        LegalMoves {
            fast: Fast::new(record.position()),
            moves: Vec::new(),
            order: Vec::new(),
            is_listed: false,
        }
    }

    fn list(&mut self, record: &Record<G>) {
        if self.is_listed {
            return;
        }
        self.moves.clear();
        self.order.clear();
        if !record.is_over() {
            let (position, notation) = (record.position(), record.notation());
            list_actions(position, notation, self.fast.as_ref(), |mv, action| {
                if let Ok(action) = u16::try_from(action) {
                    let index = self.moves.len() as u32;
                    self.order.push((u32::from(action) << 16) + index);
                    self.moves.push(mv);
                }
            });
            self.order.sort_unstable();
        }
        self.is_listed = true;
    }

    /// The actions of the legal moves, sorted; none if the game is over.
    pub(crate) fn actions(
        &mut self,
        record: &Record<G>,
    ) -> impl ExactSizeIterator<Item = usize> + use<'_, G> {
        self.list(record);
        self.order.iter().map(|&key| action_of(key))
    }

    /// The legal moves, sorted by action; none if the game is over.
    pub(crate) fn moves(
        &mut self,
        record: &Record<G>,
    ) -> impl Iterator<Item = Move<G>> + use<'_, G> {
        self.list(record);
        self.order.iter().filter_map(|&key| self.move_of(key))
    }

    /// The move with that action, if the moves are listed and it is one of them.
    pub(crate) fn find(&self, action: usize) -> Option<Move<G>> {
        if !self.is_listed {
            return None;
        }
        let found = self
            .order
            .binary_search_by_key(&action, |&key| action_of(key));
        self.move_of(*self.order.get(found.ok()?)?)
    }

    fn move_of(&self, key: u32) -> Option<Move<G>> {
        self.moves.get(usize::from(key as u16)).copied()
    }

    /// Follows a legal move, after which the position is `after`.
    pub(crate) fn follow(&mut self, mv: Move<G>, after: &Position<G>) {
        self.is_listed = false;
        if self.fast.as_mut().and_then(|fast| fast.play(mv)).is_none() {
            self.fast = Fast::new(after);
        }
    }
}

fn action_of(key: u32) -> usize {
    (key >> 16) as usize
}
