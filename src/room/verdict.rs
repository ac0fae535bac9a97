//! The contest server's words: the end of a game, and complaints about illegal moves.

use std::fmt;
use std::time::Duration;

use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color, IllegalMove, Outcome, PieceKind};
use crate::protocol::{
    Cause, Endpoint, GameResult, MoveError, Score, Winner, WireAction, WireMove,
};

/// The way in which a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// By the rules.
    Regular(Outcome),
    /// By one side's fault. The other side wins.
    Fault {
        /// The side at fault.
        by: Color,
        /// Its fault.
        fault: Fault,
    },
    /// Both sides left.
    Deserted,
}

/// A fault that loses the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Left,
    /// A reply after this limit.
    SoftTimeout(Duration),
    /// No reply within this limit.
    HardTimeout(Duration),
    /// An illegal move, with the complaint about it.
    RuleViolation(String),
}

const WIN: i64 = 2;
const DRAW: i64 = 1;
const LOSS: i64 = 0;

impl Verdict {
    /// The result to announce.
    pub(super) fn result(&self, position: &Position, names: &ByColor<String>) -> GameResult {
        let winner = self.winner();
        GameResult {
            scores: ByColor::from_fn(|color| {
                let (cause, reason) = self.cause(color, names);
                Score {
                    cause,
                    reason,
                    match_points: match winner {
                        Some(winner) if winner == color => WIN,
                        Some(_) => LOSS,
                        None if *self == Verdict::Deserted => LOSS,
                        None => DRAW,
                    },
                    free_fields: position.free_around_bee(color).map_or(-1, i64::from),
                }
            }),
            winner: winner.map(|color| Winner {
                color,
                display_name: names[color].clone(),
            }),
        }
    }

    /// The verdict on a game that one side left.
    pub(super) fn left(by: Color) -> Verdict {
        let fault = Fault::Left;
        Verdict::Fault { by, fault }
    }

    fn winner(&self) -> Option<Color> {
        match self {
            Verdict::Regular(outcome) => outcome.winner(),
            Verdict::Fault { by, .. } => Some(by.opponent()),
            Verdict::Deserted => None,
        }
    }

    fn cause(&self, color: Color, names: &ByColor<String>) -> (Cause, Option<String>) {
        match self {
            Verdict::Regular(outcome) => (Cause::Regular, Some(regular_reason(*outcome, names))),
            Verdict::Fault { by, fault } if *by == color => fault.cause(),
            Verdict::Fault { .. } => (Cause::Regular, None),
            Verdict::Deserted => Fault::Left.cause(),
        }
    }
}

impl Fault {
    fn cause(&self) -> (Cause, Option<String>) {
        let (cause, reason) = match self {
            Fault::Left => (
                Cause::Left,
                "Der Spieler hat das Spiel verlassen".to_owned(),
            ),
            Fault::SoftTimeout(limit) => (Cause::SoftTimeout, too_late(*limit)),
            Fault::HardTimeout(limit) => (Cause::HardTimeout, too_late(*limit)),
            Fault::RuleViolation(complaint) => (Cause::RuleViolation, complaint.clone()),
        };
        (cause, Some(reason))
    }
}

fn too_late(limit: Duration) -> String {
    // Prints 2 as `2` and 0.25 as `0.25`; German writes a decimal comma.
    let seconds = limit.as_secs_f64().to_string().replace('.', ",");
    format!(
        "Der Spieler hat innerhalb von {seconds} Sekunden nach Aufforderung keinen Zug gesendet"
    )
}

fn regular_reason(outcome: Outcome, names: &ByColor<String>) -> String {
    let full_name = |color: Color| {
        let color_name = match color {
            Color::Red => "Rot",
            Color::Blue => "Blau",
        };
        format!("{} ({color_name})", names[color])
    };
    match outcome {
        Outcome::Surrounded(winner) => format!(
            "Das Spiel ist beendet.\n{} hat die gegnerische Biene umzingelt.",
            full_name(winner)
        ),
        Outcome::MoreFreeFields(winner) => format!(
            "Das Rundenlimit wurde erreicht.\n{} hat mehr freie Felder um seine Biene.",
            full_name(winner)
        ),
        Outcome::BothSurrounded => "Das Spiel ist beendet.\nBeide Bienen sind umzingelt.".into(),
        // Sic: the contest server's reason after the last round with equal numbers.
        Outcome::EqualFreeFields => {
            "Das Rundenlimit wurde erreicht.\nnull hat mehr freie Felder um seine Biene.".into()
        }
    }
}

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

    #[test]
    fn time_limits_are_named_in_seconds() {
        for (milliseconds, text) in [
            (2_000, "von 2 Sek"),
            (10_000, "von 10 Sek"),
            (250, "von 0,25 Sek"),
        ] {
            let reason = too_late(Duration::from_millis(milliseconds));
            assert!(reason.contains(text), "{reason}");
        }
    }

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
