//! Positions prepared for drawing, with the same types for all games. The board's messages contain
//! them as JSON.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::layout::Layout;
use wabe_hive::game::{Ending, Game, Notation, Record, Side};
use wabe_hive::hex::{Cell, Direction, Grid};
use wabe_hive::{ByColor, KindOf, Move, PieceKind};

/// Coordinates of a drawn field, in JSON `[x, y]`: those of [`Hex`](wabe_hive::hex::Hex), but
/// unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "[i32; 2]")]
pub struct Point {
    /// First cube coordinate.
    pub x: i32,
    /// Second cube coordinate.
    pub y: i32,
}

impl Point {
    /// The point at `(x, y)`. All values are valid.
    pub const fn new(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    /// The third cube coordinate, which grows downwards.
    pub const fn z(self) -> i32 {
        -self.x - self.y
    }

    /// Horizontal distance from the origin, in half fields; positive to the right.
    pub const fn across(self) -> i32 {
        self.x - self.y
    }

    /// The adjacent field in `direction`.
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

/// A piece to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct DrawnPiece {
    /// The owner, in JSON 0 or 1.
    #[serde(serialize_with = "side_number")]
    pub side: Side,
    /// Letter of the kind.
    pub letter: char,
    /// Number among the side's pieces of this kind; `None` if the game does not number them.
    pub number: Option<u8>,
    /// Name of the kind.
    #[serde(skip)]
    pub name: &'static str,
    /// True for queens and bees.
    #[serde(skip)]
    pub is_bee: bool,
}

/// Serializes the first player's side as 0, the other one as 1.
fn side_number<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(u8::from(matches!(side, Side::Blue | Side::Black)))
}

/// Serializes the values of both sides as a list.
fn by_side<T: Serialize, S: Serializer>(
    values: &ByColor<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    [&values.red, &values.blue].serialize(serializer)
}

/// Side, letter and number: `rA`, `wA1`.
impl fmt::Display for DrawnPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.side.letter(), self.letter)?;
        match self.number {
            Some(number) => write!(f, "{number}"),
            None => Ok(()),
        }
    }
}

/// The pieces on an occupied field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DrawnStack {
    /// Coordinates of the field.
    #[serde(rename = "at")]
    pub point: Point,
    /// At least one piece, bottom to top.
    pub pieces: Vec<DrawnPiece>,
}

/// Number of pieces of one kind in both reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReserveCount {
    /// Letter of the kind.
    pub letter: char,
    /// Name of the kind.
    #[serde(skip)]
    pub name: &'static str,
    /// Pieces left per side.
    #[serde(serialize_with = "by_side")]
    pub counts: ByColor<u8>,
}

/// A position prepared for drawing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagram {
    /// The fields to draw, each once.
    pub fields: Vec<Point>,
    /// True if the drawing shows coordinates, as it does for boards with an edge.
    #[serde(skip)]
    pub has_coordinates: bool,
    /// Blocked fields: the contest's brambles.
    pub obstacles: Vec<Point>,
    /// Occupied fields, each once.
    pub stacks: Vec<DrawnStack>,
    /// Start of the last move; `None` for a placement or a pass.
    #[serde(skip)]
    pub moved_from: Option<Point>,
    /// Target of the last move.
    #[serde(skip)]
    pub moved_to: Option<Point>,
    /// Plies played.
    pub turn: u16,
    /// Progress in the game's own terms: `round 18 of 30`.
    pub progress: String,
    /// `None` after the end of the game.
    #[serde(skip)]
    pub to_move: Option<Side>,
    /// `None` for a draw or an unfinished game.
    #[serde(skip)]
    pub winner: Option<Side>,
    /// Side to move, or result and reason, as a sentence.
    pub state: String,
    /// Names of the sides in this game.
    #[serde(skip)]
    pub sides: ByColor<Side>,
    /// One item per kind of piece in the game.
    pub reserves: Vec<ReserveCount>,
    /// Number of free fields around each side's queen; `None` while it is in reserve.
    #[serde(rename = "free", serialize_with = "by_side")]
    pub free_around_bee: ByColor<Option<u32>>,
    /// The game's word for the queen: `queen`, or `bee` in the contest.
    #[serde(skip)]
    pub bee: &'static str,
}

impl Diagram {
    /// The last position of a game. `before` is the layout one ply earlier, for the start of the
    /// last move.
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
            sides: G::SIDES,
            reserves: KindOf::<G>::ALL
                .iter()
                .filter(|&&kind| G::has(record.variant(), kind))
                .map(|&kind| ReserveCount {
                    letter: kind.letter(),
                    name: kind.name(),
                    counts: ByColor::from_fn(|color| position.reserve(color).count(kind)),
                })
                .collect(),
            free_around_bee: ByColor::from_fn(|color| position.free_around_bee(color)),
            bee: G::BEE,
        }
    }

    /// The last position of a game, without reference to earlier layouts.
    pub fn from_record<G: Game>(record: &Record<G>) -> Diagram {
        let layout = Layout::start(record.position());
        Diagram::new(record, &layout, &layout)
    }
}

fn drawn_stack<G: Game>(record: &Record<G>, cell: Cell, point: Point) -> Option<DrawnStack> {
    let levels = record.position().stack(cell).enumerate();
    let pieces: Vec<DrawnPiece> = levels
        .map(|(level, piece)| DrawnPiece {
            side: G::SIDES[piece.color],
            letter: piece.kind.letter(),
            number: record.notation().ordinal(cell, level),
            name: piece.kind.name(),
            is_bee: piece.kind == PieceKind::BEE,
        })
        .collect();
    (!pieces.is_empty()).then_some(DrawnStack { point, pieces })
}

/// A game with a layout that keeps the coordinates of fields from ply to ply.
#[derive(Clone, Debug)]
pub struct DrawnGame<G: Game> {
    /// The game. Only [`DrawnGame::play`] keeps the layout in step with it.
    pub record: Record<G>,
    /// Layout of the last position.
    pub layout: Layout,
    /// Layout before the last ply.
    before: Layout,
}

impl<G: Game> DrawnGame<G> {
    /// Lays out the game ply by ply.
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

    /// Plays a move. Returns `false` and changes nothing if it is illegal or the game is over.
    pub fn play(&mut self, mv: Move<G>) -> bool {
        let is_played = self.record.play(mv).is_ok();
        if is_played {
            let after = self.layout.followed_by(self.record.position());
            self.before = std::mem::replace(&mut self.layout, after);
        }
        is_played
    }

    /// The diagram of the last position.
    pub fn diagram(&self) -> Diagram {
        Diagram::new(&self.record, &self.layout, &self.before)
    }
}
