//! The state of a game, which the server sends after every ply.

use std::time::Duration;

use super::moves::{MoveClass, MoveError, WireMove};
use super::values::{
    WireCoordinates, color_name, parse_bool, parse_color, parse_integer, read_piece, read_pieces,
    write_piece, write_pieces,
};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};
use crate::hex::{CellSet, ContestBoard, Grid, Hex};
use crate::hive::contest::{Contest, Kind, Move, Position, Reserve, Setup};
use crate::hive::{ByColor, Color, Piece, Stack};

/// `<state>`, checked as it is read: the board's shape, coordinates, stacks, reserves and turn make a possible position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireState {
    /// The position.
    pub position: Position,
    /// The players' names.
    pub names: ByColor<String>,
    /// The move that led to the position, as it was sent; see [`last_move`](WireState::last_move).
    pub last_move: Option<WireMove>,
    /// Time taken for the last move. Only replays written by wabe have it.
    pub last_move_time: Option<Duration>,
}

/// The time of the last move in milliseconds: an addition to the contest's format.
const LAST_MOVE_TIME: &str = "lastMoveMillis";

/// Entries in each of the board's two directions.
const SIDE: usize = 2 * ContestBoard::RADIUS as usize + 1;

/// The order in which the contest's server lists undeployed pieces.
const RESERVE_ORDER: [Kind; 5] = [
    Kind::Bee,
    Kind::Spider,
    Kind::Grasshopper,
    Kind::Beetle,
    Kind::Ant,
];

const fn reserve_name(color: Color) -> &'static str {
    match color {
        Color::Red => "undeployedRedPieces",
        Color::Blue => "undeployedBluePieces",
    }
}

/// The obstacles and stacks of a board.
type Board = (Vec<Hex>, Vec<Stack<Contest>>);

impl WireState {
    /// The state in `position` after `last_move`.
    pub fn new(
        position: &Position,
        names: ByColor<String>,
        last_move: Option<WireMove>,
    ) -> WireState {
        WireState {
            position: *position,
            names,
            last_move,
            last_move_time: None,
        }
    }

    /// The move that led to this state, if it names one.
    ///
    /// # Errors
    /// When the move names a field off the board or a piece of the wrong colour.
    pub fn last_move(&self) -> Result<Option<Move>, MoveError> {
        let mover = self.position.side_to_move().opponent();
        let last_move = self.last_move.as_ref();
        last_move.map(|mv| mv.to_move(mover)).transpose()
    }

