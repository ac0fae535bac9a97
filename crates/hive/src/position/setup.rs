//! Unchecked positions, and the checks that make positions of them.

use thiserror::Error;

use super::super::{
    ByColor, CellSetOf, Color, KindOf, PieceKind, PieceOf, Reserve, RuleBook, movegen::is_connected,
};
use super::{MAX_COVERED, Position};
use crate::hex::{CellSet, Grid, Hex, Symmetry};

/// The pieces on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack<R: RuleBook> {
    /// The field.
    pub hex: Hex,
    /// The pieces, bottom to top.
    pub pieces: Vec<PieceOf<R>>,
}

/// An unchecked description of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup<R: RuleBook> {
    /// Plies played.
    pub turn: u16,
    /// The fields on which no piece can ever stand.
    pub obstacles: Vec<Hex>,
    /// The stacks on the board; empty ones are ignored.
    pub stacks: Vec<Stack<R>>,
    /// The pieces that are not placed yet.
    pub reserve: ByColor<Reserve<KindOf<R>>>,
}

/// The reason that a [`Setup`] is not a possible position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// The turn is beyond the rule book's largest.
    #[error("turn {turn} is beyond the last turn, {last}")]
    Turn {
        /// The turn asked for.
        turn: u16,
        /// The largest one.
        last: u16,
    },
    /// A field is not on the board.
    #[error("({0}) is not a field of the board")]
    OffBoard(Hex),
    /// The rule book has no obstacles there, or at all.
    #[error("there can be no obstacles at these fields")]
    Obstacles,
    /// An obstacle is given more than once.
    #[error("the obstacle at ({0}) is given twice")]
    ObstacleTwice(Hex),
    /// A field is given more than once.
    #[error("the field ({0}) is given twice")]
    FieldTwice(Hex),
    /// A piece stands on an obstacle.
    #[error("there is a piece on the obstacle at ({0})")]
    PieceOnObstacle(Hex),
    /// A piece that cannot climb is above the ground.
    #[error("impossible stack at ({hex}): {piece} cannot stand on another piece")]
    Stack {
        /// The field.
        hex: Hex,
        /// The piece.
        piece: String,
    },
    /// A side has too many pieces of a kind.
    #[error("{color} has {count} pieces of kind {kind}; there are at most {limit}")]
    TooMany {
        /// The side.
        color: Color,
        /// The kind's letter.
        kind: char,
        /// The number of its pieces, reserve and board together.
        count: usize,
        /// The largest possible number.
        limit: u8,
    },
    /// The pieces form more than one hive.
    #[error("the pieces do not form one connected hive")]
    Disconnected,
}

impl<R: RuleBook> Setup<R> {
    /// Checks everything that makes a position possible, and builds it.
    ///
    /// # Errors
    /// Names the impossible field, piece or count.
    pub fn build(&self) -> Result<Position<R>, SetupError> {
        if self.turn > R::MAX_TURN {
            return Err(SetupError::Turn {
                turn: self.turn,
                last: R::MAX_TURN,
            });
        }
        let mut obstacles = CellSetOf::<R>::EMPTY;
        for &hex in &self.obstacles {
            let cell = R::Grid::cell(hex).ok_or(SetupError::OffBoard(hex))?;
            if obstacles.contains(cell) {
                return Err(SetupError::ObstacleTwice(hex));
            }
            obstacles.insert(cell);
        }
        self.check_counts()?;
        let mut position = Position::start(obstacles, self.reserve).ok_or(SetupError::Obstacles)?;
        for stack in &self.stacks {
            put_stack(&mut position, stack)?;
        }
        if !is_connected::<R::Grid>(position.occupied()) {
            return Err(SetupError::Disconnected);
        }
        position.turn = self.turn;
        position.hash = position.recomputed_hash();
        Ok(position)
    }

    /// The position in which `mover` is to move, without any check: its hive may be torn. Fields
    /// off the board are left out, and so are covered pieces beyond [`MAX_COVERED`]. `None` where
    /// the rule book has no such obstacles.
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

