//! The course of a run's result, pair by pair.

use crate::ArenaGame;
use std::collections::BTreeMap;

use super::steps;
use crate::record::PairRecord;

use crate::statistics::{Estimate, Pentanomial, Sprt};

/// Bars of a histogram of expected scores.
const SCORE_BARS: usize = 25;

/// Most points of a curve.
const CURVE_POINTS: usize = 1000;

/// The score of two engines after a number of pairs between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Number of pairs.
    pub(super) pairs: u64,
    /// Points per game of the first engine.
    pub(super) score: Estimate,
    /// The same as an Elo difference.
    pub(super) elo: Estimate,
    counts: Pentanomial,
}

/// The course of a run's result. Pairs are added in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct History {
    standings: BTreeMap<(usize, usize), Vec<Standing>>,
    evaluations: BTreeMap<usize, [u64; SCORE_BARS]>,
}

impl History {
    /// Adds a pair of games of `G`.
    pub fn add<G: ArenaGame>(&mut self, pair: &PairRecord) {
        let (key, scores) = (pair.engines(), pair.scores());
        let standings = self.standings.entry(key).or_default();
        let mut counts = standings.last().map(|s| s.counts).unwrap_or_default();
        counts.record(scores);
        if let Some(estimate) = counts.estimate() {
            standings.push(Standing {
                pairs: counts.pairs(),
                score: estimate.score,
                elo: estimate.elo,
                counts,
            });
        }
        let first = pair.first_to_move::<G>();
        for game in &pair.games {
            let mut mover = first;
            for &score in &game.scores {
                if let Some(thousandths) = score {
                    let bars = self.evaluations.entry(game.engine(mover)).or_default();
                    let bar = usize::from(thousandths) * SCORE_BARS / 1000;
                    bars[bar.min(SCORE_BARS - 1)] += 1;
                }
                mover = mover.opponent();
            }
        }
    }

    /// The curve of each pairing.
    pub(super) fn pairings(&self) -> impl Iterator<Item = ((usize, usize), Vec<&Standing>)> {
        let curves = self.standings.iter();
        curves.map(|(&pairing, standings)| (pairing, thinned(standings).collect()))
    }

    /// The curve of the test of the first two engines.
    pub(super) fn log_likelihood_ratios(&self, sprt: &Sprt) -> Vec<(f64, f64)> {
        let standings = self
            .standings
            .get(&(0, 1))
            .into_iter()
            .flat_map(|s| thinned(s));
        standings
            .map(|s| (s.pairs as f64, sprt.log_likelihood_ratio(s.counts)))
            .collect()
    }

    /// The histogram of each engine that reported scores.
    pub(super) fn evaluations(&self) -> impl Iterator<Item = (usize, Vec<(f64, f64)>)> {
        let width = 1.0 / SCORE_BARS as f64;
        let engines = self.evaluations.iter();
        engines.map(move |(&engine, bars)| (engine, steps(0.0, width, bars)))
    }
}

/// Enough points for a curve, the last one among them.
fn thinned(standings: &[Standing]) -> impl Iterator<Item = &Standing> {
    let step = standings.len().div_ceil(CURVE_POINTS).max(1);
    let offset = standings.len().saturating_sub(1) % step;
    standings.iter().skip(offset).step_by(step)
}
