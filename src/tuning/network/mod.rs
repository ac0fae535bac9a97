//! Training the evaluation's network.
//!
//! - `examples`: positions as a training sees them
//! - `model`: the network in floating point, its loss and its derivatives
//! - `training`: the course of a training

mod examples;
mod model;
mod training;

pub use examples::{ExampleSets, Examples};
pub use model::Losses;
pub use training::{NetworkTraining, TrainedEpoch, train_network};
