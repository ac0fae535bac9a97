//! A position with everything that the recording says about it.

use wabe_files::text::printable;
use wabe_hive::Color;
use wabe_records::view::terminal::{Line, Look, Text, draw, draw_within};
use wabe_records::{Album, missing_line};

/// Most characters of a remark that are shown.
const LONGEST_REMARK: usize = 4_000;

/// A position with everything that is shown beside it.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// Names, ply, and a note on plies missing before it.
    pub(super) heading: Text,
    /// Board and legend.
    pub(super) picture: Text,
    /// The player's remarks; at the end of the game the result and the times.
    pub(super) remarks: Text,
}

impl Page {
    /// The page of the position with this index.
    ///
    /// # Panics
    /// If there is no such position.
    pub(super) fn new(album: &Album, index: usize, look: Look) -> Page {
        let page = &album.pages[index];
        let mut remarks = Text::new();
        if let Some(remark) = &page.remark {
            let remark = printable(remark, LONGEST_REMARK);
            remarks.push(format!("{}: {remark}", album.remarks_are));
        }
        if index + 1 == album.pages.len() {
            remarks.push(album.result.as_str());
            remarks = remarks.above(times(album));
        }
        Page {
            heading: heading(album, index),
            picture: draw(&page.scene, look),
            remarks,
        }
    }

    /// The page for a terminal of that many columns.
    ///
    /// # Panics
    /// If there is no such position.
    pub(super) fn within(album: &Album, index: usize, look: Look, columns: usize) -> Page {
        Page {
            picture: draw_within(&album.pages[index].scene, look, columns),
            ..Page::new(album, index, look)
        }
    }

    pub(super) fn into_text(self) -> Text {
        self.heading.above(self.picture).above(self.remarks)
    }
}

fn heading(album: &Album, index: usize) -> Text {
    let page = &album.pages[index];
    let turn = page.scene.turn;
    let mut line = format!("{}, ", album.players);
    match &page.last_move {
        Some(mv) => line.push_str(&format!("ply {turn}: {mv}")),
        None => line.push_str(&format!("after {turn} plies")),
    }
    if let Some(time) = page.time {
        line.push_str(&format!(", {:.3} s", time.as_secs_f64()));
    }
    let mut text = Text::new();
    text.push(line);
    if let Some(missing) = &page.missing_before {
        text.push(missing_line(missing));
    }
    text
}

/// A line for each side whose times are known.
fn times(album: &Album) -> Text {
    Color::ALL
        .into_iter()
        .map(|color| (album.paints[color], album.timing.of(color)))
        .filter(|(_, times)| times.moves > 0)
        .map(|(paint, times)| Line::from(format!("{paint:<5} {times}")))
        .collect()
}
