//! Static evaluation of positions.
//!
//! - [`Evaluator`] returns the expected score of the side to move.
//! - [`NetworkEvaluator`] evaluates with a small trained [`Network`] over the [`Features`] of a
//!   rule book.
//! - [`NetworkFile`] is a network read from a file.

mod cache;
mod contest;
mod displacement;
mod features;
mod file;
mod network;
mod policy;
mod standard;

use std::fmt;
use std::sync::Arc;

use cache::{Cache, OutputCache};
pub use displacement::Displacement;
use features::{AROUND, ParentFeatures, RESERVE_COUNTS, SIDES, reserve_feature};
pub use features::{
    Bucket, Changes, Feature, Features, State, View, bee_ring_feature, first_game_feature,
    symmetry_table,
};
pub use file::{NetworkFile, NetworkFileError};
use network::Accumulator;
pub use network::{BUCKET_COUNT, MAX_UNITS, Network, NetworkError, NetworkParts};
pub use policy::{MoveFeatures, PolicyParts};
use wabe_hive::hex::CellSet;
use wabe_hive::{
    CellSetOf, KindOf, Move, PieceKind, Position, RuleBook, articulation_points,
    articulation_points_with,
};

/// The evaluation of a legal move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MoveEval {
    /// The value of the position after the move for the side to move there, such as a logit.
    /// [`Evaluator::score`] converts it to an expected score.
    pub value: f32,
    /// The logarithm of a factor on the move's prior; 0 without a policy.
    pub policy: f32,
}

/// Evaluates positions of games that are not over.
pub trait Evaluator<R: RuleBook>: Clone + Send {
    /// The expected score of the side to move, in `0..=1`.
    fn evaluate(&self, position: &Position<R>) -> f32;

    /// Returns a function that evaluates the legal moves of `position`, given the positions after
    /// them. The [`score`](Evaluator::score) of a returned value equals the result of
    /// [`evaluate`](Evaluator::evaluate) for that position. Evaluators that override this method
    /// can share work between the moves.
    fn successors<'a>(
        &'a self,
        _position: &'a Position<R>,
    ) -> impl Fn(Move<R>, &Position<R>) -> MoveEval + 'a {
        |_, next| MoveEval {
            value: self.evaluate(next),
            policy: 0.0,
        }
    }

    /// True if the policy of a move may differ from 0.
    fn has_policy(&self) -> bool {
        false
    }

    /// The last step of [`successors`](Evaluator::successors): maps any value to an expected score
    /// in `0..=1`. It is a separate step because converting many values in one loop is faster. An
    /// evaluator that overrides it must also override `successors`.
    #[inline]
    fn score(value: f32) -> f32 {
        value
    }
}

/// Functions are evaluators. Their results are clamped to `0..=1`; NaN counts as 0.5.
impl<R: RuleBook, F: Fn(&Position<R>) -> f32 + Clone + Send> Evaluator<R> for F {
    fn evaluate(&self, position: &Position<R>) -> f32 {
        let score = self(position);
        if score.is_nan() {
            0.5
        } else {
            score.clamp(0.0, 1.0)
        }
    }
}

/// Evaluates positions with a network.
#[derive(Clone)]
pub struct NetworkEvaluator<R: Features> {
    network: Arc<Network>,
    /// The articulation points of positions, and of hives without the lifted piece. Many positions
    /// of a search share them. Unused entries are correct, because the empty set has no
    /// articulation points. Takes 256 KiB on the contest's board, small enough for the L2 cache.
    articulation: Cache<CellSetOf<R>, CellSetOf<R>, 13>,
    outputs: OutputCache,
}

/// All inputs of a policy for one move.
#[derive(Clone, Debug)]
pub struct MoveInputs {
    /// The expected score of the side that makes the move, in `0..=1`.
    pub score: f32,
    /// The output bucket of the position after the move.
    pub bucket: Bucket,
    /// The squared hidden units of the position after the move, in `0..=1`.
    pub units: [f32; MAX_UNITS],
    /// The features of the move itself.
    pub features: MoveFeatures,
}

impl<R: Features> NetworkEvaluator<R> {
    /// Checks that `network` is for `R`.
    ///
    /// # Errors
    /// If the network is for other features.
    pub fn new(network: Arc<Network>) -> Result<NetworkEvaluator<R>, NetworkError> {
        network.check::<R>()?;
        Ok(NetworkEvaluator::from_checked(network))
    }

    /// Uses the built-in network.
    pub fn built_in() -> NetworkEvaluator<R> {
        NetworkEvaluator::from_checked(R::built_in())
    }

