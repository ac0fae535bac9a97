//! Ends of games by the players' own scores: resignations and agreed draws.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use wabe_files::text::stored_as_text;
use wabe_hive::game::Adjudication;
use wabe_hive::{ByColor, Color};

/// When players resign or agree to a draw. Players that report no scores never do.
#[derive(clap::Args, Clone, Copy, Debug, Default, PartialEq)]
pub struct AdjudicationRules {
    /// A side resigns after N of its moves in a row with an expected score of at most X, from 0 to
    /// 0.5: score=0.03,plies=4
    #[arg(long, value_name = "RULE")]
    pub resign: Option<ScoreRule>,
    /// The players agree to a draw after N plies in a row with expected scores within X of 0.5:
    /// score=0.02,plies=12
    #[arg(long, value_name = "RULE")]
    pub draw: Option<ScoreRule>,
}

/// A bound on expected scores that holds for some plies in a row. Its text form is
/// `score=0.05,plies=4`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScoreRule {
    /// The bound, from 0 to 0.5.
    score: f64,
    /// The plies, at least 1.
    plies: u32,
}

impl FromStr for ScoreRule {
    type Err = String;

    fn from_str(text: &str) -> Result<ScoreRule, String> {
        let parts = text.split_once(',').and_then(|(score, plies)| {
            let score = score.strip_prefix("score=")?.parse().ok()?;
            let plies = plies.strip_prefix("plies=")?.parse().ok()?;
            Some(ScoreRule { score, plies })
        });
        parts
            .filter(|rule| (0.0..=0.5).contains(&rule.score) && rule.plies > 0)
            .ok_or_else(|| {
                format!("`{text}`: expected score=X,plies=N with X from 0 to 0.5 and N from 1")
            })
    }
}

impl fmt::Display for ScoreRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},plies={}", self.score, self.plies)
    }
}

stored_as_text!(ScoreRule, String);

/// Follows the scores of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjudicator {
    rules: AdjudicationRules,
    /// Consecutive moves of each side with scores low enough to resign.
    lost: ByColor<u32>,
    /// Consecutive plies that their movers scored as drawn.
    drawn: u32,
}

impl Adjudicator {
    pub(super) fn new(rules: AdjudicationRules) -> Adjudicator {
        Adjudicator {
            rules,
            ..Adjudicator::default()
        }
    }

    /// Counts a mover's expected score, and returns the agreement that it leads to, if any.
    pub(super) fn judge(&mut self, mover: Color, score: Option<f64>) -> Option<Adjudication> {
        let counted = |rule: Option<ScoreRule>, before: u32, is_so: fn(f64, f64) -> bool| match rule
            .zip(score)
        {
            Some((rule, score)) if is_so(score, rule.score) => {
                (before + 1, before + 1 >= rule.plies)
            }
            _ => (0, false),
        };
        let is_lost = |score: f64, most: f64| score <= most;
        let is_drawn = |score: f64, most: f64| (score - 0.5).abs() <= most;
        let (lost, resigns) = counted(self.rules.resign, self.lost[mover], is_lost);
        let (drawn, agree) = counted(self.rules.draw, self.drawn, is_drawn);
        self.lost[mover] = lost;
        self.drawn = drawn;
        if resigns {
            Some(Adjudication::Resignation(mover))
        } else {
            agree.then_some(Adjudication::Draw)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end after these scores, red's first, with the number of plies.
    fn end(rules: AdjudicationRules, scores: &[Option<f64>]) -> Option<(usize, Adjudication)> {
        let mut adjudicator = Adjudicator::new(rules);
        let sides = Color::ALL.into_iter().cycle();
        let mut plies = (1..).zip(sides.zip(scores));
        plies.find_map(|(ply, (side, &score))| Some((ply, adjudicator.judge(side, score)?)))
    }

    #[test]
    fn a_side_resigns_after_moves_in_a_row_with_a_low_score() {
        let rules = AdjudicationRules {
            resign: "score=0.1,plies=2".parse().ok(),
            draw: None,
        };
        let (low, high) = (Some(0.1), Some(0.9));
        let resigns = Some((5, Adjudication::Resignation(Color::Red)));
        assert_eq!(
            end(rules, &[low, high, low]),
            Some((3, Adjudication::Resignation(Color::Red)))
        );
        assert_eq!(end(rules, &[low, low, high, high, low]), None);
        assert_eq!(end(rules, &[low, None, None, None, low]), None);
        assert_eq!(end(rules, &[None, None, low, None, low]), resigns);
    }

    #[test]
    fn a_draw_is_agreed_when_both_expect_one() {
        let rules = AdjudicationRules {
            resign: None,
            draw: "score=0.05,plies=3".parse().ok(),
        };
        let even = Some(0.54);
        assert_eq!(end(rules, &[even; 5]), Some((3, Adjudication::Draw)));
        assert_eq!(end(rules, &[even, Some(0.6), even, even, None]), None);
    }
}
