//! Training of the network's policy on the visits of searches.
//!
//! The loss is the cross-entropy between the share of visits of each move and the priors that the
//! search would give it: the softmax of the expected score, divided by the search's temperature,
//! plus the policy. The rest of the network does not change.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::examples::Targets;
use super::training::Mean;
use crate::dataset::{LabelledPosition, MAX_LEVEL};
use wabe_engine::evaluation::{
    BUCKET_COUNT, Feature, Features, HIDDEN, MoveInputs, Network, NetworkError, NetworkEvaluator,
    PolicyParts,
};
use wabe_engine::search::Params;
use wabe_hive::hex::{Cell, Grid, Symmetry};
use wabe_hive::{Move, MoveList, Position, RuleBook};

/// Passes over the samples.
const EPOCHS: u32 = 6;

/// Size of the first epoch's steps; it falls by the same amount in each epoch.
const RATE: f32 = 0.05;

/// Samples that are prepared together, on all cores.
const BATCH: usize = 1024;

/// Fewest samples that a core prepares with one set of caches.
const CHUNK: usize = 64;

const SYMMETRIES: usize = Symmetry::ALL.len();

const IDENTITY: Symmetry = Symmetry::ALL[0];

/// Initial sums of squared gradients (Adagrad, Duchi 2011).
const FIRST_SQUARE: f32 = 1e-6;

/// Positions with the visits of their moves, split into training and held-out ones by whole games:
/// a random sample of those offered.
#[derive(Debug)]
pub struct PolicySamples<R: Features> {
    training: Reservoir<R>,
    held_out: Reservoir<R>,
    targets: Targets,
}

impl<R: Features> PolicySamples<R> {
    /// No samples yet, with room for `most` to train with, about a kilobyte each.
    pub fn new(targets: Targets, most: usize) -> PolicySamples<R> {
        PolicySamples {
            training: Reservoir::new(most, targets.seed),
            held_out: Reservoir::new(most / 10, targets.seed),
            targets,
        }
    }

    /// Offers a position, which is used only if its visits are known. `file` is the number of its
    /// file.
    pub fn offer(&mut self, file: u32, labelled: LabelledPosition<R>) {
        if labelled.label.visits.is_empty() {
            return;
        }
        if self.targets.is_held_out(file, &labelled) {
            self.held_out.offer(labelled);
        } else {
            self.training.offer(labelled);
        }
    }
}

/// A uniform random sample of the offered positions (algorithm R, Vitter 1985).
#[derive(Debug)]
struct Reservoir<R: RuleBook> {
    size: usize,
    offered: u64,
    kept: Vec<LabelledPosition<R>>,
    random: Xoshiro256PlusPlus,
}

impl<R: RuleBook> Reservoir<R> {
    fn new(size: usize, seed: u64) -> Reservoir<R> {
        Reservoir {
            size,
            offered: 0,
            kept: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    fn offer(&mut self, position: LabelledPosition<R>) {
        self.offered += 1;
        if self.kept.len() < self.size {
            self.kept.push(position);
            return;
        }
        let place = self.random.random_range(0..self.offered);
        let place = usize::try_from(place).ok();
        if let Some(slot) = place.and_then(|place| self.kept.get_mut(place)) {
            *slot = position;
        }
    }
}

/// The losses after an epoch, in nats a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyEpoch {
    /// Number of the epoch, from 1.
    pub number: u32,
    /// Mean loss of the training samples, each computed just before its own step.
    pub training_loss: f64,
    /// Mean loss of the held-out samples after the epoch.
    pub held_out: f64,
}

/// A training between two epochs. The same samples give the same policy, whatever the number of
/// cores.
#[derive(Debug)]
pub struct PolicyTraining<R: Features> {
    network: Arc<Network>,
    training: Vec<LabelledPosition<R>>,
    held_out: Vec<LabelledPosition<R>>,
    weights: Weights,
    done: u32,
    seed: u64,
}

impl<R: Features> PolicyTraining<R> {
    /// A training of the policy of `network`, before its first epoch. An existing policy is
    /// discarded.
    ///
    /// # Errors
    /// When the network is for other features.
    pub fn new(
        network: Arc<Network>,
        samples: PolicySamples<R>,
    ) -> Result<PolicyTraining<R>, NetworkError> {
        network.check::<R>()?;
        Ok(PolicyTraining {
            network,
            training: samples.training.kept,
            held_out: samples.held_out.kept,
            weights: Weights::new::<R>(),
            done: 0,
            seed: samples.targets.seed,
        })
    }

    /// Numbers of samples to train with, and held out.
    pub fn sizes(&self) -> (usize, usize) {
        (self.training.len(), self.held_out.len())
    }

