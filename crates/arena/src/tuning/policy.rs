//! Trains a network's policy on visit counts of searches.
//!
//! The loss is the cross-entropy between the moves' visit shares and their priors in the search.
//! Priors are the softmax of the policy plus the expected score divided by the search's
//! temperature. The rest of the network is not trained.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::examples::Targets;
use super::training::Mean;
use crate::dataset::{LabelledPosition, MAX_LEVEL};
use wabe_engine::evaluation::{
    BUCKET_COUNT, Feature, Features, MAX_UNITS, MoveInputs, Network, NetworkError,
    NetworkEvaluator, PolicyParts,
};
use wabe_engine::search::Params;
use wabe_hive::hex::{Cell, Grid, Symmetry};
use wabe_hive::{Move, Position, RuleBook};

/// Number of passes over the samples.
const EPOCHS: u32 = 6;

/// Learning rate of the first epoch. It falls linearly.
const RATE: f32 = 0.05;

/// Number of samples prepared together, on all cores.
const BATCH: usize = 1024;

/// Minimum number of consecutive samples that a thread prepares with one evaluator, whose caches
/// they share.
const MIN_CHUNK: usize = 64;

const SYMMETRIES: usize = Symmetry::ALL.len();

const IDENTITY: Symmetry = Symmetry::ALL[0];

/// Initial sums of squared gradients (Adagrad, Duchi 2011).
const FIRST_SQUARE: f32 = 1e-6;

/// Random samples of the offered positions that have visits. Training and validation samples come
/// from different games.
#[derive(Debug)]
pub struct PolicySamples<R: Features> {
    training: Reservoir<R>,
    validation: Reservoir<R>,
    targets: Targets,
}

impl<R: Features> PolicySamples<R> {
    /// Creates empty samples of at most `capacity` training positions of about a kilobyte each.
    pub fn new(targets: Targets, capacity: usize) -> PolicySamples<R> {
        PolicySamples {
            training: Reservoir::new(capacity, targets.seed),
            validation: Reservoir::new(capacity / 10, targets.seed),
            targets,
        }
    }

    /// Offers a position, which is ignored if its visits are unknown. `file` is the index of its
    /// file.
    pub fn offer(&mut self, file: u32, labelled: LabelledPosition<R>) {
        if labelled.label.visits.is_empty() {
            return;
        }
        if self.targets.is_validation(file, &labelled) {
            self.validation.offer(labelled);
        } else {
            self.training.offer(labelled);
        }
    }
}

/// A uniform random sample of the offered positions (algorithm R, Vitter 1985).
#[derive(Debug)]
struct Reservoir<R: RuleBook> {
    capacity: usize,
    /// Number of positions offered so far.
    offers: u64,
    sample: Vec<LabelledPosition<R>>,
    random: Xoshiro256PlusPlus,
}

impl<R: RuleBook> Reservoir<R> {
    fn new(capacity: usize, seed: u64) -> Reservoir<R> {
        Reservoir {
            capacity,
            offers: 0,
            sample: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn offer(&mut self, position: LabelledPosition<R>) {
        self.offers += 1;
        if self.sample.len() < self.capacity {
            self.sample.push(position);
            return;
        }
        let index = self.random.random_range(0..self.offers);
        let index = usize::try_from(index).ok();
        if let Some(slot) = index.and_then(|index| self.sample.get_mut(index)) {
            *slot = position;
        }
    }
}

/// The losses of an epoch, in nats per position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyEpoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean loss of the training samples, each measured before its own step.
    pub training_loss: f64,
    /// Mean loss of the validation samples after the epoch.
    pub validation_loss: f64,
}

/// The state of a policy training between epochs. The result does not depend on the number of
/// cores.
#[derive(Debug)]
pub struct PolicyTraining<R: Features> {
    network: Arc<Network>,
    training: Vec<LabelledPosition<R>>,
    validation: Vec<LabelledPosition<R>>,
    weights: Weights,
    done: u32,
    seed: u64,
}

impl<R: Features> PolicyTraining<R> {
    /// Starts training a new policy for `network`. An existing policy is discarded.
    ///
    /// # Errors
    /// When the network has a different feature set.
    pub fn new(
        network: Arc<Network>,
        samples: PolicySamples<R>,
    ) -> Result<PolicyTraining<R>, NetworkError> {
        network.check::<R>()?;
        Ok(PolicyTraining {
            network,
            training: samples.training.sample,
            validation: samples.validation.sample,
            weights: Weights::new::<R>(),
            done: 0,
            seed: samples.targets.seed,
        })
    }

