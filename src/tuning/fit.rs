//! Fitting the evaluation's weights.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::training_set::TrainingSets;
use crate::search::LinearGame;

/// Everything that decides the course of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitSettings {
    /// Version of the journal's form.
    pub version: u32,
    /// Fingerprint of the positions; see [`TrainingSets::fingerprint`].
    pub data: u64,
    /// The weights to begin with, in the order of their indices.
    pub start: Vec<f32>,
    /// Decides the order of the positions.
    pub seed: u64,
    /// Step of the first epoch, in logits; see [`fit_weights`].
    pub learning_rate: f64,
    /// Positions between two steps; at least 1.
    pub batch: usize,
    /// Strength of the pull towards the start: this, times half the squared distance of each weight from its start, is added to
    /// the mean loss.
    pub pull: f64,
}

impl FitSettings {
    /// The version that this program reads and writes.
    pub const VERSION: u32 = 1;
}

/// The state of a fit after an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean loss of the training positions, in nats, each judged just before the weights were fitted to it.
    pub training_loss: f64,
    /// Mean loss of the held-out positions after the epoch, in nats.
    pub held_out_loss: f64,
    /// The weights after the epoch, in the order of their indices.
    weights: Vec<f64>,
    adam: Adam,
}

impl Epoch {
    /// The weights after the epoch.
    pub fn weights<R: LinearGame>(&self) -> R::Weights {
        R::from_values(|feature| self.weights.get(feature).copied().unwrap_or(0.0) as f32)
    }
}

/// What a fit has come to.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Mean loss of the held-out positions with the weights it began with, in nats.
    pub loss_at_start: f64,
    /// Every epoch so far.
    pub epochs: Vec<Epoch>,
}

impl Fit {
    /// A fit of which these epochs have been done.
    pub fn after<R: LinearGame>(
        sets: &TrainingSets<R>,
        settings: &FitSettings,
        epochs: Vec<Epoch>,
    ) -> Fit {
        Fit {
            loss_at_start: sets.held_out.mean_loss(&start_of::<R>(settings)),
            epochs,
        }
    }

    /// The epoch with the smallest loss on the held-out positions, if it is smaller than at the start.
    pub fn best(&self) -> Option<&Epoch> {
        self.epochs
            .iter()
            .min_by(|a, b| a.held_out_loss.total_cmp(&b.held_out_loss))
            .filter(|best| best.held_out_loss < self.loss_at_start)
    }

    /// Epochs since the loss of the held-out positions was smallest.
    pub fn epochs_without_gain(&self) -> u32 {
        let best = self.best().map_or(0, |best| best.number);
        self.epochs.last().map_or(0, |last| last.number - best)
    }
}

/// Fits the evaluation's weights to `sets` by logistic regression: after each batch of positions, drawn in random order, a step
/// of Adam with a rate that falls with the number of the epoch as `1 / (1 + epoch / 4)`.
///
/// Goes on after `earlier` epochs of a fit with the same settings and sets. `after_epoch` sees the fit after each epoch and says
/// whether to go on; an error of its own ends the fit.
///
/// # Errors
/// What `after_epoch` gives.
pub fn fit_weights<R: LinearGame, E>(
    sets: &TrainingSets<R>,
    settings: &FitSettings,
    earlier: Vec<Epoch>,
    mut after_epoch: impl FnMut(&Fit) -> Result<bool, E>,
) -> Result<Fit, E> {
    let start = start_of::<R>(settings);
    let mut weights = start.clone();
    let mut adam = Adam::new(R::FEATURE_COUNT);
    if let Some(last) = earlier.last() {
        for (weight, &fitted) in weights.iter_mut().zip(&last.weights) {
            *weight = fitted;
        }
        adam = last.adam.clone();
    }
    let mut fit = Fit::after(sets, settings, earlier);
    loop {
        let number = fit.epochs.last().map_or(1, |last| last.number + 1);
        let rate = settings.learning_rate / (1.0 + f64::from(number - 1) / 4.0);
        let mut order: Vec<usize> = (0..sets.training.len()).collect();
        let seed = settings.seed.wrapping_add(u64::from(number) << 32);
        order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let mut loss = 0.0;
        for batch in order.chunks(settings.batch.max(1)) {
            let mut gradient = vec![0.0; R::FEATURE_COUNT];
            for &index in batch {
                loss += sets.training.loss(index, &weights, Some(&mut gradient));
            }
            for (slope, (weight, start)) in gradient.iter_mut().zip(weights.iter().zip(&start)) {
                *slope = *slope / batch.len() as f64 + settings.pull * (weight - start);
            }
            adam.step(&mut weights, &gradient, rate);
        }
        fit.epochs.push(Epoch {
            number,
            training_loss: loss / sets.training.len().max(1) as f64,
            held_out_loss: sets.held_out.mean_loss(&weights),
            weights: weights.clone(),
            adam: adam.clone(),
        });
        if !after_epoch(&fit)? {
            return Ok(fit);
        }
    }
}

