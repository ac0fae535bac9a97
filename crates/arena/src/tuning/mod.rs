//! Self-play, network training, and tuning of search parameters.
//!
//! - [`SelfPlay`] plays training games.
//! - [`Training`] fits the evaluation network to positions.
//! - [`PolicyTraining`] fits a network's policy to visit counts.
//! - [`Spsa`] tunes search parameters with games between slightly different settings.
//!
//! All are seeded and reproducible.

mod examples;
mod model;
mod policy;
mod selfplay;
mod spsa;
mod spsa_games;
mod training;

pub use examples::{ExampleFile, ExampleSets, Targets};
pub use policy::{PolicyEpoch, PolicySamples, PolicyTraining};
pub use selfplay::{SelfPlay, SelfPlaySettings};
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::SpsaGames;
pub use training::{
    NetworkTraining, PHASE_PLIES, PHASES, TrainedEpoch, Training, ValidationLosses,
};
