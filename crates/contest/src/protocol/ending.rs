//! The end of a game, in English.

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

    /// The outcome by the rules, reconstructed from the scores. `None` if a side committed a fault, or the scores contradict the
    /// winner.
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

    /// The fault of one side in a sentence, such as `red left the game`; `None` if it committed none.
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

    /// A reason that is a sentence about the side. wabe's referees write one where there is more to say than the cause; the contest's
    /// server never does.
    pub fn sentence(&self, color: Color) -> Option<&str> {
        let reason = self.scores[color].reason.as_deref()?;
        reason.starts_with(&format!("{color} ")).then_some(reason)
    }

    /// The reason for the end of the game, for one side. The server's German explanation is used only where it says more: for illegal
    /// moves, and for unknown causes.
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
    /// The side's fault as a predicate, such as `left the game`; `None` if it committed none.
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
    /// The match points and the free fields around the side's bee, such as `1 point, 3 free fields`.
    pub fn in_words(&self) -> String {
        let points = match self.match_points {
            1 => "1 point".to_owned(),
            points => format!("{points} points"),
        };
        let free = match self.free_fields {
            // The contest's server sends -1 for a bee in reserve.
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

    fn score(cause: Cause, match_points: i64, free_fields: i64) -> Score {
        Score {
            cause,
            reason: Some("Das Spiel ist beendet.".to_owned()),
            match_points,
            free_fields,
        }
    }

    fn result(winner: Option<Color>, red: Score, blue: Score) -> GameResult {
        GameResult {
            scores: ByColor { red, blue },
            winner: winner.map(|color| Winner {
                color,
                display_name: String::new(),
            }),
        }
    }

    fn regular(winner: Option<Color>, red: i64, blue: i64) -> GameResult {
        let score = |free_fields| score(Cause::Regular, 1, free_fields);
        result(winner, score(red), score(blue))
    }

    #[test]
    fn ends_by_the_rules_are_told_in_english() {
        let (red, blue) = (Some(Color::Red), Some(Color::Blue));
        for (winner, red_free, blue_free, reason) in [
            (red, 3, 0, "blue's bee is surrounded"),
            (blue, 0, -1, "red's bee is surrounded"),
            (
                blue,
                2,
                3,
                "more free fields around blue's bee after the last round",
            ),
            (
                red,
                1,
                -1,
                "more free fields around red's bee after the last round",
            ),
            (None, 0, 0, "both bees are surrounded"),
            (
                None,
                4,
                4,
                "equally many free fields around the bees after the last round",
            ),
        ] {
            let result = regular(winner, red_free, blue_free);
            for color in Color::ALL {
                assert_eq!(result.reason(color).as_deref(), Some(reason));
            }
        }
    }

    #[test]
    fn unexplained_endings_quote_the_server() {
        for (winner, red_free, blue_free) in [
            (None, 3, 2),
            (Some(Color::Red), 2, 3),
            (Some(Color::Blue), 4, 4),
        ] {
            let result = regular(winner, red_free, blue_free);
            assert_eq!(result.outcome(), None);
            assert_eq!(
                result.reason(Color::Blue).as_deref(),
                Some("Das Spiel ist beendet.")
            );
        }
    }

    #[test]
    fn forfeits_are_described_by_their_cause() {
        let reason = |cause| {
            let result = result(
                Some(Color::Red),
                score(Cause::Regular, 2, 3),
                score(cause, 0, 3),
            );
            assert_eq!(result.outcome(), None);
            result.reason(Color::Blue)
        };
        assert_eq!(reason(Cause::Left).as_deref(), Some("left the game"));
        assert_eq!(
            reason(Cause::SoftTimeout).as_deref(),
            Some("answered too late")
        );
        assert_eq!(
            reason(Cause::HardTimeout).as_deref(),
            Some("did not answer")
        );
        for cause in [Cause::RuleViolation, Cause::Unknown] {
            assert_eq!(reason(cause).as_deref(), Some("Das Spiel ist beendet."));
        }
    }

    #[test]
    fn reasons_precede_causes() {
        let told = |cause, reason: Option<&str>| {
            let mut result = regular(Some(Color::Red), 3, 3);
            result.scores.blue.cause = cause;
            result.scores.blue.reason = reason.map(str::to_owned);
            [result.fault(Color::Blue), result.reason(Color::Blue)].map(Option::unwrap_or_default)
        };
        let sentence = "blue sent a malformed message (at byte 3)";
        for cause in [Cause::Left, Cause::SoftTimeout, Cause::RuleViolation] {
            assert_eq!(told(cause, Some(sentence)), [sentence; 2]);
        }
        for reason in [
            None,
            Some("Der Spieler hat das Spiel verlassen"),
            Some("blues"),
            Some("red left"),
        ] {
            let expected = ["blue left the game", "left the game"];
            assert_eq!(told(Cause::Left, reason), expected);
        }
        let expected = ["blue made an illegal move (No.)", "No."];
        assert_eq!(told(Cause::RuleViolation, Some("No.")), expected);
        assert_eq!(regular(None, 3, 3).fault(Color::Red), None);
    }
}
