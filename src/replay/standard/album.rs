//! How a standard game is shown.

use super::StandardReplay;
use crate::hive::standard::notation::GameState;
use crate::replay::{Album, AlbumPage, Timing};
use crate::view::{Paint, standard_scene};

impl From<&StandardReplay> for Album {
    fn from(replay: &StandardReplay) -> Album {
        let mut pages = Vec::new();
        let mut ending = String::new();
        replay.for_each_position(|position| {
            let last = position.last.map(|(mv, _, before)| (mv, before));
            let scene = standard_scene(position.game, position.layout, last);
            ending.clone_from(&scene.state);
            pages.push(AlbumPage {
                last_move: position.last.map(|(_, text, _)| text.to_owned()),
                remark: replay.comments.get(&pages.len()).cloned(),
                time: None,
                missing_before: None,
                scene,
            });
        });
        Album {
            names: replay.names.clone(),
            paints: Paint::STANDARD,
            pages,
            remarks_are: "comment",
            result: result_line(replay, &ending),
            timing: Timing::default(),
        }
    }
}

/// One sentence about how the game ended: by the rules, or by the recording's account.
fn result_line(replay: &StandardReplay, ending: &str) -> String {
    let plies = replay.plies();
    let state = replay.game.state();
    let mut line = if state.is_over() {
        ending.to_owned()
    } else {
        match replay.result {
            Some(result) => format!(
                "{}, by the recording's account: the rules do not end the game here",
                in_words(result)
            ),
            None => format!("no result; the recording ends after {plies} plies"),
        }
    };
    if let Some(result) = replay.result
        && state.is_over()
        && result != state
    {
        line.push_str(&format!("; the recording says: {}", in_words(result)));
    }
    if let Some(damage) = &replay.damage {
        line.push_str(&format!("; the recording is damaged: {damage}"));
    }
    line
}

fn in_words(state: GameState) -> &'static str {
    match state {
        GameState::WhiteWins => "white wins",
        GameState::BlackWins => "black wins",
        GameState::Draw => "draw",
        GameState::NotStarted | GameState::InProgress => "no result",
    }
}
