//! The rule book trait: what differs between variants of Hive.

use std::fmt::Debug;
use std::hash::Hash;

use super::movegen::LiftedPiece;
use super::{Move, Outcome, Piece, PieceKind, Position};
use crate::hex::{Cell, CellSet, Grid};

/// Sets of cells of a rule book's grid.
pub type CellSetOf<R> = <<R as RuleBook>::Grid as Grid>::Set;

/// The piece kinds of a rule book.
pub type KindOf<R> = <R as RuleBook>::Kind;

/// A piece of a rule book.
pub type PieceOf<R> = Piece<KindOf<R>>;

/// A variant of Hive, implemented by marker types.
///
/// All rule books share stacks, the one-hive rule, reserves, hashing and notation. A side passes if
/// it has no other move. [`LiftedPiece`] contains the building blocks for moves: slides, jumps and
/// climbs.
pub trait RuleBook: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The board, bounded or not.
    type Grid: Grid;

    /// The piece kinds.
    type Kind: PieceKind;

    /// Storage for the fields that no piece can enter: a set of cells, or `()` for games without
    /// obstacles.
    type Obstacles: Obstacles<CellSetOf<Self>>;

    /// State besides the board on which the rules depend: game options, and restrictions left by
    /// the last ply. `()` if the game has neither.
    type RuleState: Copy + Debug + Default + Eq + Send + Sync;

    /// Name for messages.
    const NAME: &'static str;

    /// Maximum turn of a position, in plies from 0.
    const MAX_TURN: u16;

    /// Number of occurrences of a position that makes the game a draw; `None` if repetition has no
    /// effect.
    const REPETITION_LIMIT: Option<usize> = None;

    /// Maximum number of pieces of `kind` per side, on the board and in reserve.
    fn max_pieces(kind: Self::Kind) -> u8;

    /// The kinds that the side to move may place, and where. Does not have to check the reserve.
    fn placement(position: &Position<Self>) -> Placement<Self>;

    /// True if the side to move may move pieces that are on the board.
    fn may_move_pieces(position: &Position<Self>) -> bool;

    /// The fields whose top piece the side to move may move, given
    /// [`may_move_pieces`](RuleBook::may_move_pieces): by default its unpinned pieces.
    #[inline]
    fn movers(position: &Position<Self>) -> CellSetOf<Self> {
        position.unpinned(position.side_to_move())
    }

    /// The fields to which a lifted piece of `kind` may go.
    fn destinations(lifted: &LiftedPiece<Self>, kind: Self::Kind) -> CellSetOf<Self>;

    /// An upper bound on the number of [`destinations`](RuleBook::destinations) of the piece on
    /// `from`, given the number of free fields beside the hive. Below that number,
    /// [`random_move`](Position::random_move) would prefer other pieces.
    #[inline]
    fn max_destinations(
        _position: &Position<Self>,
        _from: Cell,
        _kind: Self::Kind,
        beside_hive: usize,
    ) -> usize {
        beside_hive + 6
    }

    /// The rule state of the position after `mv`.
    #[inline]
    fn rule_state_after(_before: &Position<Self>, _mv: Move<Self>) -> Self::RuleState {
        Self::RuleState::default()
    }

    /// True if two positions with the same pieces on the same fields and the same side to move also
    /// have the same moves.
    #[inline]
    fn have_same_moves(a: &Position<Self>, b: &Position<Self>) -> bool {
        a.rule_state() == b.rule_state()
    }

    /// A hash that is equal for positions that the repetition rule considers equal. Boards of
    /// different size on which a hive fits have the same hashes.
    fn repetition_hash(_position: &Position<Self>) -> u64 {
        0
    }

    /// The [`repetition_hash`](RuleBook::repetition_hash) after the legal move `mv`; `hash` is that
    /// of `before`.
    fn repetition_hash_after(before: &Position<Self>, mv: Move<Self>, _hash: u64) -> u64 {
        match Self::REPETITION_LIMIT {
            Some(_) => Self::repetition_hash(&before.after(mv)),
            None => 0,
        }
    }

    /// The result, if the game is over.
    fn outcome(position: &Position<Self>) -> Option<Outcome>;

    /// The turn's contribution to the hash. It must depend on the side to move, and on the turn
    /// itself if the result does.
    fn turn_key(turn: u16) -> u64;

    /// The rule state's contribution to the hash.
    #[inline]
    fn rule_state_key(_state: Self::RuleState) -> u64 {
        0
    }
}

/// Storage for the obstacles of a position: a set of cells, or the zero-sized `()` for games
/// without obstacles.
pub trait Obstacles<S>: Copy + Debug + Eq + Send + Sync {
    /// True if a position can have obstacles.
    const SUPPORTED: bool;

    /// Stores these fields; `None` if there are any but obstacles are not supported.
    fn from_cells(cells: S) -> Option<Self>;

    /// The stored fields.
    fn cells(self) -> S;
}

impl<S: CellSet> Obstacles<S> for S {
    const SUPPORTED: bool = true;

    #[inline]
    fn from_cells(cells: S) -> Option<S> {
        Some(cells)
    }

    #[inline]
    fn cells(self) -> S {
        self
    }
}

impl<S: CellSet> Obstacles<S> for () {
    const SUPPORTED: bool = false;

    #[inline]
    fn from_cells(cells: S) -> Option<()> {
        cells.is_empty().then_some(())
    }

    #[inline]
    fn cells(self) -> S {
        S::EMPTY
    }
}

/// The kinds that may be placed, and where.
#[derive(Clone, Copy, Debug)]
pub enum Placement<R: RuleBook> {
    /// Any kind in reserve on any of these fields.
    Any(CellSetOf<R>),
    /// Only the bee, on any of these fields.
    BeeOnly(CellSetOf<R>),
    /// Any kind in reserve except the bee, on any of these fields.
    NoBee(CellSetOf<R>),
}

impl<R: RuleBook> Placement<R> {
    /// No placement at all.
    pub fn none() -> Placement<R> {
        Placement::Any(CellSet::EMPTY)
    }
}
