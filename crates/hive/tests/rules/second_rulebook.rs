//! A second implementation of standard Hive, which works cell by cell and uses only the public API.
//! It must list the same moves as the library's rule book, which uses set operations and tables.

use std::collections::HashSet;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::hex::{Cell, CellSet, Direction, Grid, Hex, WideTorus};
use wabe_hive::standard::{GameType, Kind, OpeningRule};
use wabe_hive::{ByColor, Color, LiftedPiece, Outcome, PieceKind, Placement, RuleBook};

type Cells = <WideTorus as Grid>::Set;
type Position = wabe_hive::Position<CellByCell>;
type Move = wabe_hive::Move<CellByCell>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CellByCell;

impl RuleBook for CellByCell {
    type Grid = WideTorus;
    type Kind = Kind;
    type Obstacles = ();
    /// The piece that moved last: it may not move, throw or be thrown.
    type RuleState = Option<Cell>;

    const NAME: &'static str = "Hive";

    const MAX_TURN: u16 = u16::MAX;

    fn max_pieces(kind: Kind) -> u8 {
        match kind {
            Kind::Queen | Kind::Mosquito | Kind::Ladybug | Kind::Pillbug => 1,
            Kind::Spider | Kind::Beetle => 2,
            Kind::Grasshopper | Kind::Ant => 3,
        }
    }

