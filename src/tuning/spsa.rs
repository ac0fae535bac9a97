//! Tuning parameters of the search by playing.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Exponents of the falling step and perturbation (Spall 1998, *Implementation of the simultaneous perturbation algorithm for
/// stochastic optimization*).
const STEP_EXPONENT: f64 = 0.602;
const PERTURBATION_EXPONENT: f64 = 0.101;
/// Share of all iterations by which the falling of the step is delayed.
const STABILITY: f64 = 0.1;

/// A number to tune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaParameter {
    /// What it is called.
    pub name: String,
    /// Value to begin with.
    pub start: f64,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
    /// How far it is shaken in the last iteration: a change whose effect can be felt.
    pub perturbation: f64,
}

/// Simultaneous perturbation stochastic approximation (Spall 1992), with each parameter measured in its own perturbation.
///
/// Every iteration shakes all parameters at once, each up or down at random, lets the two opposite settings play each other, and
/// moves all parameters towards the winner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    /// What to tune.
    pub parameters: Vec<SpsaParameter>,
    /// How many iterations there will be.
    pub iterations: u32,
    /// Perturbations by which a parameter moves in the last iteration for each game won more than lost.
    pub rate: f64,
    /// Decides who is shaken where.
    pub seed: u64,
}

/// The two settings of an iteration that play each other, in the order of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaTrial {
    /// Every parameter shaken one way.
    pub plus: Vec<f64>,
    /// Every parameter shaken the other way.
    pub minus: Vec<f64>,
    directions: Vec<f64>,
}

/// What came of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaStep {
    /// Number of the iteration, from 1.
    pub iteration: u32,
    /// Games that [`SpsaTrial::plus`] won less those it lost.
    pub balance: f64,
    /// The parameters after it, in their order.
    pub values: Vec<f64>,
}

impl Spsa {
    /// The values to begin with.
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.start).collect()
    }

    /// The iteration that follows `last` and the values that it begins with; `None` when `last` was the last one.
    pub fn following(&self, last: Option<&SpsaStep>) -> Option<(u32, Vec<f64>)> {
        let (done, values) = match last {
            Some(step) => (step.iteration, step.values.clone()),
            None => (0, self.start()),
        };
        (done < self.iterations).then_some((done + 1, values))
    }

    /// The factor of all perturbations in that iteration, counted from 1; it falls to 1.
    fn perturbation_scale(&self, iteration: u32) -> f64 {
        (f64::from(self.iterations) / f64::from(iteration.max(1))).powf(PERTURBATION_EXPONENT)
    }

    /// The factor of the step in that iteration, counted from 1; it falls to 1.
    fn step_scale(&self, iteration: u32) -> f64 {
        let delay = STABILITY * f64::from(self.iterations);
        let delayed = |iteration: u32| delay + f64::from(iteration);
        (delayed(self.iterations) / delayed(iteration.max(1))).powf(STEP_EXPONENT)
    }

    /// The trial of an iteration, counted from 1, that begins with `values`.
    pub fn trial(&self, iteration: u32, values: &[f64]) -> SpsaTrial {
        let seed = self.seed.wrapping_add(u64::from(iteration) << 32);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let scale = self.perturbation_scale(iteration);
        let directions: Vec<f64> = (self.parameters.iter())
            .map(|_| if random.random() { 1.0 } else { -1.0 })
            .collect();
        let shaken = |sign: f64| {
            (self.parameters.iter().zip(values).zip(&directions))
                .map(|((parameter, value), direction)| {
                    let shaken = value + sign * direction * scale * parameter.perturbation;
                    shaken.clamp(parameter.least, parameter.most)
                })
                .collect()
        };
        SpsaTrial {
            plus: shaken(1.0),
            minus: shaken(-1.0),
            directions,
        }
    }

    /// The values after a trial that began with `values`: `balance` is how many games `plus` has won more than it has lost.
    pub fn step(
        &self,
        iteration: u32,
        values: &[f64],
        trial: &SpsaTrial,
        balance: f64,
    ) -> SpsaStep {
        let scale = self.rate * self.step_scale(iteration) / self.perturbation_scale(iteration);
        let moved = (self.parameters.iter().zip(values).zip(&trial.directions))
            .map(|((parameter, value), direction)| {
                let moved = value + direction * balance * scale * parameter.perturbation;
                moved.clamp(parameter.least, parameter.most)
            })
            .collect();
        SpsaStep {
            iteration,
            balance,
            values: moved,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spsa(iterations: u32) -> Spsa {
        let parameter = |name: &str, start: f64, perturbation: f64| SpsaParameter {
            name: name.to_owned(),
            start,
            least: 0.0,
            most: 100.0,
            perturbation,
        };
        Spsa {
            parameters: vec![parameter("a", 20.0, 4.0), parameter("b", 3.0, 0.3)],
            iterations,
            rate: 0.05,
            seed: 5,
        }
    }

    /// Where play is best: 50 and 1.
    fn strength(values: &[f64]) -> f64 {
        -((values[0] - 50.0) / 20.0).powi(2) - (values[1] - 1.0).powi(2)
    }

    #[test]
    fn the_best_values_are_found_through_noise() {
        let spsa = spsa(2000);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut last = None;
        while let Some((iteration, values)) = spsa.following(last.as_ref()) {
            let trial = spsa.trial(iteration, &values);
            let expected = 1.0 / (1.0 + (-(strength(&trial.plus) - strength(&trial.minus))).exp());
            let balance: f64 = (0..8)
                .map(|_| {
                    if random.random::<f64>() < expected {
                        1.0
                    } else {
                        -1.0
                    }
                })
                .sum();
            last = Some(spsa.step(iteration, &values, &trial, balance));
        }
        let last = last.unwrap();
        assert_eq!(last.iteration, 2000);
        let values = last.values;
        assert!((values[0] - 50.0).abs() < 10.0, "{values:?}");
        assert!((values[1] - 1.0).abs() < 0.5, "{values:?}");
    }

    #[test]
    fn trials_lie_opposite_within_the_ranges_and_are_the_same_again() {
        let spsa = spsa(10);
        for iteration in 1..=10 {
            let trial = spsa.trial(iteration, &[50.0, 2.0]);
            for i in 0..2 {
                let middle = (trial.plus[i] + trial.minus[i]) / 2.0;
                assert!((middle - [50.0, 2.0][i]).abs() < 1e-9);
                assert!(trial.plus[i] != trial.minus[i]);
            }
            assert_eq!(trial, spsa.trial(iteration, &[50.0, 2.0]));
            let edge = spsa.trial(iteration, &[100.0, 0.0]);
            for shaken in [edge.plus, edge.minus] {
                assert!(shaken.iter().all(|value| (0.0..=100.0).contains(value)));
            }
        }
    }

    #[test]
    fn nothing_moves_after_an_even_trial() {
        let spsa = spsa(10);
        let trial = spsa.trial(1, &spsa.start());
        assert_eq!(
            spsa.step(1, &spsa.start(), &trial, 0.0).values,
            spsa.start()
        );
    }
}
