//! Recorded games as they are shown, whatever their rules.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Replay, Timing, export};
use crate::hive::ByColor;
use crate::view::{PagePly, Paint, Scene, contest_scene, game_page};

/// A game ready to be shown: a page for each recorded position, in order.
#[derive(Clone, Debug)]
pub struct Album {
    /// What the players call themselves; empty where it is not known.
    pub names: ByColor<String>,
    /// How the sides are painted.
    pub paints: ByColor<Paint>,
    /// The pages; at least one.
    pub pages: Vec<AlbumPage>,
    /// What a page's remark is: `hint`.
    pub remarks_are: &'static str,
    /// One sentence about how the game ended, as far as the recording knows.
    pub result: String,
    /// The times of all moves that the recording knows.
    pub timing: Timing,
}

/// A recorded position.
#[derive(Clone, Debug)]
pub struct AlbumPage {
    /// What there is to see.
    pub scene: Scene,
    /// The move that led to it, if the recording names a possible one.
    pub last_move: Option<String>,
    /// What somebody had to say about it.
    pub remark: Option<String>,
    /// How long the move took, if the recording knows.
    pub time: Option<Duration>,
    /// The plies that are missing before it.
    pub missing_before: Option<RangeInclusive<u16>>,
}

impl Album {
    /// Who plays whom.
    pub fn players(&self) -> String {
        let (names, paints) = (&self.names, self.paints);
        if names.red.is_empty() && names.blue.is_empty() {
            format!("{} against {}", paints.red, paints.blue)
        } else {
            format!(
                "{} ({}) against {} ({})",
                names.red, paints.red, names.blue, paints.blue
            )
        }
    }

    /// The game as one web page.
    pub fn web_page(&self) -> String {
        let plies: Vec<PagePly> = self
            .pages
            .iter()
            .map(|page| PagePly {
                scene: page.scene.clone(),
                last_move: page.last_move.clone(),
                note: page.note(),
            })
            .collect();
        game_page(&self.players(), &plies, &self.result)
    }
}

impl AlbumPage {
    /// What is missing before the position, how long its move took, what there is to say.
    fn note(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.missing_before.as_ref().map(missing_line));
        let time = self
            .time
            .map(|time| format!("took {:.3} s", time.as_secs_f64()));
        lines.extend(time);
        lines.extend(self.remark.clone());
        lines.join("\n")
    }
}

impl From<&Replay> for Album {
    fn from(replay: &Replay) -> Album {
        let pages = replay.plies.iter().enumerate();
        Album {
            names: replay.names.clone(),
            paints: Paint::CONTEST,
            pages: pages
                .map(|(index, ply)| AlbumPage {
                    scene: contest_scene(&ply.position, ply.last_move),
                    last_move: ply.last_move.map(|mv| mv.to_string()),
                    remark: ply.hint.clone(),
                    time: ply.time,
                    missing_before: replay.missing_before(index),
                })
                .collect(),
            remarks_are: "hint",
            result: export::result_line(replay),
            timing: replay.timing(),
        }
    }
}

/// That plies are missing.
pub fn missing_line(plies: &RangeInclusive<u16>) -> String {
    let (first, last) = (plies.start(), plies.end());
    if first == last {
        format!("ply {first} is missing: the recording is damaged there")
    } else {
        format!("plies {first} to {last} are missing: the recording is damaged there")
    }
}
