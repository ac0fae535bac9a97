//! Positions: pieces on the board, reserves, side to move.

mod hash;
mod play;
mod setup;
mod text;

pub(super) use hash::{mix as hash_mix, piece_key};
pub use setup::{PositionError, Setup, Stack};

use super::{
    ByColor, CellSetOf, Color, KindOf, Obstacles, Outcome, Piece, PieceKind, PieceOf, Reserve,
    RuleBook,
};
use crate::hex::{Cell, CellSet, Grid, Symmetry};

/// Maximum number of covered pieces: each piece above the ground covers one, and no rule book has
/// more than six climbers.
pub const MAX_COVERED: usize = 6;

/// A piece with another on top of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CoveredPiece<R: RuleBook> {
    cell: Cell,
    piece: PieceOf<R>,
}

/// A valid position: the hive is connected, and stacks and reserves are possible. It takes only a
/// few cache lines and is cheap to copy.
///
/// Equality compares pieces, reserves, obstacles, turn and rule state.
#[derive(Clone, Copy, Debug)]
pub struct Position<R: RuleBook> {
    /// The fields whose top piece has the colour.
    tops: ByColor<CellSetOf<R>>,
    /// The fields whose top piece has the kind.
    kinds: <KindOf<R> as PieceKind>::Table<CellSetOf<R>>,
    /// The fields with more than one piece.
    stacked: CellSetOf<R>,
    obstacles: R::Obstacles,
    rule_state: R::RuleState,
    /// The covered pieces, those of one field from bottom to top. Unused slots at the end are
    /// `None`.
    covered: [Option<CoveredPiece<R>>; MAX_COVERED],
    bees: ByColor<Option<Cell>>,
    reserve: ByColor<Reserve<KindOf<R>>>,
    turn: u16,
    hash: u64,
}

impl<R: RuleBook> Position<R> {
    /// An empty board with these reserves, red to move; `None` if the rule book does not support
    /// the obstacles.
    pub fn start(
        obstacles: CellSetOf<R>,
        reserve: ByColor<Reserve<KindOf<R>>>,
    ) -> Option<Position<R>> {
        let mut position = Position {
            tops: ByColor::default(),
            kinds: KindOf::<R>::table(CellSet::EMPTY),
            stacked: CellSet::EMPTY,
            obstacles: R::Obstacles::from_cells(obstacles)?,
            rule_state: R::RuleState::default(),
            covered: [None; MAX_COVERED],
            bees: ByColor::default(),
            reserve,
            turn: 0,
            hash: 0,
        };
        position.hash = position.recomputed_hash();
        Some(position)
    }

    /// Replaces the rule state, which text forms and setups do not contain.
    #[must_use]
    pub fn with_rule_state(mut self, rule_state: R::RuleState) -> Position<R> {
        self.rule_state = rule_state;
        self.hash = self.recomputed_hash();
        self
    }

    /// Plies played, from 0.
    #[inline]
    pub fn turn(&self) -> u16 {
        self.turn
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        Color::to_move(self.turn)
    }

    /// The fields whose top piece belongs to `color`.
    #[inline]
    pub fn tops(&self, color: Color) -> CellSetOf<R> {
        self.tops[color]
    }

    /// The fields whose top piece is of `kind`, of either side.
    #[inline]
    pub fn tops_of_kind(&self, kind: KindOf<R>) -> CellSetOf<R> {
        self.kinds.as_ref()[kind.index()]
    }

    /// The fields with at least one piece.
    #[inline]
    pub fn occupied(&self) -> CellSetOf<R> {
        self.tops.red | self.tops.blue
    }

    /// The fields with at least two pieces.
    #[inline]
    pub fn stacked(&self) -> CellSetOf<R> {
        self.stacked
    }

    /// The fields that no piece can enter.
    #[inline]
    pub fn obstacles(&self) -> CellSetOf<R> {
        self.obstacles.cells()
    }

    /// See [`RuleBook::RuleState`]. [`start`](Position::start) and [`Setup::build`] set the
    /// default.
    #[inline]
    pub fn rule_state(&self) -> R::RuleState {
        self.rule_state
    }

    /// The fields without piece or obstacle.
    #[inline]
    pub fn free(&self) -> CellSetOf<R> {
        R::Grid::FIELDS - self.occupied() - self.obstacles()
    }

    /// The field of the bee of `color`, covered or not; `None` while it is in reserve.
    #[inline]
    pub fn bee(&self, color: Color) -> Option<Cell> {
        self.bees[color]
    }

