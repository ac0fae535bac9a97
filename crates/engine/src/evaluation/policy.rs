//! The policy predicts how often a search visits each move. It complements the value of the
//! position after the move and is trained on the visits of earlier searches.
//!
//! The policy of a move is a sum of logits. It is added to the logit of the move's value in the
//! softmax of the priors:
//!
//! - a second output of the network over the hidden units of the position after the move;
//! - for each output bucket, a weight for the kind of piece and whether it is placed or moved;
//! - a weight for each feature of the moved piece on its start;
//! - a weight for each feature that the piece would have on its target, free on the ground or on
//!   another piece.
//!
//! The last two use the position before the move, with its bees, so they do not need the next
//! position.

use super::features::{Bucket, Feature, Features, ParentFeatures, SIDES, State};
use super::network::{BUCKET_COUNT, MAX_UNITS, Row, quantise_outputs};
use wabe_hive::hex::CellSet;
use wabe_hive::{KindOf, Move, Piece, PieceKind};

/// Quantised 1.0 of the weights of moves, in logits.
const MOVE_ONE: i16 = 256;

/// Number of move classes: placed kinds, moved kinds and the pass.
pub(super) const fn classes<R: Features>() -> usize {
    2 * <KindOf<R> as PieceKind>::ALL.len() + 1
}

/// The inputs of a policy from a move itself, without the position after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveFeatures {
    /// Index of the move class.
    pub class: usize,
    /// The features of the piece on its start; `None` for a placement or a pass.
    pub from: Option<[Feature; SIDES]>,
    /// The features of the piece on its target; `None` for a pass.
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
                (
                    kind.index(),
                    None,
                    Some(before.features_if_placed(piece, to)),
                )
            }
            Move::Drag { from, to } => {
                let kind = position.top(from).map_or(0, |piece| piece.kind.index());
                let state = if position.occupied().contains(to) {
                    State::OnTop
                } else {
                    State::Free
                };
                let moved = before.features_if_moved(from, to, state);
                (
                    kinds + kind,
                    Some(before.current_features(from)),
                    Some(moved),
                )
            }
            Move::Pass => (2 * kinds, None, None),
        };
        MoveFeatures { class, from, to }
    }
}

/// The weights of a policy in floating point, for training, in logits.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyParts {
    /// Weights from the squared hidden units to each output bucket.
    pub outputs: [[f32; MAX_UNITS]; BUCKET_COUNT],
    /// Weights of the move classes, bucket by bucket.
    pub classes: Vec<f32>,
    /// Weight of each feature on the start of a move.
    pub from: Vec<f32>,
    /// Weight of each feature on the target of a move.
    pub to: Vec<f32>,
}

impl PolicyParts {
    /// A policy without effect.
    pub fn zeros<R: Features>() -> PolicyParts {
        PolicyParts {
            outputs: [[0.0; MAX_UNITS]; BUCKET_COUNT],
            classes: vec![0.0; BUCKET_COUNT * classes::<R>()],
            from: vec![0.0; R::FEATURE_COUNT],
            to: vec![0.0; R::FEATURE_COUNT],
        }
    }
}

/// A quantised policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    pub(super) outputs: Box<[Row]>,
    pub(super) classes: Box<[i16]>,
    pub(super) from: Box<[i16]>,
    pub(super) to: Box<[i16]>,
}

impl Policy {
    /// Quantises the weights of `parts`, clipping each to its range, for a network of `blocks`
    /// blocks.
    pub(super) fn rounded(blocks: usize, parts: &PolicyParts) -> Policy {
        let numbers = |values: &Vec<f32>| -> Box<[i16]> {
            let number = |value: &f32| (value * f32::from(MOVE_ONE)).round() as i16;
            values.iter().map(number).collect()
        };
        Policy {
            outputs: quantise_outputs(blocks, &parts.outputs),
            classes: numbers(&parts.classes),
            from: numbers(&parts.from),
            to: numbers(&parts.to),
        }
    }

    /// Number of move classes.
    #[inline]
    pub(super) fn class_count(&self) -> usize {
        self.classes.len() / BUCKET_COUNT
    }

    /// The part that depends on the move itself, in logits. `bucket` is that of the position after
    /// the move.
    #[inline]
    pub(super) fn move_logit(&self, features: MoveFeatures, bucket: Bucket) -> f32 {
        let class = bucket.number() * self.class_count() + features.class;
        let mut sum = i32::from(self.classes[class]);
        for (table, active) in [(&self.from, features.from), (&self.to, features.to)] {
            for feature in active.into_iter().flatten() {
                sum += i32::from(table[feature.number()]);
            }
        }
        sum as f32 / f32::from(MOVE_ONE)
    }
}
