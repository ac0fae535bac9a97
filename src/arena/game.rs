//! The two games of a pair, and what holds for every game.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{
    EnginePlayer, EngineSpec, GameEnd, GameError, GameRecord, GameResult, PairRecord, Pairing,
    SideNames,
};
use crate::hive::Color;
use crate::search::PlayerSpec;

/// How many times its limit a program may take before nobody waits any more, as in the contest.
pub(super) const HARD_LIMIT_FACTOR: u32 = 5;

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

/// A pair to be played.
#[derive(Clone, Copy)]
pub(super) struct PairTask<'a> {
    pub(super) number: u64,
    pub(super) pairing: Pairing,
    pub(super) engines: &'a [EngineSpec],
    pub(super) settings: &'a GameSettings,
    /// What the sides are called.
    pub(super) side_names: SideNames,
    /// Ends the games when it is set.
    pub(super) stop: &'a AtomicBool,
}

impl PairTask<'_> {
    /// Plays `opening` twice with `play`; `None` if that was stopped.
    pub(super) fn play<O: fmt::Display>(
        &self,
        opening: &O,
        mut play: impl FnMut(&GameTask<'_, O>) -> Result<Option<GameRecord>, GameError>,
    ) -> Result<Option<PairRecord>, GameError> {
        let Pairing { first, second } = self.pairing;
        let mut game = |red: usize, blue: usize, game_in_pair| {
            let (Some(red_spec), Some(blue_spec)) = (self.engines.get(red), self.engines.get(blue))
            else {
                return Ok(None);
            };
            let seed = self.settings.seed;
            play(&GameTask {
                pair: self.number,
                game_in_pair,
                engines: [(red, red_spec), (blue, blue_spec)],
                opening,
                settings: self.settings,
                side_names: self.side_names,
                seed: seed.wrapping_add(2 * self.number + game_in_pair),
                stop: self.stop,
            })
        };
        let Some(first_game) = game(first, second, 0)? else {
            return Ok(None);
        };
        let Some(second_game) = game(second, first, 1)? else {
            return Ok(None);
        };
        Ok(Some(PairRecord {
            pair: self.number,
            opening: opening.to_string(),
            games: [first_game, second_game],
        }))
    }
}

/// A game to be played from an opening of the form `O`.
pub(super) struct GameTask<'a, O> {
    /// The pair's number.
    pub(super) pair: u64,
    /// 0 or 1.
    pub(super) game_in_pair: u64,
    /// Red's and blue's engine with their indices.
    pub(super) engines: [(usize, &'a EngineSpec); 2],
    pub(super) opening: &'a O,
    pub(super) settings: &'a GameSettings,
    /// What the sides are called.
    pub(super) side_names: SideNames,
    pub(super) seed: u64,
    pub(super) stop: &'a AtomicBool,
}

impl<'a, O> GameTask<'a, O> {
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
            EnginePlayer::Program(_) | EnginePlayer::Uhp(_) => PlayerSpec::default(),
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
