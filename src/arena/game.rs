//! Playing the two games of a pair.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::refereed::{self, GameError};
use super::{
    EnginePlayer, EngineSpec, GameEnd, GameRecord, GameResult, PairRecord, Pairing, in_process,
};
use crate::hive::Color;
use crate::hive::contest::Position;
use crate::search::PlayerSpec;

/// Memory of an engine that names none, in MiB: several games run side by side.
const DEFAULT_MEMORY_MIB: usize = 64;

/// What holds for every game of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSettings {
    /// Time for a move of an engine that names neither time nor nodes.
    pub move_time: Duration,
    /// How much later than its time limit an engine may answer without losing the game.
    pub margin: Duration,
    /// Decides everything random in the engines that name no seed.
    pub seed: u64,
    /// What holds for programs only.
    pub programs: ProgramSettings,
}

/// What holds for every game of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSettings {
    /// How long it may take to join the game.
    pub join_patience: Duration,
    /// How long it may take for a move if nothing else says so.
    pub hang_patience: Duration,
    /// The directory that gets what programs have written in games that ended badly.
    pub bad_game_output: Option<PathBuf>,
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings {
            move_time: Duration::from_millis(100),
            margin: Duration::from_millis(100),
            seed: 1,
            programs: ProgramSettings::default(),
        }
    }
}

impl Default for ProgramSettings {
    fn default() -> ProgramSettings {
        ProgramSettings {
            join_patience: Duration::from_secs(20),
            hang_patience: Duration::from_secs(60),
            bad_game_output: None,
        }
    }
}

/// Plays `opening` twice; `None` if `stop` was set before both games were over. `runtime`, with more than one thread, is for
/// games with programs.
///
/// # Errors
/// When a game with a program cannot be played at all.
pub fn play_pair(
    number: u64,
    pairing: Pairing,
    opening: &Position,
    engines: &[EngineSpec],
    settings: &GameSettings,
    runtime: Option<&Runtime>,
    stop: &AtomicBool,
) -> Result<Option<PairRecord>, GameError> {
    let game = |red: usize, blue: usize, game_in_pair| {
        let (Some(red_spec), Some(blue_spec)) = (engines.get(red), engines.get(blue)) else {
            return Ok(None);
        };
        let task = GameTask {
            pair: number,
            game_in_pair,
            engines: [(red, red_spec), (blue, blue_spec)],
            opening: *opening,
            settings,
            seed: settings.seed.wrapping_add(2 * number + game_in_pair),
            stop,
        };
        match runtime {
            Some(runtime) if red_spec.is_program() || blue_spec.is_program() => {
                refereed::play(&task, runtime)
            }
            _ => Ok(in_process::play(&task)?),
        }
    };
    let Some(first) = game(pairing.first, pairing.second, 0)? else {
        return Ok(None);
    };
    let Some(second) = game(pairing.second, pairing.first, 1)? else {
        return Ok(None);
    };
    Ok(Some(PairRecord {
        pair: number,
        opening: opening.to_string(),
        games: [first, second],
    }))
}

/// A game to be played.
pub(super) struct GameTask<'a> {
    /// The pair's number.
    pub(super) pair: u64,
    /// 0 or 1.
    pub(super) game_in_pair: u64,
    /// Red's and blue's engine with their indices.
    pub(super) engines: [(usize, &'a EngineSpec); 2],
    pub(super) opening: Position,
    pub(super) settings: &'a GameSettings,
    pub(super) seed: u64,
    pub(super) stop: &'a AtomicBool,
}

impl<'a> GameTask<'a> {
    /// A side's engine and its index.
    pub(super) fn engine(&self, color: Color) -> (usize, &'a EngineSpec) {
        let [red, blue] = self.engines;
        match color {
            Color::Red => red,
            Color::Blue => blue,
        }
    }

    /// The seed of a side's engine that names none.
    pub(super) fn player_seed(&self, color: Color) -> u64 {
        let side = u64::from(color == Color::Blue);
        self.seed.wrapping_mul(2).wrapping_add(side)
    }

    /// A side's built-in player with everything that it does not name itself. What a program is has no meaning here.
    pub(super) fn built_in(&self, color: Color) -> PlayerSpec {
        match &self.engine(color).1.player {
            EnginePlayer::BuiltIn(spec) => PlayerSpec {
                memory_mib: spec.memory_mib.or(Some(DEFAULT_MEMORY_MIB)),
                seed: spec.seed.or(Some(self.player_seed(color))),
                ..spec.clone()
            },
            EnginePlayer::Program(_) => PlayerSpec::default(),
        }
    }

    /// The record of a game without moves.
    pub(super) fn unfinished(&self) -> GameRecord {
        let [(red, _), (blue, _)] = self.engines;
        GameRecord {
            red,
            blue,
            result: GameResult::Draw,
            end: GameEnd::EqualFreeFields,
            moves: String::new(),
            micros: Vec::new(),
            scores: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// The record of a game without moves that a side has spoilt.
    pub(super) fn lost_by(&self, color: Color, end: GameEnd) -> GameRecord {
        GameRecord {
            result: GameResult::win_of(color.opponent()),
            end,
            ..self.unfinished()
        }
    }

    /// What files about the game are called.
    pub(super) fn file_stem(&self) -> String {
        format!("pair-{}-game-{}", self.pair + 1, self.game_in_pair + 1)
    }
}
