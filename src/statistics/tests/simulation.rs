//! Simulated matches: what the statistics promise must come true as often as they promise it.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::statistics::{
    EloModel, NORMALIZED_ELO_PER_DEVIATION, Pentanomial, Sprt, Verdict, elo_of_score, score_of_elo,
};

/// Probabilities of a pair giving 0, ½, 1, 1½ and 2 points.
///
/// Openings favour the side to move by -150 to 150 Elo, each game is drawn in about a third of the cases, and the two games
/// of a pair share the opening, so that their results are negatively correlated.
fn pair_distribution(elo: f64) -> [f64; 5] {
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
fn score_and_normalized_elo(distribution: &[f64; 5]) -> (f64, f64) {
    let average = |value: &dyn Fn(f64) -> f64| -> f64 {
        let terms = distribution.iter().enumerate();
        terms.map(|(i, p)| p * value(i as f64 / 4.0)).sum()
    };
    let score = average(&|a| a);
    let variance_per_game = 2.0 * average(&|a| (a - score).powi(2));
    let deviations = (score - 0.5) / variance_per_game.sqrt();
    (score, deviations * NORMALIZED_ELO_PER_DEVIATION)
}

/// The distribution whose difference is `elo` in the model's Elo.
fn distribution_at(elo: f64, model: EloModel) -> [f64; 5] {
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

/// Plays pairs with results from a distribution.
struct Simulation {
    cumulative: [f64; 5],
    random: Xoshiro256PlusPlus,
}

impl Simulation {
    fn new(distribution: [f64; 5], seed: u64) -> Simulation {
        let mut sum = 0.0;
        Simulation {
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

    fn pairs(&mut self, number: usize) -> Pentanomial {
        (0..number).map(|_| self.pair()).sum()
    }

    /// How a match ends.
    fn verdict(&mut self, sprt: &Sprt, pairs_between_looks: usize) -> Verdict {
        let mut pairs = Pentanomial::default();
        loop {
            pairs += self.pairs(pairs_between_looks);
            let verdict = sprt.verdict(sprt.log_likelihood_ratio(pairs));
            if verdict != Verdict::Continue {
                return verdict;
            }
        }
    }
}

/// How many of 2,000 matches end with H1, in percent.
fn accepted_percent(sprt: &Sprt, truth: f64, pairs_between_looks: usize) -> f64 {
    const MATCHES: u32 = 2000;
    let mut simulation = Simulation::new(distribution_at(truth, sprt.model()), 1);
    let accepted = (0..MATCHES)
        .filter(|_| simulation.verdict(sprt, pairs_between_looks) == Verdict::AcceptH1)
        .count();
    100.0 * accepted as f64 / f64::from(MATCHES)
}

// Of 2,000 matches, 5 % come out as 3.5 to 6.5 % in 997 of 1,000 cases.

#[test]
fn at_most_5_percent_of_matches_between_equals_pass_for_a_gain() {
    let sprt = "elo0=0 elo1=40".parse().unwrap();
    let percent = accepted_percent(&sprt, 0.0, 1);
    assert!((3.0..6.5).contains(&percent), "{percent} %");
}

#[test]
fn at_least_95_percent_of_gains_are_recognised() {
    let sprt = "elo0=0 elo1=40".parse().unwrap();
    let percent = accepted_percent(&sprt, 40.0, 1);
    assert!((93.5..97.0).contains(&percent), "{percent} %");
}

#[test]
fn the_logistic_test_keeps_its_promises_too() {
    let sprt = "elo0=0 elo1=40 model=logistic".parse().unwrap();
    let (equal, gain) = (
        accepted_percent(&sprt, 0.0, 1),
        accepted_percent(&sprt, 40.0, 1),
    );
    assert!((3.0..6.5).contains(&equal), "{equal} %");
    assert!((93.5..97.0).contains(&gain), "{gain} %");
}

/// With more pairs between two looks at the ratio, as when many are played at once, errors only get rarer.
#[test]
fn a_long_test_looked_at_rarely_keeps_its_promises() {
    let sprt = "elo0=0 elo1=10".parse().unwrap();
    let percent = accepted_percent(&sprt, 0.0, 32);
    assert!((3.0..6.5).contains(&percent), "{percent} %");
}

#[test]
fn intervals_cover_the_truth_in_95_percent_of_matches() {
    const MATCHES: u32 = 2000;
    for elo in [0.0, 30.0, 100.0, 250.0] {
        let distribution = pair_distribution(elo);
        let (score, normalized_elo) = score_and_normalized_elo(&distribution);
        let mut simulation = Simulation::new(distribution, 2);
        let mut covered = [0; 3];
        for _ in 0..MATCHES {
            let estimate = simulation.pairs(150).estimate().unwrap();
            let hits = [
                estimate.score.covers(score),
                estimate.elo.covers(elo_of_score(score)),
                estimate.normalized_elo.unwrap().covers(normalized_elo),
            ];
            for (covered, hit) in covered.iter_mut().zip(hits) {
                *covered += u32::from(hit);
            }
        }
        let percent = covered.map(|covered| 100.0 * f64::from(covered) / f64::from(MATCHES));
        assert!(
            percent.iter().all(|p| (93.0..97.0).contains(p)),
            "{elo}: {percent:?} %"
        );
    }
}

#[test]
fn equals_reach_95_percent_superiority_in_5_percent_of_matches() {
    let mut simulation = Simulation::new(pair_distribution(0.0), 3);
    let superior = (0..2000)
        .filter(|_| simulation.pairs(150).estimate().unwrap().superiority > 0.95)
        .count();
    assert!((70..130).contains(&superior), "{superior} of 2000");
}
