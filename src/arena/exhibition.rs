//! A single game between engines, for people to watch.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::engine::EngineSpec;
use super::error::GameError;
use super::game::{GameSettings, GameTask};
use super::referee::{self, PlayedGame, RunningEngines};
use crate::game::{Game, Record};
use crate::hive::ByColor;

/// A ply of a watched game.
#[derive(Clone, Copy, Debug)]
pub struct WatchedPly<'a, G: Game> {
    /// The game after it.
    pub record: &'a Record<G>,
    /// Time taken.
    pub took: Duration,
    /// The player's comment on the move.
    pub comment: Option<&'a str>,
}

/// Plays one game; `None` if it was stopped. `on_ply` sees each ply.
///
/// # Errors
/// When an engine cannot be started or does not play the game.
pub fn play_one<G: Game>(
    engines: &ByColor<EngineSpec>,
    opening: &Record<G>,
    max_plies: Option<u32>,
    settings: &GameSettings,
    stop: &AtomicBool,
    mut on_ply: impl FnMut(WatchedPly<'_, G>),
) -> Result<Option<PlayedGame>, GameError> {
    let task = GameTask {
        pair: 0,
        game_in_pair: 0,
        engines: ByColor {
            red: (0, &engines.red),
            blue: (1, &engines.blue),
        },
        opening,
        settings,
        max_plies,
        seeds: ByColor {
            red: settings.seed,
            blue: settings.seed.wrapping_add(1),
        },
        stop,
    };
    referee::play(&task, &mut RunningEngines::default(), |record, reply| {
        on_ply(WatchedPly {
            record,
            took: reply.took,
            comment: reply.comment().as_deref(),
        });
    })
}
