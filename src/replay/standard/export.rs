//! A standard game in other forms.

use serde_json::{Value, json};

use super::{StandardPosition, StandardReplay};
use crate::hive::standard::notation::GameState;

impl StandardReplay {
    /// The game as JSON: `white` and `black` are the names; `game` is the game string; `tags` is what else the recording says;
    /// `plies` has for each position `turn`, `state` as the protocol names it, `move` and `comment` where there are such, and
    /// `stacks`, each with the coordinates `x` and `y` and its `pieces` from bottom to top; `result` is how the game ended, or
    /// `null`; `damage` says where the recording breaks off, or is `null`.
    pub fn json(&self) -> Value {
        let mut plies: Vec<Value> = Vec::new();
        self.for_each_position(|position| {
            plies.push(json!({
                "turn": plies.len(),
                "state": position.game.state().to_string(),
                "move": position.last.map(|(_, text, _)| text),
                "comment": self.comments.get(&plies.len()),
                "stacks": stacks(position),
            }));
        });
        let tags = self
            .tags
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)));
        json!({
            "white": self.names.red,
            "black": self.names.blue,
            "game": self.game.to_string(),
            "tags": Value::Object(tags.collect()),
            "plies": plies,
            "result": self.final_state().map(|state| state.to_string()),
            "damage": self.damage.as_ref().map(ToString::to_string),
        })
    }

    /// How the game ended: by the rules or else by the recording's account; `None` if it did not.
    pub fn final_state(&self) -> Option<GameState> {
        let state = self.game.state();
        if state.is_over() {
            Some(state)
        } else {
            self.result
        }
    }
}

fn stacks(position: &StandardPosition<'_>) -> Vec<Value> {
    let places = position.layout.places();
    places
        .map(|(cell, place)| (place, position.game.stack(cell)))
        .map(|(place, stack)| (place, stack.map(|name| name.to_string()).collect()))
        .filter(|(_, pieces): &(_, Vec<String>)| !pieces.is_empty())
        .map(|((x, y), pieces)| json!({ "x": x, "y": y, "pieces": pieces }))
        .collect()
}
