//! Trains the evaluation network.

use std::io;
use std::marker::PhantomData;

use anyhow::{Context, bail};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::examples::{Example, ExampleFile, ExampleSets, shuffle};
use super::model::{Model, Step, cross_entropy, expected_score};
use wabe_engine::evaluation::{Features, Network, symmetry_table};
use wabe_hive::hex::Symmetry;

/// Hyperparameters of a network training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkTraining {
    /// Number of hidden units, a multiple of 16 up to 256.
    pub units: usize,
    /// Number of passes over the training positions.
    pub epochs: u32,
    /// Batch size; at least 1.
    pub batch: usize,
    /// Learning rate of the first epoch. Decreases exponentially to a fiftieth of it.
    pub learning_rate: f32,
    /// Weight decay: share of each weight that a step removes, times the learning rate.
    pub decay: f32,
    /// Random seed for initial weights, the order of positions, and symmetries.
    pub seed: u64,
}

/// Number of phases of a game in [`ValidationLosses`].
pub const PHASES: usize = 4;

/// Plies per phase. The last phase is open-ended.
pub const PHASE_PLIES: usize = 16;

/// Losses on the validation set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValidationLosses {
    /// Mean cross-entropy of the targets, in nats.
    pub target: f64,
    /// Mean squared error against the game results, as scores in `0..=1`.
    pub squared_error: f64,
    /// Mean cross-entropy per phase of the game, in nats; `None` for phases without positions.
    pub by_phase: [Option<f64>; PHASES],
}

/// The losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainedEpoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean cross-entropy of the training positions, in nats, each measured before its own step.
    pub training_loss: f64,
    /// Losses on the validation set after the epoch.
    pub validation: ValidationLosses,
}

const UNREADABLE: &str = "cannot read the examples";

/// Learning rate of the last epoch, relative to the first.
const LAST_RATE: f32 = 0.02;

/// Number of blocks shuffled together in memory: about 130,000 positions, 30 MB.
const POOL: usize = 2_048;

/// The state of a network training between epochs.
///
/// Each epoch uses every position once, through a random symmetry of the board. The result depends
/// only on the examples and the settings, not on the number of cores or on interruptions.
#[derive(Debug, PartialEq)]
pub struct Training<R: Features> {
    settings: NetworkTraining,
    /// Number of training positions.
    examples: usize,
    /// CRC-32 of the training and of the validation examples.
    checksums: [u32; 2],
    model: Model,
    /// Number of finished epochs.
    done: u32,
    /// The lowest validation loss so far, and the network that reached it.
    best: Option<(f64, Network)>,
    game: PhantomData<R>,
}

impl<R: Features> Training<R> {
    /// Starts training on `sets` with random weights.
    pub fn new(sets: &ExampleSets<R>, settings: NetworkTraining) -> Training<R> {
        Training {
            settings,
            examples: sets.training.len(),
            checksums: [sets.training.checksum(), sets.validation.checksum()],
            model: Model::random(R::FEATURE_COUNT, settings.units, settings.seed),
            done: 0,
            best: None,
            game: PhantomData,
        }
    }

    /// True after the last epoch.
    pub fn is_over(&self) -> bool {
        self.done >= self.settings.epochs
    }

    /// The network with the lowest validation loss so far; `None` before the first epoch.
    pub fn best(&self) -> Option<&Network> {
        self.best.as_ref().map(|(_, network)| network)
    }

    /// Trains on each example once, on all cores.
    ///
    /// # Errors
    /// When a loss is not finite, or the examples cannot be read. Training cannot continue after an
    /// error.
    pub fn epoch(&mut self, sets: &ExampleSets<R>) -> anyhow::Result<TrainedEpoch> {
        let symmetry_tables = Symmetry::ALL.map(symmetry_table::<R>);
        let number = self.done + 1;
        let seed = self.settings.seed ^ u64::from(number) << 32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let last = self.settings.epochs.saturating_sub(1).max(1);
        let rate = LAST_RATE.powf(self.done as f32 / last as f32);
        let step = Step {
            rate: self.settings.learning_rate * rate,
            decay: self.settings.decay,
        };
        let mut order: Vec<usize> = (0..sets.training.blocks()).collect();
        order.shuffle(&mut rng);
        let mut loss = 0.0;
        let transform = |examples| shuffle(examples, &symmetry_tables, &mut rng);
        for_each_pool(&sets.training, &order, transform, |examples| {
            for batch in examples.chunks(self.settings.batch.max(1)) {
                loss += self.model.learn(batch, step);
            }
        })
        .context(UNREADABLE)?;
        let validation =
            measure_validation_losses(&self.model, &sets.validation).context(UNREADABLE)?;
        if !(loss.is_finite() && validation.target.is_finite()) {
            bail!(
                "the training diverged in epoch {number}: the loss is not finite; try a smaller \
                 learning rate or decay"
            );
        }
        if self
            .best
            .as_ref()
            .is_none_or(|(lowest, _)| validation.target < *lowest)
        {
            let network = Network::rounded::<R>(&self.model.parts());
            self.best = Some((validation.target, network));
        }
        self.done = number;
        Ok(TrainedEpoch {
            number,
            training_loss: loss / self.examples.max(1) as f64,
            validation,
        })
    }

