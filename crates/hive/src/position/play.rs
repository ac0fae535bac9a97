//! Making moves.

use super::super::{CellSetOf, KindOf, Move, MoveSink, Piece, PieceKind, PieceOf, RuleBook};
use super::{CoveredPiece, Position, hash};
use crate::hex::{Cell, CellSet};

impl<R: RuleBook> Position<R> {
    /// Makes a legal move; [`check`](Position::check) tests legality.
    ///
    /// After an illegal move the position is meaningless, but safe to use.
    #[inline]
    pub fn play(&mut self, mv: Move<R>) {
        let rule_state = R::rule_state_after(self, mv);
        match mv {
            Move::Place { kind, to } => {
                let piece = self.take_from_reserve(kind);
                self.put(to, piece);
            }
            Move::Drag { from, to } => {
                if let Some(piece) = self.take(from) {
                    self.put(to, piece);
                }
            }
            Move::Pass => {}
        }
        self.end_turn();
        self.replace_rule_state(rule_state);
    }

    /// The position after `mv`, which must be legal.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move<R>) -> Position<R> {
        let mut next = *self;
        next.play(mv);
        next
    }

    /// Calls `visit` with every legal move and the position after it. Faster than listing the moves
    /// and playing them one by one: a piece is lifted once for all its targets. Ignores the
    /// outcome.
    #[inline]
    pub fn for_each_successor(&self, visit: impl FnMut(Move<R>, &Position<R>)) {
        let mut successors = Successors {
            before: self,
            visit,
            has_moves: false,
        };
        self.generate(&mut successors);
        if !successors.has_moves {
            (successors.visit)(Move::Pass, &self.after(Move::Pass));
        }
    }

    #[inline]
    fn take_from_reserve(&mut self, kind: KindOf<R>) -> PieceOf<R> {
        let color = self.side_to_move();
        let left = self.reserve[color].count(kind);
        self.reserve[color].set_count(kind, left.saturating_sub(1));
        self.hash = self.hash.wrapping_sub(hash::reserve_key(color, kind));
        Piece::new(color, kind)
    }

    #[inline]
    fn end_turn(&mut self) {
        let turn = self.turn.wrapping_add(1);
        self.hash = self
            .hash
            .wrapping_sub(R::turn_key(self.turn))
            .wrapping_add(R::turn_key(turn));
        self.turn = turn;
    }

    #[inline]
    fn replace_rule_state(&mut self, rule_state: R::RuleState) {
        self.hash = self
            .hash
            .wrapping_sub(R::rule_state_key(self.rule_state))
            .wrapping_add(R::rule_state_key(rule_state));
        self.rule_state = rule_state;
    }

    #[inline]
    fn insert_top(&mut self, cell: Cell, piece: PieceOf<R>) {
        self.tops[piece.color].insert(cell);
        self.kinds.as_mut()[piece.kind.index()].insert(cell);
    }

    #[inline]
    fn remove_top(&mut self, cell: Cell, piece: PieceOf<R>) {
        self.tops[piece.color].remove(cell);
        self.kinds.as_mut()[piece.kind.index()].remove(cell);
    }

    /// Puts `piece` on top of `cell`.
    #[inline]
    pub(super) fn put(&mut self, cell: Cell, piece: PieceOf<R>) {
        let mut height = 0;
        if self.tops.red.contains(cell) || self.tops.blue.contains(cell) {
            height = self.cover(cell);
        }
        self.insert_top(cell, piece);
        if piece.kind == PieceKind::BEE {
            self.bees[piece.color] = Some(cell);
        }
        self.hash = self.hash.wrapping_add(hash::piece_key(piece, cell, height));
    }

    /// Removes and returns the top piece of `cell`.
    #[inline]
    fn take(&mut self, cell: Cell) -> Option<PieceOf<R>> {
        let piece = self.top(cell)?;
        self.remove_top(cell, piece);
        let mut height = 0;
        if self.stacked.contains(cell) {
            height = self.uncover(cell);
        }
        self.hash = self.hash.wrapping_sub(hash::piece_key(piece, cell, height));
        Some(piece)
    }

    /// Covers the top piece of `cell`. Returns the height of the piece that will be put on it.
    #[inline(never)]
    fn cover(&mut self, cell: Cell) -> usize {
        let height = self.height(cell);
        if let Some(piece) = self.top(cell) {
            self.remove_top(cell, piece);
            self.stacked.insert(cell);
            if let Some(slot) = self.covered.iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(CoveredPiece { cell, piece });
            }
        }
        height
    }

    /// Uncovers the topmost covered piece of `cell`. Returns the height of the piece that lay on
    /// it.
    #[inline(never)]
    fn uncover(&mut self, cell: Cell) -> usize {
        let height = self.covered_on(cell).count();
        let on_cell = |slot: &Option<CoveredPiece<R>>| slot.is_some_and(|c| c.cell == cell);
        let Some(last) = self.covered.iter().rposition(on_cell) else {
            return height;
        };
        if let Some(CoveredPiece { piece, .. }) = self.covered[last].take() {
            self.insert_top(cell, piece);
        }
        // Later entries move up, so that the pieces of one field keep their order.
        self.covered[last..].rotate_left(1);
        if height == 1 {
            self.stacked.remove(cell);
        }
        height
    }
}

/// A [`MoveSink`] that calls `visit` with each generated move and the position after it.
struct Successors<'p, R: RuleBook, F> {
    before: &'p Position<R>,
    visit: F,
    has_moves: bool,
}

impl<R: RuleBook, F: FnMut(Move<R>, &Position<R>)> Successors<'_, R, F> {
    /// Puts `piece` on each field of `to` and visits the positions. `lifted` is the position
    /// without the piece, after [`end_turn`](Position::end_turn).
    #[inline]
    fn put_on_each(
        &mut self,
        lifted: &Position<R>,
        piece: PieceOf<R>,
        to: CellSetOf<R>,
        move_to: impl Fn(Cell) -> Move<R>,
    ) {
        self.has_moves |= !to.is_empty();
        to.into_iter().for_each(|to| {
            let mv = move_to(to);
            let mut after = *lifted;
            after.put(to, piece);
            after.replace_rule_state(R::rule_state_after(self.before, mv));
            (self.visit)(mv, &after);
        });
    }
}

impl<R: RuleBook, F: FnMut(Move<R>, &Position<R>)> MoveSink<R> for Successors<'_, R, F> {
    #[inline]
    fn place(&mut self, kind: KindOf<R>, to: CellSetOf<R>) {
        let mut lifted = *self.before;
        let piece = lifted.take_from_reserve(kind);
        lifted.end_turn();
        self.put_on_each(&lifted, piece, to, |to| Move::Place { kind, to });
    }

    #[inline]
    fn drag(&mut self, from: Cell, to: CellSetOf<R>) {
        let mut lifted = *self.before;
        if let Some(piece) = lifted.take(from) {
            lifted.end_turn();
            self.put_on_each(&lifted, piece, to, |to| Move::Drag { from, to });
        }
    }
}
