//! Unchecked positions and their validation.

use thiserror::Error;

use super::super::{
    ByColor, CellSetOf, Color, KindOf, ParseError, PieceKind, PieceOf, Reserve, RuleBook,
    movegen::is_connected,
};
use super::{MAX_COVERED, Position};
use crate::hex::{Cell, CellSet, Grid, Hex, Symmetry};

/// The pieces on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack<R: RuleBook> {
    /// The coordinates of the field.
    pub hex: Hex,
    /// The pieces, bottom to top.
    pub pieces: Vec<PieceOf<R>>,
}

/// An unchecked description of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup<R: RuleBook> {
    /// Plies played.
    pub turn: u16,
    /// The fields that no piece can enter.
    pub obstacles: Vec<Hex>,
    /// The stacks on the board; empty ones are ignored.
    pub stacks: Vec<Stack<R>>,
    /// The pieces that have not been placed yet.
    pub reserve: ByColor<Reserve<KindOf<R>>>,
}

/// Why a text or a [`Setup`] is not a valid position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The text has another number of fields.
    #[error("expected four fields (turn, obstacles, stacks, reserves), found {0}")]
    Fields(usize),
    /// A field of the text is malformed.
    #[error(transparent)]
    Malformed(#[from] ParseError),
    /// The turn is beyond the last one.
    #[error("turn {turn} is beyond the last turn, {last}")]
    TurnTooLate {
        /// Plies played.
        turn: u16,
        /// The last turn of the rule book.
        last: u16,
    },
    /// The coordinates are outside the board.
    #[error("({0}) is not a field of the board")]
    NotAField(Hex),
    /// Two obstacles on one field.
    #[error("the obstacle at ({0}) is listed twice")]
    DuplicateObstacle(Hex),
    /// Two stacks on one field.
    #[error("the field ({0}) is listed twice")]
    DuplicateField(Hex),
    /// The rule book has no obstacles.
    #[error("this game has no obstacles")]
    NoObstacles,
    /// More pieces of a kind than a side has.
    #[error("{color} has {count} pieces of kind {kind}, expected at most {limit}")]
    TooManyPieces {
        /// Whose pieces are counted.
        color: Color,
        /// The letter of the kind.
        kind: char,
        /// Number of pieces on the board and in reserve.
        count: usize,
        /// Maximum of the rule book.
        limit: u8,
    },
    /// A piece on an obstacle.
    #[error("there is a piece on the obstacle at ({0})")]
    OnObstacle(Hex),
    /// A piece on another one, although its kind does not climb.
    #[error("impossible stack at ({hex}): {}{kind} cannot stand on another piece", .color.letter())]
    CannotClimb {
        /// The field of the stack.
        hex: Hex,
        /// The side of the piece.
        color: Color,
        /// The letter of its kind.
        kind: char,
    },
    /// More than one hive.
    #[error("the pieces do not form one connected hive")]
    Disconnected,
}

/// The field at `hex`.
fn cell_at<R: RuleBook>(hex: Hex) -> Result<Cell, PositionError> {
    R::Grid::cell(hex).ok_or(PositionError::NotAField(hex))
}

impl<R: RuleBook> Setup<R> {
    /// Validates the setup and builds the position.
    ///
    /// # Errors
    /// Names the invalid field, piece or count.
    pub fn build(&self) -> Result<Position<R>, PositionError> {
        if self.turn > R::MAX_TURN {
            let (turn, last) = (self.turn, R::MAX_TURN);
            return Err(PositionError::TurnTooLate { turn, last });
        }
        let mut obstacles = CellSetOf::<R>::EMPTY;
        for &hex in &self.obstacles {
            let cell = cell_at::<R>(hex)?;
            if obstacles.contains(cell) {
                return Err(PositionError::DuplicateObstacle(hex));
            }
            obstacles.insert(cell);
        }
        self.check_counts()?;
        let mut position =
            Position::start(obstacles, self.reserve).ok_or(PositionError::NoObstacles)?;
        for stack in &self.stacks {
            put_stack(&mut position, stack)?;
        }
        if !is_connected::<R::Grid>(position.occupied()) {
            return Err(PositionError::Disconnected);
        }
        position.turn = self.turn;
        position.hash = position.recomputed_hash();
        Ok(position)
    }

    /// Builds the position without validation, with `mover` to move. Its hive may be disconnected.
    /// Skips fields off the board and covered pieces beyond [`MAX_COVERED`]. `None` if the rule
    /// book does not support the obstacles.
    pub(in super::super) fn build_unchecked(&self, mover: Color) -> Option<Position<R>> {
        let mut obstacles = CellSetOf::<R>::EMPTY;
        let cells = self.obstacles.iter().filter_map(|&hex| R::Grid::cell(hex));
        cells.for_each(|cell| obstacles.insert(cell));
        let mut position = Position::start(obstacles, self.reserve)?;
        for stack in &self.stacks {
            if let Some(cell) = R::Grid::cell(stack.hex) {
                stack
                    .pieces
                    .iter()
                    .for_each(|&piece| position.put(cell, piece));
            }
        }
        position.turn = self.turn.clamp(1, R::MAX_TURN);
        if position.side_to_move() != mover {
            position.turn -= 1;
        }
        position.hash = position.recomputed_hash();
        Some(position)
    }

