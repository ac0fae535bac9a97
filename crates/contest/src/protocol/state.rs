//! The state of a game, sent by the server after every ply.

use std::time::Duration;

use thiserror::Error;

use super::moves::WireMove;
use super::values::{
    WireCoordinates, WirePiece, color_name, parse_bool, parse_color, parse_integer, read_pieces,
};
use super::xml::{Element, ReadError};
use wabe_hive::contest::{Contest, Kind, Position, Reserve, Setup};
use wabe_hive::hex::{CellSet as _, ContestBoard, Grid, Hex};
use wabe_hive::{ByColor, Color, Piece, PositionError, Stack};

/// A `<state>` whose board has the right shape. Only [`position`](WireState::position) checks turn,
/// stacks and reserves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireState {
    /// Turn, board and reserves. A turn too large for its type is read as the type's maximum.
    pub setup: Setup,
    /// The side to move.
    pub player: Color,
    /// The players' names.
    pub names: ByColor<String>,
    /// The move that led to the position, as sent; `None` at the start, or if it cannot be parsed.
    /// A forged move may differ from the one that the server played.
    pub last_move: Option<WireMove>,
    /// Time taken for the last move. Only replays written by wabe contain it.
    pub last_move_time: Option<Duration>,
}

/// Why a [`WireState`] is impossible by the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The side to move does not match the number of plies.
    #[error("at turn {turn} it is not {player}'s turn")]
    Turn {
        /// Plies played.
        turn: u16,
        /// The side to move.
        player: Color,
    },
    /// The board or the reserves are impossible.
    #[error(transparent)]
    Setup(#[from] PositionError),
}

/// Attribute for the time of the last move, in milliseconds. An extension of the contest's format.
const LAST_MOVE_TIME: &str = "lastMoveMillis";

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
        // Fields are read in this order.
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
    /// When the state is impossible by the rules.
    pub fn position(&self) -> Result<Position, StateError> {
        let (turn, player) = (self.setup.turn, self.player);
        if player != Color::to_move(turn) {
            return Err(StateError::Turn { turn, player });
        }
        Ok(self.setup.build()?)
    }

    pub(super) fn read(element: &Element) -> Result<WireState, ReadError> {
        let turn = parse_integer(element.attribute("turn")?)?;
        let player = parse_color(element.attribute("currentPlayerColor")?)?;
        let last_move_time = element.get(LAST_MOVE_TIME).and_then(parse_milliseconds);
        let name = |color: Color| {
            let name = |player: &Element| Ok(player.get("displayName").map(str::to_owned));
            let names = element.each(&color.to_string(), name)?;
            Ok(names.into_iter().flatten().next().unwrap_or_default())
        };
        let reserve =
            |color| element.one(reserve_name(color), |pieces| read_reserve(pieces, color));
        let (obstacles, stacks) = element.one("board", read_board)?;
        let last_move = element.each("lastMove", |mv| Ok(WireMove::read_if_valid(mv)))?;
        Ok(WireState {
            setup: Setup {
                turn: u16::try_from(turn).unwrap_or(u16::MAX),
                obstacles,
                stacks,
                reserve: ByColor {
                    red: reserve(Color::Red)?,
                    blue: reserve(Color::Blue)?,
                },
            },
            player,
            names: ByColor {
                red: name(Color::Red)?,
                blue: name(Color::Blue)?,
            },
            last_move: last_move.into_iter().next_back().flatten(),
            last_move_time,
        })
    }

    pub(super) fn to_element(&self) -> Element {
        let setup = &self.setup;
        let time = self.last_move_time;
        let player = |element, color| {
            Element::new(element)
                .with("color", color_name(color))
                .with("displayName", &self.names[color])
        };
        let columns = coordinates().map(|x| {
            let fields = coordinates().map(|y| field_element(setup, Hex::new(x, y)));
            Element::new("fields").with_children(fields)
        });
        let reserves = Color::ALL.map(|color| {
            let pieces = RESERVE_ORDER.into_iter().flat_map(|kind| {
                let piece = WirePiece::from(Piece::new(color, kind));
                let count = usize::from(setup.reserve[color].count(kind));
                std::iter::repeat_n(piece, count)
            });
            Element::new(reserve_name(color)).with_children(pieces.map(WirePiece::to_element))
        });
        let last_move = self.last_move.as_ref();
        Element::new("state")
            .with("class", "state")
            .with("startPlayerColor", color_name(Color::Red))
            .with("turn", setup.turn)
            .with("currentPlayerColor", color_name(self.player))
            .with_some(
                LAST_MOVE_TIME,
                time.map(|time| format!("{:.3}", 1e3 * time.as_secs_f64())),
            )
            .with_children([player("red", Color::Red), player("blue", Color::Blue)])
            .with_children([Element::new("board").with_children(columns)])
            .with_children(reserves)
            .with_children(last_move.map(|mv| mv.to_element("lastMove")))
    }
}

/// Returns `None` for an invalid time, because the contest's format does not define the attribute.
fn parse_milliseconds(text: &str) -> Option<Duration> {
    let milliseconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

/// Reads the pieces of `owner` and ignores all others.
fn read_reserve(element: &Element, owner: Color) -> Result<Reserve, ReadError> {
    let mut reserve = Reserve::empty();
    for piece in read_pieces(element)? {
        if piece.color == owner {
            reserve.add(piece.kind);
        }
    }
    Ok(reserve)
}

/// Reads all fields, each at most once. `<null/>` stands for coordinates off the board.
fn read_board(element: &Element) -> Result<Board, ReadError> {
    let (mut obstacles, mut stacks) = Board::default();
    let mut missing = ContestBoard::FIELDS;
    let mut read_field = |field: &Element| {
        let at = WireCoordinates::read(field)?;
        let hex = at.hex().filter(|_| at.is_cube());
        let cell = hex.and_then(ContestBoard::cell);
        let (Some(hex), Some(cell)) = (hex, cell.filter(|&cell| missing.contains(cell))) else {
            let problem = format!("{at} is not a field of the board, or occurs twice");
            return Err(ReadError::new(problem));
        };
        missing.remove(cell);
        if field.get("isObstructed").map_or(Ok(false), parse_bool)? {
            obstacles.push(hex);
        }
        let pieces = read_pieces(field)?;
        if !pieces.is_empty() {
            stacks.push(Stack { hex, pieces });
        }
        Ok(())
    };
    element.each("fields", |column| column.each("field", &mut read_field))?;
    if !missing.is_empty() {
        let count = missing.count_cells();
        return Err(ReadError::new(format!("missing fields: {count}")));
    }
    Ok((obstacles, stacks))
}

fn field_element(setup: &Setup, hex: Hex) -> Element {
    if ContestBoard::cell(hex).is_none() {
        return Element::new("null");
    }
    let stacks = setup.stacks.iter().filter(|stack| stack.hex == hex);
    let pieces = stacks.flat_map(|stack| stack.pieces.iter().copied());
    Element::new("field")
        .with("x", hex.x)
        .with("y", hex.y)
        .with("z", hex.z())
        .with("isObstructed", setup.obstacles.contains(&hex))
        .with_children(pieces.map(|piece| WirePiece::from(piece).to_element()))
}

fn coordinates() -> impl Iterator<Item = i8> {
    -ContestBoard::RADIUS..=ContestBoard::RADIUS
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
