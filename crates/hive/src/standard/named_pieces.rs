//! Names of the pieces in play; positions only store kinds.

use super::piece_name::PieceName;
use crate::Piece;
use crate::hex::Cell;
use crate::standard::{Move, Position};

/// The pieces in play and their cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPieces {
    /// In order of arrival: of two pieces on one cell the later one is on top.
    pieces: Vec<(PieceName, Cell)>,
}

impl NamedPieces {
    /// Names for the pieces of a position, in the order of their cells.
    pub(super) fn from_position(position: &Position) -> NamedPieces {
        let mut named = NamedPieces::default();
        for cell in position.occupied() {
            for piece in position.stack(cell) {
                let same = named
                    .pieces
                    .iter()
                    .filter(|(name, _)| name.piece() == piece);
                let ordinal = u8::try_from(same.count() + 1).ok();
                if let Some(name) = ordinal.and_then(|ordinal| PieceName::new(piece, ordinal)) {
                    named.pieces.push((name, cell));
                }
            }
        }
        named
    }

    /// The pieces in play and their cells, those of one cell from bottom to top.
    pub fn iter(&self) -> impl Iterator<Item = (PieceName, Cell)> {
        self.pieces.iter().copied()
    }

    /// The cell of the piece; `None` while it is in hand.
    pub(super) fn cell_of(&self, name: PieceName) -> Option<Cell> {
        let (_, cell) = self.pieces.iter().find(|(other, _)| *other == name)?;
        Some(*cell)
    }

    /// The pieces on `cell`, bottom to top.
    pub(super) fn pieces_on(&self, cell: Cell) -> impl Iterator<Item = PieceName> {
        let pieces = self.pieces.iter().filter(move |&&(_, at)| at == cell);
        pieces.map(|&(name, _)| name)
    }

    /// The topmost piece on `cell` that is not `lifted`.
    pub(super) fn top(&self, cell: Cell, lifted: Option<PieceName>) -> Option<PieceName> {
        let on_cell = |&&(name, at): &&(PieceName, Cell)| at == cell && Some(name) != lifted;
        let (name, _) = self.pieces.iter().rev().find(on_cell)?;
        Some(*name)
    }

    /// The piece that `mv` places or moves. `position` is the one before the move.
    pub(super) fn moved_by(&self, position: &Position, mv: Move) -> Option<PieceName> {
        match mv {
            Move::Place { kind, .. } => {
                let color = position.side_to_move();
                let left = position.reserve(color).count(kind);
                let ordinal = kind.pieces_per_side().checked_sub(left)? + 1;
                PieceName::new(Piece::new(color, kind), ordinal)
            }
            Move::Drag { from, .. } => self.top(from, None),
            Move::Pass => None,
        }
    }

    /// Puts `name` on top of `cell`, from its old cell or from the reserve.
    pub(super) fn put(&mut self, name: PieceName, cell: Cell) {
        self.pieces.retain(|(other, _)| *other != name);
        self.pieces.push((name, cell));
    }

    /// True if no piece is in play.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }
}
