//! Options of several commands: the game, and ends by the players' own scores.

use crate::arena::{Adjudication, ScoreRule};
use crate::games::GameName;
use crate::hive::contest::Deal;

/// The game that is played.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct GameArgs {
    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    /// The pieces that each side gets in the contest's game: server (3 spiders, 2 grasshoppers) or rulebook (2 and 3) [default: server]
    #[arg(long, value_name = "DEAL", conflicts_with = "game")]
    deal: Option<Deal>,
}

impl GameArgs {
    pub(super) fn name(self) -> GameName {
        self.deal.map_or(self.game, GameName::Contest)
    }
}

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
