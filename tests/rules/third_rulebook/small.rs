//! Standard Hive without expansions on the small board: rules, features, game, recordings.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use rand::Rng;

use wabe::evaluation::{Bucket, Changes, Feature, Features, Meaning, Network, View, own_from};
use wabe::game::{Game, Paint, PlainNotation, ReadMoveErrorOf, ReadRecordError, Record, SameBoard};
use wabe::hex::{Cell, CellSet, Direction, Grid};
use wabe::hive::contest::Kind;
use wabe::hive::{ByColor, Color, Outcome, Placement, Reserve, RuleBook, Walker};
use wabe::replay::Recorded;

use super::board::{Board, Cells};

/// The rule book, and the only variant of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Small;

pub(crate) type Position = wabe::hive::Position<Small>;
pub(crate) type Move = wabe::hive::Move<Small>;

impl RuleBook for Small {
    type Grid = Board;
    /// The contest's kinds are the base set's, with a bee for the queen.
    type Kind = Kind;
    type Obstacles = ();
    type Memory = ();

    const NAME: &'static str = "Hive on a small board";

    const MAX_TURN: u16 = u16::MAX;

    const OCCURRENCES: Option<usize> = Some(3);

    fn max_pieces(kind: Kind) -> u8 {
        match kind {
            Kind::Bee => 1,
            Kind::Spider | Kind::Beetle => 2,
            Kind::Grasshopper | Kind::Ant => 3,
        }
    }

    /// As in standard Hive, but the first piece may lie anywhere.
    fn placement(position: &Position) -> Placement<Small> {
        let color = position.side_to_move();
        let around = |color| Board::neighbours(position.tops(color)) & position.free();
        if position.occupied().is_empty() {
            Placement::NoBee(Board::FIELDS)
        } else if !position.has_placed(color) {
            Placement::NoBee(around(color.opponent()))
        } else {
            let zone = around(color) - around(color.opponent());
            if position.bee(color).is_none() && position.turn() / 2 >= 3 {
                Placement::BeeOnly(zone)
            } else {
                Placement::Any(zone)
            }
        }
    }

    fn may_move_pieces(position: &Position) -> bool {
        position.bee(position.side_to_move()).is_some()
    }

    fn destinations(walker: &Walker<Small>, kind: Kind) -> Cells {
        match kind {
            Kind::Bee => walker.slide_once(),
            Kind::Spider => walker.slide_thrice(),
            Kind::Beetle => climb(walker),
            Kind::Grasshopper => walker.jump(),
            Kind::Ant => walker.slide_anywhere(),
        }
    }

    /// The edge helps to surround a bee.
    fn outcome(position: &Position) -> Option<Outcome> {
        let surrounded = |color| position.free_around_bee(color) == Some(0);
        let winner = match (surrounded(Color::Red), surrounded(Color::Blue)) {
            (false, false) => return None,
            (true, true) => return Some(Outcome::BothSurrounded),
            (true, false) => Color::Blue,
            (false, true) => Color::Red,
        };
        Some(Outcome::Surrounded(winner))
    }

    fn turn_key(turn: u16) -> u64 {
        u64::from(turn % 2).wrapping_mul(0xd1b5_4a32_d192_ed03)
    }
}

/// One step of a beetle. Two stacks stop it that rise above both ends of the step; the edge does not.
fn climb(walker: &Walker<Small>) -> Cells {
    let from = walker.from();
    let height = |cell: Option<Cell>| cell.map_or(0, |cell| walker.height(cell));
    let mut ends = Cells::EMPTY;
    for direction in Direction::ALL {
        let Some(to) = Board::neighbour(from, direction) else {
            continue;
        };
        let way = walker.height(from).max(walker.height(to));
        let beside =
            [direction.left(), direction.right()].map(|side| height(Board::neighbour(from, side)));
        let in_contact = way > 0 || beside != [0, 0];
        if in_contact && beside.into_iter().min() <= Some(way) {
            ends.insert(to);
        }
    }
    ends
}