    /// True after the last epoch.
    pub fn is_over(&self) -> bool {
        self.done >= EPOCHS
    }

    /// The held-out loss without a policy, and with one that knows the visits, which is their
    /// entropy. In nats a position.
    pub fn bounds(&self) -> (f64, f64) {
        let without = Weights::new::<R>();
        let known = |sample: &Sample| sample.iter().map(|(_, target)| *target).collect();
        (
            self.held_out_loss(|sample| without.priors(sample)),
            self.held_out_loss(known),
        )
    }

    /// Learns from all samples once, each through a random symmetry of the board.
    pub fn epoch(&mut self) -> PolicyEpoch {
        let number = self.done + 1;
        let seed = self.seed ^ u64::from(number) << 32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let rate = RATE * (1.0 - self.done as f32 / EPOCHS as f32);
        let mut samples = std::mem::take(&mut self.training);
        samples.shuffle(&mut rng);
        let mut loss = Mean::default();
        for batch in samples.chunks(BATCH) {
            let drawn: Vec<(&LabelledPosition<R>, Symmetry)> = (batch.iter())
                .map(|labelled| (labelled, Symmetry::ALL[rng.random_range(0..SYMMETRIES)]))
                .collect();
            for sample in self.prepared(&drawn) {
                loss.add(self.weights.learn(&sample, rate));
            }
        }
        self.training = samples;
        self.done = number;
        PolicyEpoch {
            number,
            training_loss: loss.get().unwrap_or(0.0),
            held_out: self.held_out_loss(|sample| self.weights.priors(sample)),
        }
    }

    /// The mean loss of the held-out samples with these priors.
    fn held_out_loss(&self, priors: impl Fn(&Sample) -> Vec<f32>) -> f64 {
        let mut loss = Mean::default();
        for batch in self.held_out.chunks(BATCH) {
            let as_they_are: Vec<(&LabelledPosition<R>, Symmetry)> = (batch.iter())
                .map(|labelled| (labelled, IDENTITY))
                .collect();
            for sample in self.prepared(&as_they_are) {
                loss.add(cross_entropy(&sample, &priors(&sample)));
            }
        }
        loss.get().unwrap_or(0.0)
    }

    /// The network with the policy of the last epoch.
    pub fn network(&self) -> Network {
        let network = Network::clone(&self.network);
        network.with_policy(&self.weights.values)
    }

