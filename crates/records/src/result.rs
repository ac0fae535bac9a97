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
    /// The referee's verdict: scores, causes and reasons.
    pub verdict: Option<Box<GameResult>>,
    /// The cause in the loser's score.
    pub cause: Option<Cause>,
    /// Why the game ended, if not by the rules.
    pub reason: Option<String>,
}

impl StatedResult {
    /// A result without verdict, cause and reason.
    pub(crate) fn new(winner: Option<Color>) -> StatedResult {
        StatedResult {
            winner,
            ..StatedResult::default()
        }
    }
}

impl From<GameResult> for StatedResult {
    fn from(verdict: GameResult) -> StatedResult {
        let winner = verdict.winner.as_ref().map(|winner| winner.color);
        StatedResult {
            winner,
            cause: winner.map(|winner| verdict.scores[winner.opponent()].cause),
            reason: None,
            verdict: Some(Box::new(verdict)),
        }
    }
}

impl<G: Game> Replay<G> {
    /// One sentence with the result, its reason and any damage.
    pub fn result_line(&self) -> String {
        let verdict = self.stated.as_ref().and_then(|a| a.verdict.as_deref());
        let ending = self.record.ending();
        let mut line = match (verdict, ending, &self.stated) {
            (Some(verdict), ..) => printable(
                &verdict_line::<G>(verdict, ending.is_some()),
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

/// The winner, both scores and the reason. Uses the verdict's reason if the game ended neither by a
/// fault nor by the rules.
fn verdict_line<G: Game>(verdict: &GameResult, is_over: bool) -> String {
    let mut line = match &verdict.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, G::SIDES[winner.color]),
        None => "draw".to_owned(),
    };
    for color in Color::ALL {
        let score = &verdict.scores[color];
        let (side, words) = (G::SIDES[color], score.describe());
        line.push_str(&format!("; {side}: {}, {words}", score.cause));
    }
    // A fault takes precedence over the rule that ended the game.
    let fault = Color::ALL
        .into_iter()
        .find_map(|color| verdict.fault(color));
    let reason = match &verdict.scores.red.reason {
        Some(reason) if !is_over && verdict.is_faultless() => Some(reason.clone()),
        _ => fault.or_else(|| verdict.reason(Color::Red)),
    };
    if let Some(reason) = reason {
        line.push_str(&format!("; {}", reason.replace('\n', " ")));
    }
    line
}
