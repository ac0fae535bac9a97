//! The end of a game in English.

use std::fmt;

use super::error::one_line;
use super::session::GameOver;
use crate::hive::Color;
use crate::protocol::GameResult;

/// The winner on the first line, then a [`ScoreLine`] for each side.
///
/// ```text
/// won as red
/// red   2 points, 4 free fields, REGULAR (blue's bee is surrounded): wabe
/// blue  0 points, 0 free fields, REGULAR (blue's bee is surrounded): other
/// ```
impl fmt::Display for GameOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.result.winner.as_ref().map(|winner| winner.color);
        match (winner, self.color) {
            (None, Some(color)) => write!(f, "drawn as {color}")?,
            (None, None) => f.write_str("drawn")?,
            (Some(winner), Some(color)) if winner == color => write!(f, "won as {color}")?,
            (Some(_), Some(color)) => write!(f, "lost as {color}")?,
            (Some(winner), None) => write!(f, "{winner} won")?,
        }
        for color in Color::ALL {
            let line = ScoreLine {
                color,
                result: &self.result,
                name: &self.names[color],
            };
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

/// A side's score: match points, free fields around its bee, cause, reason and name.
#[derive(Clone, Copy, Debug)]
pub struct ScoreLine<'a> {
    /// The side.
    pub color: Color,
    /// The result of the game.
    pub result: &'a GameResult,
    /// The side's name.
    pub name: &'a str,
}

impl fmt::Display for ScoreLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScoreLine {
            color,
            result,
            name,
        } = *self;
        let score = &result.scores[color];
        let label = color.to_string();
        write!(f, "{label:<5} {}, {}", score.in_words(), score.cause)?;
        if let Some(reason) = result.reason(color) {
            write!(f, " ({})", one_line(&reason))?;
        }
        if !name.is_empty() {
            write!(f, ": {}", one_line(name))?;
        }
        Ok(())
    }
}