    /// The samples of positions, each seen through a symmetry, in their order. Positions without a
    /// visited move are left out.
    fn prepared(&self, positions: &[(&LabelledPosition<R>, Symmetry)]) -> Vec<Sample> {
        let evaluator = || NetworkEvaluator::from_checked(Arc::clone(&self.network));
        let prepare = |evaluator: &mut NetworkEvaluator<R>, &(labelled, symmetry): &_| {
            prepare(evaluator, labelled, symmetry)
        };
        let samples: Vec<Option<Sample>> = (positions.par_iter())
            .with_min_len(CHUNK)
            .map_init(evaluator, prepare)
            .collect();
        samples.into_iter().flatten().collect()
    }
}

/// The moves of a position, each with its share of the visits; the shares sum to 1.
type Sample = Vec<(MoveInputs, f32)>;

/// The moves whose visits are known, except those that end the game: the search gives them no
/// policy.
fn prepare<R: Features>(
    evaluator: &NetworkEvaluator<R>,
    labelled: &LabelledPosition<R>,
    symmetry: Symmetry,
) -> Option<Sample> {
    seen_through(evaluator, labelled, symmetry)
        // On a hive that lies across the edge of the coordinates, a symmetry does not map every
        // field along with the hive.
        .or_else(|| seen_through(evaluator, labelled, IDENTITY))
        .filter(|sample| !sample.is_empty())
}

/// `None` if a move is not legal in the image of the position.
fn seen_through<R: Features>(
    evaluator: &NetworkEvaluator<R>,
    labelled: &LabelledPosition<R>,
    symmetry: Symmetry,
) -> Option<Sample> {
    let position = labelled.position.transformed(symmetry)?;
    let image = |cell: Cell| R::Grid::cell(symmetry.apply(R::Grid::hex(cell)));
    let mut moves = MoveList::new();
    labelled.position.legal_moves(&mut moves);
    let shares: Option<Vec<(Move<R>, f32)>> = (moves.iter().zip(&labelled.label.visits))
        .map(|(mv, &level)| Some((mv.on_fields(image)?, share(level))))
        .collect();
    let shares = shares?;
    let mut sample = Sample::new();
    let (mut found, mut sum) = (0, 0.0);
    evaluator.for_each_input(&position, |mv, next: &Position<R>, inputs| {
        let Some(&(_, share)) = shares.iter().find(|(known, _)| *known == mv) else {
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

/// Visits of a move relative to the most visited one.
fn share(level: u8) -> f32 {
    (f32::from(level) / f32::from(MAX_LEVEL)).powi(2)
}

/// Cross-entropy between the shares of visits and `priors`, in nats.
fn cross_entropy(sample: &Sample, priors: &[f32]) -> f32 {
    let terms = sample.iter().zip(priors);
    let terms = terms.filter(|((_, target), _)| *target > 0.0);
    terms
        .map(|((_, target), prior)| -target * libm::logf(prior.max(f32::MIN_POSITIVE)))
        .sum()
}

/// All weights of a policy, and the sum of squared gradients of each.
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
                outputs: [[FIRST_SQUARE; HIDDEN]; BUCKET_COUNT],
                classes: squares(&values.classes),
                from: squares(&values.from),
                to: squares(&values.to),
            },
            values,
        }
    }

    /// The place of a move's class among those of all buckets.
    fn class(&self, seen: &MoveInputs) -> usize {
        let classes = self.values.classes.len() / BUCKET_COUNT;
        seen.bucket.number() * classes + seen.features.class
    }

    fn policy(&self, seen: &MoveInputs) -> f32 {
        let values = &self.values;
        let output = values.outputs[seen.bucket.number()].iter();
        let of_position = output.zip(&seen.units).map(|(w, unit)| w * unit);
        let from = seen.features.from.into_iter().flatten();
        let to = seen.features.to.into_iter().flatten();
        let of_move = std::iter::once(values.classes[self.class(seen)])
            .chain(from.map(|feature: Feature| values.from[feature.number()]))
            .chain(to.map(|feature: Feature| values.to[feature.number()]));
        of_position.sum::<f32>() + of_move.sum::<f32>()
    }

    /// The priors of a sample's moves.
    fn priors(&self, sample: &Sample) -> Vec<f32> {
        let temperature = Params::default().prior_temperature;
        let mut priors: Vec<f32> = (sample.iter())
            .map(|(seen, _)| seen.score / temperature + self.policy(seen))
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

    /// Learns from a sample. Returns its loss before the step, in nats.
    fn learn(&mut self, sample: &Sample, rate: f32) -> f32 {
        let priors = self.priors(sample);
        let step = |value: &mut f32, square: &mut f32, gradient: f32| {
            *square += gradient * gradient;
            *value -= rate * gradient / square.sqrt();
        };
        let mut backwards = [0.0; HIDDEN];
        for ((seen, target), prior) in sample.iter().zip(&priors) {
            let error = prior - target;
            for (sum, unit) in backwards.iter_mut().zip(&seen.units) {
                *sum += error * unit;
            }
            let class = self.class(seen);
            let Weights { values, squares } = self;
            step(
                &mut values.classes[class],
                &mut squares.classes[class],
                error,
            );
            for from in seen.features.from.into_iter().flatten() {
                let place = from.number();
                step(&mut values.from[place], &mut squares.from[place], error);
            }
            for to in seen.features.to.into_iter().flatten() {
                let place = to.number();
                step(&mut values.to[place], &mut squares.to[place], error);
            }
        }
        if let Some((seen, _)) = sample.first() {
            let bucket = seen.bucket.number();
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

    /// Positions in which the search visited moves of ants alone, in several games.
    fn samples() -> PolicySamples<Standard> {
        let targets = Targets {
            result_share: 0.5,
            held_out_share: 0.3,
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

    fn training(threads: usize) -> PolicyTraining<Standard> {
        let train = || {
            let mut training = PolicyTraining::new(Standard::built_in(), samples()).unwrap();
            while !training.is_over() {
                training.epoch();
            }
            training
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(train)
    }

    #[test]
    fn a_policy_learns_what_was_visited_on_any_number_of_threads() {
        let trained = training(1);
        let (without, least) = trained.bounds();
        let found = trained.held_out_loss(|sample| trained.weights.priors(sample));
        assert!(
            least < found && found < (without + 2.0 * least) / 3.0,
            "{least} {found} {without}"
        );
        let network = Arc::new(trained.network());
        assert_eq!(training(3).network(), *network);
        // The quantised policy prefers them, too.
        let evaluator = NetworkEvaluator::<Standard>::new(network).unwrap();
        let labelled = &trained.held_out[0];
        let judge = evaluator.successors(&labelled.position);
        let record = Record::from(labelled.position);
        let policy = |mv| judge(mv, &labelled.position.after(mv)).policy;
        let moves = record.legal_moves().into_iter();
        let best = moves
            .zip(&labelled.label.visits)
            .max_by(|(a, _), (b, _)| policy(*a).total_cmp(&policy(*b)));
        assert_eq!(best.unwrap().1, &MAX_LEVEL);
    }
}
