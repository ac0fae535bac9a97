//! Recorded positions with their moves and comments.

use super::{ColorMode, Text, draw};
use crate::diagram::Diagram;
use crate::{Recorded, Replay};
use wabe_files::text::printable;
use wabe_hive::Color;

/// Maximum length of a comment when printed, in characters.
const MAX_REMARK: usize = 4_000;

/// Formats all positions of a game.
pub fn pages<G: Recorded>(replay: &Replay<G>, color_mode: ColorMode) -> String {
    let diagrams = replay.diagrams();
    let pages = diagrams.iter().enumerate();
    let pages = pages.map(|(index, diagram)| page(replay, index, diagram, color_mode).to_string());
    pages.collect::<Vec<_>>().join("\n")
}

/// Formats a position with its move, comment and other recorded data.
pub fn page<G: Recorded>(
    replay: &Replay<G>,
    index: usize,
    diagram: &Diagram,
    color_mode: ColorMode,
) -> Text {
    let (players, turn) = (replay.players(), diagram.turn);
    let plies = replay.record.plies();
    let mut heading = match index.checked_sub(1).and_then(|last| plies.get(last)) {
        Some(ply) => format!("{players}, ply {turn}: {}", ply.text),
        None => format!("{players}, after {turn} plies"),
    };
    if let Some(time) = replay.times.get(&index) {
        heading.push_str(&format!(", {:.3} s", time.as_secs_f64()));
    }
    let mut text = Text::new();
    text.push(heading);
    text = text.above(draw(diagram, color_mode));
    if let Some(remark) = replay.remarks.get(&index) {
        let remark = printable(remark, MAX_REMARK);
        text.push(format!("{}: {remark}", G::REMARK));
    }
    if index == plies.len() {
        text.push(replay.result_line());
        for color in Color::ALL {
            let times = replay.timing()[color];
            if times.moves > 0 {
                text.push(format!("{:<5} {times}", G::SIDES[color]));
            }
        }
    }
    text
}