fn start_of<R: LinearGame>(settings: &FitSettings) -> Vec<f64> {
    let given = |feature| settings.start.get(feature).copied().unwrap_or(0.0);
    (0..R::FEATURE_COUNT)
        .map(|feature| f64::from(given(feature)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::dataset::LabelledPosition;
    use crate::hive::contest::Contest;
    use crate::search::{ContestEvaluator, Evaluator, WEIGHT_COUNT, WeightIndex, Weights};
    use crate::statistics::GameScore;
    use crate::tuning::Targets;

    const POSITIONS: &str = include_str!("../cli/bench_positions.txt");

    /// Positions whose results are drawn with the probabilities of an evaluation with these weights.
    fn sets(weights: &Weights) -> TrainingSets<Contest> {
        let evaluator = ContestEvaluator::linear(weights.clone());
        let mut sets = TrainingSets::new(Targets {
            result_share: 1.0,
            held_out_share: 0.2,
            seed: 3,
        });
        for (copy, game) in (0..400).zip(0u32..) {
            for text in POSITIONS.lines() {
                let position = text.parse().unwrap();
                // Evenly spread quantiles in place of random numbers.
                let quantile = (f64::from(copy) * 0.618_033_988_75).fract();
                let expected = f64::from(evaluator.evaluate(&position));
                sets.push(
                    0,
                    &LabelledPosition {
                        game,
                        position,
                        expected_thousandths: None,
                        result: if quantile < expected {
                            GameScore::Win
                        } else {
                            GameScore::Loss
                        },
                        plies_to_end: 1,
                    },
                );
            }
        }
        sets
    }

    fn settings(sets: &TrainingSets<Contest>) -> FitSettings {
        FitSettings {
            version: FitSettings::VERSION,
            data: sets.fingerprint(),
            start: vec![0.0; WEIGHT_COUNT],
            seed: 1,
            learning_rate: 0.05,
            batch: 256,
            pull: 0.0,
        }
    }

    fn run(sets: &TrainingSets<Contest>, earlier: Vec<Epoch>, epochs: usize) -> Fit {
        let result = fit_weights(sets, &settings(sets), earlier, |fit| {
            Ok::<_, Infallible>(fit.epochs.len() < epochs)
        });
        match result {
            Ok(fit) => fit,
        }
    }

    #[test]
    fn an_evaluation_is_found_again_from_the_results_it_predicts() {
        let mut truth = Weights::default();
        truth[WeightIndex::TEMPO] = 0.6;
        let sets = sets(&truth);
        let fit = run(&sets, Vec::new(), 40);
        let best = fit.best().expect("the fit has gained");
        let fitted = ContestEvaluator::linear(best.weights::<Contest>());
        let truth = ContestEvaluator::linear(truth);
        for text in POSITIONS.lines() {
            let position = text.parse().unwrap();
            let (fitted, truth) = (fitted.evaluate(&position), truth.evaluate(&position));
            assert!(
                (fitted - truth).abs() < 0.05,
                "{fitted} instead of {truth}: {text}"
            );
        }
    }

    #[test]
    fn an_interrupted_fit_comes_to_the_same_numbers() {
        let sets = sets(&Weights::default());
        let whole = run(&sets, Vec::new(), 4);
        let half = run(&sets, Vec::new(), 2);
        let text = serde_json::to_string(&half.epochs).unwrap();
        let rest = run(&sets, serde_json::from_str(&text).unwrap(), 4);
        assert_eq!(rest.epochs, whole.epochs);
    }

    #[test]
    fn games_are_held_out_whole() {
        let sets = sets(&Weights::default());
        let of_a_game = POSITIONS.lines().count();
        assert_eq!(sets.held_out.len() % of_a_game, 0);
        let share = sets.held_out.len() as f64 / (sets.held_out.len() + sets.training.len()) as f64;
        assert!((0.1..0.3).contains(&share), "{share}");
    }
}
