//! Self-play and network training.
//!
//! - [`SelfPlay`] plays training games.
//! - [`Training`] fits the evaluation network to positions.
//! - [`PolicyTraining`] fits a network's policy to visit counts.
//!
//! All are seeded and reproducible.

mod examples;
mod model;
mod policy;
mod selfplay;
mod training;

pub use examples::{ExampleFile, ExampleSets, Targets};
pub use policy::{PolicyEpoch, PolicySamples, PolicyTraining};
pub use selfplay::{SelfPlay, SelfPlaySettings};
pub use training::{
    NetworkTraining, PHASE_PLIES, PHASES, TrainedEpoch, Training, ValidationLosses,
};
