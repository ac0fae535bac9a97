//! Move generation.

mod lifted_piece;
mod random;
mod slides;
mod swarm;

pub use lifted_piece::LiftedPiece;
pub(super) use slides::{between, slides_around};
pub use swarm::{articulation_points, articulation_points_with};
pub(super) use swarm::{has_no_holes, is_connected};

use super::{CellSetOf, KindOf, Move, MoveList, PieceKind, Placement, Position, RuleBook};
use crate::hex::{Cell, CellSet};

/// Receives the moves of a position as sets of destinations.
pub trait MoveSink<R: RuleBook> {
    /// A piece of `kind` may be placed on each of these fields.
    fn place(&mut self, kind: KindOf<R>, to: CellSetOf<R>);

    /// The top piece of `from` may move to each of these fields.
    fn drag(&mut self, from: Cell, to: CellSetOf<R>);
}

/// Counts moves without listing them.
#[derive(Default)]
struct Counter(usize);

impl<R: RuleBook> MoveSink<R> for Counter {
    #[inline]
    fn place(&mut self, _kind: KindOf<R>, to: CellSetOf<R>) {
        self.0 += to.count_cells();
    }

    #[inline]
    fn drag(&mut self, _from: Cell, to: CellSetOf<R>) {
        self.0 += to.count_cells();
    }
}

impl<R: RuleBook> Position<R> {
    /// Passes each placement and each move of a piece to `sink` once. Never generates a pass;
    /// ignores the outcome.
    #[inline]
    pub fn generate(&self, sink: &mut impl MoveSink<R>) {
        self.generate_placements(|kind, to| sink.place(kind, to));
        if R::may_move_pieces(self) {
            let movers = R::movers(self);
            // Grouped by kind for branch prediction.
            for &kind in KindOf::<R>::ALL {
                for from in movers & self.tops_of_kind(kind) {
                    let to = R::destinations(&LiftedPiece::lift(self, from), kind);
                    if !to.is_empty() {
                        sink.drag(from, to);
                    }
                }
            }
        }
    }

    /// Passes each kind that can be placed, and where, to `place`. The fields are always the same.
    #[inline]
    fn generate_placements(&self, mut place: impl FnMut(KindOf<R>, CellSetOf<R>)) {
        let kinds = self.reserve(self.side_to_move()).kinds();
        match R::placement(self) {
            Placement::Any(to) | Placement::NoBee(to) if to.is_empty() => {}
            Placement::Any(to) => {
                for kind in kinds {
                    place(kind, to);
                }
            }
            Placement::NoBee(to) => {
                for kind in kinds.filter(|&kind| kind != PieceKind::BEE) {
                    place(kind, to);
                }
            }
            Placement::BeeOnly(to) => place(PieceKind::BEE, to),
        }
    }

    /// The fields that the top piece of `from` could reach if it were not pinned; empty for a free
    /// field.
    #[inline]
    pub fn destinations(&self, from: Cell) -> CellSetOf<R> {
        match self.top(from) {
            Some(piece) => R::destinations(&LiftedPiece::lift(self, from), piece.kind),
            None => CellSet::EMPTY,
        }
    }

    /// The legal moves: none if the game is over, otherwise at least one. If no piece can be placed
    /// or moved, the only move is [`Move::Pass`].
    // Inlined, so that the list is not copied.
    #[inline]
    pub fn legal_moves(&self) -> MoveList<R> {
        let mut moves = MoveList::new();
        self.list_legal_moves(&mut moves);
        moves
    }

    fn list_legal_moves(&self, moves: &mut MoveList<R>) {
        if self.outcome().is_some() {
            return;
        }
        self.generate(moves);
        if moves.is_empty() {
            moves.push(Move::Pass);
        }
    }

    /// Number of moves that [`legal_moves`](Position::legal_moves) would list.
    pub fn count_legal_moves(&self) -> usize {
        if self.outcome().is_some() {
            return 0;
        }
        let mut counter = Counter::default();
        self.generate(&mut counter);
        counter.0.max(1)
    }
}