    fn placement(position: &Position) -> Placement<CellByCell> {
        let color = position.side_to_move();
        let around = |color| WideTorus::neighbours(position.tops(color)) & position.free();
        let origin = WideTorus::cell(Hex::new(0, 0)).expect("a torus has every field");
        if position.occupied().is_empty() {
            Placement::NoBee(Cells::single(origin))
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

    fn movers(position: &Position) -> Cells {
        let color = position.side_to_move();
        let mut movers = position.unpinned(color);
        let beside_throwers = WideTorus::neighbours(throwers(position)) - position.stacked();
        for color in Color::ALL {
            movers |= position.unpinned(color) & beside_throwers;
        }
        movers - resting_cells(position)
    }

    fn destinations(lifted: &LiftedPiece<CellByCell>, kind: Kind) -> Cells {
        let position = lifted.position();
        let mut ends = throw(lifted);
        if position
            .tops(position.side_to_move())
            .contains(lifted.from())
        {
            ends |= walk(lifted, kind);
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

    fn rule_state_after(_before: &Position, mv: Move) -> Option<Cell> {
        mv.destination()
    }

    fn turn_key(turn: u16) -> u64 {
        u64::from(turn % 2).wrapping_mul(0xd1b5_4a32_d192_ed03)
    }

    fn rule_state_key(resting: Option<Cell>) -> u64 {
        resting.map_or(0, |cell| {
            (cell.index() as u64 + 1).wrapping_mul(0xaef1_7502_108e_f2d9)
        })
    }
}

fn resting_cells(position: &Position) -> Cells {
    position.rule_state().map_or(Cells::EMPTY, CellSet::single)
}

/// The pieces of the side to move that can throw others: pillbugs, and mosquitoes on the ground
/// beside a pillbug.
fn throwers(position: &Position) -> Cells {
    let pillbugs = position.tops_of_kind(Kind::Pillbug);
    let mosquitoes = position.tops_of_kind(Kind::Mosquito) - position.stacked();
    let throwers = pillbugs | (mosquitoes & WideTorus::neighbours(pillbugs));
    (throwers & position.tops(position.side_to_move())) - resting_cells(position)
}

/// True if no gate blocks the step: the two stacks that flank it must not both rise above its path.
fn passes_gate(lifted: &LiftedPiece<CellByCell>, from: Cell, direction: Direction) -> bool {
    let height =
        |direction| WideTorus::neighbour(from, direction).map_or(0, |cell| lifted.height(cell));
    let path = lifted.height(from).max(height(direction));
    height(direction.left()).min(height(direction.right())) <= path
}

/// One step up, down or along the top of the hive, or a slide on the ground.
fn climb(lifted: &LiftedPiece<CellByCell>, from: Cell) -> Cells {
    let mut ends = Cells::EMPTY;
    for direction in Direction::ALL {
        let Some(to) = WideTorus::neighbour(from, direction) else {
            continue;
        };
        let touches = |side| {
            WideTorus::neighbour(from, side).is_some_and(|cell| lifted.occupied().contains(cell))
        };
        let in_contact = lifted.height(from).max(lifted.height(to)) > 0
            || touches(direction.left())
            || touches(direction.right());
        if in_contact && passes_gate(lifted, from, direction) {
            ends.insert(to);
        }
    }
    ends
}

/// Two steps on top of the hive, then one down.
fn ladybug(lifted: &LiftedPiece<CellByCell>) -> Cells {
    let mut on_top = Cells::single(lifted.from());
    for _ in 0..2 {
        let mut next = Cells::EMPTY;
        for cell in on_top {
            next |= climb(lifted, cell) & lifted.occupied();
        }
        on_top = next;
    }
    let mut ends = Cells::EMPTY;
    for cell in on_top {
        ends |= climb(lifted, cell) & lifted.free();
    }
    ends - Cells::single(lifted.from())
}

/// The destinations of the lifted piece's own moves.
fn walk(lifted: &LiftedPiece<CellByCell>, kind: Kind) -> Cells {
    match kind {
        Kind::Queen | Kind::Pillbug => lifted.slide_once(),
        Kind::Spider => lifted.slide_thrice(),
        Kind::Beetle => climb(lifted, lifted.from()),
        Kind::Grasshopper => lifted.jump(),
        Kind::Ant => lifted.slide_anywhere(),
        Kind::Ladybug => ladybug(lifted),
        Kind::Mosquito if lifted.height(lifted.from()) > 0 => climb(lifted, lifted.from()),
        Kind::Mosquito => {
            let around = WideTorus::neighbours(Cells::single(lifted.from()));
            let copied = Kind::ALL.iter().filter(|&&kind| {
                kind != Kind::Mosquito && lifted.position().tops_of_kind(kind).intersects(around)
            });
            copied.fold(Cells::EMPTY, |ends, &kind| ends | walk(lifted, kind))
        }
    }
}

/// The destinations of throws: up onto an adjacent thrower, then down to a free cell next to it.
fn throw(lifted: &LiftedPiece<CellByCell>) -> Cells {
    let mut ends = Cells::EMPTY;
    if lifted.height(lifted.from()) > 0 {
        return ends;
    }
    let beside = WideTorus::neighbours(Cells::single(lifted.from()));
    for thrower in throwers(lifted.position()) & beside {
        if climb(lifted, lifted.from()).contains(thrower) {
            ends |= climb(lifted, thrower) & lifted.free();
        }
    }
    ends - Cells::single(lifted.from())
}

#[test]
fn rule_books_agree_in_random_games() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let game_type: GameType = "Base+MLP".parse().unwrap();
    let reserve = game_type.reserve();
    let reserve = ByColor {
        red: reserve,
        blue: reserve,
    };
    for game in 0..120 {
        let mut reference = Position::start(Cells::EMPTY, reserve).expect("no obstacles");
        let mut library: wabe_hive::standard::Position = game_type.start(OpeningRule::Tournament);
        for _ in 0..rng.random_range(10..60) {
            let expected: HashSet<Move> = reference.legal_moves().into_iter().collect();
            let listed_moves = library.legal_moves();
            let listed = listed_moves
                .iter()
                .map(|mv| mv.to_string().parse().unwrap());
            let listed: HashSet<Move> = listed.collect();
            assert_eq!(listed, expected, "game {game}, {library}");
            assert_eq!(library.outcome(), reference.outcome());
            let Some(&mv) = listed_moves.choose(&mut rng) else {
                break;
            };
            reference.play(mv.to_string().parse().unwrap());
            assert_eq!(reference.hash(), reference.recomputed_hash());
            library.play(mv);
        }
    }
}
