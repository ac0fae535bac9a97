//! Scores over several games, for administrators who test players.

use std::collections::HashMap;

use crate::protocol::{GameResult, PlayerScore, Score};
use wabe_hive::{ByColor, Color};

/// The scores of all players by display name.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoreBoard {
    totals: HashMap<String, Total>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Total {
    games: i64,
    match_points: i64,
    free_fields: i64,
}

impl ScoreBoard {
    /// Counts a game, unless both players have the same name.
    pub(super) fn add(&mut self, names: &ByColor<String>, result: &GameResult) {
        if names.red == names.blue {
            log::warn!("game not counted: both players are named `{}`", names.red);
            return;
        }
        for color in Color::ALL {
            let Score {
                match_points,
                free_fields,
                ..
            } = result.scores[color];
            let total = self.totals.entry(names[color].clone()).or_default();
            total.games += 1;
            total.match_points += match_points;
            total.free_fields += free_fields;
        }
    }

    /// A player's scores; `None` if no games were counted.
    pub(super) fn score(&self, display_name: &str) -> Option<PlayerScore> {
        let total = self.totals.get(display_name)?;
        let average = total.free_fields as f64 / total.games as f64;
        Some(PlayerScore {
            display_name: display_name.to_owned(),
            number_of_tests: total.games,
            values: [total.match_points.to_string(), format!("{average:.6}")],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Cause;

    fn game(red: (i64, i64), blue: (i64, i64)) -> GameResult {
        let score = |(match_points, free_fields)| Score {
            cause: Cause::Regular,
            reason: None,
            match_points,
            free_fields,
        };
        GameResult {
            scores: ByColor {
                red: score(red),
                blue: score(blue),
            },
            winner: None,
        }
    }

    fn names(red: &str, blue: &str) -> ByColor<String> {
        ByColor {
            red: red.to_owned(),
            blue: blue.to_owned(),
        }
    }

    #[test]
    fn scores_add_points_average_fields() {
        let mut board = ScoreBoard::default();
        board.add(&names("A", "B"), &game((2, 3), (0, 0)));
        board.add(&names("B", "A"), &game((1, 2), (1, -1)));
        board.add(&names("A", "B"), &game((0, 0), (2, 5)));
        let score = board.score("A").unwrap();
        assert_eq!(score.number_of_tests, 3);
        assert_eq!(score.values, ["3", "0.666667"]);
    }

    #[test]
    fn games_of_namesakes_do_not_count() {
        let mut board = ScoreBoard::default();
        board.add(&names("A", "A"), &game((2, 3), (0, 0)));
        assert_eq!(board.score("A"), None);
    }
}