    /// Skips [`Network::check`], which must have succeeded.
    pub fn from_checked(network: Arc<Network>) -> NetworkEvaluator<R> {
        NetworkEvaluator {
            articulation: Cache::default(),
            outputs: OutputCache::new(network.has_policy()),
            network,
        }
    }

    /// The network, shared with clones of the evaluator.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Calls `visit` with every legal move of `position`, the position after it and the inputs of
    /// the policy.
    pub fn for_each_input(
        &self,
        position: &Position<R>,
        mut visit: impl FnMut(Move<R>, &Position<R>, MoveInputs),
    ) {
        let turn = position.turn() + 1;
        let before =
            ParentFeatures::new(View::new(position, turn, self.points(position.occupied())));
        let bucket = R::bucket(position, turn);
        position.for_each_successor(|mv, next| {
            let accumulator = self.accumulator(next);
            let eval = self.network.outputs(&accumulator, bucket);
            let inputs = MoveInputs {
                score: 1.0 - Self::score(eval.value),
                bucket,
                units: Network::units(&accumulator),
                features: MoveFeatures::new(&before, mv),
            };
            visit(mv, next, inputs);
        });
    }

    /// The accumulator of a position.
    fn accumulator(&self, position: &Position<R>) -> Accumulator {
        let mut accumulator = self.network.biases();
        let points = self.points(position.occupied());
        let view = View::new(position, position.turn(), points);
        view.features(&mut |feature| self.network.add(&mut accumulator, feature));
        accumulator
    }

    #[inline]
    fn points(&self, occupied: CellSetOf<R>) -> CellSetOf<R> {
        let compute = || articulation_points::<R::Grid>(occupied);
        self.articulation
            .get(occupied.mixed_hash(), occupied, compute)
    }

    /// Returns a function that computes the articulation points after a legal move of `position`,
    /// given its own `points`. Fastest if all moves of a piece are consecutive.
    #[inline]
    fn points_after(
        &self,
        position: &Position<R>,
        points: CellSetOf<R>,
    ) -> impl Fn(Move<R>) -> CellSetOf<R> {
        let (occupied, stacked) = (position.occupied(), position.stacked());
        // The field of the lifted piece, the hive without it and the points of that hive.
        let lifted = std::cell::Cell::new(None);
        move |mv| {
            let (hive, points) = match mv {
                Move::Drag { from, .. } if !stacked.contains(from) => match lifted.get() {
                    Some((cell, hive, points)) if cell == from => (hive, points),
                    _ => {
                        let hive = occupied - CellSet::single(from);
                        let points = self.points(hive);
                        lifted.set(Some((from, hive, points)));
                        (hive, points)
                    }
                },
                _ => (occupied, points),
            };
            match mv.destination() {
                Some(to) if !hive.contains(to) => {
                    articulation_points_with::<R::Grid>(hive, points, to)
                }
                _ => points,
            }
        }
    }
}

impl<R: Features> fmt::Debug for NetworkEvaluator<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NetworkEvaluator")
    }
}

/// A branch-free exponential function with the same results on every machine: 2 to the integer part
/// of the binary exponent, times a polynomial of the rest. The relative error is below 3·10⁻⁶.
/// Results are clamped to the range from 2⁻¹²⁶ to 2¹²⁶.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    let exponent = (x * std::f32::consts::LOG2_E).clamp(-126.0, 126.0);
    let whole = exponent.round_ties_even();
    let rest = exponent - whole;
    // The Taylor series of 2^rest; |rest| <= 1/2.
    let polynomial = 1.0
        + rest
            * (std::f32::consts::LN_2
                + rest
                    * (0.240_226_5
                        + rest * (0.055_504_11 + rest * (0.009_618_129 + rest * 0.001_333_355_8))));
    f32::from_bits(((whole as i32 + 127) as u32) << 23) * polynomial
}

impl<R: Features> Evaluator<R> for NetworkEvaluator<R> {
    fn evaluate(&self, position: &Position<R>) -> f32 {
        let accumulator = self.accumulator(position);
        let bucket = R::bucket(position, position.turn());
        Self::score(self.network.outputs(&accumulator, bucket).value)
    }

