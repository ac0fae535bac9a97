//! UHP move strings: `wS1`, `bA1 wS1-`, `wB1 bQ`, `pass`.

use thiserror::Error;

use super::named_pieces::NamedPieces;
use super::piece_name::PieceName;
use crate::hex::{Cell, Direction, Grid, Hex, WideTorus};
use crate::standard::{Move, Position, Standard};
use crate::{ParseError, RuleBook};

/// The directions from a reference piece, each with the marks before and after the name of that
/// piece. When a move is written, earlier entries are preferred.
pub const MARKS: [(Direction, &str, &str); 6] = [
    (Direction::SouthEast, "", "\\"),
    (Direction::SouthWest, "/", ""),
    (Direction::West, "-", ""),
    (Direction::NorthWest, "\\", ""),
    (Direction::NorthEast, "", "/"),
    (Direction::East, "", "-"),
];

/// The target of a move, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// No target: the first piece of a game.
    Anywhere,
    /// On top of a piece.
    OnTop(PieceName),
    /// Next to a piece, in this direction from it.
    Beside(PieceName, Direction),
}

/// A parsed move string, not yet resolved on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParsedMove {
    Pass,
    Piece(PieceName, Target),
}

/// Why a text is not a move of a position, worded to follow UHP's `invalidmove`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadMoveError {
    /// The text is not a move string.
    #[error("Unable to parse move \"{0}\".")]
    Malformed(String),
    /// The text is not a move in the notation of another game.
    #[error(transparent)]
    Plain(#[from] ParseError),
    /// The second word is not a target.
    #[error("Unable to parse move \"{text}\": `{target}` is not a target like `wS1-`.")]
    Target {
        /// The move string.
        text: String,
        /// The second word.
        target: String,
    },
    /// The piece that the target names is in hand.
    #[error("{0} is not in play.")]
    ReferenceInHand(PieceName),
    /// The game does not include the piece.
    #[error("{0} is not in this game.")]
    NotInGame(PieceName),
    /// The target cell is occupied.
    #[error("The target of {0} is already occupied.")]
    Occupied(PieceName),
    /// The piece belongs to the other side.
    #[error("It is not the turn of {0}.")]
    NotToMove(PieceName),
    /// Pieces of a kind are placed in the order of their numbers.
    #[error("{name} cannot be placed before {first}.")]
    OutOfOrder {
        /// The piece in the text.
        name: PieceName,
        /// The next piece of its kind.
        first: PieceName,
    },
    /// The piece to move is covered.
    #[error("{0} is covered and cannot be moved.")]
    Covered(PieceName),
    /// The piece to climb on is covered.
    #[error("{0} is covered by another piece.")]
    TargetCovered(PieceName),
    /// Only the first piece of a game has no target.
    #[error("{0} needs a target like `wS1-`.")]
    MissingTarget(PieceName),
}

fn parse_target(text: &str) -> Option<Target> {
    if text == "." {
        return Some(Target::Anywhere);
    }
    if let Ok(below) = text.parse() {
        return Some(Target::OnTop(below));
    }
    MARKS.into_iter().find_map(|(direction, before, after)| {
        let name = text.strip_prefix(before)?.strip_suffix(after)?;
        Some(Target::Beside(name.parse().ok()?, direction))
    })
}

fn parse(text: &str) -> Result<ParsedMove, ReadMoveError> {
    let malformed = || ReadMoveError::Malformed(text.to_owned());
    let words: Vec<&str> = text.split_whitespace().collect();
    let (piece, target) = match words[..] {
        [word] if word.eq_ignore_ascii_case("pass") => return Ok(ParsedMove::Pass),
        [piece] => (piece, None),
        [piece, target] => (piece, Some(target)),
        _ => return Err(malformed()),
    };
    let piece = piece.parse().map_err(|_| malformed())?;
    let target = target.map_or(Ok(Target::Anywhere), |target| {
        parse_target(target).ok_or_else(|| ReadMoveError::Target {
            text: text.to_owned(),
            target: target.to_owned(),
        })
    });
    Ok(ParsedMove::Piece(piece, target?))
}

/// Reads a move of a position, legal or not.
pub(super) fn read(
    text: &str,
    position: &Position,
    pieces: &NamedPieces,
) -> Result<Move, ReadMoveError> {
    let (name, target) = match parse(text)? {
        ParsedMove::Pass => return Ok(Move::Pass),
        ParsedMove::Piece(name, target) => (name, target),
    };
    let from = pieces.cell_of(name);
    if from.is_none() {
        check_in_hand(name, position)?;
    }
    let to = find_target(name, target, pieces)?;
    let Some(from) = from else {
        return Ok(Move::Place {
            kind: name.piece().kind,
            to,
        });
    };
    if pieces.top(from, None) != Some(name) {
        return Err(ReadMoveError::Covered(name));
    }
    Ok(Move::Drag { from, to })
}

fn check_in_hand(name: PieceName, position: &Position) -> Result<(), ReadMoveError> {
    let piece = name.piece();
    if piece.color != position.side_to_move() {
        return Err(ReadMoveError::NotToMove(name));
    }
    let left = position.reserve(piece.color).count(piece.kind);
    let first = Standard::max_pieces(piece.kind)
        .checked_sub(left)
        .and_then(|placed| PieceName::new(piece, placed + 1))
        .ok_or(ReadMoveError::NotInGame(name))?;
    if first == name {
        Ok(())
    } else {
        Err(ReadMoveError::OutOfOrder { name, first })
    }
}

/// The target cell of the piece `name`.
fn find_target(
    name: PieceName,
    target: Target,
    pieces: &NamedPieces,
) -> Result<Cell, ReadMoveError> {
    let reference = |name| {
        pieces
            .cell_of(name)
            .ok_or(ReadMoveError::ReferenceInHand(name))
    };
    match target {
        Target::Anywhere => match WideTorus::cell(Hex::new(0, 0)) {
            Some(origin) if pieces.is_empty() => Ok(origin),
            _ => Err(ReadMoveError::MissingTarget(name)),
        },
        Target::OnTop(below) => {
            let cell = reference(below)?;
            if pieces.top(cell, None) == Some(below) {
                Ok(cell)
            } else {
                Err(ReadMoveError::TargetCovered(below))
            }
        }
        Target::Beside(other, direction) => {
            let cell = WideTorus::neighbour(reference(other)?, direction)
                .ok_or(ReadMoveError::ReferenceInHand(other))?;
            if pieces.top(cell, Some(name)).is_some() {
                Err(ReadMoveError::Occupied(name))
            } else {
                Ok(cell)
            }
        }
    }
}

/// Writes a move in canonical form.
pub(super) fn write(mv: Move, position: &Position, pieces: &NamedPieces) -> String {
    let (Some(name), Some(to)) = (pieces.moved_by(position, mv), mv.destination()) else {
        return "pass".to_owned();
    };
    if let Some(below) = pieces.top(to, Some(name)) {
        return format!("{name} {below}");
    }
    for (direction, before, after) in MARKS {
        let beside = WideTorus::neighbour(to, direction.opposite());
        if let Some(reference) = beside.and_then(|cell| pieces.top(cell, Some(name))) {
            return format!("{name} {before}{reference}{after}");
        }
    }
    name.to_string()
}
