//! A single game between engines, for people to watch.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::engine::EngineSpec;
use super::error::GameError;
use super::game::{GameSettings, GameTask};
use super::record::GameRecord;
use super::referee::{self, RunningEngines};
use crate::game::{Game, Record};
use crate::hive::ByColor;

/// A ply of a watched game.
#[derive(Clone, Copy, Debug)]
pub struct WatchedPly<'a, G: Game> {
    /// The game after it.
    pub record: &'a Record<G>,
    /// Time taken.
    pub took: Duration,
    /// Expected score of the side that made it, in `0..=1`.
    pub score: Option<f64>,
}

/// Plays one game between built-in players and UHP engines; `None` if it was stopped. `on_ply` sees each ply.
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
) -> Result<Option<GameRecord>, GameError> {
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
        seed: settings.seed,
        stop,
    };
    referee::play(&task, &mut RunningEngines::default(), |record, reply| {
        on_ply(WatchedPly {
            record,
            took: reply.took,
            score: reply.score,
        });
    })
}