    pub(super) fn read(element: Element<'_, '_>) -> Result<WireState, ReadError> {
        let (turn, last_move_time) = read_attributes(&element)?;
        let mut names = ByColor::<Option<String>>::default();
        let mut board = None;
        let mut reserve = ByColor::<Option<Reserve>>::default();
        let mut last_move = None;
        element.for_each_child(|child| match child.name() {
            "red" => once(&mut names.red, read_name(&child)?, "red"),
            "blue" => once(&mut names.blue, read_name(&child)?, "blue"),
            "board" => once(&mut board, read_board(child)?, "board"),
            "lastMove" => {
                let class = child.attribute("class")?;
                match MoveClass::from_name(&class) {
                    Some(class) => once(&mut last_move, WireMove::read(child, class)?, "lastMove"),
                    None => child.ignore(),
                }
            }
            name => match Color::ALL.into_iter().find(|&c| reserve_name(c) == name) {
                Some(color) => {
                    let pieces = read_reserve(child, color)?;
                    once(&mut reserve[color], pieces, reserve_name(color))
                }
                None => child.ignore(),
            },
        })?;
        let names = ByColor {
            red: required_element(names.red, "red")?,
            blue: required_element(names.blue, "blue")?,
        };
        let (obstacles, stacks) = required_element(board, "board")?;
        let setup = Setup {
            turn,
            obstacles,
            stacks,
            reserve: ByColor {
                red: required_element(reserve.red, reserve_name(Color::Red))?,
                blue: required_element(reserve.blue, reserve_name(Color::Blue))?,
            },
        };
        Ok(WireState {
            position: setup.build().map_err(ReadError::new)?,
            names,
            last_move,
            last_move_time,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let position = &self.position;
        let mut tag = xml
            .element("state")
            .attribute("class", "state")
            .attribute("startPlayerColor", color_name(Color::Red))
            .attribute("turn", position.turn())
            .attribute("currentPlayerColor", color_name(position.side_to_move()));
        if let Some(time) = self.last_move_time {
            tag = tag.attribute(
                LAST_MOVE_TIME,
                format_args!("{:.3}", 1e3 * time.as_secs_f64()),
            );
        }
        tag.children(|xml| {
            for (element, color) in [("red", Color::Red), ("blue", Color::Blue)] {
                xml.element(element)
                    .attribute("color", color_name(color))
                    .attribute("displayName", &self.names[color])
                    .empty();
            }
            xml.element("board").children(|xml| {
                for x in coordinates() {
                    xml.element("fields").children(|xml| {
                        for y in coordinates() {
                            write_field(xml, position, Hex::new(x, y));
                        }
                    });
                }
            });
            for color in Color::ALL {
                xml.element(reserve_name(color))
                    .children(|xml| write_reserve(xml, position, color));
            }
            if let Some(last_move) = &self.last_move {
                last_move.write(xml, "lastMove");
            }
        });
    }
}

/// The turn and the time of the last move.
fn read_attributes(element: &Element<'_, '_>) -> Result<(u16, Option<Duration>), ReadError> {
    let [start_player, turn, current_player, last_move_time] = element.attributes([
        "startPlayerColor",
        "turn",
        "currentPlayerColor",
        LAST_MOVE_TIME,
    ])?;
    if parse_color(&required_attribute(start_player, "startPlayerColor")?)? != Color::Red {
        return Err(ReadError::new("blue began the game"));
    }
    let turn = required_attribute(turn, "turn")?;
    let turn = u16::try_from(parse_integer(&turn)?)
        .map_err(|_| ReadError::value(&turn, "a turn of a game"))?;
    let player = parse_color(&required_attribute(current_player, "currentPlayerColor")?)?;
    if player != Color::to_move(turn) {
        let problem = format_args!("at turn {turn} it is not {player}'s turn");
        return Err(ReadError::new(problem));
    }
    Ok((
        turn,
        last_move_time.and_then(|text| parse_milliseconds(&text)),
    ))
}

/// An unreadable time counts as absent: the contest's format has no such attribute.
fn parse_milliseconds(text: &str) -> Option<Duration> {
    let milliseconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

/// The player's name; empty if it has none.
fn read_name(element: &Element<'_, '_>) -> Result<String, ReadError> {
    let [name] = element.attributes(["displayName"])?;
    Ok(name.unwrap_or_default().into_owned())
}

fn read_reserve(element: Element<'_, '_>, owner: Color) -> Result<Reserve, ReadError> {
    let mut reserve = Reserve::empty();
    element.read_each("piece", |child| {
        let piece = read_piece(&child)?;
        if piece.color != owner {
            return Err(ReadError::new(format_args!(
                "{owner}'s undeployed pieces include one of the other side"
            )));
        }
        reserve.add(piece.kind);
        Ok(())
    })?;
    Ok(reserve)
}

fn write_reserve(xml: &mut XmlWriter<'_>, position: &Position, color: Color) {
    for kind in RESERVE_ORDER {
        for _ in 0..position.reserve(color).count(kind) {
            write_piece(xml, Piece::new(color, kind));
        }
    }
}

fn read_board(element: Element<'_, '_>) -> Result<Board, ReadError> {
    let mut board = Board::default();
    let mut columns = 0;
    element.read_each("fields", |child| {
        let x = coordinates().nth(columns);
        columns += 1;
        // Too many columns are an error below.
        x.map_or(Ok(()), |x| read_column(child, x, &mut board))
    })?;
    if columns != SIDE {
        return Err(ReadError::new(format_args!(
            "the board has {columns} groups of fields, not {SIDE}"
        )));
    }
    Ok(board)
}

/// Reads the fields with this `x`; `<null/>` stands where the board has none.
fn read_column(element: Element<'_, '_>, x: i8, board: &mut Board) -> Result<(), ReadError> {
    let mut entries = 0;
    element.for_each_child(|child| {
        let is_field = match child.name() {
            "field" => true,
            "null" => false,
            _ => return child.ignore(),
        };
        let hex = coordinates().nth(entries).map(|y| Hex::new(x, y));
        entries += 1;
        // Too many entries are an error below.
        let Some(hex) = hex else { return Ok(()) };
        match (ContestBoard::cell(hex).is_some(), is_field) {
            (true, true) => read_field(child, hex, board),
            (false, false) => Ok(()),
            (true, false) => Err(ReadError::new(format_args!(
                "the board has no field at ({hex})"
            ))),
            (false, true) => Err(ReadError::new(format_args!(
                "({hex}) is not a field of the board"
            ))),
        }
    })?;
    if entries != SIDE {
        return Err(ReadError::new(format_args!(
            "the group of fields with x = {x} has {entries} entries, not {SIDE}"
        )));
    }
    Ok(())
}

fn read_field(
    element: Element<'_, '_>,
    hex: Hex,
    (obstacles, stacks): &mut Board,
) -> Result<(), ReadError> {
    let [x, y, z, obstructed] = element.attributes(["x", "y", "z", "isObstructed"])?;
    let at = WireCoordinates::parse([x, y, z])?;
    if at != WireCoordinates::of(hex) {
        return Err(ReadError::new(format_args!(
            "the field at ({hex}) has the coordinates {at}"
        )));
    }
    if obstructed.map_or(Ok(false), |text| parse_bool(&text))? {
        obstacles.push(hex);
    }
    let pieces = read_pieces(element)?;
    if !pieces.is_empty() {
        stacks.push(Stack { hex, pieces });
    }
    Ok(())
}

fn write_field(xml: &mut XmlWriter<'_>, position: &Position, hex: Hex) {
    let Some(cell) = ContestBoard::cell(hex) else {
        return xml.element("null").empty();
    };
    xml.element("field")
        .attribute("x", hex.x)
        .attribute("y", hex.y)
        .attribute("z", hex.z())
        .attribute("isObstructed", position.obstacles().contains(cell))
        .children(|xml| write_pieces(xml, position.stack(cell)));
}

fn coordinates() -> impl Iterator<Item = i8> {
    -ContestBoard::RADIUS..=ContestBoard::RADIUS
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