    /// The pieces that `color` has not placed yet.
    #[inline]
    pub fn reserve(&self, color: Color) -> &Reserve<KindOf<R>> {
        &self.reserve[color]
    }

    /// Number of free fields around the bee of `color`: on the board, without piece or obstacle.
    /// `None` while it is in reserve.
    #[inline]
    pub fn free_around_bee(&self, color: Color) -> Option<u32> {
        let bee = self.bees[color]?;
        Some(R::Grid::ring(self.free(), bee).count_ones())
    }

    /// The topmost piece on `cell`.
    #[inline]
    pub fn top(&self, cell: Cell) -> Option<PieceOf<R>> {
        let is_blue = self.tops.blue.contains(cell);
        if !is_blue && !self.tops.red.contains(cell) {
            return None;
        }
        // Branch-free: the kind is unpredictable.
        let mut kind = 0;
        for (index, cells) in self.kinds.as_ref().iter().enumerate() {
            kind += index * usize::from(cells.contains(cell));
        }
        let color = if is_blue { Color::Blue } else { Color::Red };
        Some(Piece::new(color, *KindOf::<R>::ALL.get(kind)?))
    }

    /// The pieces on `cell`, bottom to top.
    pub fn stack(&self, cell: Cell) -> impl Iterator<Item = PieceOf<R>> {
        self.covered_on(cell).chain(self.top(cell))
    }

    /// The covered pieces on `cell`, bottom to top.
    pub fn covered_on(&self, cell: Cell) -> impl Iterator<Item = PieceOf<R>> {
        self.covered
            .into_iter()
            .flatten()
            .filter(move |covered| covered.cell == cell)
            .map(|covered| covered.piece)
    }

    /// Number of pieces on `cell`.
    #[inline]
    pub fn height(&self, cell: Cell) -> usize {
        if self.stacked.contains(cell) {
            self.covered_on(cell).count() + 1
        } else {
            usize::from(self.occupied().contains(cell))
        }
    }

    /// True if `color` has a piece on the board, covered ones included.
    #[inline]
    pub fn has_placed(&self, color: Color) -> bool {
        !self.tops[color].is_empty()
            || self
                .covered
                .iter()
                .flatten()
                .any(|covered| covered.piece.color == color)
    }

    /// True if a side has a piece of `kind`, on the board, covered or in reserve.
    #[inline]
    pub fn has_kind(&self, kind: KindOf<R>) -> bool {
        let is_in_reserve = |color| self.reserve[color].count(kind) > 0;
        !self.tops_of_kind(kind).is_empty()
            || Color::ALL.into_iter().any(is_in_reserve)
            || self
                .covered
                .iter()
                .flatten()
                .any(|covered| covered.piece.kind == kind)
    }

    /// The result, if the game is over.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        R::outcome(self)
    }

    /// The hash of the position: equal positions have equal hashes. Values are stable between
    /// versions.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The hash without the rule state; equal for positions that [repeat](Position::repeats) one
    /// another.
    #[inline]
    pub fn board_hash(&self) -> u64 {
        self.hash.wrapping_sub(R::rule_state_key(self.rule_state))
    }

    /// True if the two positions count as a repetition: the same pieces on the same fields, the
    /// same side to move and the same moves. The turn may differ.
    pub fn repeats(&self, other: &Position<R>) -> bool {
        self.side_to_move() == other.side_to_move()
            && self.has_same_board(other)
            && R::have_same_moves(self, other)
    }

    /// True if boards and reserves are the same.
    fn has_same_board(&self, other: &Position<R>) -> bool {
        self.tops == other.tops
            && self.kinds == other.kinds
            && self.stacked == other.stacked
            && self.obstacles == other.obstacles
            && self.reserve == other.reserve
            && self
                .stacked
                .into_iter()
                .all(|cell| self.covered_on(cell).eq(other.covered_on(cell)))
    }

    /// Applies a symmetry of the board.
    ///
    /// `None` if a piece or obstacle would leave the board, which cannot happen on the contest's
    /// board.
    pub fn transformed(&self, symmetry: Symmetry) -> Option<Position<R>> {
        self.to_setup()
            .transformed(symmetry)
            .and_then(|setup| setup.build().ok())
    }
}

impl<R: RuleBook> PartialEq for Position<R> {
    fn eq(&self, other: &Position<R>) -> bool {
        self.turn == other.turn && self.rule_state == other.rule_state && self.has_same_board(other)
    }
}

impl<R: RuleBook> Eq for Position<R> {}
