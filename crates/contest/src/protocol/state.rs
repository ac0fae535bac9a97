//! The state of a game, which the server sends after every ply.

use std::time::Duration;

use thiserror::Error;

use super::moves::WireMove;
use super::values::{
    WireCoordinates, WirePiece, color_name, parse_bool, parse_color, parse_integer, read_pieces,
    write_pieces,
};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};
use wabe_hive::contest::{Contest, Kind, Position, Reserve, Setup};
use wabe_hive::hex::{ContestBoard, Grid, Hex};
use wabe_hive::{ByColor, Color, Piece, SetupError, Stack};

/// `<state>`, with a board of the right shape. Only [`position`](WireState::position) checks
/// that its turn, stacks and reserves make a possible position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireState {
    /// Turn, board and reserves. A turn outside of its type's range is read as its maximum.
    pub setup: Setup,
    /// The side to move.
    pub player: Color,
    /// The players' names.
    pub names: ByColor<String>,
    /// The move that led to the position, as it was sent; `None` as well if it cannot be read. A
    /// forged move may differ from the one that the server played.
    pub last_move: Option<WireMove>,
    /// Time taken for the last move. Only replays written by wabe have it.
    pub last_move_time: Option<Duration>,
}

/// The reason that a [`WireState`] is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The sides do not take turns, or blue began.
    #[error("at turn {turn} it is not {player}'s turn")]
    Turn {
        /// Plies played.
        turn: u16,
        /// The side to move.
        player: Color,
    },
    /// The board or the reserves are impossible.
    #[error(transparent)]
    Setup(#[from] SetupError),
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
        let mut setup = position.to_setup();
        // The order in which they are read.
        setup.obstacles.sort_by_key(|hex| (hex.x, hex.y));
        setup.stacks.sort_by_key(|stack| (stack.hex.x, stack.hex.y));
        WireState {
            setup,
            player: position.side_to_move(),
            names,
            last_move,
            last_move_time: None,
        }
    }

    /// Builds the position.
    ///
    /// # Errors
    /// When no game by the rules has such a state.
    pub fn position(&self) -> Result<Position, StateError> {
        let (turn, player) = (self.setup.turn, self.player);
        if player != Color::to_move(turn) {
            return Err(StateError::Turn { turn, player });
        }
        Ok(self.setup.build()?)
    }

    pub(super) fn read(element: Element<'_, '_>) -> Result<WireState, ReadError> {
        let [turn, player, last_move_time] =
            element.attributes(["turn", "currentPlayerColor", LAST_MOVE_TIME])?;
        let turn = parse_integer(&required_attribute(turn, "turn")?)?;
        let player = parse_color(&required_attribute(player, "currentPlayerColor")?)?;
        let last_move_time = last_move_time.and_then(|text| parse_milliseconds(&text));
        let mut names = ByColor::<String>::default();
        let mut board = None;
        let mut reserve = ByColor::<Option<Reserve>>::default();
        let mut last_move = None;
        element.for_each_child(|child| match child.name() {
            "red" => {
                names.red = read_name(&child);
                Ok(())
            }
            "blue" => {
                names.blue = read_name(&child);
                Ok(())
            }
            "board" => once(&mut board, read_board(child)?, "board"),
            "lastMove" => {
                last_move = WireMove::read_if_valid(child);
                Ok(())
            }
            name => match Color::ALL.into_iter().find(|&c| reserve_name(c) == name) {
                Some(color) => {
                    let pieces = read_reserve(child, color)?;
                    once(&mut reserve[color], pieces, reserve_name(color))
                }
                None => child.ignore(),
            },
        })?;
        let (obstacles, stacks) = required_element(board, "board")?;
        Ok(WireState {
            setup: Setup {
                turn: u16::try_from(turn).unwrap_or(u16::MAX),
                obstacles,
                stacks,
                reserve: ByColor {
                    red: required_element(reserve.red, reserve_name(Color::Red))?,
                    blue: required_element(reserve.blue, reserve_name(Color::Blue))?,
                },
            },
            player,
            names,
            last_move,
            last_move_time,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let setup = &self.setup;
        let mut tag = xml
            .element("state")
            .attribute("class", "state")
            .attribute("startPlayerColor", color_name(Color::Red))
            .attribute("turn", setup.turn)
            .attribute("currentPlayerColor", color_name(self.player));
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
                            write_field(xml, setup, Hex::new(x, y));
                        }
                    });
                }
            });
            for color in Color::ALL {
                xml.element(reserve_name(color))
                    .children(|xml| write_reserve(xml, &setup.reserve[color], color));
            }
            if let Some(last_move) = &self.last_move {
                last_move.write(xml, "lastMove");
            }
        });
    }
}

/// An unreadable time counts as absent: the contest's format has no such attribute.
fn parse_milliseconds(text: &str) -> Option<Duration> {
    let milliseconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

/// The player's name; empty if it has none.
fn read_name(element: &Element<'_, '_>) -> String {
    element.text_attribute("displayName").unwrap_or_default()
}

/// The owner's pieces; others are ignored.
fn read_reserve(element: Element<'_, '_>, owner: Color) -> Result<Reserve, ReadError> {
    let mut reserve = Reserve::empty();
    let pieces = read_pieces(element)?.into_iter();
    pieces
        .filter(|piece| piece.color == owner)
        .for_each(|piece| reserve.add(piece.kind));
    Ok(reserve)
}

fn write_reserve(xml: &mut XmlWriter<'_>, reserve: &Reserve, color: Color) {
    for kind in RESERVE_ORDER {
        for _ in 0..reserve.count(kind) {
            WirePiece::from(Piece::new(color, kind)).write(xml);
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

fn write_field(xml: &mut XmlWriter<'_>, setup: &Setup, hex: Hex) {
    if ContestBoard::cell(hex).is_none() {
        return xml.element("null").empty();
    }
    let stacks = setup.stacks.iter().filter(|stack| stack.hex == hex);
    let pieces = stacks.flat_map(|stack| stack.pieces.iter().copied());
    xml.element("field")
        .attribute("x", hex.x)
        .attribute("y", hex.y)
        .attribute("z", hex.z())
        .attribute("isObstructed", setup.obstacles.contains(&hex))
        .children(|xml| write_pieces(xml, pieces));
}

fn coordinates() -> impl Iterator<Item = i8> {
    -ContestBoard::RADIUS..=ContestBoard::RADIUS
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
