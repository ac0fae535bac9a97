//! A position with everything that the recording says about it.

use crate::hive::Color;
use crate::replay::{Replay, export};
use crate::view::terminal::{Line, Look, Text, draw};

/// What there is to show of a position.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// Who plays, which ply, what is missing before it.
    pub(super) heading: Text,
    /// Board and legend.
    pub(super) picture: Text,
    /// What the player said; at the end of the game the result and the times.
    pub(super) remarks: Text,
}

impl Page {
    /// The page of the position with this index.
    ///
    /// # Panics
    /// If there is no such position.
    pub(super) fn new(replay: &Replay, index: usize, look: Look) -> Page {
        let ply = &replay.plies[index];
        let mut remarks = Text::new();
        if let Some(hint) = &ply.hint {
            remarks.push(format!("hint: {hint}"));
        }
        if index + 1 == replay.plies.len() {
            remarks.push(export::result_line(replay));
            remarks = remarks.above(times(replay));
        }
        Page {
            heading: heading(replay, index),
            picture: draw(&ply.position, ply.last_move, look),
            remarks,
        }
    }

    pub(super) fn into_text(self) -> Text {
        self.heading.above(self.picture).above(self.remarks)
    }
}

fn heading(replay: &Replay, index: usize) -> Text {
    let ply = &replay.plies[index];
    let turn = ply.position.turn();
    let names = &replay.names;
    let mut line = format!("{} (red) against {} (blue), ", names.red, names.blue);
    if names.red.is_empty() && names.blue.is_empty() {
        line = "red against blue, ".to_owned();
    }
    match ply.last_move {
        Some(mv) => line.push_str(&format!("ply {turn}: {mv}")),
        None => line.push_str(&format!("after {turn} plies")),
    }
    if let Some(time) = ply.time {
        line.push_str(&format!(", {:.3} s", time.as_secs_f64()));
    }
    let mut text = Text::new();
    text.push(line);
    if let Some(missing) = replay.missing_before(index) {
        text.push(export::missing_line(&missing));
    }
    text
}

/// A line for each side whose times are known.
fn times(replay: &Replay) -> Text {
    let timing = replay.timing();
    Color::ALL
        .into_iter()
        .filter(|&color| timing.of(color).moves > 0)
        .map(|color| Line::from(format!("{:<5} {}", color.to_string(), timing.of(color))))
        .collect()
}
