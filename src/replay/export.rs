//! A recording in other forms.

use serde_json::{Value, json};

use super::Replay;
use crate::hive::Color;
use crate::protocol::{GameResult, Score};

/// The game as JSON: `red` and `blue` are the names; `plies` has for each position `turn`, `position` in its text form, and
/// `move`, `hint` and `seconds` (what the move took) where they are known; `result` has `winner` (`"red"`, `"blue"` or `null`) and for each side `cause`,
/// `reason`, `match_points` and `free_fields`, or is `null`; `damage` says where the recording breaks off, or is `null`.
pub fn json(replay: &Replay) -> Value {
    let plies: Vec<Value> = replay
        .plies
        .iter()
        .map(|ply| {
            json!({
                "turn": ply.position.turn(),
                "position": ply.position.to_string(),
                "move": ply.last_move.map(|mv| mv.to_string()),
                "hint": ply.hint,
                "seconds": ply.time.map(|time| time.as_secs_f64()),
            })
        })
        .collect();
    let score = |score: &Score| {
        json!({
            "cause": score.cause.to_string(),
            "reason": score.reason,
            "match_points": score.match_points,
            "free_fields": score.free_fields,
        })
    };
    json!({
        "red": replay.names.red,
        "blue": replay.names.blue,
        "plies": plies,
        "result": replay.result.as_ref().map(|result| json!({
            "winner": result.winner.as_ref().map(|winner| winner.color.to_string()),
            "scores": { "red": score(&result.scores.red), "blue": score(&result.scores.blue) },
        })),
        "damage": replay.damage.as_ref().map(ToString::to_string),
    })
}

/// One sentence about how the game ended, as far as the recording knows.
pub fn result_line(replay: &Replay) -> String {
    let Some(result) = &replay.result else {
        let turn = replay.last().position.turn();
        return match (replay.last().position.outcome(), &replay.damage) {
            (Some(outcome), _) => outcome.to_string(),
            (None, None) => format!("no result; the recording ends after {turn} plies"),
            (None, Some(damage)) => format!("no result; the recording is damaged: {damage}"),
        };
    };
    let mut line = match &result.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, winner.color),
        None => "draw".to_owned(),
    };
    for color in Color::ALL {
        let score = &result.scores[color];
        line.push_str(&format!("; {color}: {}, {}", score.cause, score.in_words()));
    }
    if let Some(reason) = reason(result) {
        line.push_str(&format!("; {}", reason.replace('\n', " ")));
    }
    if let Some(damage) = &replay.damage {
        line.push_str(&format!("; the recording is damaged: {damage}"));
    }
    line
}

/// Who spoilt the game and how, or why the rules ended it.
fn reason(result: &GameResult) -> Option<String> {
    let fault = Color::ALL.into_iter().find_map(|color| {
        let fault = result.scores[color].cause.fault()?;
        let details = result.reason(color).filter(|reason| reason != fault);
        let details = details.map_or(String::new(), |details| format!(" ({details})"));
        Some(format!("{color} {fault}{details}"))
    });
    fault.or_else(|| result.reason(Color::Red))
}
