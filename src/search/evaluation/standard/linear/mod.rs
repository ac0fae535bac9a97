//! A weighted sum of what a player looks at first. [`standard_features`] says what is looked at, [`StandardWeights`] how much it counts.

mod features;
mod weights;

use crate::hex::Grid;
use crate::hive::standard::Position;

use features::features_with_links;
pub use features::standard_features;
pub use weights::{Feature, ParseStandardWeightsError, STANDARD_FEATURE_COUNT, StandardWeights};

/// The weighted sum in logits, as the side to move sees it. `links` are the cells that hold the hive together.
#[inline]
pub(super) fn logit<G: Grid>(
    weights: &StandardWeights,
    position: &Position<G>,
    links: G::Set,
) -> f32 {
    let mut logit = 0.0;
    features_with_links(position, links, |feature, value| {
        logit += weights[feature] * value;
    });
    logit
}
