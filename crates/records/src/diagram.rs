//! A position as pictures show it, whatever its rules.

use std::fmt;

use wabe_hive::game::{Ending, Game, Notation, Paint, Record};

use crate::layout::Layout;
use wabe_hive::hex::{Cell, Direction, Grid};
use wabe_hive::{ByColor, KindOf, Move, PieceKind};

/// A field of a picture. The coordinates are those of [`Hex`](wabe_hive::hex::Hex), without bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// First cube coordinate.
    pub x: i32,
    /// Second cube coordinate.
    pub y: i32,
}

impl Point {
    /// The field at `(x, y)`.
    pub const fn new(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    /// The third cube coordinate, which grows downwards.
    pub const fn z(self) -> i32 {
        -self.x - self.y
    }

    /// The distance to the right, in half fields.
    pub const fn across(self) -> i32 {
        self.x - self.y
    }

    /// The neighbour in that direction.
    #[must_use]
    pub fn beside(self, direction: Direction) -> Point {
        let (dx, dy) = direction.step();
        Point::new(self.x + i32::from(dx), self.y + i32::from(dy))
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A piece in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawnPiece {
    /// Its owner.
    pub paint: Paint,
    /// The letter of its kind.
    pub letter: char,
    /// Its number among its side's pieces of the kind, where they are told apart.
    pub number: Option<u8>,
    /// The name of its kind.
    pub name: &'static str,
    /// True if it is the piece that has to be surrounded.
    pub is_bee: bool,
}

/// Side, letter and number: `rA`, `wA1`.
impl fmt::Display for DrawnPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.paint.letter(), self.letter)?;
        match self.number {
            Some(number) => write!(f, "{number}"),
            None => Ok(()),
        }
    }
}

/// The pieces on a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnStack {
    /// The field.
    pub point: Point,
    /// The pieces that are covered, bottom to top.
    pub covered: Vec<DrawnPiece>,
    /// The topmost one.
    pub top: DrawnPiece,
}

impl DrawnStack {
    /// The number of pieces.
    pub fn height(&self) -> usize {
        self.covered.len() + 1
    }

    /// The pieces, bottom to top.
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = DrawnPiece> {
        self.covered.iter().copied().chain([self.top])
    }
}

/// The status of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// This side has to move.
    ToMove(Paint),
    /// This side has won.
    Won(Paint),
    /// The game is a draw.
    Drawn,
}

/// A kind of piece and how many of it each side has in reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InReserve {
    /// The kind's letter.
    pub letter: char,
    /// The kind's name.
    pub name: &'static str,
    /// The number that each side has left.
    pub counts: ByColor<u8>,
}

/// A position as pictures show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The fields to draw, each once.
    pub fields: Vec<Point>,
    /// True if fields are named by their coordinates.
    pub has_coordinates: bool,
    /// The fields that no piece may enter.
    pub obstacles: Vec<Point>,
    /// The fields with pieces, each once.
    pub stacks: Vec<DrawnStack>,
    /// The field that the last move came from, if it moved a piece on the board.
    pub moved_from: Option<Point>,
    /// The field that the last move went to.
    pub moved_to: Option<Point>,
    /// Plies played.
    pub turn: u16,
    /// The progress of the game, in its own count: `round 18 of 30`.
    pub progress: String,
    /// The side to move, or the winner.
    pub status: Status,
    /// The status as a sentence, with the reason for the end.
    pub state: String,
    /// The sides' paints.
    pub paints: ByColor<Paint>,
    /// The pieces in reserve of each side, kind by kind.
    pub reserves: Vec<InReserve>,
    /// Free fields around each bee on the board.
    pub free_around_bee: ByColor<Option<u32>>,
    /// The word for the piece that has to be surrounded.
    pub bee: &'static str,
}

impl Diagram {
    /// The present position of a game; `before` is the layout before its last ply.
    pub fn new<G: Game>(record: &Record<G>, layout: &Layout<G>, before: &Layout<G>) -> Diagram {
        let position = record.position();
        let last = record.plies().last().map(|ply| ply.mv);
        let moved_from = match last {
            Some(Move::Drag { from, .. }) => before.place(from),
            _ => None,
        };
        let moved_to = last.and_then(|mv| layout.place(mv.destination()?));
        let mut fields: Vec<Point> = layout.places().map(|(_, point)| point).collect();
        fields.extend(moved_from.filter(|from| !fields.contains(from)));
        let obstacles = position.obstacles().into_iter();
        let ending = record.ending();
        Diagram {
            fields,
            has_coordinates: !G::Grid::IS_UNBOUNDED,
            obstacles: obstacles.filter_map(|cell| layout.place(cell)).collect(),
            stacks: layout
                .places()
                .filter_map(|(cell, point)| drawn_stack(record, cell, point))
                .collect(),
            moved_from,
            moved_to,
            turn: position.turn(),
            progress: G::progress(position.turn()),
            status: match ending.map(Ending::winner) {
                None => Status::ToMove(G::SIDES[position.side_to_move()]),
                Some(Some(winner)) => Status::Won(G::SIDES[winner]),
                Some(None) => Status::Drawn,
            },
            state: record.state_in_words(),
            paints: G::SIDES,
            reserves: KindOf::<G>::ALL
                .iter()
                .filter(|&&kind| G::has(record.variant(), kind))
                .map(|&kind| InReserve {
                    letter: kind.letter(),
                    name: kind.name(),
                    counts: ByColor::from_fn(|color| position.reserve(color).count(kind)),
                })
                .collect(),
            free_around_bee: ByColor::from_fn(|color| position.free_around_bee(color)),
            bee: G::BEE,
        }
    }

    /// A single position.
    pub fn of<G: Game>(record: &Record<G>) -> Diagram {
        let layout = Layout::start(record.position());
        Diagram::new(record, &layout, &layout)
    }

    /// The pieces on a field.
    pub fn stack(&self, point: Point) -> Option<&DrawnStack> {
        self.stacks.iter().find(|stack| stack.point == point)
    }
}

fn drawn_stack<G: Game>(record: &Record<G>, cell: Cell, point: Point) -> Option<DrawnStack> {
    let levels = record.position().stack(cell).enumerate();
    let mut pieces: Vec<DrawnPiece> = levels
        .map(|(level, piece)| DrawnPiece {
            paint: G::SIDES[piece.color],
            letter: piece.kind.letter(),
            number: record.notation().ordinal(cell, level),
            name: piece.kind.name(),
            is_bee: piece.kind == PieceKind::BEE,
        })
        .collect();
    let top = pieces.pop()?;
    Some(DrawnStack {
        point,
        covered: pieces,
        top,
    })
}
