//! Adjudicates resignations and draws from the scores that players report.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use wabe_files::text::stored_as_text;
use wabe_hive::game::Adjudication;
use wabe_hive::{ByColor, Color};

/// When players resign or agree to a draw. Players that do not report scores do neither.
#[derive(clap::Args, Clone, Copy, Debug, Default, PartialEq)]
pub struct AdjudicationRules {
    /// Resign after N consecutive moves scored ≤ X
    ///
    /// The moves of the resigning side count, X is from 0 to 0.5: `score=0.03,plies=4`.
    #[arg(long, value_name = "score=X,plies=N")]
    pub resign: Option<ScoreRule>,
    /// Adjudicate a draw after N plies within X of 0.5
    ///
    /// The expected scores of both sides count: `score=0.02,plies=12`.
    #[arg(long, value_name = "score=X,plies=N")]
    pub draw: Option<ScoreRule>,
}

/// A threshold for expected scores, and the number of consecutive plies that must meet it. The text
/// form is `score=0.05,plies=4`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ScoreRule {
    /// Threshold, from 0 to 0.5.
    score: f64,
    /// Number of consecutive plies, at least 1.
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
                format!("`{text}`: expected score=X,plies=N with X from 0 to 0.5 and N at least 1")
            })
    }
}

impl fmt::Display for ScoreRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},plies={}", self.score, self.plies)
    }
}

stored_as_text!(ScoreRule, String);

/// Tracks the reported scores of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Adjudicator {
    rules: AdjudicationRules,
    /// Consecutive moves of each side with a score low enough to resign.
    lost_moves: ByColor<u32>,
    /// Consecutive plies with a score close enough to 0.5.
    drawn_plies: u32,
}

impl Adjudicator {
    pub(super) fn new(rules: AdjudicationRules) -> Adjudicator {
        Adjudicator {
            rules,
            ..Adjudicator::default()
        }
    }

    /// Records the mover's expected score. Returns the adjudication once a rule is met.
    pub(super) fn judge(&mut self, mover: Color, score: Option<f64>) -> Option<Adjudication> {
        let count = |rule: Option<ScoreRule>, before: u32, meets: fn(f64, f64) -> bool| match rule
            .zip(score)
        {
            Some((rule, score)) if meets(score, rule.score) => {
                (before + 1, before + 1 >= rule.plies)
            }
            _ => (0, false),
        };
        let is_lost = |score: f64, threshold: f64| score <= threshold;
        let is_drawn = |score: f64, threshold: f64| (score - 0.5).abs() <= threshold;
        let (lost_moves, resigns) = count(self.rules.resign, self.lost_moves[mover], is_lost);
        let (drawn_plies, agree) = count(self.rules.draw, self.drawn_plies, is_drawn);
        self.lost_moves[mover] = lost_moves;
        self.drawn_plies = drawn_plies;
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

    /// Feeds scores of alternating sides, red first. Returns the ply of the adjudication.
    fn judge(rules: AdjudicationRules, scores: &[Option<f64>]) -> Option<(usize, Adjudication)> {
        let mut adjudicator = Adjudicator::new(rules);
        let sides = Color::ALL.into_iter().cycle();
        let mut plies = (1..).zip(sides.zip(scores));
        plies.find_map(|(ply, (side, &score))| Some((ply, adjudicator.judge(side, score)?)))
    }

    #[test]
    fn resigns_after_low_scores_in_a_row() {
        let rules = AdjudicationRules {
            resign: "score=0.1,plies=2".parse().ok(),
            draw: None,
        };
        let (low, high) = (Some(0.1), Some(0.9));
        let resigns = Some((5, Adjudication::Resignation(Color::Red)));
        assert_eq!(
            judge(rules, &[low, high, low]),
            Some((3, Adjudication::Resignation(Color::Red)))
        );
        assert_eq!(judge(rules, &[low, low, high, high, low]), None);
        assert_eq!(judge(rules, &[low, None, None, None, low]), None);
        assert_eq!(judge(rules, &[None, None, low, None, low]), resigns);
    }

    #[test]
    fn draw_needs_even_scores_of_both_sides() {
        let rules = AdjudicationRules {
            resign: None,
            draw: "score=0.05,plies=3".parse().ok(),
        };
        let even = Some(0.54);
        assert_eq!(judge(rules, &[even; 5]), Some((3, Adjudication::Draw)));
        assert_eq!(judge(rules, &[even, Some(0.6), even, even, None]), None);
    }
}
