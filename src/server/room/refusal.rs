//! Complaints about illegal moves.

use std::fmt;

use crate::hive::IllegalMove;
use crate::hive::PieceKind;
use crate::hive::contest::{Move, Position};
use crate::protocol::{Endpoint, MoveError, WireAction, WireMove};

/// Translates a move that is legal in `position`.
///
/// # Errors
/// The complaint about an illegal move, in the contest server's words where they are known.
pub(super) fn legal_move(position: &Position, mv: &WireMove) -> Result<Move, String> {
    let complaint = match mv.to_move(position.side_to_move()) {
        Ok(legal) => match position.check(legal) {
            Ok(()) => return Ok(legal),
            Err(reason) => illegal(position, &reason),
        },
        Err(MoveError::OffBoard { endpoint, at }) => {
            let endpoint = match endpoint {
                Endpoint::Start => "Start",
                Endpoint::Destination => "Destination",
            };
            format!("{endpoint} {at} is out of bounds")
        }
        Err(reason) => sentence(&reason),
    };
    Err(format!("{complaint}; move was {}", Described(&mv.action)))
}

fn illegal(position: &Position, reason: &IllegalMove) -> String {
    let mover = position.side_to_move();
    let first_piece = !position.has_placed(mover) && position.has_placed(mover.opponent());
    match reason {
        IllegalMove::Placement(_) if first_piece => {
            "Your first piece has to touch the piece of the other player".to_owned()
        }
        reason => sentence(reason),
    }
}

fn sentence(reason: &impl fmt::Display) -> String {
    let text = reason.to_string();
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => text,
    }
}

/// A move in the contest server's words.
struct Described<'m>(&'m WireAction);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            WireAction::Set { piece, destination } => {
                let owner = piece.color.to_string().to_uppercase();
                let kind = piece.kind.name().to_uppercase();
                write!(f, "Set {owner} {kind} to {}", destination.at)
            }
            WireAction::Drag { start, destination } => {
                write!(f, "Drag from {} to {}", start.at, destination.at)
            }
            WireAction::Skip => f.write_str("Skip"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::CellSet;
    use crate::hive::contest::{ContestPiece, Deal, Kind};
    use crate::hive::{Color, Piece};
    use crate::protocol::{WireCoordinates, WirePlace};

    fn place(x: i64, y: i64, z: i64) -> WirePlace {
        WirePlace::plain(WireCoordinates { x, y, z })
    }

    fn set(piece: ContestPiece, destination: WirePlace) -> WireMove {
        WireMove {
            hint: None,
            action: WireAction::Set { piece, destination },
        }
    }

    fn refusals(moves: &[WireMove]) -> Vec<String> {
        let mut position = Deal::Server.start(CellSet::EMPTY);
        let mut refusals = Vec::new();
        for mv in moves {
            match legal_move(&position, mv) {
                Ok(mv) => position.play(mv),
                Err(text) => refusals.push(text),
            }
        }
        refusals
    }

    #[test]
    fn places_outside_of_the_board_are_refused_in_the_contest_servers_words() {
        let ant = Piece::new(Color::Red, Kind::Ant);
        assert_eq!(
            refusals(&[set(ant, place(9, 9, -18))]),
            ["Destination (9,9,-18) is out of bounds; move was Set RED ANT to (9,9,-18)"]
        );
    }

    #[test]
    fn a_first_piece_far_from_the_other_players_is_refused_in_the_contest_servers_words() {
        let moves = [Color::Red, Color::Blue].map(|color| Piece::new(color, Kind::Ant));
        assert_eq!(
            refusals(&[
                set(moves[0], place(0, 0, 0)),
                set(moves[1], place(3, 0, -3))
            ]),
            [
                "Your first piece has to touch the piece of the other player; \
              move was Set BLUE ANT to (3,0,-3)"
            ]
        );
    }

    #[test]
    fn other_faults_are_named() {
        let own = Piece::new(Color::Red, Kind::Ant);
        let other = Piece::new(Color::Blue, Kind::Ant);
        let action = WireAction::Drag {
            start: place(0, 0, 0),
            destination: place(-1, 1, 0),
        };
        let drag = WireMove { hint: None, action };
        let skip = WireMove {
            hint: None,
            action: WireAction::Skip,
        };
        assert_eq!(
            refusals(&[
                set(own, place(1, 1, 1)),
                set(other, place(0, 0, 0)),
                drag,
                skip
            ]),
            [
                "The destination (1,1,1) does not satisfy x + y + z = 0; move was Set RED ANT to (1,1,1)",
                "Red cannot place a piece of the other side; move was Set BLUE ANT to (0,0,0)",
                "No piece may move before its side's bee is on the board; \
                 move was Drag from (0,0,0) to (-1,1,0)",
                "Passing is not allowed while there is a legal move; move was Skip",
            ]
        );
    }
}