    /// Numbers of training and validation samples.
    pub fn sizes(&self) -> (usize, usize) {
        (self.training.len(), self.validation.len())
    }

    /// True after the last epoch.
    pub fn is_over(&self) -> bool {
        self.done >= EPOCHS
    }

    /// Validation loss without a policy, and with a perfect one (the entropy of the visits), in
    /// nats per position.
    pub fn bounds(&self) -> (f64, f64) {
        let no_policy = Weights::new::<R>();
        let visit_shares = |sample: &Sample| sample.iter().map(|(_, target)| *target).collect();
        (
            self.mean_validation_loss(|sample| no_policy.priors(sample)),
            self.mean_validation_loss(visit_shares),
        )
    }

    /// Trains on each sample once, through a random symmetry of the board.
    pub fn epoch(&mut self) -> PolicyEpoch {
        let number = self.done + 1;
        let seed = self.seed ^ u64::from(number) << 32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rate = RATE * (1.0 - self.done as f32 / EPOCHS as f32);
        let mut samples = std::mem::take(&mut self.training);
        samples.shuffle(&mut rng);
        let mut loss = Mean::default();
        for batch in samples.chunks(BATCH) {
            let transformed: Vec<(&LabelledPosition<R>, Symmetry)> = (batch.iter())
                .map(|labelled| (labelled, Symmetry::ALL[rng.random_range(0..SYMMETRIES)]))
                .collect();
            for sample in self.prepare_all(&transformed) {
                loss.add(self.weights.learn(&sample, rate));
            }
        }
        self.training = samples;
        self.done = number;
        PolicyEpoch {
            number,
            training_loss: loss.get().unwrap_or(0.0),
            validation_loss: self.mean_validation_loss(|sample| self.weights.priors(sample)),
        }
    }

    /// Mean loss of these priors on the validation samples.
    fn mean_validation_loss(&self, priors: impl Fn(&Sample) -> Vec<f32>) -> f64 {
        let mut loss = Mean::default();
        for batch in self.validation.chunks(BATCH) {
            let unchanged: Vec<(&LabelledPosition<R>, Symmetry)> = (batch.iter())
                .map(|labelled| (labelled, IDENTITY))
                .collect();
            for sample in self.prepare_all(&unchanged) {
                loss.add(cross_entropy(&sample, &priors(&sample)));
            }
        }
        loss.get().unwrap_or(0.0)
    }

    /// The network with the current policy.
    pub fn network(&self) -> Network {
        let network = Network::clone(&self.network);
        network.with_policy(&self.weights.values)
    }

