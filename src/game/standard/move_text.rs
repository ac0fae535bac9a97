//! Move strings: `wS1`, `bA1 wS1-`, `wB1 bQ`, `pass`.

use std::fmt;

use thiserror::Error;

use super::named_pieces::NamedPieces;
use super::piece_name::PieceName;
use crate::hex::CellSet;
use crate::hex::{Cell, Direction, Grid, Hex, WideTorus};
use crate::hive::standard::{Move, Position, Wide};
use crate::hive::{CellSetOf, RuleBook};

/// Where neighbours are looked for when a move is written, and how a piece there is marked.
const WRITTEN_ORDER: [Direction; 6] = [
    Direction::NorthWest,
    Direction::NorthEast,
    Direction::East,
    Direction::SouthEast,
    Direction::SouthWest,
    Direction::West,
];

/// Where a move goes, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// The first piece of a game.
    Anywhere,
    /// On top of a piece.
    OnTop(PieceName),
    /// Beside a piece, in that direction of it.
    Beside(PieceName, Direction),
}

/// A move as it is written, before it is looked up on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Pass,
    Piece(PieceName, Target),
}

/// Why a text is not a move of a position. In words that follow `invalidmove`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadMoveError {
    /// Not of any of the forms.
    #[error("Unable to parse move \"{0}\".")]
    Form(String),
    /// A piece, and something after it that is not a target.
    #[error("Unable to parse move \"{text}\": `{target}` is not a target like `wS1-`.")]
    Target {
        /// The move.
        text: String,
        /// The second word.
        target: String,
    },
    /// The piece that the target names is in hand.
    #[error("{0} is not in play.")]
    ReferenceInHand(PieceName),
    /// A piece on the board and no target.
    #[error("{0} has to go somewhere: a target like `wS1-` is missing.")]
    NoTarget(PieceName),
    /// A climb onto a piece that is covered.
    #[error("{0} is covered by another piece.")]
    ReferenceCovered(PieceName),
    /// The other side's piece in hand.
    #[error("It is not the turn of {0}.")]
    WrongSide(PieceName),
    /// A piece that the game is not played with.
    #[error("{0} is not in this game.")]
    NotInGame(PieceName),
    /// A later piece of a kind before an earlier one.
    #[error("{piece} cannot be placed before {first}.")]
    Order {
        /// The piece that was named.
        piece: PieceName,
        /// The piece that comes first.
        first: PieceName,
    },
    /// A place beside a piece that is taken.
    #[error("There is a piece already where {0} would go.")]
    Occupied(PieceName),
    /// A piece below another.
    #[error("{0} is covered and cannot be moved.")]
    Covered(PieceName),
}

fn parse_target(text: &str) -> Option<Target> {
    const MARKS: [char; 3] = ['/', '-', '\\'];
    if text == "." {
        return Some(Target::Anywhere);
    }
    let direction_before = match text.chars().next()? {
        '/' => Some(Direction::SouthWest),
        '-' => Some(Direction::West),
        '\\' => Some(Direction::NorthWest),
        _ => None,
    };
    let direction_behind = match text.chars().last()? {
        '/' => Some(Direction::NorthEast),
        '-' => Some(Direction::East),
        '\\' => Some(Direction::SouthEast),
        _ => None,
    };
    match (direction_before, direction_behind) {
        (None, None) => Some(Target::OnTop(text.parse().ok()?)),
        (Some(direction), None) => {
            let name = text.strip_prefix(MARKS)?.parse().ok()?;
            Some(Target::Beside(name, direction))
        }
        (None, Some(direction)) => {
            let name = text.strip_suffix(MARKS)?.parse().ok()?;
            Some(Target::Beside(name, direction))
        }
        (Some(_), Some(_)) => None,
    }
}

fn parse(text: &str) -> Result<Written, ReadMoveError> {
    let form = || ReadMoveError::Form(text.to_owned());
    let words: Vec<&str> = text.split_whitespace().collect();
    let (piece, target) = match words[..] {
        [word] if word.eq_ignore_ascii_case("pass") => return Ok(Written::Pass),
        [piece] => (piece, None),
        [piece, target] => (piece, Some(target)),
        _ => return Err(form()),
    };
    let piece = piece.parse().map_err(|_| form())?;
    let target = target.map_or(Ok(Target::Anywhere), |target| {
        parse_target(target).ok_or_else(|| ReadMoveError::Target {
            text: text.to_owned(),
            target: target.to_owned(),
        })
    });
    Ok(Written::Piece(piece, target?))
}

