//! Training of the network.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use super::examples::{ExampleSets, Examples};
use super::model::{Losses, Model};
use crate::evaluation::{Feature, Features, Network, images};
use crate::hex::Symmetry;

/// The settings of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkTraining {
    /// Number of passes over the training positions.
    pub epochs: u32,
    /// Positions in a batch, which makes one step; at least 1.
    pub batch: usize,
    /// Learning rate of the first epoch; it falls to a fiftieth, by the same factor each epoch.
    pub learning_rate: f32,
    /// Weight decay: each step takes away this share of each weight, times the learning rate.
    pub decay: f32,
    /// Seed of the initial weights, the order of the positions and their symmetries.
    pub seed: u64,
}

/// The losses after an epoch of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainedEpoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean cross-entropy of the training positions, in nats, each computed just before its own step.
    pub training_loss: f64,
    /// Mean losses of the held-out positions after the epoch.
    pub held_out: Losses,
}

/// The training diverged: its steps were too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the training diverged in epoch {epoch}: the loss is not finite; try a smaller learning rate or decay"
)]
pub struct Diverged {
    /// Number of the epoch, from 1.
    pub epoch: u32,
}

/// The last epoch's learning rate, as a share of the first one's.
const LAST_RATE: f32 = 0.02;

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019), in single precision.
struct AdamW {
    steps: i32,
    means: Vec<f32>,
    squares: Vec<f32>,
}

impl AdamW {
    fn new(model: &Model) -> AdamW {
        AdamW {
            steps: 0,
            means: vec![0.0; model.0.len()],
            squares: vec![0.0; model.0.len()],
        }
    }

    /// Moves `model` against `gradient` times `scale`, and clears the gradient.
    fn step(&mut self, model: &mut Model, gradient: &mut Model, scale: f32, rate: f32, decay: f32) {
        self.steps = self.steps.saturating_add(1);
        let mean_scale = 1.0 / (1.0 - MEAN_DECAY.powi(self.steps));
        let square_scale = 1.0 / (1.0 - SQUARE_DECAY.powi(self.steps));
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((value, derivative), (mean, square)) in
            model.0.iter_mut().zip(&mut gradient.0).zip(state)
        {
            let gradient = *derivative * scale;
            *derivative = 0.0;
            *mean += (1.0 - MEAN_DECAY) * (gradient - *mean);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            let step = *mean * mean_scale / ((*square * square_scale).sqrt() + EPSILON);
            *value -= rate * (step + decay * *value);
        }
    }
}

/// Trains a network on `sets`, each position in each epoch through a random symmetry of the board. The same sets and settings give the
/// same network. Calls `after_epoch` with each epoch's losses, and returns the network of the epoch with the smallest loss on the
/// held-out positions.
///
/// # Errors
/// When a loss is not finite after an epoch.
pub fn train_network<R: Features>(
    sets: &ExampleSets<R>,
    settings: &NetworkTraining,
    mut after_epoch: impl FnMut(&TrainedEpoch),
) -> Result<Network, Diverged> {
    let images = Symmetry::ALL.map(images::<R>);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    let mut model = Model::random(R::FEATURE_COUNT, rng.random());
    let mut gradient = Model::zero_like(&model);
    let mut adam = AdamW::new(&model);
    let mut order: Vec<usize> = (0..sets.training.len()).collect();
    let mut best = (f64::INFINITY, model.clone());
    let last = settings.epochs.saturating_sub(1).max(1);
    for number in 1..=settings.epochs {
        let progress = (number - 1) as f32 / last as f32;
        let rate = settings.learning_rate * LAST_RATE.powf(progress);
        order.shuffle(&mut rng);
        let mut loss = 0.0;
        for batch in order.chunks(settings.batch.max(1)) {
            for &index in batch {
                let through = &images[rng.random_range(0..images.len())];
                loss += f64::from(model.learn(sets.training.get(index), through, &mut gradient));
            }
            let scale = 1.0 / batch.len() as f32;
            adam.step(&mut model, &mut gradient, scale, rate, settings.decay);
        }
        let held_out = losses(&model, &sets.held_out, &images[0]);
        if !(loss.is_finite() && held_out.target.is_finite()) {
            return Err(Diverged { epoch: number });
        }
        if held_out.target < best.0 {
            best = (held_out.target, model.clone());
        }
        after_epoch(&TrainedEpoch {
            number,
            training_loss: loss / sets.training.len().max(1) as f64,
            held_out,
        });
    }
    Ok(Network::rounded::<R>(&best.1.parts()))
}

