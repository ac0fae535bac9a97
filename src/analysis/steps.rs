//! Recorded games as they are reviewed.

use super::Step;
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;
use crate::replay::{Replay, StandardReplay};
use crate::search::Proof;

impl Replay {
    /// The positions, to be reviewed.
    pub fn steps(&self) -> Vec<Step<Contest>> {
        let plies = self.plies.iter();
        plies
            .map(|ply| Step {
                position: ply.position,
                last_move: ply.last_move,
                ended: None,
            })
            .collect()
    }
}

impl StandardReplay {
    /// The positions, to be reviewed.
    pub fn steps(&self) -> Vec<Step<Wide>> {
        let mut steps = Vec::new();
        self.for_each_position(|position| {
            let is_drawn = position.game.is_drawn_by_repetition();
            steps.push(Step {
                position: *position.game.position(),
                last_move: position.last.map(|(mv, _, _)| mv),
                ended: is_drawn.then_some(Proof::Draw),
            });
        });
        steps
    }
}