    /// Prepares samples in order, each through its symmetry. Skips positions without a visited
    /// move.
    fn prepare_all(&self, positions: &[(&LabelledPosition<R>, Symmetry)]) -> Vec<Sample> {
        let evaluator = || NetworkEvaluator::from_checked(Arc::clone(&self.network));
        let prepare = |evaluator: &mut NetworkEvaluator<R>, &(labelled, symmetry): &_| {
            prepare(evaluator, labelled, symmetry)
        };
        let samples: Vec<Option<Sample>> = (positions.par_iter())
            .with_min_len(MIN_CHUNK)
            .map_init(evaluator, prepare)
            .collect();
        samples.into_iter().flatten().collect()
    }
}

/// A position's moves with their visit shares, which sum to 1.
type Sample = Vec<(MoveInputs, f32)>;

/// Prepares the moves whose visits are known. Omits moves that end the game, because the search
/// does not use the policy for them.
fn prepare<R: Features>(
    evaluator: &NetworkEvaluator<R>,
    labelled: &LabelledPosition<R>,
    symmetry: Symmetry,
) -> Option<Sample> {
    prepare_image(evaluator, labelled, symmetry)
        // If the hive wraps around the edge of the coordinates, a symmetry may tear it apart.
        .or_else(|| prepare_image(evaluator, labelled, IDENTITY))
        .filter(|sample| !sample.is_empty())
}

/// Returns `None` if a move is illegal in the image of the position.
fn prepare_image<R: Features>(
    evaluator: &NetworkEvaluator<R>,
    labelled: &LabelledPosition<R>,
    symmetry: Symmetry,
) -> Option<Sample> {
    let position = labelled.position.transformed(symmetry)?;
    let image = |cell: Cell| R::Grid::cell(symmetry.apply(R::Grid::hex(cell)));
    let moves = labelled.position.legal_moves();
    let shares: Option<Vec<(Move<R>, f32)>> = (moves.iter().zip(&labelled.label.visits))
        .map(|(mv, &level)| Some((mv.on_fields(image)?, relative_visits(level))))
        .collect();
    let shares = shares?;
    let mut sample = Sample::new();
    let (mut found, mut sum) = (0, 0.0);
    evaluator.for_each_input(&position, |mv, next: &Position<R>, inputs| {
        let Some(&(_, share)) = shares.iter().find(|(other, _)| *other == mv) else {
            return;
        };
        found += 1;
        if next.outcome().is_none() {
            sum += share;
            sample.push((inputs, share));
        }
    });
    if found != shares.len() {
        return None;
    }
    if sum == 0.0 {
        return Some(Sample::new());
    }
    for (_, share) in &mut sample {
        *share /= sum;
    }
    Some(sample)
}

/// Visits of a move relative to the most visited move, in `0..=1`.
fn relative_visits(level: u8) -> f32 {
    (f32::from(level) / f32::from(MAX_LEVEL)).powi(2)
}

/// Cross-entropy between the visit shares and `priors`, in nats.
fn cross_entropy(sample: &Sample, priors: &[f32]) -> f32 {
    let terms = sample.iter().zip(priors);
    let terms = terms.filter(|((_, target), _)| *target > 0.0);
    terms
        .map(|((_, target), prior)| -target * libm::logf(prior.max(f32::MIN_POSITIVE)))
        .sum()
}

/// Weights of a policy, each with its sum of squared gradients.
#[derive(Debug)]
struct Weights {
    values: PolicyParts,
    squares: PolicyParts,
}

impl Weights {
    fn new<R: Features>() -> Weights {
        let values = PolicyParts::zeros::<R>();
        let squares = |weights: &Vec<f32>| vec![FIRST_SQUARE; weights.len()];
        Weights {
            squares: PolicyParts {
                outputs: [[FIRST_SQUARE; MAX_UNITS]; BUCKET_COUNT],
                classes: squares(&values.classes),
                from: squares(&values.from),
                to: squares(&values.to),
            },
            values,
        }
    }

    /// Index of a move's class over all buckets.
    fn class(&self, inputs: &MoveInputs) -> usize {
        let classes = self.values.classes.len() / BUCKET_COUNT;
        inputs.bucket.number() * classes + inputs.features.class
    }

    fn policy(&self, inputs: &MoveInputs) -> f32 {
        let values = &self.values;
        let output = values.outputs[inputs.bucket.number()].iter();
        let position_terms = output.zip(&inputs.units).map(|(w, unit)| w * unit);
        let from = inputs.features.from.into_iter().flatten();
        let to = inputs.features.to.into_iter().flatten();
        let move_terms = std::iter::once(values.classes[self.class(inputs)])
            .chain(from.map(|feature: Feature| values.from[feature.number()]))
            .chain(to.map(|feature: Feature| values.to[feature.number()]));
        position_terms.sum::<f32>() + move_terms.sum::<f32>()
    }

    /// The priors of a sample's moves.
    fn priors(&self, sample: &Sample) -> Vec<f32> {
        let temperature = Params::default().prior_temperature;
        let mut priors: Vec<f32> = (sample.iter())
            .map(|(inputs, _)| inputs.score / temperature + self.policy(inputs))
            .collect();
        let highest = priors.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for prior in &mut priors {
            *prior = libm::expf(*prior - highest);
        }
        let sum: f32 = priors.iter().sum();
        for prior in &mut priors {
            *prior /= sum;
        }
        priors
    }

