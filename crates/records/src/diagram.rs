//! A position as pictures show it, whatever its rules. In JSON it is a part of the page's messages.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::layout::Layout;
use wabe_hive::game::{Ending, Game, Notation, Record, Side};
use wabe_hive::hex::{Cell, Direction, Grid};
use wabe_hive::{ByColor, KindOf, Move, PieceKind};

/// A field of a picture, in JSON `[x, y]`. The coordinates are those of
/// [`Hex`](wabe_hive::hex::Hex), without bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "[i32; 2]")]
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

impl From<Point> for [i32; 2] {
    fn from(Point { x, y }: Point) -> [i32; 2] {
        [x, y]
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A piece in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DrawnPiece {
    /// Its owner, in JSON the number of its side.
    #[serde(rename = "side", serialize_with = "side")]
    pub paint: Side,
    /// The letter of its kind.
    pub letter: char,
    /// Its number among its side's pieces of the kind, where they are told apart.
    pub number: Option<u8>,
    /// The name of its kind.
    #[serde(skip)]
    pub name: &'static str,
    /// True if it is the piece that has to be surrounded.
    #[serde(skip)]
    pub is_bee: bool,
}

/// Writes 0 for the side that begins, 1 for the other one.
fn side<S: Serializer>(paint: &Side, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(u8::from(matches!(paint, Side::Blue | Side::Black)))
}

/// Writes the values of both sides as a list.
fn by_side<T: Serialize, S: Serializer>(
    values: &ByColor<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [&values.red, &values.blue].serialize(serializer)
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

/// The pieces on a field, at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnStack {
    /// The field.
    #[serde(rename = "at")]
    pub point: Point,
    /// The pieces, bottom to top.
    pub pieces: Vec<DrawnPiece>,
}

/// A kind of piece and how many of it each side has in reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InReserve {
    /// The kind's letter.
    pub letter: char,
    /// The kind's name.
    #[serde(skip)]
    pub name: &'static str,
    /// The number that each side has left.
    #[serde(serialize_with = "by_side")]
    pub counts: ByColor<u8>,
}

/// A position as pictures show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagram {
    /// The fields to draw, each once.
    pub fields: Vec<Point>,
    /// True if fields are named by their coordinates.
    #[serde(skip)]
    pub has_coordinates: bool,
    /// The fields that no piece may enter.
    pub obstacles: Vec<Point>,
    /// The fields with pieces, each once.
    pub stacks: Vec<DrawnStack>,
    /// The field that the last move came from, if it moved a piece on the board.
    #[serde(skip)]
    pub moved_from: Option<Point>,
    /// The field that the last move went to.
    #[serde(skip)]
    pub moved_to: Option<Point>,
    /// Plies played.
    pub turn: u16,
    /// The progress of the game, in its own count: `round 18 of 30`.
    pub progress: String,
    /// The side to move; `None` at the end.
    #[serde(skip)]
    pub to_move: Option<Side>,
    /// The winner of a game that is over; `None` for a draw.
    #[serde(skip)]
    pub winner: Option<Side>,
    /// The status as a sentence, with the reason for the end.
    pub state: String,
    /// The sides' paints.
    #[serde(skip)]
    pub paints: ByColor<Side>,
    /// The pieces in reserve of each side, kind by kind.
    pub reserves: Vec<InReserve>,
    /// Free fields around each bee on the board.
    #[serde(rename = "free", serialize_with = "by_side")]
    pub free_around_bee: ByColor<Option<u32>>,
    /// The word for the piece that has to be surrounded.
    #[serde(skip)]
    pub bee: &'static str,
}

impl Diagram {
    /// The present position of a game; `before` is the layout before its last ply.
    pub fn new<G: Game>(record: &Record<G>, layout: &Layout, before: &Layout) -> Diagram {
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
            to_move: (ending.is_none()).then(|| G::SIDES[position.side_to_move()]),
            winner: (ending.and_then(Ending::winner)).map(|winner| G::SIDES[winner]),
            state: record.describe_state(),
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
    pub fn from_record<G: Game>(record: &Record<G>) -> Diagram {
        let layout = Layout::start(record.position());
        Diagram::new(record, &layout, &layout)
    }
}

fn drawn_stack<G: Game>(record: &Record<G>, cell: Cell, point: Point) -> Option<DrawnStack> {
    let levels = record.position().stack(cell).enumerate();
    let pieces: Vec<DrawnPiece> = levels
        .map(|(level, piece)| DrawnPiece {
            paint: G::SIDES[piece.color],
            letter: piece.kind.letter(),
            number: record.notation().ordinal(cell, level),
            name: piece.kind.name(),
            is_bee: piece.kind == PieceKind::BEE,
        })
        .collect();
    (!pieces.is_empty()).then_some(DrawnStack { point, pieces })
}

/// A game and the layout of its last position. Fields keep their places from ply to ply.
#[derive(Clone, Debug)]
pub struct DrawnGame<G: Game> {
    /// The game.
    pub record: Record<G>,
    /// The layout of its last position.
    pub layout: Layout,
    /// The layout before the last ply.
    before: Layout,
}

impl<G: Game> DrawnGame<G> {
    /// Lays out a game.
    pub fn new(record: Record<G>) -> DrawnGame<G> {
        let mut layout = Layout::start(record.start());
        let mut before = layout.clone();
        for position in record.positions().skip(1) {
            before = layout;
            layout = before.followed_by(&position);
        }
        DrawnGame {
            record,
            layout,
            before,
        }
    }

    /// Plays a move. Returns `false` and changes nothing if that is not possible.
    pub fn play(&mut self, mv: Move<G>) -> bool {
        let is_played = self.record.play(mv).is_ok();
        if is_played {
            let after = self.layout.followed_by(self.record.position());
            self.before = std::mem::replace(&mut self.layout, after);
        }
        is_played
    }

    /// The last position as pictures show it.
    pub fn diagram(&self) -> Diagram {
        Diagram::new(&self.record, &self.layout, &self.before)
    }
}
