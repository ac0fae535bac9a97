//! Recorded games, ready to be shown.

use std::time::Duration;

use super::{Recorded, Replay, Timing};
use crate::diagram::Diagram;
use wabe_hive::ByColor;
use wabe_hive::game::Paint;

/// A game ready to be shown: a slide for each recorded position, in order.
#[derive(Clone, Debug)]
pub struct RenderedGame {
    /// The players and their sides.
    pub players: String,
    /// The paints of the sides.
    pub paints: ByColor<Paint>,
    /// The slides; at least one.
    pub slides: Vec<Slide>,
    /// The word for a slide's remark: `hint`.
    pub remarks_are: &'static str,
    /// One sentence about the end of the game.
    pub result: String,
    /// The known times of all moves.
    pub timing: Timing,
}

/// A recorded position.
#[derive(Clone, Debug)]
pub struct Slide {
    /// The picture.
    pub diagram: Diagram,
    /// The move that led to it, if that is known.
    pub last_move: Option<String>,
    /// The remark.
    pub remark: Option<String>,
    /// The time of the move.
    pub time: Option<Duration>,
}

impl<G: Recorded> From<&Replay<G>> for RenderedGame {
    fn from(replay: &Replay<G>) -> RenderedGame {
        let mut slides = Vec::new();
        replay.for_each_position(|game| {
            let index = slides.len();
            slides.push(Slide {
                diagram: game.diagram(),
                last_move: game.record.plies().last().map(|ply| ply.text.clone()),
                remark: replay.remarks.get(&index).cloned(),
                time: replay.times.get(&index).copied(),
            });
        });
        RenderedGame {
            players: replay.players(),
            paints: G::SIDES,
            slides,
            remarks_are: G::REMARK,
            result: replay.result_line(),
            timing: replay.timing(),
        }
    }
}
