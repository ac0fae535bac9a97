//! States on the wire ⇄ positions.

use thiserror::Error;

use super::MoveError;
use crate::hex::{CellSet, ContestBoard, Grid, Hex};
use crate::hive::contest::{Contest, ContestPiece, Kind, Move, Position, Reserve, Setup};
use crate::hive::{ByColor, Color, Piece, SetupError, Stack};
use crate::protocol::field::{WireCoordinates, WireField};
use crate::protocol::moves::WireMove;
use crate::protocol::state::WireState;

/// Why a state is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// Not 11 groups of fields.
    #[error("the board has {0} groups of fields, not 11")]
    Columns(usize),
    /// Not 11 entries in a group.
    #[error("the board's group of fields with x = {x} has {found} entries, not 11")]
    Entries {
        /// Which group.
        x: i8,
        /// How many there are.
        found: usize,
    },
    /// A hole in the board.
    #[error("the board has no field at ({0})")]
    MissingField(Hex),
    /// A field beyond the edge.
    #[error("the board has a field at ({0}), which is outside of it")]
    ExtraField(Hex),
    /// A field whose coordinates are not those of its place.
    #[error("the field at ({place}) says that it is at {says}")]
    Misplaced {
        /// Where it is listed.
        place: Hex,
        /// What it says.
        says: WireCoordinates,
    },
    /// A turn that no game reaches.
    #[error("{0} is not a turn of a game")]
    Turn(i64),
    /// The rules let red begin.
    #[error("the game was begun by blue")]
    StartPlayer,
    /// The turn says whose turn it is.
    #[error("at turn {turn} it is not {player}'s turn")]
    CurrentPlayer {
        /// Plies played.
        turn: i64,
        /// Whose turn it is said to be.
        player: Color,
    },
    /// A piece in the other side's reserve.
    #[error("{0}'s undeployed pieces hold one of the other side")]
    ReserveOwner(Color),
    /// The parts are fine, but the position is impossible.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

const SIDE: i8 = ContestBoard::RADIUS * 2 + 1;

/// The order in which the contest's server lists undeployed pieces.
const RESERVE_ORDER: [Kind; 5] = [
    Kind::Bee,
    Kind::Spider,
    Kind::Grasshopper,
    Kind::Beetle,
    Kind::Ant,
];

impl WireState {
    /// The state of a game. `last_move` is handed on as it is.
    pub fn new(
        position: &Position,
        names: ByColor<String>,
        last_move: Option<WireMove>,
    ) -> WireState {
        let column = |x| {
            coordinates()
                .map(|y| wire_field(position, Hex::new(x, y)))
                .collect()
        };
        WireState {
            start_player: Color::Red,
            turn: position.turn().into(),
            current_player: position.side_to_move(),
            names,
            board: coordinates().map(column).collect(),
            reserves: ByColor::from_fn(|color| wire_reserve(position, color)),
            last_move,
            last_move_time: None,
        }
    }

    /// The position, everything checked: the board's shape, coordinates, stacks, reserves, whose turn it is.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn position(&self) -> Result<Position, StateError> {
        if self.start_player != Color::Red {
            return Err(StateError::StartPlayer);
        }
        let turn = u16::try_from(self.turn).map_err(|_| StateError::Turn(self.turn))?;
        if self.current_player != Color::to_move(turn) {
            return Err(StateError::CurrentPlayer {
                turn: self.turn,
                player: self.current_player,
            });
        }
        let (obstacles, stacks) = self.fields()?;
        let reserve = ByColor {
            red: reserve(&self.reserves.red, Color::Red)?,
            blue: reserve(&self.reserves.blue, Color::Blue)?,
        };
        let setup = Setup {
            turn,
            obstacles,
            stacks,
            reserve,
        };
        Ok(setup.build()?)
    }

    /// The move that led to this state, if the state names one.
    ///
    /// # Errors
    /// When that move cannot have been made.
    pub fn last_move(&self) -> Result<Option<Move>, MoveError> {
        let mover = self.current_player.opponent();
        let last_move = self.last_move.as_ref();
        last_move.map(|mv| mv.to_move(mover)).transpose()
    }

    fn fields(&self) -> Result<(Vec<Hex>, Vec<Stack<Contest>>), StateError> {
        if self.board.len() != usize::from(SIDE.unsigned_abs()) {
            return Err(StateError::Columns(self.board.len()));
        }
        let mut obstacles = Vec::new();
        let mut stacks = Vec::new();
        for (x, column) in coordinates().zip(&self.board) {
            if column.len() != usize::from(SIDE.unsigned_abs()) {
                let found = column.len();
                return Err(StateError::Entries { x, found });
            }
            for (y, entry) in coordinates().zip(column) {
                let hex = Hex::new(x, y);
                let on_board = ContestBoard::cell(hex).is_some();
                let field = match (on_board, entry) {
                    (true, Some(field)) => field,
                    (false, None) => continue,
                    (true, None) => return Err(StateError::MissingField(hex)),
                    (false, Some(_)) => return Err(StateError::ExtraField(hex)),
                };
                if field.at != WireCoordinates::of(hex) {
                    return Err(StateError::Misplaced {
                        place: hex,
                        says: field.at,
                    });
                }
                if field.obstructed {
                    obstacles.push(hex);
                }
                if !field.pieces.is_empty() {
                    let pieces = field.pieces.clone();
                    stacks.push(Stack { hex, pieces });
                }
            }
        }
        Ok((obstacles, stacks))
    }
}

fn coordinates() -> impl Iterator<Item = i8> {
    -ContestBoard::RADIUS..=ContestBoard::RADIUS
}

fn wire_field(position: &Position, hex: Hex) -> Option<WireField> {
    let cell = ContestBoard::cell(hex)?;
    Some(WireField {
        at: WireCoordinates::of(hex),
        obstructed: position.obstacles().contains(cell),
        pieces: position.stack(cell).collect(),
    })
}

fn wire_reserve(position: &Position, color: Color) -> Vec<ContestPiece> {
    RESERVE_ORDER
        .into_iter()
        .flat_map(|kind| {
            let count = position.reserve(color).count(kind);
            std::iter::repeat_n(Piece::new(color, kind), count.into())
        })
        .collect()
}

fn reserve(pieces: &[ContestPiece], owner: Color) -> Result<Reserve, StateError> {
    let mut reserve = Reserve::empty();
    for piece in pieces {
        if piece.color != owner {
            return Err(StateError::ReserveOwner(owner));
        }
        reserve.add(piece.kind);
    }
    Ok(reserve)
}
