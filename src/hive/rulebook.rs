//! What distinguishes one variant of Hive from another.

use std::fmt::Debug;
use std::hash::Hash;

use super::movegen::Walker;
use super::{Outcome, Piece, PieceKind, Position};
use crate::hex::{CellSet, Grid};

/// Sets of cells of a rule book's grid.
pub type CellSetOf<R> = <<R as RuleBook>::Grid as Grid>::Set;

/// The piece kinds of a rule book.
pub type KindOf<R> = <R as RuleBook>::Kind;

/// A piece of a rule book.
pub type PieceOf<R> = Piece<KindOf<R>>;

/// A variant of Hive, as a type without values of its own.
///
/// Shared by all rule books, and therefore not in here: stacks, the one-hive rule, slides, jumps and climbs (as building
/// blocks of [`Walker`]), the reserve, passing when nothing else is legal, hashing and notation.
pub trait RuleBook: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The board.
    type Grid: Grid;

    /// The kinds of piece.
    type Kind: PieceKind;

    /// The fields that no piece may ever stand on, as stored in a position. A rule book without any uses `()`.
    type Obstacles: Copy + Debug + Eq + Send + Sync;

    /// Name for messages.
    const NAME: &'static str;

    /// Largest turn of a position, in plies from 0.
    const MAX_TURN: u16;

    /// Most pieces of `kind` that one side can have, reserve and board together.
    fn max_pieces(kind: Self::Kind) -> u8;

    /// Stores obstacles; `None` where the rule book has no such obstacles.
    fn obstacles(cells: CellSetOf<Self>) -> Option<Self::Obstacles>;

    /// The stored obstacles as a set.
    fn obstacle_cells(obstacles: &Self::Obstacles) -> CellSetOf<Self>;

    /// What the side to move may place, and where. Only kinds in its reserve count.
    fn placement(position: &Position<Self>) -> Placement<Self>;

    /// Whether the side to move may move pieces that are on the board.
    fn may_move_pieces(position: &Position<Self>) -> bool;

    /// Where a piece of `kind`, taken off the board, may be put down again.
    fn destinations(walker: &Walker<Self>, kind: Self::Kind) -> CellSetOf<Self>;

    /// The result, if the game is over.
    fn outcome(position: &Position<Self>) -> Option<Outcome>;

    /// The hash's summand for the turn: it must tell the sides to move apart, and whatever else of the turn decides games.
    fn turn_key(turn: u16) -> u64;
}

/// What may be placed where.
#[derive(Clone, Copy, Debug)]
pub enum Placement<R: RuleBook> {
    /// Any kind in reserve on any of these fields.
    Any(CellSetOf<R>),
    /// Only the bee, on any of these fields.
    BeeOnly(CellSetOf<R>),
}

impl<R: RuleBook> Placement<R> {
    /// No placement at all.
    pub fn none() -> Placement<R> {
        Placement::Any(CellSet::EMPTY)
    }
}
