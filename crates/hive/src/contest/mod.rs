//! The rule book of the Software Challenge 2020, as implemented by its server.
//!
//! Hive on a [hexagon of 91 fields](ContestBoard) with three brambles. Where the written rules and
//! the server differ, this module follows the server, which decides games:
//!
//! - the edge of the board never forms a gate, and beetles ignore gates;
//! - a side that must place its bee but cannot has to pass;
//! - the game ends only after blue's ply: when a bee is surrounded, or after 30 rounds, when the
//!   bee with more free fields around it wins.

mod any_board;
mod deal;
mod game;
mod kind;

pub use any_board::best_on_any_board;
pub use deal::{Deal, random_brambles};
pub use kind::Kind;

use super::{Color, LiftedPiece, Outcome, Piece, Placement, RuleBook, position::hash_mix as mix};
use crate::hex::{BoardSet, Cell, CellSet, ContestBoard, Grid};

/// The contest's rule book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contest;

/// A game of the contest.
pub type ContestRecord = crate::game::Record<Contest>;

/// A position of the contest.
pub type Position = super::Position<Contest>;

/// A move of the contest.
pub type Move = super::Move<Contest>;

/// A list of moves of the contest.
pub type MoveList = super::MoveList<Contest>;

/// An unchecked position of the contest.
pub type Setup = super::Setup<Contest>;

/// A piece of the contest.
pub type ContestPiece = Piece<Kind>;

/// A reserve of the contest.
pub type Reserve = super::Reserve<Kind>;

/// The turn after 30 rounds, at which free fields decide the game.
pub const LAST_TURN: u16 = 60;

/// The first turn of the fourth round, from which a bee in reserve must be placed.
pub const BEE_DUE_TURN: u16 = 6;

/// Number of brambles on the board.
pub const BRAMBLE_COUNT: usize = 3;

impl RuleBook for Contest {
    type Grid = ContestBoard;
    type Kind = Kind;
    type Obstacles = BoardSet;
    type RuleState = ();

    const NAME: &'static str = "Software Challenge 2020";

    const MAX_TURN: u16 = LAST_TURN;

    /// The maximum over both [`Deal`]s.
    fn max_pieces(kind: Kind) -> u8 {
        match kind {
            Kind::Bee => 1,
            Kind::Beetle => 2,
            Kind::Spider | Kind::Grasshopper | Kind::Ant => 3,
        }
    }

    #[inline]
    fn placement(position: &Position) -> Placement<Contest> {
        let color = position.side_to_move();
        let next_to = |cells| ContestBoard::neighbours(cells);
        let zone = if position.has_placed(color) {
            next_to(position.tops(color)) - next_to(position.tops(color.opponent()))
        } else if position.occupied().is_empty() {
            ContestBoard::FIELDS
        } else {
            next_to(position.occupied())
        };
        let zone = zone & position.free();
        if position.bee(color).is_none() && position.turn() >= BEE_DUE_TURN {
            if position.reserve(color).count(Kind::Bee) == 0 {
                return Placement::none();
            }
            Placement::BeeOnly(zone)
        } else {
            Placement::Any(zone)
        }
    }

    #[inline]
    fn may_move_pieces(position: &Position) -> bool {
        position.bee(position.side_to_move()).is_some()
    }

    #[inline]
    fn destinations(lifted: &LiftedPiece<Contest>, kind: Kind) -> BoardSet {
        match kind {
            Kind::Bee => lifted.slide_once(),
            Kind::Spider => lifted.slide_thrice(),
            Kind::Ant => lifted.slide_anywhere(),
            Kind::Grasshopper => lifted.jump(),
            Kind::Beetle => lifted.climb_ungated(),
        }
    }

    #[inline]
    fn max_destinations(_: &Position, _from: Cell, kind: Kind, beside_hive: usize) -> usize {
        match kind {
            Kind::Bee | Kind::Beetle | Kind::Grasshopper => 6,
            Kind::Spider | Kind::Ant => beside_hive,
        }
    }

    #[inline]
    fn outcome(position: &Position) -> Option<Outcome> {
        if !position.turn().is_multiple_of(2) {
            return None;
        }
        let red = position.free_around_bee(Color::Red);
        let blue = position.free_around_bee(Color::Blue);
        match (red, blue) {
            (Some(0), Some(0)) => Some(Outcome::BothSurrounded),
            (Some(0), _) => Some(Outcome::Surrounded(Color::Blue)),
            (_, Some(0)) => Some(Outcome::Surrounded(Color::Red)),
            // An unplaced bee counts as -1 free fields: `None` is less than any number.
            _ if position.turn() >= LAST_TURN => Some(match red.cmp(&blue) {
                std::cmp::Ordering::Equal => Outcome::EqualFreeFields,
                std::cmp::Ordering::Greater => Outcome::MoreFreeFields(Color::Red),
                std::cmp::Ordering::Less => Outcome::MoreFreeFields(Color::Blue),
            }),
            _ => None,
        }
    }

    /// Every turn has its own key, because the result depends on the number of turns left.
    #[inline]
    fn turn_key(turn: u16) -> u64 {
        const KEY: u64 = mix(3 << 40);
        KEY.wrapping_mul(u64::from(turn))
    }
}
