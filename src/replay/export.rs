//! A recording in other forms.

use serde_json::{Value, json};

use super::Replay;
use crate::protocol::Score;
use crate::view::{PagePly, game_page};

/// The game as one web page.
pub fn page(replay: &Replay) -> String {
    let plies: Vec<PagePly> = replay
        .plies
        .iter()
        .map(|ply| PagePly {
            position: ply.position,
            last_move: ply.last_move,
            note: ply.hint.clone().unwrap_or_default(),
        })
        .collect();
    game_page(&replay.names, &plies, &result_line(replay))
}

/// The game as JSON: `red` and `blue` are the names; `plies` has for each position `turn`, `position` in its text form, and
/// `move` and `hint` where they are known; `result` has `winner` (`"red"`, `"blue"` or `null`) and for each side `cause`,
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
        return match replay.last().position.outcome() {
            Some(outcome) => outcome.to_string(),
            None => format!("no result; the recording ends after {turn} plies"),
        };
    };
    let mut line = match &result.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, winner.color),
        None => "draw".to_owned(),
    };
    for (color, score) in [("red", &result.scores.red), ("blue", &result.scores.blue)] {
        line.push_str(&format!(
            "; {color}: {}, {} match points, {} free fields",
            score.cause, score.match_points, score.free_fields
        ));
    }
    let reasons = [&result.scores.red, &result.scores.blue];
    if let Some(reason) = reasons.iter().find_map(|score| score.reason.as_deref()) {
        line.push_str(&format!("; {}", reason.replace('\n', " ")));
    }
    line
}
