//! Recorded games, ready to be shown.

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
