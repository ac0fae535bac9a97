//! Formats the result of a game.

use std::fmt;

use super::error::one_line;
use super::session::GameOver;
use wabe_hive::Color;

/// The winner on the first line, then one line per side: points, free fields, cause, reason and
/// name.
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
            let score = &self.result.scores[color];
            let label = color.to_string();
            write!(f, "\n{label:<5} {}, {}", score.describe(), score.cause)?;
            if let Some(reason) = self.result.reason(color) {
                write!(f, " ({})", one_line(&reason))?;
            }
            let name = &self.names[color];
            if !name.is_empty() {
                write!(f, ": {}", one_line(name))?;
            }
        }
        Ok(())
    }
}
