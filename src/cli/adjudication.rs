//! Options for ends by the players' own scores.

use crate::arena::{Adjudication, ScoreRule};

/// Resignations and agreed draws, for players that report a score.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct AdjudicationArgs {
    /// A side resigns after N of its moves in a row with an expected score of at most X, from 0 to 0.5: score=0.03,plies=4
    #[arg(long, value_name = "RULE")]
    resign: Option<ScoreRule>,

    /// The players agree to a draw after N plies in a row with expected scores within X of 0.5: score=0.02,plies=12
    #[arg(long, value_name = "RULE")]
    draw: Option<ScoreRule>,
}

impl AdjudicationArgs {
    pub(super) fn rules(self) -> Adjudication {
        Adjudication {
            resign: self.resign,
            draw: self.draw,
        }
    }
}
