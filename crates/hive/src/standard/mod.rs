//! The rule book of the standard game, on an unbounded board, with mosquito, ladybug and pillbug.
//!
//! It follows the rules of tournaments and of other engines and viewers:
//!
//! - The queen may not be placed on the first turn, except under [`OpeningRule::Free`], and must be
//!   placed by the fourth.
//! - Two stacks that flank a step and rise above both of its ends form a gate for climbers.
//! - The piece that moved last rests: for one ply it may not move, throw or be thrown.
//! - The game ends when a queen is surrounded, after either side's ply.
//! - The third occurrence of a position is a draw; see [`RepetitionKey`].
//!
//! A [`GameType`] selects the expansions.

mod game;
mod game_string;
mod game_type;
mod kind;
mod move_text;
mod moves;
mod named_pieces;
mod piece_name;
mod rule_state;

use std::marker::PhantomData;

pub use game::StandardRecord;
pub use game_string::{GameState, fields, is_game_string, is_plain};
pub use game_type::GameType;
pub use kind::Kind;
pub use move_text::{MARKS, ReadMoveError};
pub use named_pieces::NamedPieces;
pub use piece_name::PieceName;
pub use rule_state::{OpeningRule, RepetitionKey, RuleState};

use super::{
    CellSetOf, Color, LiftedPiece, Outcome, Placement, RuleBook, position::hash_mix as mix,
};
use crate::hex::{Cell, CellSet, CompactTorus, Grid, Hex, WideTorus};

/// The standard game's rule book, on a torus `G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StandardOn<G>(PhantomData<G>);

/// The rule book on a board that is large enough for any hive.
pub type Standard = StandardOn<WideTorus>;

/// The rule book on a small board, for speed: correct while the hive is at most 14 steps across.
pub type StandardNarrow = StandardOn<CompactTorus>;

/// A position of the standard game.
pub type Position<G = WideTorus> = super::Position<StandardOn<G>>;

/// A move of the standard game.
pub type Move<G = WideTorus> = super::Move<StandardOn<G>>;

/// A list of moves of the standard game.
pub type MoveList<G = WideTorus> = super::MoveList<StandardOn<G>>;

/// An unchecked position of the standard game.
pub type Setup<G = WideTorus> = super::Setup<StandardOn<G>>;

/// A piece of the standard game.
pub type StandardPiece = super::Piece<Kind>;

/// A reserve of the standard game.
pub type Reserve = super::Reserve<Kind>;

/// The first turn of the fourth round, from which a queen in reserve must be placed.
const QUEEN_DUE_TURN: u16 = 6;

/// The ring of all six neighbours.
const ALL_AROUND: u8 = 63;

impl<G: Grid> RuleBook for StandardOn<G> {
    type Grid = G;
    type Kind = Kind;
    type Obstacles = ();
    type RuleState = RuleState;

    const NAME: &'static str = "Hive";

    const MAX_TURN: u16 = u16::MAX;

    const REPETITION_LIMIT: Option<usize> = Some(3);

    fn max_pieces(kind: Kind) -> u8 {
        kind.pieces_per_side()
    }

    #[inline]
    fn placement(position: &Position<G>) -> Placement<StandardOn<G>> {
        let color = position.side_to_move();
        let (own, enemy) = (position.tops(color), position.tops(color.opponent()));
        let opening = |zone| match position.rule_state().opening() {
            OpeningRule::Tournament => Placement::NoBee(zone),
            OpeningRule::Free => Placement::Any(zone),
        };
        if own.is_empty() && !position.has_placed(color) {
            let zone = if enemy.is_empty() {
                // Every cell is equivalent.
                G::cell(Hex::new(0, 0)).map_or(CellSet::EMPTY, CellSet::single)
            } else {
                G::neighbours(enemy) - enemy
            };
            return opening(zone);
        }
        let zone = G::neighbours(own) - G::neighbours(enemy) - own - enemy;
        if position.bee(color).is_some() || position.turn() < QUEEN_DUE_TURN {
            Placement::Any(zone)
        } else if position.reserve(color).count(Kind::Queen) > 0 {
            Placement::BeeOnly(zone)
        } else {
            Placement::none()
        }
    }

    #[inline]
    fn may_move_pieces(position: &Position<G>) -> bool {
        position.bee(position.side_to_move()).is_some()
    }

    /// Pieces of the side to move, and those within reach of its throwers.
    #[inline]
    fn movers(position: &Position<G>) -> CellSetOf<StandardOn<G>> {
        let mut candidates = position.tops(position.side_to_move());
        let throwers = moves::throwers(position);
        if !throwers.is_empty() {
            candidates |= moves::within_reach(position, throwers);
        }
        if let Some(resting) = position.rule_state().resting() {
            candidates.remove(resting);
        }
        position.unpinned_among(candidates)
    }

    #[inline]
    fn destinations(lifted: &LiftedPiece<StandardOn<G>>, kind: Kind) -> CellSetOf<StandardOn<G>> {
        let position = lifted.position();
        let thrown = moves::throw(lifted);
        if position
            .tops(position.side_to_move())
            .contains(lifted.from())
        {
            thrown | moves::walk(lifted, kind)
        } else {
            thrown
        }
    }

    #[inline]
    fn max_destinations(
        position: &Position<G>,
        from: Cell,
        kind: Kind,
        beside_hive: usize,
    ) -> usize {
        let walks = match kind {
            Kind::Queen | Kind::Beetle | Kind::Grasshopper | Kind::Pillbug => 6,
            Kind::Spider | Kind::Ant | Kind::Ladybug => beside_hive,
            Kind::Mosquito => beside_hive + 6,
        };
        let throwers = G::ring(moves::throwers(position), from).count_ones();
        walks + 6 * throwers as usize
    }

    #[inline]
    fn rule_state_after(before: &Position<G>, mv: Move<G>) -> RuleState {
        before.rule_state().after(mv.destination())
    }

    fn have_same_moves(a: &Position<G>, b: &Position<G>) -> bool {
        rule_state::have_same_moves(a, b)
    }

    fn repetition_hash(position: &Position<G>) -> u64 {
        rule_state::repetition_hash(position)
    }

    fn repetition_hash_after(before: &Position<G>, mv: Move<G>, hash: u64) -> u64 {
        rule_state::repetition_hash_after(before, mv, hash)
    }

    #[inline]
    fn outcome(position: &Position<G>) -> Option<Outcome> {
        let occupied = position.occupied();
        if occupied.count_cells() <= ALL_AROUND.count_ones() as usize {
            // Too few pieces to surround a queen.
            return None;
        }
        let surrounded = |color| {
            position
                .bee(color)
                .is_some_and(|queen| G::ring(occupied, queen) == ALL_AROUND)
        };
        match (surrounded(Color::Red), surrounded(Color::Blue)) {
            (true, true) => Some(Outcome::BothSurrounded),
            (true, false) => Some(Outcome::Surrounded(Color::Blue)),
            (false, true) => Some(Outcome::Surrounded(Color::Red)),
            (false, false) => None,
        }
    }

    #[inline]
    fn turn_key(turn: u16) -> u64 {
        const BLUE_TO_MOVE: u64 = mix(5 << 40);
        if turn.is_multiple_of(2) {
            0
        } else {
            BLUE_TO_MOVE
        }
    }

    #[inline]
    fn rule_state_key(state: RuleState) -> u64 {
        state.key()
    }
}
