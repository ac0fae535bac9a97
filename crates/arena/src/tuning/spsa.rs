//! Tunes search parameters with SPSA.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// Exponents by which steps and perturbations decrease (Spall 1998, *Implementation of the
/// simultaneous perturbation algorithm for stochastic optimization*).
const STEP_EXPONENT: f64 = 0.602;
const PERTURBATION_EXPONENT: f64 = 0.101;
/// Stability constant of the step size, as a share of all iterations.
const STABILITY: f64 = 0.1;

/// A search parameter to tune.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaParameter {
    /// Name among the player's options.
    pub name: String,
    /// Initial value.
    pub start: f64,
    /// Minimum value.
    pub min: f64,
    /// Maximum value.
    pub max: f64,
    /// Perturbation in the last iteration. It should have a measurable effect.
    pub perturbation: f64,
}

/// Simultaneous perturbation stochastic approximation (Spall 1992). Each parameter is scaled by its
/// perturbation.
///
/// Every iteration perturbs each parameter up or down at random, plays the two opposite settings
/// against each other, and moves all parameters towards the winner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    /// The parameters to tune.
    pub parameters: Vec<SpsaParameter>,
    /// Number of iterations.
    pub iterations: u32,
    /// Step size in the last iteration, in perturbations per net win.
    pub rate: f64,
    /// Random seed of the perturbations' directions.
    pub seed: u64,
}

/// The two settings of an iteration that play each other. Values are in the order of the
/// parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaTrial {
    /// Values perturbed in the random directions.
    pub plus: Vec<f64>,
    /// Values perturbed in the opposite directions.
    pub minus: Vec<f64>,
    directions: Vec<f64>,
}

/// The result of an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaStep {
    /// Number of the iteration, from 1.
    pub iteration: u32,
    /// Wins of [`SpsaTrial::plus`] minus its losses.
    pub balance: f64,
    /// Values after the iteration, in the order of the parameters.
    pub values: Vec<f64>,
}

impl Spsa {
    /// The initial values.
    pub fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.start).collect()
    }

    /// Number and initial values of the iteration after `last`; `None` if that was the final one.
    pub fn following(&self, last: Option<&SpsaStep>) -> Option<(u32, Vec<f64>)> {
        let (done, values) = match last {
            Some(step) => (step.iteration, step.values.clone()),
            None => (0, self.start()),
        };
        (done < self.iterations).then_some((done + 1, values))
    }

    /// Factor for all perturbations in an iteration, counted from 1. Decreases to 1.
    fn perturbation_scale(&self, iteration: u32) -> f64 {
        (f64::from(self.iterations) / f64::from(iteration.max(1))).powf(PERTURBATION_EXPONENT)
    }

    /// Factor for the step in an iteration, counted from 1. Decreases to 1.
    fn step_scale(&self, iteration: u32) -> f64 {
        let delay = STABILITY * f64::from(self.iterations);
        let delayed = |iteration: u32| delay + f64::from(iteration);
        (delayed(self.iterations) / delayed(iteration.max(1))).powf(STEP_EXPONENT)
    }

    /// The trial of an iteration, counted from 1, that starts from these values.
    pub fn trial(&self, iteration: u32, values: &[f64]) -> SpsaTrial {
        let seed = self.seed.wrapping_add(u64::from(iteration) << 32);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let scale = self.perturbation_scale(iteration);
        let directions: Vec<f64> = (self.parameters.iter())
            .map(|_| if random.random() { 1.0 } else { -1.0 })
            .collect();
        let moved = |sign: f64| {
            (self.parameters.iter().zip(values).zip(&directions))
                .map(|((parameter, value), direction)| {
                    let moved = value + sign * direction * scale * parameter.perturbation;
                    moved.clamp(parameter.min, parameter.max)
                })
                .collect()
        };
        SpsaTrial {
            plus: moved(1.0),
            minus: moved(-1.0),
            directions,
        }
    }

    /// Computes the step after a trial that started from these values. `balance` is the wins of
    /// `plus` minus its losses.
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
                moved.clamp(parameter.min, parameter.max)
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
            min: 0.0,
            max: 100.0,
            perturbation,
        };
        Spsa {
            parameters: vec![parameter("a", 20.0, 4.0), parameter("b", 3.0, 0.3)],
            iterations,
            rate: 0.05,
            seed: 5,
        }
    }

    /// Maximal at 50 and 1.
    fn strength(values: &[f64]) -> f64 {
        -((values[0] - 50.0) / 20.0).powi(2) - (values[1] - 1.0).powi(2)
    }

    #[test]
    fn spsa_converges_despite_noise() {
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
    fn trials_are_symmetric_within_their_ranges() {
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
            for perturbed in [edge.plus, edge.minus] {
                assert!(perturbed.iter().all(|value| (0.0..=100.0).contains(value)));
            }
        }
    }
}
