//! The course of a training.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::examples::{ExampleSets, Examples};
use super::model::{Losses, Model};
use crate::hex::Symmetry;
use crate::search::{Input, Network, NetworkInputs};

/// Everything that decides the course of a training besides the positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkTraining {
    /// How often every position is looked at.
    pub epochs: u32,
    /// Positions between two steps; at least 1.
    pub batch: usize,
    /// Step of the first epoch; it falls to a fiftieth, by the same factor each epoch.
    pub learning_rate: f32,
    /// Share of each weight that is taken away in each step, times the step.
    pub decay: f32,
    /// Decides the weights to begin with, the order of the positions and the symmetries they are seen through.
    pub seed: u64,
}

/// What a training has come to after an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainedEpoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean cross-entropy of the training positions, in nats, each judged just before it was learned from.
    pub training_loss: f64,
    /// Mean losses of the held-out positions after the epoch.
    pub held_out: Losses,
}

/// The steps' size at the end of a training, in parts of that at its beginning.
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

    /// Moves `model` against `slopes` times `scale`, and clears these.
    fn step(&mut self, model: &mut Model, slopes: &mut Model, scale: f32, rate: f32, decay: f32) {
        self.steps = self.steps.saturating_add(1);
        let mean_scale = 1.0 / (1.0 - MEAN_DECAY.powi(self.steps));
        let square_scale = 1.0 / (1.0 - SQUARE_DECAY.powi(self.steps));
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((value, slope), (mean, square)) in model.0.iter_mut().zip(&mut slopes.0).zip(state) {
            let gradient = *slope * scale;
            *slope = 0.0;
            *mean += (1.0 - MEAN_DECAY) * (gradient - *mean);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            let step = *mean * mean_scale / ((*square * square_scale).sqrt() + EPSILON);
            *value -= rate * (step + decay * *value);
        }
    }
}

/// Trains a network to judge positions as `sets` say, each in each epoch through a symmetry of the board drawn at random. The same sets and
/// settings give the same network. `after_epoch` is told how it goes; the network is that of the epoch with the smallest loss on the
/// held-out positions.
pub fn train_network<R: NetworkInputs>(
    sets: &ExampleSets<R>,
    settings: &NetworkTraining,
    mut after_epoch: impl FnMut(&TrainedEpoch),
) -> Network {
    let images: Vec<Vec<Input>> = Symmetry::ALL.map(R::images_of_inputs).into();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
    let mut model = Model::random(R::INPUT_COUNT, rng.random());
    let mut slopes = Model::zero_like(&model);
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
                loss += f64::from(model.learn(sets.training.get(index), through, &mut slopes));
            }
            let scale = 1.0 / batch.len() as f32;
            adam.step(&mut model, &mut slopes, scale, rate, settings.decay);
        }
        let held_out = losses(&model, &sets.held_out, &images[0]);
        if held_out.target < best.0 {
            best = (held_out.target, model.clone());
        }
        after_epoch(&TrainedEpoch {
            number,
            training_loss: loss / sets.training.len().max(1) as f64,
            held_out,
        });
    }
    Network::rounded(&best.1.parts())
}

fn losses(model: &Model, examples: &Examples, identity: &[Input]) -> Losses {
    model.losses((0..examples.len()).map(|i| examples.get(i)), identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::LabelledPosition;
    use crate::hive::contest::Contest;
    use crate::search::{ContestEvaluator, Evaluator, Weights};
    use crate::statistics::GameScore;
    use crate::tuning::Targets;

    const POSITIONS: &str = include_str!("../../cli/bench_positions.txt");

    /// Every position in several games, with what the weighted sum expects of it.
    fn sets() -> ExampleSets<Contest> {
        let judge = ContestEvaluator::linear(Weights::default());
        let mut sets = ExampleSets::new(Targets {
            result_share: 0.0,
            held_out_share: 0.2,
            seed: 3,
        });
        for game in 0..20 {
            for text in POSITIONS.lines() {
                let position = text.parse().unwrap();
                let expected = (judge.evaluate(&position) * 1000.0).round();
                sets.push(
                    0,
                    &LabelledPosition {
                        game,
                        position,
                        expected_thousandths: Some(expected as u16),
                        result: GameScore::Draw,
                        plies_to_end: 1,
                    },
                );
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

    #[test]
    fn a_network_learns_what_it_is_shown() {
        let mut epochs = Vec::new();
        let network = train_network(&sets(), &SETTINGS, |epoch| epochs.push(*epoch));
        assert!(epochs[11].held_out.target < epochs[0].held_out.target);
        let learned = ContestEvaluator::network(std::sync::Arc::new(network));
        let judge = ContestEvaluator::linear(Weights::default());
        for text in POSITIONS.lines() {
            let position = text.parse().unwrap();
            let (found, shown) = (learned.evaluate(&position), judge.evaluate(&position));
            assert!((found - shown).abs() < 0.1, "{found} for {shown}: {text}");
        }
    }

    #[test]
    fn the_same_positions_and_settings_give_the_same_network() {
        let settings = NetworkTraining {
            epochs: 2,
            ..SETTINGS
        };
        let train = |seed| train_network(&sets(), &NetworkTraining { seed, ..settings }, |_| ());
        assert_eq!(train(1), train(1));
        assert_ne!(train(1), train(2));
    }
}