    /// Checks the number of pieces of each kind, which also limits the number of covered pieces.
    fn check_counts(&self) -> Result<(), PositionError> {
        for color in Color::ALL {
            for &kind in KindOf::<R>::ALL {
                let on_board = self
                    .stacks
                    .iter()
                    .flat_map(|stack| &stack.pieces)
                    .filter(|piece| piece.color == color && piece.kind == kind)
                    .count();
                let count = on_board + usize::from(self.reserve[color].count(kind));
                let limit = R::max_pieces(kind);
                if count > usize::from(limit) {
                    let kind = kind.letter();
                    return Err(PositionError::TooManyPieces {
                        color,
                        kind,
                        count,
                        limit,
                    });
                }
            }
        }
        Ok(())
    }

    /// Applies a symmetry; `None` if a coordinate could leave the range of [`Hex`].
    pub fn transformed(mut self, symmetry: Symmetry) -> Option<Setup<R>> {
        let far = |hex: Hex| hex.x.unsigned_abs().max(hex.y.unsigned_abs()) > 63;
        if self.obstacles.iter().any(|&hex| far(hex)) || self.stacks.iter().any(|s| far(s.hex)) {
            return None;
        }
        for hex in &mut self.obstacles {
            *hex = symmetry.apply(*hex);
        }
        for stack in &mut self.stacks {
            stack.hex = symmetry.apply(stack.hex);
        }
        Some(self)
    }
}

fn put_stack<R: RuleBook>(
    position: &mut Position<R>,
    stack: &Stack<R>,
) -> Result<(), PositionError> {
    let hex = stack.hex;
    let cell = cell_at::<R>(hex)?;
    if stack.pieces.is_empty() {
        return Ok(());
    }
    if position.obstacles().contains(cell) {
        return Err(PositionError::OnObstacle(hex));
    }
    if position.occupied().contains(cell) {
        return Err(PositionError::DuplicateField(hex));
    }
    if let Some(piece) = stack.pieces.iter().skip(1).find(|p| !p.kind.climbs()) {
        return Err(PositionError::CannotClimb {
            hex,
            color: piece.color,
            kind: piece.kind.letter(),
        });
    }
    for &piece in &stack.pieces {
        position.put(cell, piece);
    }
    debug_assert!(position.covered.iter().flatten().count() <= MAX_COVERED);
    Ok(())
}

impl<R: RuleBook> Position<R> {
    /// The position as a setup, fields in the order of their indices.
    pub fn to_setup(&self) -> Setup<R> {
        Setup {
            turn: self.turn,
            obstacles: self.obstacles().into_iter().map(R::Grid::hex).collect(),
            stacks: self
                .occupied()
                .into_iter()
                .map(|cell| Stack {
                    hex: R::Grid::hex(cell),
                    pieces: self.stack(cell).collect(),
                })
                .collect(),
            reserve: self.reserve,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Setup;

    #[test]
    fn build_rejects_impossible_setups() {
        let beetles = "B".repeat(300);
        for (text, part) in [
            ("61 - - -/-", "turn 61"),
            ("0 6,0 - -/-", "(6,0) is not a field"),
            ("0 - 3,3:rQ -/-", "(3,3) is not a field"),
            ("0 - -128,-128:rQ -/-", "(-128,-128) is not a field"),
            ("0 1,1;0,0;1,1 - -/-", "obstacle at (1,1) is listed twice"),
            (
                "0 - 0,0:rQ;1,0:bQ;0,0:rA -/-",
                "field (0,0) is listed twice",
            ),
            ("0 0,0 0,0:rQ -/-", "on the obstacle at (0,0)"),
            // Only climbers stand on other pieces.
            ("0 - 0,0:rQrBbA -/-", "bA cannot stand"),
            ("0 - 0,0:rQ Q/-", "red has 2 pieces of kind Q"),
            ("0 - - -/AAAA", "blue has 4 pieces of kind A"),
            (
                &format!("0 - - {beetles}/-"),
                "red has 255 pieces of kind B",
            ),
            ("0 - 0,0:rQ;2,0:bQ -/-", "one connected hive"),
            // Brambles do not connect pieces.
            ("0 1,0 0,0:rQ;2,0:bQ -/-", "one connected hive"),
        ] {
            let setup: Setup = text.parse().unwrap();
            let error = setup.build().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        for text in ["60 - - -/-", "0 - 0,0:rBrBbBbB -/-"] {
            assert!(text.parse::<Setup>().unwrap().build().is_ok(), "{text}");
        }
        assert!("0 1,1 - -/-".parse::<crate::standard::Position>().is_err());
    }

    #[test]
    fn build_ignores_empty_stacks() {
        let mut setup: Setup = "0 - 0,0:rQ -/-".parse().unwrap();
        let expected = setup.build().unwrap();
        setup.stacks.push(Stack {
            hex: Hex::new(3, 0),
            pieces: Vec::new(),
        });
        assert_eq!(setup.build(), Ok(expected));
    }

    #[test]
    fn transformed_rejects_large_coordinates() {
        let setup: Setup = "0 - 64,0:rQ -/-".parse().unwrap();
        for symmetry in Symmetry::ALL {
            assert_eq!(setup.clone().transformed(symmetry), None);
        }
    }
}
