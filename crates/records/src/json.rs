//! Recorded games as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::games::word_of;
use crate::{Recorded, Replay};
use wabe_contest::protocol::{GameResult, Score};
use wabe_hive::Color;

impl<G: Recorded> Replay<G> {
    /// The game as JSON.
    ///
    /// - `game`: name of the game; `record`: its text form
    /// - `red` and `blue`, or `white` and `black`: names of the players
    /// - `tags`: other name-value pairs
    /// - `plies`: one object per position with its `turn`, the text form `position`, the `state` as
    ///   a sentence, and the `stacks` (coordinates `x` and `y`, `pieces` from bottom to top). The
    ///   `move` before it, its time in `seconds` and the comment (`hint` in the contest, otherwise
    ///   `comment`) are `null` if unknown.
    /// - `result`: `null`, or the `winner` (a side, or `null` for a draw), a `sentence`, and the
    ///   `scores` if a referee gave them: `cause`, `reason`, `match_points` and `free_fields` per
    ///   side
    /// - `damage`: the error at which the recording ends, or `null`
    pub fn json(&self) -> Value {
        let mut plies: Vec<Value> = Vec::new();
        self.for_each_position(|game| {
            let record = &game.record;
            let stacks = game.diagram().stacks.into_iter().map(|stack| {
                let pieces: Vec<String> = stack.pieces.iter().map(|f| f.to_string()).collect();
                json!({ "x": stack.point.x, "y": stack.point.y, "pieces": pieces })
            });
            let index = plies.len();
            plies.push(json!({
                "turn": record.position().turn(),
                "position": record.position().to_string(),
                "state": record.describe_state(),
                "stacks": stacks.collect::<Vec<_>>(),
                "move": record.plies().last().map(|ply| &ply.text),
                "seconds": self.times.get(&index).map(Duration::as_secs_f64),
                G::REMARK: self.remarks.get(&index),
            }));
        });
        let name = |color: Color| G::SIDES[color].name();
        let game_result = self
            .stated
            .as_ref()
            .and_then(|stated| stated.game_result.as_deref());
        let score = |score: &Score| {
            json!({
                "cause": score.cause.to_string(),
                "reason": score.reason,
                "match_points": score.match_points,
                "free_fields": score.free_fields,
            })
        };
        let scores = game_result.map(|GameResult { scores, .. }| {
            json!({ name(Color::Red): score(&scores.red), name(Color::Blue): score(&scores.blue) })
        });
        let winner = match game_result {
            Some(game_result) => Some(game_result.winner.as_ref().map(|winner| winner.color)),
            None => self.winner(),
        };
        let tags = self.tags.iter().cloned().collect::<BTreeMap<_, _>>();
        json!({
            "game": word_of::<G>(self.record.variant()),
            "record": self.record.to_string(),
            name(Color::Red): self.names.red,
            name(Color::Blue): self.names.blue,
            "tags": tags,
            "plies": plies,
            "result": winner.map(|winner| json!({
                "winner": winner.map(name),
                "sentence": self.result_line(),
                "scores": scores,
            })),
            "damage": self.damage.as_ref().map(ToString::to_string),
        })
    }
}
