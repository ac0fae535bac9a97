//! The end of a game, in the contest server's words.

use std::time::Duration;

use crate::hive::contest::Position;
use crate::hive::{ByColor, Color, DrawReason, Outcome, WinReason};
use crate::protocol::{Cause, Fragment, GameResult, Score, Winner};

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
            definition: Fragment::contest(),
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
        Outcome::Win {
            winner,
            reason: WinReason::Surrounded,
        } => format!(
            "Das Spiel ist beendet.\n{} hat die gegnerische Biene umzingelt.",
            full_name(winner)
        ),
        Outcome::Win {
            winner,
            reason: WinReason::MoreFreeFields,
        } => format!(
            "Das Rundenlimit wurde erreicht.\n{} hat mehr freie Felder um seine Biene.",
            full_name(winner)
        ),
        Outcome::Draw {
            reason: DrawReason::BothSurrounded,
        } => "Das Spiel ist beendet.\nBeide Bienen sind umzingelt.".into(),
        // Sic: the contest server's reason after the last round with equal numbers.
        Outcome::Draw {
            reason: DrawReason::EqualFreeFields,
        } => "Das Rundenlimit wurde erreicht.\nnull hat mehr freie Felder um seine Biene.".into(),
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
            let reason = too_late(Duration::from_millis(milliseconds));
            assert!(reason.contains(text), "{reason}");
        }
    }
}
