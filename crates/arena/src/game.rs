//! The games of a run, and their common settings.

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

/// Time limit per move for programs with a node or depth limit.
pub(super) const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// Settings shared by all games of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSettings {
    /// Time per move of engines without a time, node or depth limit.
    pub move_time: Duration,
    /// Default memory of built-in players, in MiB.
    pub memory_mib: usize,
    /// Tolerated excess over the time per move before a move loses the game.
    pub margin: Duration,
    /// Random seed of engines without their own.
    pub seed: u64,
    /// Timeout for programs to join a game.
    pub join_timeout: Duration,
    /// Timeout for clients to exit after a game before they are killed.
    pub exit_timeout: Duration,
    /// True to record the dialogues with clients.
    pub keep_dialogues: bool,
    /// True to log the end of each program's output after every game, not only after a fault.
    pub log_output: bool,
    /// When players resign or agree to a draw.
    pub adjudication: AdjudicationRules,
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings {
            move_time: Duration::from_millis(100),
            // Several games run in parallel.
            memory_mib: 64,
            margin: Duration::from_millis(100),
            seed: 1,
            join_timeout: Duration::from_secs(20),
            exit_timeout: Duration::from_secs(2),
            keep_dialogues: false,
            log_output: false,
            adjudication: AdjudicationRules::default(),
        }
    }
}

/// Number of a game in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GameNumber {
    /// Number of the pair, from 0.
    pub pair: u64,
    /// Game of the pair, 0 or 1.
    pub game: u64,
}

impl GameNumber {
    /// File stem for the game, such as `pair-3-game-2`.
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
    /// Each side's engine, with its index.
    pub(super) engines: ByColor<(usize, &'a EngineSpec)>,
    pub(super) opening: &'a Record<G>,
    pub(super) settings: &'a GameSettings,
    pub(super) max_plies: Option<u32>,
    /// Seed of each side's engine, unless the engine sets its own.
    pub(super) seeds: ByColor<u64>,
    pub(super) stop: &'a AtomicBool,
}

impl<'a, G: ArenaGame> GameTask<'a, G> {
    /// A single game outside a run.
    pub(super) fn single(
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

    /// The error for a program that cannot be started. It does not lose the game, because the cause
    /// may be a missing file or a lack of processes.
    pub(super) fn cannot_start(&self, color: Color, source: io::Error) -> GameError {
        let (_, engine) = self.engines[color];
        let program = match &engine.player {
            EnginePlayer::BuiltIn(player) => player.to_string(),
            EnginePlayer::Program(program) => program.program.clone(),
            EnginePlayer::Function(_) => "function".to_owned(),
        };
        GameError::Program {
            color,
            engine: engine.name.clone(),
            program,
            source,
        }
    }
}
