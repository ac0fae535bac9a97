//! A weighted sum of what a player looks at first. [`features`] says what is looked at, [`Weights`] how much it counts.

mod features;
mod weights;

use crate::hex::{BoardSet, ContestBoard};
use crate::hive::contest::Position;
use crate::search::evaluation::links_cache::LinksCache;

pub use features::features;
use features::features_with_links;
pub use weights::{ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights};

/// Judges positions by weighted features.
#[derive(Clone, Debug)]
pub(super) struct LinearEvaluator {
    weights: Weights,
    links: LinksCache<BoardSet>,
}

impl LinearEvaluator {
    pub(super) fn new(weights: Weights) -> LinearEvaluator {
        LinearEvaluator {
            weights,
            links: LinksCache::default(),
        }
    }

    /// The weighted sum in logits, as the side to move sees it.
    #[inline]
    pub(super) fn logit(&self, position: &Position) -> f32 {
        let mut logit = 0.0;
        let links = self.links.links::<ContestBoard>(position.occupied());
        features_with_links(position, links, |weight, value| {
            logit += self.weights[weight] * value
        });
        logit
    }
}
