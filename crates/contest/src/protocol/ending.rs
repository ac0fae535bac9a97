//! Describes the end of a game in English.

use super::result::{Cause, GameResult, Score};
use wabe_hive::contest::Contest;
use wabe_hive::game::Ending;
use wabe_hive::{Color, Outcome};

impl GameResult {
    /// True if neither side committed a fault.
    pub fn is_faultless(&self) -> bool {
        let mut causes = Color::ALL.into_iter().map(|color| self.scores[color].cause);
        causes.all(|cause| cause == Cause::Regular)
    }

    /// The outcome by the rules, reconstructed from the scores. `None` if a side committed a fault,
    /// or if the scores contradict the winner.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.is_faultless() {
            return None;
        }
        let scores = &self.scores;
        let free = |color| scores[color].free_fields;
        match &self.winner {
            None if free(Color::Red) != free(Color::Blue) => None,
            None if free(Color::Red) == 0 => Some(Outcome::BothSurrounded),
            None => Some(Outcome::EqualFreeFields),
            Some(winner) => match (free(winner.color), free(winner.color.opponent())) {
                (own, 0) if own != 0 => Some(Outcome::Surrounded(winner.color)),
                (own, other) if own > other => Some(Outcome::MoreFreeFields(winner.color)),
                _ => None,
            },
        }
    }

    /// One side's fault as a sentence, such as `red left the game`; `None` if there was none.
    pub fn fault(&self, color: Color) -> Option<String> {
        let score = &self.scores[color];
        let fault = score.cause.fault()?;
        Some(match (self.sentence(color), &score.reason) {
            (Some(sentence), _) => sentence.to_owned(),
            (None, Some(reason))
                if matches!(score.cause, Cause::RuleViolation | Cause::Unknown) =>
            {
                format!("{color} {fault} ({reason})")
            }
            _ => format!("{color} {fault}"),
        })
    }

    /// The reason, if it is a sentence about the side. wabe's referees write such sentences to add
    /// details to the cause. The contest's server does not.
    pub fn sentence(&self, color: Color) -> Option<&str> {
        let reason = self.scores[color].reason.as_deref()?;
        reason.starts_with(&format!("{color} ")).then_some(reason)
    }

    /// Why the game ended, from the view of one side. The server's German explanation is used only
    /// for illegal moves and unknown causes, where it is more specific.
    pub fn reason(&self, color: Color) -> Option<String> {
        let score = &self.scores[color];
        let server = score.reason.clone();
        match score.cause {
            Cause::Regular => self
                .outcome()
                .map(|outcome| Ending::Rules(outcome).reason::<Contest>())
                .or(server),
            Cause::RuleViolation | Cause::Unknown => server,
            cause @ (Cause::Left | Cause::SoftTimeout | Cause::HardTimeout) => {
                self.sentence(color).or(cause.fault()).map(str::to_owned)
            }
        }
    }
}

impl Cause {
    /// The side's fault as a predicate, such as `left the game`; `None` for a regular end.
    pub const fn fault(self) -> Option<&'static str> {
        Some(match self {
            Cause::Regular => return None,
            Cause::Left => "left the game",
            Cause::RuleViolation => "made an illegal move",
            Cause::SoftTimeout => "answered too late",
            Cause::HardTimeout => "did not answer",
            Cause::Unknown => "failed",
        })
    }
}

impl Score {
    /// Match points and free fields around the side's bee, such as `1 point, 3 free fields`.
    pub fn describe(&self) -> String {
        let points = match self.match_points {
            1 => "1 point".to_owned(),
            points => format!("{points} points"),
        };
        let free = match self.free_fields {
            // The contest's server sends -1 for a bee that was never placed.
            -1 => "bee not placed".to_owned(),
            1 => "1 free field".to_owned(),
            fields => format!("{fields} free fields"),
        };
        format!("{points}, {free}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::result::Winner;
    use wabe_hive::ByColor;

    const GERMAN: &str = "Das Spiel ist beendet.";

    /// A result with this cause and reason in blue's score.
    fn result(
        winner: Option<Color>,
        free_fields: [i64; 2],
        (cause, reason): (Cause, Option<&str>),
    ) -> GameResult {
        let [red, blue] = free_fields;
        let score = |cause, free_fields, reason: Option<&str>| Score {
            cause,
            reason: reason.map(str::to_owned),
            match_points: 1,
            free_fields,
        };
        GameResult {
            scores: ByColor {
                red: score(Cause::Regular, red, Some(GERMAN)),
                blue: score(cause, blue, reason),
            },
            winner: winner.map(|color| Winner {
                color,
                display_name: String::new(),
            }),
        }
    }

    #[test]
    fn regular_endings_are_described() {
        let (red, blue) = (Some(Color::Red), Some(Color::Blue));
        let most_free = |bee| format!("more free fields around {bee} bee after the last round");
        let equal = "equal numbers of free fields around the bees after the last round";
        for (winner, free_fields, reason) in [
            (red, [3, 0], "blue's bee is surrounded"),
            (blue, [0, -1], "red's bee is surrounded"),
            (blue, [2, 3], &most_free("blue's")),
            (red, [1, -1], &most_free("red's")),
            (None, [0, 0], "both bees are surrounded"),
            (None, [4, 4], equal),
            // Scores that contradict the winner.
            (None, [3, 2], GERMAN),
            (red, [2, 3], GERMAN),
            (blue, [4, 4], GERMAN),
        ] {
            let result = result(winner, free_fields, (Cause::Regular, Some(GERMAN)));
            for color in Color::ALL {
                assert_eq!(result.reason(color).as_deref(), Some(reason));
            }
        }
    }

    #[test]
    fn faults_are_described_by_reason_or_cause() {
        let sentence = "blue sent a malformed message (at byte 3)";
        for (cause, reason, fault, expected) in [
            (Cause::Left, None, "blue left the game", "left the game"),
            (
                Cause::Left,
                Some(GERMAN),
                "blue left the game",
                "left the game",
            ),
            (
                Cause::Left,
                Some("blues"),
                "blue left the game",
                "left the game",
            ),
            (
                Cause::Left,
                Some("red left"),
                "blue left the game",
                "left the game",
            ),
            (Cause::Left, Some(sentence), sentence, sentence),
            (Cause::SoftTimeout, Some(sentence), sentence, sentence),
            (Cause::RuleViolation, Some(sentence), sentence, sentence),
            (
                Cause::SoftTimeout,
                None,
                "blue answered too late",
                "answered too late",
            ),
            (
                Cause::HardTimeout,
                None,
                "blue did not answer",
                "did not answer",
            ),
            (
                Cause::RuleViolation,
                Some("No."),
                "blue made an illegal move (No.)",
                "No.",
            ),
            (Cause::Unknown, Some("No."), "blue failed (No.)", "No."),
        ] {
            let result = result(Some(Color::Red), [3, 3], (cause, reason));
            assert_eq!(result.outcome(), None);
            assert_eq!(result.fault(Color::Blue).as_deref(), Some(fault));
            assert_eq!(result.reason(Color::Blue).as_deref(), Some(expected));
            assert_eq!(result.fault(Color::Red), None);
        }
    }
}