    /// Takes a step on a sample. Returns the loss before the step, in nats.
    fn learn(&mut self, sample: &Sample, rate: f32) -> f32 {
        let priors = self.priors(sample);
        let step = |value: &mut f32, square: &mut f32, gradient: f32| {
            *square += gradient * gradient;
            *value -= rate * gradient / square.sqrt();
        };
        let mut backwards = [0.0; MAX_UNITS];
        for ((inputs, target), prior) in sample.iter().zip(&priors) {
            let error = prior - target;
            for (sum, unit) in backwards.iter_mut().zip(&inputs.units) {
                *sum += error * unit;
            }
            let class = self.class(inputs);
            let Weights { values, squares } = self;
            step(
                &mut values.classes[class],
                &mut squares.classes[class],
                error,
            );
            for from in inputs.features.from.into_iter().flatten() {
                let place = from.number();
                step(&mut values.from[place], &mut squares.from[place], error);
            }
            for to in inputs.features.to.into_iter().flatten() {
                let place = to.number();
                step(&mut values.to[place], &mut squares.to[place], error);
            }
        }
        if let Some((inputs, _)) = sample.first() {
            let bucket = inputs.bucket.number();
            let squares = &mut self.squares.outputs[bucket];
            let weights = self.values.outputs[bucket].iter_mut().zip(squares);
            for ((value, square), gradient) in weights.zip(backwards) {
                step(value, square, gradient);
            }
        }
        cross_entropy(sample, &priors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Label;
    use wabe_engine::Playable;
    use wabe_engine::evaluation::Evaluator;
    use wabe_hive::game::Record;
    use wabe_hive::standard::{Kind, Standard};

    /// Creates positions from several games in which only ant moves were visited.
    fn make_samples() -> PolicySamples<Standard> {
        let targets = Targets {
            result_share: 0.5,
            validation_share: 0.3,
            seed: 3,
        };
        let mut samples = PolicySamples::new(targets, 1000);
        for game in 0..20 {
            for text in Standard::BENCH.lines() {
                let record: Record<Standard> = text.parse().unwrap();
                let position = *record.position();
                let levels = record.legal_moves().into_iter().map(|mv| {
                    let is_ant = match mv {
                        Move::Place { kind, .. } => kind == Kind::Ant,
                        Move::Drag { from, .. } => position.top(from).unwrap().kind == Kind::Ant,
                        Move::Pass => false,
                    };
                    if is_ant { MAX_LEVEL } else { 0 }
                });
                let labelled = LabelledPosition {
                    game,
                    position,
                    label: Label {
                        score: 500,
                        visits: levels.collect(),
                    },
                    result: None,
                };
                samples.offer(0, labelled);
            }
        }
        samples
    }

    fn train(threads: usize) -> PolicyTraining<Standard> {
        let run_epochs = || {
            let mut training = PolicyTraining::new(Standard::built_in(), make_samples()).unwrap();
            while !training.is_over() {
                training.epoch();
            }
            training
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(run_epochs)
    }

    #[test]
    fn policy_learns_visits_on_any_number_of_threads() {
        let trained = train(1);
        let (no_policy, entropy) = trained.bounds();
        let found = trained.mean_validation_loss(|sample| trained.weights.priors(sample));
        assert!(
            entropy < found && found < (no_policy + 2.0 * entropy) / 3.0,
            "{entropy} {found} {no_policy}"
        );
        let network = Arc::new(trained.network());
        assert_eq!(train(3).network(), *network);
        // The quantised policy must also prefer ant moves.
        let evaluator = NetworkEvaluator::<Standard>::new(network).unwrap();
        let labelled = &trained.validation[0];
        let judge = evaluator.successors(&labelled.position);
        let record = Record::from_position(labelled.position);
        let policy = |mv| judge(mv, &labelled.position.after(mv)).policy;
        let moves = record.legal_moves().into_iter();
        let best = moves
            .zip(&labelled.label.visits)
            .max_by(|(a, _), (b, _)| policy(*a).total_cmp(&policy(*b)));
        assert_eq!(best.unwrap().1, &MAX_LEVEL);
    }
}
