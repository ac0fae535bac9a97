//! Options of several commands: the game.

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
