//! Simulates pairs of games.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::statistics::{EloModel, NORMALIZED_ELO_PER_DEVIATION, Pentanomial, score_of_elo};

/// Probabilities of 0, ½, 1, 1½ and 2 points in a pair.
///
/// Openings favour the side to move by -150 to 150 Elo. About a third of the games are drawn. The
/// games of a pair share their opening, so their results are negatively correlated.
pub(super) fn pair_distribution(elo: f64) -> [f64; 5] {
    const DRAW_ELO: f64 = 120.0;
    const BIASES: [f64; 7] = [-150.0, -100.0, -50.0, 0.0, 50.0, 100.0, 150.0];
    let game = |advantage: f64| {
        let win = score_of_elo(advantage - DRAW_ELO);
        let loss = score_of_elo(-advantage - DRAW_ELO);
        [loss, 1.0 - win - loss, win]
    };
    let mut distribution = [0.0; 5];
    for bias in BIASES {
        for (i, first) in game(elo + bias).into_iter().enumerate() {
            for (j, second) in game(elo - bias).into_iter().enumerate() {
                distribution[i + j] += first * second / BIASES.len() as f64;
            }
        }
    }
    distribution
}

/// Expected points per game and normalized Elo.
pub(super) fn score_and_normalized_elo(distribution: &[f64; 5]) -> (f64, f64) {
    let average = |value: &dyn Fn(f64) -> f64| -> f64 {
        let terms = distribution.iter().enumerate();
        terms.map(|(i, p)| p * value(i as f64 / 4.0)).sum()
    };
    let score = average(&|a| a);
    let variance_per_game = 2.0 * average(&|a| (a - score).powi(2));
    let deviations = (score - 0.5) / variance_per_game.sqrt();
    (score, deviations * NORMALIZED_ELO_PER_DEVIATION)
}

/// The distribution with an Elo difference of `elo` in `model`.
pub(super) fn distribution_at(elo: f64, model: EloModel) -> [f64; 5] {
    let (mut low, mut high) = (-1000.0, 1000.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let (score, normalized_elo) = score_and_normalized_elo(&pair_distribution(middle));
        let is_less = match model {
            EloModel::Normalized => normalized_elo < elo,
            EloModel::Logistic => score < score_of_elo(elo),
        };
        if is_less { low = middle } else { high = middle }
    }
    pair_distribution(low)
}

/// Generates random pairs from a distribution.
pub(super) struct PairSource {
    cumulative: [f64; 5],
    random: Xoshiro256PlusPlus,
}

impl PairSource {
    pub(super) fn new(distribution: [f64; 5], seed: u64) -> PairSource {
        let mut sum = 0.0;
        PairSource {
            cumulative: distribution.map(|p| {
                sum += p;
                sum
            }),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn pair(&mut self) -> Pentanomial {
        let x: f64 = self.random.random();
        let score = self.cumulative.iter().position(|&c| x < c).unwrap_or(4);
        let mut counts = [0; 5];
        counts[score] = 1;
        Pentanomial::new(counts)
    }

    pub(super) fn pairs(&mut self, number: usize) -> Pentanomial {
        let mut pairs = Pentanomial::default();
        (0..number).for_each(|_| pairs += self.pair());
        pairs
    }
}
