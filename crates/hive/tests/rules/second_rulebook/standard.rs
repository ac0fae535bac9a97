//! Standard Hive with mosquito, ladybug and pillbug, as a rule book.

use std::fmt::Debug;

use wabe_hive::hex::{Cell, CellSet, Direction, Grid, Hex};
use wabe_hive::{ByColor, Color, Outcome, PieceKind, Placement, RuleBook, Walker};

use super::torus::{Torus, TorusSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Bug {
    Queen,
    Spider,
    Beetle,
    Grasshopper,
    Ant,
    Mosquito,
    Ladybug,
    Pillbug,
}

impl PieceKind for Bug {
    type Table<T: Copy + Debug + Eq + Send + Sync> = [T; 8];

    const ALL: &'static [Bug] = &[
        Bug::Queen,
        Bug::Spider,
        Bug::Beetle,
        Bug::Grasshopper,
        Bug::Ant,
        Bug::Mosquito,
        Bug::Ladybug,
        Bug::Pillbug,
    ];

    const BEE: Bug = Bug::Queen;

    fn index(self) -> usize {
        self as usize
    }

    fn letter(self) -> char {
        match self {
            Bug::Queen => 'Q',
            Bug::Spider => 'S',
            Bug::Beetle => 'B',
            Bug::Grasshopper => 'G',
            Bug::Ant => 'A',
            Bug::Mosquito => 'M',
            Bug::Ladybug => 'L',
            Bug::Pillbug => 'P',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Bug::Queen => "queen",
            Bug::Spider => "spider",
            Bug::Beetle => "beetle",
            Bug::Grasshopper => "grasshopper",
            Bug::Ant => "ant",
            Bug::Mosquito => "mosquito",
            Bug::Ladybug => "ladybug",
            Bug::Pillbug => "pillbug",
        }
    }

    fn climbs(self) -> bool {
        matches!(self, Bug::Beetle | Bug::Mosquito)
    }

    fn table<T: Copy + Debug + Eq + Send + Sync>(value: T) -> [T; 8] {
        [value; 8]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Standard;

pub(crate) type Position = wabe_hive::Position<Standard>;
pub(crate) type Move = wabe_hive::Move<Standard>;
pub(crate) type MoveList = wabe_hive::MoveList<Standard>;
pub(crate) type Reserve = wabe_hive::Reserve<Bug>;

/// The start of a game with these expansions.
pub(crate) fn start(expansions: &[Bug]) -> Position {
    let reserve = Reserve::from_counts(|bug| match bug {
        Bug::Mosquito | Bug::Ladybug | Bug::Pillbug if !expansions.contains(&bug) => 0,
        _ => Standard::max_pieces(bug),
    });
    let reserve = ByColor {
        red: reserve,
        blue: reserve,
    };
    Position::start(TorusSet::EMPTY, reserve).expect("no obstacles")
}

impl RuleBook for Standard {
    type Grid = Torus;
    type Kind = Bug;
    type Obstacles = ();
    /// The piece that moved last: it may not move, throw or be thrown.
    type Memory = Option<Cell>;

    const NAME: &'static str = "Hive";

    const MAX_TURN: u16 = u16::MAX;

    fn max_pieces(bug: Bug) -> u8 {
        match bug {
            Bug::Queen | Bug::Mosquito | Bug::Ladybug | Bug::Pillbug => 1,
            Bug::Spider | Bug::Beetle => 2,
            Bug::Grasshopper | Bug::Ant => 3,
        }
    }

    fn placement(position: &Position) -> Placement<Standard> {
        let color = position.side_to_move();
        let around = |color| Torus::neighbours(position.tops(color)) & position.free();
        let origin = Torus::cell(Hex::new(0, 0)).expect("a torus has every field");
        if position.occupied().is_empty() {
            Placement::NoBee(TorusSet::single(origin))
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

    fn movers(position: &Position) -> TorusSet {
        let color = position.side_to_move();
        let mut movers = position.unpinned(color);
        let beside_throwers = Torus::neighbours(throwers(position)) - position.stacked();
        for color in Color::ALL {
            movers |= position.unpinned(color) & beside_throwers;
        }
        movers - stunned(position)
    }

    fn destinations(walker: &Walker<Standard>, bug: Bug) -> TorusSet {
        let position = walker.position();
        let mut ends = thrown(walker);
        if position
            .tops(position.side_to_move())
            .contains(walker.from())
        {
            ends |= walked(walker, bug);
        }
        ends
    }

    fn outcome(position: &Position) -> Option<Outcome> {
        let surrounded = |color| position.free_around_bee(color) == Some(0);
        match (surrounded(Color::Red), surrounded(Color::Blue)) {
            (true, true) => Some(Outcome::BothSurrounded),
            (true, false) => Some(Outcome::Surrounded(Color::Blue)),
            (false, true) => Some(Outcome::Surrounded(Color::Red)),
            (false, false) => None,
        }
    }

    fn remember(_before: &Position, mv: Move) -> Option<Cell> {
        mv.destination()
    }

    fn turn_key(turn: u16) -> u64 {
        u64::from(turn % 2).wrapping_mul(0xd1b5_4a32_d192_ed03)
    }

    fn memory_key(memory: Option<Cell>) -> u64 {
        memory.map_or(0, |cell| {
            (cell.index() as u64 + 1).wrapping_mul(0xaef1_7502_108e_f2d9)
        })
    }
}

fn stunned(position: &Position) -> TorusSet {
    position.memory().map_or(TorusSet::EMPTY, CellSet::single)
}

/// The pieces of the side to move that can throw others: pillbugs, and mosquitoes on the ground beside a pillbug.
fn throwers(position: &Position) -> TorusSet {
    let pillbugs = position.tops_of_kind(Bug::Pillbug);
    let mosquitoes = position.tops_of_kind(Bug::Mosquito) - position.stacked();
    let throwers = pillbugs | (mosquitoes & Torus::neighbours(pillbugs));
    (throwers & position.tops(position.side_to_move())) - stunned(position)
}

/// True if a piece can climb from a height of `left_behind` pieces: the two stacks beside its way must not both rise above it.
fn passes_gate(walker: &Walker<Standard>, from: Cell, to: Direction) -> bool {
    let height =
        |direction| Torus::neighbour(from, direction).map_or(0, |cell| walker.height(cell));
    let way = walker.height(from).max(height(to));
    height(to.left()).min(height(to.right())) <= way
}

/// One step up, down or along the top of the hive, or a slide on the ground.
fn climb(walker: &Walker<Standard>, from: Cell) -> TorusSet {
    let mut ends = TorusSet::EMPTY;
    for direction in Direction::ALL {
        let Some(to) = Torus::neighbour(from, direction) else {
            continue;
        };
        let touches = |side| {
            Torus::neighbour(from, side).is_some_and(|cell| walker.occupied().contains(cell))
        };
        let in_contact = walker.height(from).max(walker.height(to)) > 0
            || touches(direction.left())
            || touches(direction.right());
        if in_contact && passes_gate(walker, from, direction) {
            ends.insert(to);
        }
    }
    ends
}

/// Two steps on top of the hive, then one down.
fn ladybug(walker: &Walker<Standard>) -> TorusSet {
    let mut on_top = TorusSet::single(walker.from());
    for _ in 0..2 {
        let mut next = TorusSet::EMPTY;
        for cell in on_top {
            next |= climb(walker, cell) & walker.occupied();
        }
        on_top = next;
    }
    let mut ends = TorusSet::EMPTY;
    for cell in on_top {
        ends |= climb(walker, cell) & walker.free();
    }
    ends - TorusSet::single(walker.from())
}

/// Where the lifted piece goes by itself.
fn walked(walker: &Walker<Standard>, bug: Bug) -> TorusSet {
    match bug {
        Bug::Queen | Bug::Pillbug => walker.slide_once(),
        Bug::Spider => walker.slide_thrice(),
        Bug::Beetle => climb(walker, walker.from()),
        Bug::Grasshopper => walker.jump(),
        Bug::Ant => walker.slide_anywhere(),
        Bug::Ladybug => ladybug(walker),
        Bug::Mosquito if walker.height(walker.from()) > 0 => climb(walker, walker.from()),
        Bug::Mosquito => {
            let around = Torus::neighbours(TorusSet::single(walker.from()));
            let copied = Bug::ALL.iter().filter(|&&bug| {
                bug != Bug::Mosquito && walker.position().tops_of_kind(bug).meets(around)
            });
            copied.fold(TorusSet::EMPTY, |ends, &bug| ends | walked(walker, bug))
        }
    }
}

/// Where the lifted piece can be thrown: onto a thrower beside it and down again on any free field around that.
fn thrown(walker: &Walker<Standard>) -> TorusSet {
    let mut ends = TorusSet::EMPTY;
    if walker.height(walker.from()) > 0 {
        return ends;
    }
    let beside = Torus::neighbours(TorusSet::single(walker.from()));
    for thrower in throwers(walker.position()) & beside {
        if climb(walker, walker.from()).contains(thrower) {
            ends |= climb(walker, thrower) & walker.free();
        }
    }
    ends - TorusSet::single(walker.from())
}