    #[inline]
    fn successors<'a>(
        &'a self,
        position: &'a Position<R>,
    ) -> impl Fn(Move<R>, &Position<R>) -> MoveEval + 'a {
        let turn = position.turn() + 1;
        let points = self.points(position.occupied());
        let points_after = self.points_after(position, points);
        let before = ParentFeatures::new(View::new(position, turn, points));
        let mut base = self.network.biases();
        before.features(&mut |feature| self.network.add(&mut base, feature));
        let bucket = R::bucket(position, turn);
        move |mv, next| {
            // The value of a position also depends on the stage of the game, but not on which piece
            // rests.
            let key = next.board_hash() ^ bucket.number() as u64;
            let mut eval = self.outputs.outputs(key, || {
                let after = View::new(next, turn, points_after(mv));
                let mut changes = Changes::default();
                if before.changes_to(&after, mv, &mut changes) {
                    return self.network.outputs_after(&base, &changes, bucket);
                }
                let mut accumulator = self.network.biases();
                let add = &mut |feature| self.network.add(&mut accumulator, feature);
                before.features_after_bee(&after, add);
                self.network.outputs(&accumulator, bucket)
            });
            let features = || MoveFeatures::new(&before, mv);
            eval.policy += self.network.policy_of_move(features, bucket);
            eval
        }
    }

    #[inline]
    fn has_policy(&self) -> bool {
        self.network.has_policy()
    }

    /// The logistic function.
    #[inline]
    fn score(logit: f32) -> f32 {
        1.0 / (1.0 + exp(-logit))
    }
}

/// Passes the active features of a position, viewed by the side to move, to `sink`.
pub fn features_of<R: Features>(position: &Position<R>, sink: &mut impl FnMut(Feature)) {
    let points = articulation_points::<R::Grid>(position.occupied());
    View::new(position, position.turn(), points).features(sink);
}

