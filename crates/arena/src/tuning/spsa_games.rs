//! Plays the games of SPSA iterations.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::spsa::{SpsaParameter, SpsaTrial};
use crate::ArenaGame;
use crate::{
    EnginePlayer, EngineSpec, Format, GameSettings, Games, OpeningSettings, Openings, PairRecord,
    Plan, RunEnd, Schedule, Shard, run,
};
use wabe_engine::search::{ParamError, PlayerSpec};

/// Plays two settings of the search against each other, in this process.
///
/// Every iteration plays the same number of pairs, each from its own opening. With node limits, the
/// games depend only on the iteration, the values and these settings.
#[derive(Clone, Debug)]
pub struct SpsaGames<G: ArenaGame> {
    /// The player whose parameters are tuned.
    pub player: PlayerSpec,
    /// Number of pairs per iteration.
    pub pairs: u64,
    /// The variant of the game.
    pub variant: G::Variant,
    /// How openings are drawn. Its seed is also the players' seed.
    pub openings: OpeningSettings,
    /// Number of pairs to play in parallel.
    pub concurrency: usize,
}

impl<G: ArenaGame> SpsaGames<G> {
    /// The player with these parameter values.
    ///
    /// # Errors
    /// When a parameter does not exist or a value is out of range.
    pub fn player_with(
        &self,
        parameters: &[SpsaParameter],
        values: &[f64],
    ) -> Result<PlayerSpec, ParamError> {
        let mut player = self.player.clone();
        for (parameter, &value) in parameters.iter().zip(values) {
            // The search uses single precision.
            let value = value as f32;
            player.params.set(&parameter.name, &value.to_string())?;
        }
        Ok(player)
    }

    /// Plays the games of an iteration, counted from 1. Returns the wins of `trial.plus` minus its
    /// losses, or `None` if `stop` is set. Games that ended by a fault count as draws.
    ///
    /// # Errors
    /// When a value is out of range or a game cannot be played.
    pub fn play(
        &self,
        iteration: u32,
        parameters: &[SpsaParameter],
        trial: &SpsaTrial,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<f64>> {
        let engine = |name: &str, values: &[f64]| {
            let player = self.player_with(parameters, values)?;
            Ok::<_, ParamError>(EngineSpec {
                name: name.to_owned(),
                player: EnginePlayer::BuiltIn(player),
            })
        };
        let engines = [engine("plus", &trial.plus)?, engine("minus", &trial.minus)?];
        // Pairs are numbered consecutively across iterations, as in one long run.
        let until = u64::from(iteration).saturating_mul(self.pairs);
        let done = until.saturating_sub(self.pairs);
        let games = Games::<G> {
            variant: self.variant,
            openings: Openings::Drawn(self.openings),
            max_plies: G::MAX_PLIES,
        };
        let plan = Plan {
            engines: &engines,
            schedule: &Schedule::new(Format::RoundRobin, engines.len(), until),
            shard: Shard::WHOLE,
            done,
            games: &games,
            settings: &GameSettings {
                seed: self.openings.seed,
                ..GameSettings::default()
            },
            concurrency: self.concurrency,
            spectator: None,
        };
        let mut balance = 0.0;
        let end = run(&plan, stop, |pair| {
            balance += net_wins(&pair);
            ControlFlow::Continue(())
        })?;
        Ok((end == RunEnd::Complete).then_some(balance))
    }
}

/// Wins minus losses of the first engine.
fn net_wins(pair: &PairRecord) -> f64 {
    let regular = pair.games.iter().filter(|game| game.end.is_regular());
    regular
        .filter_map(|game| game.score(0))
        .map(|score| f64::from(score.half_points()) - 1.0)
        .sum()
}
