//! Recorded games, ready to be shown.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Recorded, Replay, Timing};
use crate::scene::Scene;
use wabe_hive::ByColor;
use wabe_hive::game::Paint;

/// A game ready to be shown: a page for each recorded position, in order.
#[derive(Clone, Debug)]
pub struct Album {
    /// The players and their sides.
    pub players: String,
    /// The paints of the sides.
    pub paints: ByColor<Paint>,
    /// The pages; at least one.
    pub pages: Vec<AlbumPage>,
    /// The word for a page's remark: `hint`.
    pub remarks_are: &'static str,
    /// One sentence about the end of the game.
    pub result: String,
    /// The known times of all moves.
    pub timing: Timing,
}

/// A recorded position.
#[derive(Clone, Debug)]
pub struct AlbumPage {
    /// The picture.
    pub scene: Scene,
    /// The move that led to it, if that is known.
    pub last_move: Option<String>,
    /// The remark.
    pub remark: Option<String>,
    /// The time of the move.
    pub time: Option<Duration>,
    /// The missing plies before it.
    pub missing_before: Option<RangeInclusive<u16>>,
}

impl<G: Recorded> From<&Replay<G>> for Album {
    fn from(replay: &Replay<G>) -> Album {
        let mut pages = Vec::new();
        replay.for_each_position(|moment| {
            let index = pages.len();
            pages.push(AlbumPage {
                scene: moment.scene(),
                last_move: moment.last_move().map(str::to_owned),
                remark: replay.remarks.get(&index).cloned(),
                time: replay.times.get(&index).copied(),
                missing_before: moment.missing_before,
            });
        });
        Album {
            players: replay.players(),
            paints: G::SIDES,
            pages,
            remarks_are: G::REMARK,
            result: replay.result_line(),
            timing: replay.timing(),
        }
    }
}

/// A sentence about missing plies.
pub fn missing_line(plies: &RangeInclusive<u16>) -> String {
    let (first, last) = (plies.start(), plies.end());
    if first == last {
        format!("ply {first} is missing: the recording is damaged there")
    } else {
        format!("plies {first} to {last} are missing: the recording is damaged there")
    }
}