impl Network {
    /// An untrained network that counts the free fields around the bees and the pieces in reserve.
    ///
    /// Each of the first four hidden units grows with one quantity. Its output weight is positive
    /// if the quantity is good for the side to move, otherwise negative.
    pub fn first<R: Features>() -> Network {
        /// Difference in logits between a bee with six free fields and one without any.
        const FREE_FIELDS: f32 = 4.0;
        /// Difference in logits between an empty reserve and a full one: pieces are worth more on
        /// the board.
        const RESERVE: f32 = 0.5;
        let share = |count: f32, max: f32| (count / max).sqrt();
        let mut parts = NetworkParts {
            units: 64,
            biases: [0.0; MAX_UNITS],
            rows: vec![[0.0; MAX_UNITS]; R::FEATURE_COUNT],
            outputs: [[0.0; MAX_UNITS]; BUCKET_COUNT],
            output_biases: [0.0; BUCKET_COUNT],
        };
        // A bee in reserve is as safe as one with five free fields.
        let free = |count| share(f32::from(R::free_around(count).unwrap_or(5)), 6.0);
        for pair in 0..AROUND * AROUND {
            let row = &mut parts.rows[R::AROUND_BEES + pair];
            row[0] = free(pair / AROUND);
            row[1] = free(pair % AROUND);
        }
        for side in 0..SIDES {
            for &kind in KindOf::<R>::ALL {
                for count in 0..RESERVE_COUNTS {
                    let feature = reserve_feature::<R>(side, kind, count);
                    // Five kinds with up to three pieces each share a unit.
                    parts.rows[feature.number()][2 + side] = count as f32 / 15.0;
                }
            }
        }
        for bucket in &mut parts.outputs {
            bucket[..4].copy_from_slice(&[FREE_FIELDS, -FREE_FIELDS, -RESERVE, RESERVE]);
        }
        Network::rounded::<R>(&parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::hex::Symmetry;
    use wabe_hive::random_games::for_each_position;
    use wabe_hive::standard;
    use wabe_hive::standard::{Standard, StandardNarrow};

    fn assert_successors_match<R: Features>(
        evaluator: &NetworkEvaluator<R>,
        position: &Position<R>,
    ) {
        // The cache of a clone is empty.
        assert_cached_successors_match(&evaluator.clone(), position);
    }

    fn assert_cached_successors_match<R: Features>(
        evaluator: &NetworkEvaluator<R>,
        position: &Position<R>,
    ) {
        let moves = position.legal_moves();
        let evaluate_move = evaluator.successors(position);
        for &mv in moves.iter() {
            let next = position.after(mv);
            let score = NetworkEvaluator::<R>::score(evaluate_move(mv, &next).value);
            assert_eq!(score, evaluator.evaluate(&next), "{next}");
        }
        let without_policy = evaluator.network().without_policy();
        let without_policy = NetworkEvaluator::new(Arc::new(without_policy)).unwrap();
        let evaluate_without_policy = without_policy.successors(position);
        evaluator.for_each_input(position, |mv, next, inputs| {
            assert_eq!(inputs.score, 1.0 - evaluator.evaluate(next));
            let eval = evaluate_move(mv, next);
            let policy = evaluator.network().policy_of(&inputs).unwrap();
            let difference = (eval.policy - policy).abs();
            assert!(difference < 1e-3, "{mv}: {difference} in {position}");
            let policy = 0.0;
            assert_eq!(
                evaluate_without_policy(mv, next),
                MoveEval { policy, ..eval }
            );
        });
    }

    #[test]
    fn successors_match_single_evaluations() {
        let contest = NetworkEvaluator::new(Arc::new(Network::arbitrary::<Contest>(7))).unwrap();
        let small = Network::arbitrary_of::<StandardNarrow>(64, 7);
        let standard = NetworkEvaluator::new(Arc::new(small)).unwrap();
        for_each_position(
            6,
            |position| assert_successors_match(&contest, position),
            |position| assert_successors_match(&standard, position),
        );
        let wide =
            NetworkEvaluator::<Standard>::new(Arc::new(Network::arbitrary::<Standard>(7))).unwrap();
        for stacks in [
            // Beetles on a bee and on each other, with fields and stacks to climb to.
            "0,0:bQrB;1,0:bArBbB;0,1:rAbB;-1,1:bA;-1,0:rQ;2,-1:bS;1,1:rG G/-",
            // A pillbug and a mosquito that throw bees.
            "0,0:rP;1,0:bQ;0,1:rA;-1,1:rQ;0,-1:bM;-1,0:bP -/-",
            // Bees to place, and a forced pass.
            "0,0:rA;1,0:bA;0,1:rG;2,-1:bS Q/Q",
            "0,0:rQbB;1,0:bA;-1,0:bQ -/-",
        ] {
            for turn in 4..8 {
                let text = format!("{turn} - {stacks}");
                assert_successors_match(&wide, &text.parse().unwrap());
                assert_successors_match(&standard, &text.parse().unwrap());
            }
        }
    }

    #[test]
    fn cache_distinguishes_stages_of_the_game() {
        let evaluator = NetworkEvaluator::<StandardNarrow>::new(Arc::new(Network::arbitrary::<
            StandardNarrow,
        >(7)))
        .unwrap();
        for turn in [6, 8, 16, 6] {
            let text = format!("{turn} - 0,0:rP;1,0:bQ;0,1:rA;-1,1:rQ;0,-1:bM;-1,0:bP A/G");
            assert_cached_successors_match(&evaluator, &text.parse().unwrap());
        }
    }

    fn sorted_features<R: Features>(position: &Position<R>) -> Vec<Feature> {
        let mut found = Vec::new();
        features_of(position, &mut |feature| found.push(feature));
        found.sort_unstable();
        found
    }

    fn assert_symmetric<R: Features>(
        position: &Position<R>,
        symmetry: Symmetry,
        images: &[Feature],
    ) {
        let mut expected: Vec<_> = sorted_features(position)
            .iter()
            .map(|f| images[f.number()])
            .collect();
        expected.sort_unstable();
        let image = position.transformed(symmetry).unwrap();
        assert_eq!(sorted_features(&image), expected, "{position}");
    }

    #[test]
    fn features_are_invariant_under_symmetry() {
        let contest_tables = Symmetry::ALL.map(symmetry_table::<Contest>);
        let standard_tables = Symmetry::ALL.map(symmetry_table::<Standard>);
        let mut compared = 0;
        for_each_position(
            6,
            |position| {
                for (symmetry, images) in Symmetry::ALL.into_iter().zip(&contest_tables) {
                    assert_symmetric(position, symmetry, images);
                }
            },
            |position| {
                // A hive that wraps around the compact board is not connected in coordinates.
                let Ok(wide) = position.to_string().parse::<standard::Position>() else {
                    return;
                };
                compared += 1;
                assert_eq!(
                    sorted_features(position),
                    sorted_features(&wide),
                    "{position}"
                );
                for (symmetry, images) in Symmetry::ALL.into_iter().zip(&standard_tables) {
                    assert_symmetric(&wide, symmetry, images);
                }
            },
        );
        assert!(compared > 400, "{compared}");
    }

    #[test]
    fn crowded_bees_have_lower_scores() {
        fn scores<R: Features>(network: Network) -> (f32, f32) {
            let crowded = "20 - 0,0:bQ;1,0:rA;0,1:rA;-1,1:rS;-1,0:rQ;0,-1:bA ABBGGS/AABBGGSS";
            let evaluator = NetworkEvaluator::<R>::new(Arc::new(network)).unwrap();
            let score = |text: &str| evaluator.evaluate(&text.parse().unwrap());
            (score(crowded), score(&crowded.replacen("20", "21", 1)))
        }
        for (red, blue) in [
            scores::<Contest>((*Contest::built_in()).clone()),
            scores::<Contest>(Network::first::<Contest>()),
            scores::<Standard>((*Standard::built_in()).clone()),
            scores::<Standard>(Network::first::<Standard>()),
        ] {
            assert!(red > 0.6 && red < 1.0, "{red}");
            assert!(blue < 0.4 && blue > 0.0, "{blue}");
        }
    }
}