/// The move of a position that a text means; whether it is legal is another question.
pub(super) fn read(
    text: &str,
    position: &Position,
    pieces: &NamedPieces,
) -> Result<Move, ReadMoveError> {
    let (name, target) = match parse(text)? {
        Written::Pass => return Ok(Move::Pass),
        Written::Piece(name, target) => (name, target),
    };
    let from = pieces.cell_of(name);
    if from.is_none() {
        check_in_hand(name, position)?;
    }
    let to = find(name, target, pieces)?;
    let Some(from) = from else {
        return Ok(Move::Place {
            kind: name.piece().kind,
            to,
        });
    };
    if pieces.top(from) != Some(name) {
        return Err(ReadMoveError::Covered(name));
    }
    Ok(Move::Drag { from, to })
}

fn check_in_hand(name: PieceName, position: &Position) -> Result<(), ReadMoveError> {
    let piece = name.piece();
    if piece.color != position.side_to_move() {
        return Err(ReadMoveError::WrongSide(name));
    }
    let left = position.reserve(piece.color).count(piece.kind);
    let first = Wide::max_pieces(piece.kind)
        .checked_sub(left)
        .and_then(|placed| PieceName::new(piece, placed + 1))
        .ok_or(ReadMoveError::NotInGame(name))?;
    if first == name {
        Ok(())
    } else {
        Err(ReadMoveError::Order { piece: name, first })
    }
}

/// The cell that a target means for the piece `name`.
fn find(name: PieceName, target: Target, pieces: &NamedPieces) -> Result<Cell, ReadMoveError> {
    let reference = |name| {
        pieces
            .cell_of(name)
            .ok_or(ReadMoveError::ReferenceInHand(name))
    };
    match target {
        Target::Anywhere if pieces.is_empty() => {
            WideTorus::cell(Hex::new(0, 0)).ok_or(ReadMoveError::NoTarget(name))
        }
        Target::Anywhere => Err(ReadMoveError::NoTarget(name)),
        Target::OnTop(below) => {
            let cell = reference(below)?;
            if pieces.top(cell) == Some(below) {
                Ok(cell)
            } else {
                Err(ReadMoveError::ReferenceCovered(below))
            }
        }
        Target::Beside(other, direction) => {
            let cell = WideTorus::neighbour(reference(other)?, direction)
                .ok_or(ReadMoveError::ReferenceInHand(other))?;
            if pieces.occupied_without(Some(name)).contains(cell) {
                Err(ReadMoveError::Occupied(name))
            } else {
                Ok(cell)
            }
        }
    }
}

/// Writes a move in the canonical form.
pub(super) fn write(mv: Move, position: &Position, pieces: &NamedPieces) -> String {
    let (Some(name), Some(to)) = (pieces.moved_by(position, mv), mv.destination()) else {
        return "pass".to_owned();
    };
    if let Some(below) = pieces.top_without(to, Some(name)) {
        return format!("{name} {below}");
    }
    let others: CellSetOf<Wide> = pieces.occupied_without(Some(name));
    for direction in WRITTEN_ORDER {
        let beside = WideTorus::neighbour(to, direction).filter(|&cell| others.contains(cell));
        if let Some(reference) = beside.and_then(|cell| pieces.top_without(cell, Some(name))) {
            return format!("{name} {}", Marked(reference, direction.opposite()));
        }
    }
    name.to_string()
}

/// A piece and on which side of it a cell lies.
struct Marked(PieceName, Direction);

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Marked(name, direction) = self;
        match direction {
            Direction::East => write!(f, "{name}-"),
            Direction::NorthEast => write!(f, "{name}/"),
            Direction::NorthWest => write!(f, "\\{name}"),
            Direction::West => write!(f, "-{name}"),
            Direction::SouthWest => write!(f, "/{name}"),
            Direction::SouthEast => write!(f, "{name}\\"),
        }
    }
}
