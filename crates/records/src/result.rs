//! The results of recorded games.

use crate::Replay;
use wabe_contest::protocol::{Cause, GameResult};
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::Color;
use wabe_hive::game::Game;

/// The result of a game as given in its recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The result that the referee announced: scores, causes and reasons.
    pub game_result: Option<Box<GameResult>>,
    /// The cause in the loser's score.
    pub cause: Option<Cause>,
    /// Why the game ended, if not by the rules.
    pub reason: Option<String>,
}

impl StatedResult {
    /// A result of which only the winner is known.
    pub(crate) fn new(winner: Option<Color>) -> StatedResult {
        StatedResult {
            winner,
            ..StatedResult::default()
        }
    }
}

impl From<GameResult> for StatedResult {
    fn from(game_result: GameResult) -> StatedResult {
        let winner = game_result.winner.as_ref().map(|winner| winner.color);
        StatedResult {
            winner,
            cause: winner.map(|winner| game_result.scores[winner.opponent()].cause),
            reason: None,
            game_result: Some(Box::new(game_result)),
        }
    }
}

impl<G: Game> Replay<G> {
    /// One sentence with the result, its reason and any damage.
    pub fn result_line(&self) -> String {
        let game_result = self
            .stated
            .as_ref()
            .and_then(|stated| stated.game_result.as_deref());
        let ending = self.record.ending();
        let mut line = match (game_result, ending, &self.stated) {
            (Some(game_result), ..) => printable(
                &game_result_line::<G>(game_result, ending.is_some()),
                3 * MAX_DETAIL,
            ),
            (None, Some(ending), Some(stated)) if stated.winner != ending.winner() => format!(
                "{}; recorded result: {}",
                ending.sentence::<G>(),
                result_text::<G>(stated.winner)
            ),
            (None, Some(ending), _) => ending.sentence::<G>(),
            (None, None, Some(stated)) => format!(
                "{} according to the recording: {}",
                result_text::<G>(stated.winner),
                stated.reason.as_deref().map_or_else(
                    || "the rules do not end the game here".to_owned(),
                    |reason| printable(reason, MAX_DETAIL)
                )
            ),
            (None, None, None) => {
                let turn = self.record.position().turn();
                format!("no result; the recording ends after ply {turn}")
            }
        };
        if let Some(damage) = &self.damage {
            line.push_str(&format!("; the recording is damaged: {damage}"));
        }
        line
    }
}

pub(crate) fn result_text<G: Game>(winner: Option<Color>) -> String {
    match winner {
        Some(winner) => format!("{} wins", G::SIDES[winner]),
        None => "draw".to_owned(),
    }
}

/// The winner, both scores and the reason: the one in the scores if the game ended neither by a
/// fault nor by the rules.
fn game_result_line<G: Game>(game_result: &GameResult, is_over: bool) -> String {
    let mut line = match &game_result.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, G::SIDES[winner.color]),
        None if game_result.is_faultless() => "draw".to_owned(),
        None => "no winner".to_owned(),
    };
    for color in Color::ALL {
        let score = &game_result.scores[color];
        let (side, words) = (G::SIDES[color], score.describe());
        line.push_str(&format!("; {side}: {}, {words}", score.cause));
    }
    // A fault takes precedence over the rule that ended the game.
    let faults = Color::ALL.map(|color| game_result.fault(color));
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    let reason = match &game_result.scores.red.reason {
        _ if !faults.is_empty() => Some(faults.join(", ")),
        Some(reason) if !is_over => Some(reason.clone()),
        _ => game_result.reason(Color::Red),
    };
    if let Some(reason) = reason {
        line.push_str(&format!("; {}", reason.replace('\n', " ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_contest::protocol::Score;
    use wabe_hive::ByColor;
    use wabe_hive::contest::Contest;

    #[test]
    fn faults_of_both_sides_are_no_draw() {
        let line = |causes: [Cause; 2]| {
            let [red, blue] = causes.map(|cause| Score {
                cause,
                reason: None,
                match_points: 0,
                free_fields: 6,
            });
            let result = GameResult {
                scores: ByColor { red, blue },
                winner: None,
            };
            game_result_line::<Contest>(&result, false)
        };
        let left = line([Cause::Left; 2]);
        assert!(left.starts_with("no winner; red: LEFT"), "{left}");
        assert!(left.ends_with("; red left the game, blue left the game"));
        assert!(line([Cause::Regular; 2]).starts_with("draw; "));
    }
}
