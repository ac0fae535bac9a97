//! The policy: a judgement of moves, learnt from the visits of earlier searches, beyond the value
//! of the position after a move.
//!
//! A move's policy is a sum of logits, which is added to its value's in the softmax that makes
//! priors:
//!
//! - a second output of the network over the hidden units of the position after the move;
//! - for each output bucket, a number for the kind of piece and whether it is placed or moved;
//! - a number for each feature of the moved piece on the field that it leaves;
//! - a number for each feature that it would have on the field that it goes to, on the ground and
//!   free or on another piece.
//!
//! The last two are features of the position before the move, with its bees, so a move has them
//! without a look at the next position.

use super::features::{Bucket, Feature, Features, ParentFeatures, SIDES, State};
use super::network::{Accumulator, BUCKET_COUNT, HIDDEN, Row, dot, quantised};
use wabe_hive::hex::CellSet;
use wabe_hive::{KindOf, Move, Piece, PieceKind};

/// Quantised one logit of a move.
const MOVE_ONE: i16 = 256;

/// Number of classes of moves: kinds that are placed, kinds that are moved, the pass.
pub(super) const fn classes<R: Features>() -> usize {
    2 * <KindOf<R> as PieceKind>::ALL.len() + 1
}

/// The policy's inputs from a move itself, without the position after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveFeatures {
    /// Number of the class.
    pub class: usize,
    /// The piece's features on the field that it leaves; `None` for a piece in reserve and a pass.
    pub from: Option<[Feature; SIDES]>,
    /// The piece's features on the field that it goes to; `None` for a pass.
    pub to: Option<[Feature; SIDES]>,
}

impl MoveFeatures {
    #[inline]
    pub(super) fn new<R: Features>(before: &ParentFeatures<'_, R>, mv: Move<R>) -> MoveFeatures {
        let position = before.position();
        let kinds = KindOf::<R>::ALL.len();
        let (class, from, to) = match mv {
            Move::Place { kind, to } => {
                let piece = Piece::new(position.side_to_move(), kind);
                (kind.index(), None, Some(before.placed(piece, to)))
            }
            Move::Drag { from, to } => {
                let kind = position.top(from).map_or(0, |piece| piece.kind.index());
                let state = if position.occupied().contains(to) {
                    State::OnTop
                } else {
                    State::Free
                };
                let moved = before.moved(from, to, state);
                (kinds + kind, Some(before.standing(from)), Some(moved))
            }
            Move::Pass => (2 * kinds, None, None),
        };
        MoveFeatures { class, from, to }
    }
}

/// The weights of a policy in floating point, as they are trained: logits.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyParts {
    /// Each output bucket's weights of the squared hidden units.
    pub outputs: [[f32; HIDDEN]; BUCKET_COUNT],
    /// The weights of the classes, one bucket's after another's.
    pub classes: Vec<f32>,
    /// Each feature's weight on the field that a piece leaves.
    pub from: Vec<f32>,
    /// Each feature's weight on the field that a piece goes to.
    pub to: Vec<f32>,
}

impl PolicyParts {
    /// All weights zero.
    pub fn zeros<R: Features>() -> PolicyParts {
        PolicyParts {
            outputs: [[0.0; HIDDEN]; BUCKET_COUNT],
            classes: vec![0.0; BUCKET_COUNT * classes::<R>()],
            from: vec![0.0; R::FEATURE_COUNT],
            to: vec![0.0; R::FEATURE_COUNT],
        }
    }
}

/// A quantised policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    pub(super) outputs: [Row; BUCKET_COUNT],
    pub(super) classes: Box<[i16]>,
    pub(super) from: Box<[i16]>,
    pub(super) to: Box<[i16]>,
}

impl Policy {
    /// Quantises the weights of `parts`, clipping each to its range.
    pub(super) fn rounded(parts: &PolicyParts) -> Policy {
        let numbers = |values: &Vec<f32>| -> Box<[i16]> {
            let number = |value: &f32| (value * f32::from(MOVE_ONE)).round() as i16;
            values.iter().map(number).collect()
        };
        Policy {
            outputs: quantised(&parts.outputs),
            classes: numbers(&parts.classes),
            from: numbers(&parts.from),
            to: numbers(&parts.to),
        }
    }

    /// Number of classes of moves.
    #[inline]
    pub(super) fn class_count(&self) -> usize {
        self.classes.len() / BUCKET_COUNT
    }

    /// The part of the position after the move, in logits.
    #[inline]
    pub(super) fn position_logit(&self, accumulator: &Accumulator, bucket: Bucket) -> f32 {
        dot(accumulator, &self.outputs[bucket.number()], 0)
    }

    /// The part of the move itself, in logits. `bucket` is that of the position after it.
    #[inline]
    pub(super) fn move_logit(&self, features: MoveFeatures, bucket: Bucket) -> f32 {
        let class = bucket.number() * self.class_count() + features.class;
        let mut sum = i32::from(self.classes[class]);
        for (table, seen) in [(&self.from, features.from), (&self.to, features.to)] {
            for feature in seen.into_iter().flatten() {
                sum += i32::from(table[feature.number()]);
            }
        }
        sum as f32 / f32::from(MOVE_ONE)
    }
}
