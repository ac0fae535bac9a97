//! Training and tuning by games.
//!
//! - [`Training`] fits the evaluation's network to labelled positions.
//! - [`Spsa`] tunes parameters of the search by games between slightly different settings.
//!
//! Both are seeded, and so reproducible.

mod examples;
mod model;
mod selfplay;
mod spsa;
mod spsa_games;
mod training;

pub use examples::{ExampleFile, ExampleSets, Targets};
pub use selfplay::{SelfPlay, SelfPlaySettings};
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::{SpsaGames, SpsaGamesError};
pub use training::{
    HeldOut, NetworkTraining, PHASE_PLIES, PHASES, TrainedEpoch, Training, TrainingError,
};
