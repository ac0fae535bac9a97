//! How games end, and their results in the wording of the contest's server.

use std::time::Duration;

use crate::protocol::{Cause, GameResult, Score, Winner};
use wabe_hive::contest::Position;
use wabe_hive::{ByColor, Color, Outcome};

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Termination {
    /// By the rules.
    Regular(Outcome),
    /// By a fault of this side. The other side wins.
    Fault(Color, Cause, String),
    /// Both sides left.
    BothLeft,
}

const WIN: i64 = 2;
const DRAW: i64 = 1;
const LOSS: i64 = 0;

const LEFT: &str = "Der Spieler hat das Spiel verlassen";

impl Termination {
    /// The result to announce.
    pub(super) fn result(&self, position: &Position, names: &ByColor<String>) -> GameResult {
        let winner = match self {
            Termination::Regular(outcome) => outcome.winner(),
            Termination::Fault(side, ..) => Some(side.opponent()),
            Termination::BothLeft => None,
        };
        let draw_points = if *self == Termination::BothLeft {
            LOSS
        } else {
            DRAW
        };
        GameResult {
            scores: ByColor::from_fn(|color| {
                let (cause, reason) = match self {
                    Termination::Regular(outcome) => {
                        (Cause::Regular, Some(regular_reason(*outcome, names)))
                    }
                    Termination::Fault(side, cause, reason) if *side == color => {
                        (*cause, Some(reason.clone()))
                    }
                    Termination::Fault(..) => (Cause::Regular, None),
                    Termination::BothLeft => (Cause::Left, Some(LEFT.to_owned())),
                };
                Score {
                    cause,
                    reason,
                    match_points: match winner {
                        Some(winner) if winner == color => WIN,
                        Some(_) => LOSS,
                        None => draw_points,
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

    /// The termination if a side left the game.
    pub(super) fn left(side: Color) -> Termination {
        Termination::Fault(side, Cause::Left, LEFT.to_owned())
    }

    /// The termination if a side exceeded a time limit.
    pub(super) fn too_late(side: Color, cause: Cause, limit: Duration) -> Termination {
        Termination::Fault(side, cause, timeout_reason(limit))
    }
}

fn timeout_reason(limit: Duration) -> String {
    // 2 becomes `2`, 0.25 becomes `0,25` with a German decimal comma.
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
        // Sic: this is what the contest's server writes after the last round if the numbers are
        // equal.
        Outcome::EqualFreeFields => {
            "Das Rundenlimit wurde erreicht.\nnull hat mehr freie Felder um seine Biene.".into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_limits_are_named_in_seconds() {
        for (milliseconds, text) in [
            (2_000, "von 2 Sek"),
            (10_000, "von 10 Sek"),
            (250, "von 0,25 Sek"),
        ] {
            let reason = timeout_reason(Duration::from_millis(milliseconds));
            assert!(reason.contains(text), "{reason}");
        }
    }
}