/// Numbers of free cells around a bee, 0 to 6, and a bee in reserve.
const FREE: usize = 8;
const FREE_AT: usize = own_from::<Small>();

fn free_cells(view: &View<'_, Small>) -> Feature {
    let free = |color| {
        let free = view.position.free_around_bee(color);
        free.map_or(FREE - 1, |free| free as usize)
    };
    Feature::new(FREE_AT + free(view.viewer) * FREE + free(view.viewer.opponent()))
}

impl Features for Small {
    const FEATURE_SET: &'static [u8; 8] = b"wabesml1";
    const FEATURE_COUNT: usize = FREE_AT + FREE * FREE;

    type Facts = ();

    fn built_in() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> =
            LazyLock::new(|| Arc::new(Network::first::<Small>()));
        Arc::clone(&NETWORK)
    }

    fn facts(_position: &Position, _pinned: Cells) {}

    fn bucket(_position: &Position, turn: u16) -> Bucket {
        Bucket::new(usize::from(turn) / 8)
    }

    fn own_features(view: &View<'_, Small>, sink: &mut impl FnMut(Feature)) {
        sink(free_cells(view));
    }

    fn own_changes(before: &View<'_, Small>, after: &View<'_, Small>, changes: &mut Changes) {
        changes.replace(free_cells(before), free_cells(after));
    }

    fn meaning(feature: Feature) -> Option<Meaning> {
        let pair = feature.number().checked_sub(FREE_AT)?;
        let free = |count: usize| u8::try_from(count).ok().filter(|&count| count <= 6);
        Some(Meaning::FreeAround {
            own: free(pair / FREE),
            other: free(pair % FREE),
        })
    }
}

impl fmt::Display for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Small::WORD)
    }
}

impl FromStr for Small {
    type Err = String;

    fn from_str(word: &str) -> Result<Small, String> {
        let is_it = word.eq_ignore_ascii_case(Small::WORD);
        is_it
            .then_some(Small)
            .ok_or_else(|| format!("`{word}` is not `Small`"))
    }
}

impl Game for Small {
    type Variant = Small;
    type Notation = PlainNotation;
    type Frame = SameBoard;
    /// The hash of the board and the side to move.
    type Occurrence = u64;

    const WORD: &'static str = "Small";

    const SIDES: ByColor<Paint> = ByColor {
        red: Paint::White,
        blue: Paint::Black,
    };

    const BEE: &'static str = "bee";

    const EXPLORATION: f32 = 0.9;

    const MAX_PLIES: Option<u32> = Some(120);

    const BENCH: &'static str = "Small 0 - - AAABBGGGQSS/AAABBGGGQSS\n\
        Small 0 - - AAABBGGGQSS/AAABBGGGQSS moves set S 4,0;set G 3,1;set Q 4,-1;set Q 2,2;set A 4,-2";

    fn start(variant: Small, _rng: &mut impl Rng) -> Position {
        Small::plain_start(variant)
    }

    fn plain_start(_variant: Small) -> Position {
        let reserve = Reserve::from_counts(Small::max_pieces);
        let reserve = ByColor::from_fn(|_| reserve);
        Position::start(Cells::EMPTY, reserve).expect("no obstacles")
    }

    fn variant_of(_position: &Position) -> Small {
        Small
    }

    fn has(_variant: Small, _kind: Kind) -> bool {
        true
    }

    fn occurrence(position: &Position) -> u64 {
        position.board_hash()
    }

    fn progress(turn: u16) -> String {
        format!("turn {}", turn / 2 + 1)
    }

    fn recognises(text: &str) -> bool {
        text.starts_with("Small ")
    }

    /// The default form after the game's word: the contest's records begin with a position, too.
    fn write_record(record: &Record<Small>) -> String {
        format!("Small {}", record.plain_text())
    }

    fn read_record(text: &str) -> Result<Record<Small>, ReadRecordError<ReadMoveErrorOf<Small>>> {
        Record::from_plain_text(text.strip_prefix("Small ").unwrap_or(text))
    }
}

impl Recorded for Small {}
