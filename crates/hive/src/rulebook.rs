//! The differences between variants of Hive.

use std::fmt::Debug;
use std::hash::Hash;

use super::movegen::LiftedPiece;
use super::{Move, Outcome, Piece, PieceKind, Position};
use crate::hex::{CellSet, Grid};

/// Sets of cells of a rule book's grid.
pub type CellSetOf<R> = <<R as RuleBook>::Grid as Grid>::Set;

/// The piece kinds of a rule book.
pub type KindOf<R> = <R as RuleBook>::Kind;

/// A piece of a rule book.
pub type PieceOf<R> = Piece<KindOf<R>>;

/// A variant of Hive, as a type without values.
///
/// All rule books share stacks, the one-hive rule, slides, jumps and climbs (as building
/// blocks of [`LiftedPiece`]), reserves, passing when nothing else is legal, hashing and notation.
pub trait RuleBook: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The board.
    type Grid: Grid;

    /// The kinds of piece.
    type Kind: PieceKind;

    /// The fields that no piece may ever stand on, as stored in a position: a set of cells, or `()`
    /// where there are none.
    type Obstacles: Obstacles<CellSetOf<Self>>;

    /// What the rules depend on besides the board: options of the game, and what the last ply
    /// forbids; `()` for nothing.
    type RuleState: Copy + Debug + Default + Eq + Send + Sync;

    /// Name for messages.
    const NAME: &'static str;

    /// Largest turn of a position, in plies from 0.
    const MAX_TURN: u16;

    /// Number of occurrences of a position that draws the game; `None` where repetition has no
    /// effect.
    const REPETITION_LIMIT: Option<usize> = None;

    /// Largest number of pieces of `kind` that one side can have, reserve and board together.
    fn max_pieces(kind: Self::Kind) -> u8;

    /// The kinds and fields with which the side to move may place a piece. Only kinds in its
    /// reserve count.
    fn placement(position: &Position<Self>) -> Placement<Self>;

    /// True if the side to move may move pieces that are on the board.
    fn may_move_pieces(position: &Position<Self>) -> bool;

    /// The fields whose top piece the side to move may move, if it may move any: by default its
    /// unpinned pieces.
    #[inline]
    fn movers(position: &Position<Self>) -> CellSetOf<Self> {
        position.unpinned(position.side_to_move())
    }

    /// The fields to which a lifted piece of `kind` may go.
    fn destinations(lifted: &LiftedPiece<Self>, kind: Self::Kind) -> CellSetOf<Self>;

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

    /// The result, if the game is over.
    fn outcome(position: &Position<Self>) -> Option<Outcome>;

    /// The hash's summand for the turn: it must distinguish the side to move and whatever else of
    /// the turn decides games.
    fn turn_key(turn: u16) -> u64;

    /// The hash's summand for the rule state.
    #[inline]
    fn rule_state_key(_memory: Self::RuleState) -> u64 {
        0
    }
}

/// The storage of obstacles in the positions of a rule book. A set of cells stores any; `()` stores
/// none and takes no room.
pub trait Obstacles<S>: Copy + Debug + Eq + Send + Sync {
    /// True if there can be any.
    const CAN_BE: bool;

    /// Stores these fields; `None` where there can be no such obstacles.
    fn from_cells(cells: S) -> Option<Self>;

    /// The stored fields.
    fn cells(self) -> S;
}

impl<S: CellSet> Obstacles<S> for S {
    const CAN_BE: bool = true;

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
    const CAN_BE: bool = false;

    #[inline]
    fn from_cells(cells: S) -> Option<()> {
        cells.is_empty().then_some(())
    }

    #[inline]
    fn cells(self) -> S {
        S::EMPTY
    }
}

/// The kinds that may be placed, and the fields.
#[derive(Clone, Copy, Debug)]
pub enum Placement<R: RuleBook> {
    /// Any kind in reserve on any of these fields.
    Any(CellSetOf<R>),
    /// Only the bee, on any of these fields.
    BeeOnly(CellSetOf<R>),
    /// Any kind in reserve but the bee, on any of these fields.
    NoBee(CellSetOf<R>),
}

impl<R: RuleBook> Placement<R> {
    /// No placement at all.
    pub fn none() -> Placement<R> {
        Placement::Any(CellSet::EMPTY)
    }
}
