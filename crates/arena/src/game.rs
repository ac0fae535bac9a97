//! A game to be played, and the settings of every game.

use std::fmt;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::adjudication::AdjudicationRules;
use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use crate::ArenaGame;
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};

/// How long a program may take for a move that is limited by nodes or depth.
pub(super) const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// The settings of every game of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSettings {
    /// Time for a move of a search or a program that sets neither time nor nodes.
    pub move_time: Duration,
    /// Memory of a built-in player that sets none, in MiB.
    pub memory_mib: usize,
    /// How much later than its time limit an engine may answer without losing the game.
    pub margin: Duration,
    /// Decides everything random in the engines that set no seed.
    pub seed: u64,
    /// How long a program may take to join the game.
    pub join_timeout: Duration,
    /// How long a client may take to exit after the game before it is killed.
    pub exit_timeout: Duration,
    /// True if the dialogues with clients are kept.
    pub keep_dialogues: bool,
    /// Ends by the players' own scores.
    pub adjudication: AdjudicationRules,
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings {
            move_time: Duration::from_millis(100),
            // Several games run side by side.
            memory_mib: 64,
            margin: Duration::from_millis(100),
            seed: 1,
            join_timeout: Duration::from_secs(20),
            exit_timeout: Duration::from_secs(2),
            keep_dialogues: false,
            adjudication: AdjudicationRules::default(),
        }
    }
}

/// A game of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GameNumber {
    /// The pair, from 0.
    pub pair: u64,
    /// The game in the pair, 0 or 1.
    pub game: u64,
}

impl GameNumber {
    /// The stem of the names of the game's files.
    pub(super) fn stem(self) -> String {
        format!("pair-{}-game-{}", self.pair + 1, self.game + 1)
    }
}

impl fmt::Display for GameNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pair {}, game {}", self.pair + 1, self.game + 1)
    }
}

/// A game to be played.
pub(super) struct GameTask<'a, G: ArenaGame> {
    pub(super) number: GameNumber,
    /// Each side's engine and its index.
    pub(super) engines: ByColor<(usize, &'a EngineSpec)>,
    pub(super) opening: &'a Record<G>,
    pub(super) settings: &'a GameSettings,
    pub(super) max_plies: Option<u32>,
    /// The seed of each side's engine if it sets none.
    pub(super) seeds: ByColor<u64>,
    pub(super) stop: &'a AtomicBool,
}

impl<'a, G: ArenaGame> GameTask<'a, G> {
    /// A game by itself.
    pub(super) fn alone(
        engines: ByColor<&'a EngineSpec>,
        opening: &'a Record<G>,
        settings: &'a GameSettings,
        max_plies: Option<u32>,
        stop: &'a AtomicBool,
    ) -> GameTask<'a, G> {
        GameTask {
            number: GameNumber::default(),
            engines: ByColor {
                red: (0, engines.red),
                blue: (1, engines.blue),
            },
            opening,
            settings,
            max_plies,
            seeds: ByColor {
                red: settings.seed,
                blue: settings.seed.wrapping_add(1),
            },
            stop,
        }
    }

    /// The error for a side's program that cannot be started. The program may be missing or busy,
    /// or the machine out of processes: that is no fault of its play.
    pub(super) fn cannot_start(&self, color: Color, source: io::Error) -> GameError {
        let (_, engine) = self.engines[color];
        let program = match &engine.player {
            EnginePlayer::BuiltIn(player) => player.to_string(),
            EnginePlayer::Program(program) => program.program.clone(),
        };
        GameError::Program {
            color,
            engine: engine.name.clone(),
            program,
            source,
        }
    }
}