    /// Encodes the training, so that it can continue with [`resume`](Training::resume).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.identity();
        bytes.extend(self.done.to_le_bytes());
        bytes.extend(
            self.best
                .as_ref()
                .map_or(f64::INFINITY, |(loss, _)| *loss)
                .to_le_bytes(),
        );
        self.model.write(&mut bytes);
        bytes.extend(self.best().map(Network::to_bytes).unwrap_or_default());
        bytes
    }

    /// Continues a training encoded by [`to_bytes`](Training::to_bytes). Returns false and changes
    /// nothing if the bytes are damaged, or if settings or examples differ.
    pub fn resume(&mut self, bytes: &[u8]) -> bool {
        let mut model = self.model.clone();
        let mut read = || {
            let rest = bytes.strip_prefix(&self.identity()[..])?;
            let (done, rest) = rest.split_first_chunk()?;
            let (loss, rest) = rest.split_first_chunk()?;
            let rest = model.read(rest)?;
            let network = Network::from_bytes(rest).ok()?;
            network.check::<R>().ok()?;
            Some((
                u32::from_le_bytes(*done),
                (f64::from_le_bytes(*loss), network),
            ))
        };
        let Some((done, best)) = read() else {
            return false;
        };
        (self.done, self.best, self.model) = (done, Some(best), model);
        true
    }

    /// Header of an encoded training: version, feature set, examples and settings.
    fn identity(&self) -> Vec<u8> {
        let mut bytes = b"wabetrn3".to_vec();
        bytes.extend(R::FEATURE_SET);
        bytes.extend((self.examples as u64).to_le_bytes());
        bytes.extend(self.checksums.map(u32::to_le_bytes).as_flattened());
        bytes.extend((self.settings.units as u64).to_le_bytes());
        bytes.extend(self.settings.epochs.to_le_bytes());
        bytes.extend((self.settings.batch as u64).to_le_bytes());
        bytes.extend(self.settings.learning_rate.to_le_bytes());
        bytes.extend(self.settings.decay.to_le_bytes());
        bytes.extend(self.settings.seed.to_le_bytes());
        bytes
    }
}

/// Reads the blocks of a file in this order, one pool at a time. Applies `transform` to each pool
/// and passes it to `receive`, while the next pool is prepared in parallel.
fn for_each_pool(
    file: &ExampleFile,
    order: &[usize],
    mut transform: impl FnMut(Vec<Example>) -> Vec<Example> + Send,
    mut receive: impl FnMut(&[Example]) + Send,
) -> io::Result<()> {
    let mut pools = order.chunks(POOL);
    let mut next = || {
        let blocks = pools.next()?;
        Some(file.read(blocks).map(&mut transform))
    };
    let mut pool = next().transpose()?;
    while let Some(examples) = pool {
        pool = rayon::join(|| receive(&examples), || next().transpose()).1?;
    }
    Ok(())
}

/// A running mean.
#[derive(Clone, Copy, Default)]
pub(super) struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    pub(super) fn add(&mut self, number: f32) {
        self.sum += f64::from(number);
        self.count += 1;
    }

    pub(super) fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

fn measure_validation_losses(model: &Model, file: &ExampleFile) -> io::Result<ValidationLosses> {
    let (mut all, mut squared_error) = (Mean::default(), Mean::default());
    let mut by_phase = [Mean::default(); PHASES];
    let blocks: Vec<usize> = (0..file.blocks()).collect();
    let unchanged = |examples| examples;
    for_each_pool(file, &blocks, unchanged, |examples| {
        for (example, logit) in examples.iter().zip(model.logits(examples)) {
            let loss = cross_entropy(logit, example.target);
            all.add(loss);
            by_phase[(usize::from(example.plies) / PHASE_PLIES).min(PHASES - 1)].add(loss);
            if let Some(result) = example.result {
                squared_error.add((expected_score(logit) - result).powi(2));
            }
        }
    })?;
    Ok(ValidationLosses {
        target: all.get().unwrap_or(0.0),
        squared_error: squared_error.get().unwrap_or(0.0),
        by_phase: by_phase.map(Mean::get),
    })
}

#[cfg(test)]
mod tests {
    use crate::ArenaGame;
    use std::sync::Arc;

    use super::super::examples::Targets;
    use super::*;
    use crate::dataset::{Label, LabelledPosition};
    use crate::statistics::GameScore;
    use wabe_engine::evaluation::{Evaluator, NetworkEvaluator};
    use wabe_hive::Position;
    use wabe_hive::contest::Contest;
    use wabe_hive::game::Record;
    use wabe_hive::standard::Standard;