fn losses(model: &Model, examples: &Examples, identity: &[Feature]) -> Losses {
    model.losses((0..examples.len()).map(|i| examples.get(i)), identity)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::examples::Targets;
    use super::*;
    use crate::dataset::LabelledPosition;
    use crate::evaluation::{Evaluator, NetworkEvaluator};
    use crate::game::{Game, Record};
    use crate::hive::Position;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;
    use crate::statistics::GameScore;

    fn positions<G: Game>() -> impl Iterator<Item = Position<G>> {
        let records = G::BENCH.lines().map(|text| text.parse::<Record<G>>());
        records.map(|record| *record.ok().unwrap().position())
    }

    /// The network that trainings begin with is the teacher.
    fn teacher<G: Game>() -> NetworkEvaluator<G> {
        NetworkEvaluator::new(Arc::new(Network::first::<G>())).unwrap()
    }

    /// Every position in several games, with the score that the teacher expects.
    fn sets<G: Game>() -> ExampleSets<G> {
        let teacher = teacher();
        let mut sets = ExampleSets::new(Targets {
            result_share: 0.0,
            held_out_share: 0.2,
            seed: 3,
        });
        for game in 0..20 {
            for position in positions() {
                let expected = (teacher.evaluate(&position) * 1000.0).round();
                let labelled = LabelledPosition {
                    game,
                    position,
                    expected_thousandths: Some(expected as u16),
                    result: Some(GameScore::Draw),
                    plies_to_end: 1,
                };
                sets.push(0, &labelled);
            }
        }
        sets
    }

    const SETTINGS: NetworkTraining = NetworkTraining {
        epochs: 12,
        batch: 32,
        learning_rate: 0.004,
        decay: 0.01,
        seed: 1,
    };

    fn learns<G: Game>() {
        let mut epochs = Vec::new();
        let network = train_network(&sets::<G>(), &SETTINGS, |epoch| epochs.push(*epoch));
        assert!(epochs[11].held_out.target < epochs[0].held_out.target);
        let learned = NetworkEvaluator::<G>::new(Arc::new(network.unwrap())).unwrap();
        let teacher = teacher();
        for position in positions() {
            let (found, shown) = (learned.evaluate(&position), teacher.evaluate(&position));
            assert!(
                (found - shown).abs() < 0.1,
                "{found} for {shown}: {position}"
            );
        }
    }

    #[test]
    fn a_network_learns_from_its_examples() {
        learns::<Contest>();
        learns::<Wide>();
    }

    #[test]
    fn the_same_positions_and_settings_give_the_same_network() {
        let sets = sets::<Contest>();
        let settings = NetworkTraining {
            epochs: 2,
            ..SETTINGS
        };
        let train = |seed| train_network(&sets, &NetworkTraining { seed, ..settings }, |_| ());
        assert_eq!(train(1), train(1));
        assert_ne!(train(1), train(2));
    }

    #[test]
    fn a_training_that_diverges_gives_no_network() {
        let settings = NetworkTraining {
            learning_rate: 1e30,
            decay: 1e30,
            ..SETTINGS
        };
        let error = train_network(&sets::<Contest>(), &settings, |_| ()).unwrap_err();
        assert_eq!(error, Diverged { epoch: 1 });
    }
}