    /// This also bounds the number of climbers, and with it that of covered pieces.
    fn check_counts(&self) -> Result<(), SetupError> {
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
                    return Err(SetupError::TooMany {
                        color,
                        kind: kind.letter(),
                        count,
                        limit,
                    });
                }
            }
        }
        Ok(())
    }

    /// The setup seen through a symmetry; `None` when a coordinate leaves the range of [`Hex`].
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

fn put_stack<R: RuleBook>(position: &mut Position<R>, stack: &Stack<R>) -> Result<(), SetupError> {
    let hex = stack.hex;
    let cell = R::Grid::cell(hex).ok_or(SetupError::OffBoard(hex))?;
    if stack.pieces.is_empty() {
        return Ok(());
    }
    if position.obstacles().contains(cell) {
        return Err(SetupError::PieceOnObstacle(hex));
    }
    if position.occupied().contains(cell) {
        return Err(SetupError::FieldTwice(hex));
    }
    if let Some(piece) = stack.pieces.iter().skip(1).find(|p| !p.kind.climbs()) {
        return Err(SetupError::Stack {
            hex,
            piece: piece.to_string(),
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
    fn impossible_setups_are_refused() {
        let hex = Hex::new;
        let too_many = |color, kind, count, limit| SetupError::TooMany {
            color,
            kind,
            count,
            limit,
        };
        let stack = SetupError::Stack {
            hex: hex(0, 0),
            piece: "bA".to_owned(),
        };
        let beetles = "B".repeat(300);
        for (text, expected) in [
            ("61 - - -/-", SetupError::Turn { turn: 61, last: 60 }),
            ("0 6,0 - -/-", SetupError::OffBoard(hex(6, 0))),
            ("0 - 3,3:rQ -/-", SetupError::OffBoard(hex(3, 3))),
            (
                "0 - -128,-128:rQ -/-",
                SetupError::OffBoard(hex(-128, -128)),
            ),
            ("0 1,1;0,0;1,1 - -/-", SetupError::ObstacleTwice(hex(1, 1))),
            (
                "0 - 0,0:rQ;1,0:bQ;0,0:rA -/-",
                SetupError::FieldTwice(hex(0, 0)),
            ),
            ("0 0,0 0,0:rQ -/-", SetupError::PieceOnObstacle(hex(0, 0))),
            // Only climbers stand on other pieces.
            ("0 - 0,0:rQrBbA -/-", stack),
            ("0 - 0,0:rQ Q/-", too_many(Color::Red, 'Q', 2, 1)),
            ("0 - - -/AAAA", too_many(Color::Blue, 'A', 4, 3)),
            (
                &format!("0 - - {beetles}/-"),
                too_many(Color::Red, 'B', 255, 2),
            ),
            ("0 - 0,0:rQ;2,0:bQ -/-", SetupError::Disconnected),
            // A bramble joins nothing.
            ("0 1,0 0,0:rQ;2,0:bQ -/-", SetupError::Disconnected),
        ] {
            let setup: Setup = text.parse().unwrap();
            assert_eq!(setup.build(), Err(expected), "{text}");
        }
        for text in ["60 - - -/-", "0 - 0,0:rBrBbBbB -/-"] {
            assert!(text.parse::<Setup>().unwrap().build().is_ok(), "{text}");
        }
        let error = "0 1,1 - -/-".parse::<crate::standard::Position>();
        assert_eq!(error, Err(SetupError::Obstacles.into()));
    }

    #[test]
    fn empty_stacks_say_nothing() {
        let mut setup: Setup = "0 - 0,0:rQ -/-".parse().unwrap();
        let without = setup.build().unwrap();
        setup.stacks.push(Stack {
            hex: Hex::new(3, 0),
            pieces: Vec::new(),
        });
        assert_eq!(setup.build(), Ok(without));
    }

    #[test]
    fn a_symmetry_refuses_coordinates_that_might_overflow() {
        let setup: Setup = "0 - 64,0:rQ -/-".parse().unwrap();
        for symmetry in Symmetry::ALL {
            assert_eq!(setup.clone().transformed(symmetry), None);
        }
    }
}