    fn positions<G: ArenaGame>() -> impl Iterator<Item = Position<G>> {
        let records = G::BENCH.lines().map(|text| text.parse::<Record<G>>());
        records.map(|record| *record.ok().unwrap().position())
    }

    /// The evaluation that trained networks should reproduce.
    fn teacher<G: ArenaGame>() -> NetworkEvaluator<G> {
        NetworkEvaluator::new(Arc::new(Network::first::<G>())).unwrap()
    }

    /// Puts every position into several games, labelled by the teacher.
    fn make_sets<G: ArenaGame>(result_share: f32) -> ExampleSets<G> {
        let teacher = teacher();
        let targets = Targets {
            result_share,
            validation_share: 0.2,
            seed: 3,
        };
        let mut sets = ExampleSets::new(&std::env::temp_dir(), targets).unwrap();
        for game in 0..20 {
            for position in positions() {
                let expected = (teacher.evaluate(&position) * 1000.0).round();
                let labelled = LabelledPosition {
                    game,
                    position,
                    label: Label {
                        score: expected as u16,
                        visits: Vec::new(),
                    },
                    result: Some(GameScore::Draw),
                };
                sets.push(0, &labelled).unwrap();
            }
        }
        sets.finish().unwrap();
        sets
    }

    const SETTINGS: NetworkTraining = NetworkTraining {
        units: 64,
        epochs: 12,
        batch: 32,
        learning_rate: 0.004,
        decay: 0.01,
        seed: 1,
    };

    fn train(sets: &ExampleSets<Contest>, settings: NetworkTraining) -> Network {
        let mut training = Training::new(sets, settings);
        while !training.is_over() {
            training.epoch(sets).unwrap();
        }
        training.best().unwrap().clone()
    }

    fn check_learning<G: ArenaGame>() {
        let sets = make_sets::<G>(0.0);
        let mut training = Training::new(&sets, SETTINGS);
        let epochs = [(); 12].map(|()| training.epoch(&sets).unwrap());
        assert!(training.is_over());
        assert!(epochs[11].validation.target < epochs[0].validation.target);
        let network = training.best().unwrap().clone();
        let learned = NetworkEvaluator::<G>::new(Arc::new(network)).unwrap();
        let teacher = teacher();
        for position in positions() {
            let (found, expected) = (learned.evaluate(&position), teacher.evaluate(&position));
            assert!(
                (found - expected).abs() < 0.1,
                "expected {expected}, found {found}: {position}"
            );
        }
    }

    #[test]
    fn training_learns_its_examples() {
        check_learning::<Contest>();
        check_learning::<Standard>();
    }

    #[test]
    fn training_is_reproducible_on_any_thread_count() {
        let sets = make_sets::<Contest>(0.0);
        let settings = NetworkTraining {
            epochs: 2,
            ..SETTINGS
        };
        let train_on = |seed, threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let settings = NetworkTraining { seed, ..settings };
            pool.build().unwrap().install(|| train(&sets, settings))
        };
        assert_eq!(train_on(1, 1), train_on(1, 3));
        assert_ne!(train_on(1, 1), train_on(2, 1));
    }

    #[test]
    fn diverging_training_gives_no_network() {
        let settings = NetworkTraining {
            learning_rate: 1e30,
            decay: 1e30,
            ..SETTINGS
        };
        let sets = make_sets::<Contest>(0.0);
        let mut training = Training::new(&sets, settings);
        let error = training.epoch(&sets).unwrap_err().to_string();
        assert!(error.contains("diverged in epoch 1"), "{error}");
        assert_eq!(training.best(), None);
    }

    #[test]
    fn resumed_training_gives_the_same_network() {
        let sets = make_sets::<Contest>(0.0);
        let settings = NetworkTraining {
            units: 128,
            epochs: 2,
            ..SETTINGS
        };
        let mut interrupted = Training::new(&sets, settings);
        interrupted.epoch(&sets).unwrap();
        let bytes = interrupted.to_bytes();
        let mut resumed = Training::new(&sets, settings);
        assert!(resumed.resume(&bytes));
        assert_eq!(resumed, interrupted);
        resumed.epoch(&sets).unwrap();
        assert_eq!(resumed.best(), Some(&train(&sets, settings)));

        for (seed, units) in [(2, 128), (1, 64)] {
            let other = NetworkTraining {
                seed,
                units,
                ..settings
            };
            assert!(!Training::new(&sets, other).resume(&bytes));
        }
        let other_targets = make_sets::<Contest>(1.0);
        assert!(!Training::new(&other_targets, settings).resume(&bytes));
        for damaged in [&bytes[1..], &bytes[..bytes.len() - 1], &bytes[..100], b""] {
            assert!(!Training::new(&sets, settings).resume(damaged));
        }
    }
}
