//! Training and tuning by games.
//!
//! - [`train_network`] fits the evaluation's network to labelled positions.
//! - [`Spsa`] tunes parameters of the search by games between slightly different settings.
//!
//! Both are seeded, and so reproducible.

mod examples;
mod model;
mod selfplay;
mod spsa;
mod spsa_games;
mod training;

pub use examples::{ExampleSets, Examples, Targets};
pub use model::Losses;
pub use selfplay::{SelfPlay, SelfPlaySettings};
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::{SpsaGames, SpsaGamesError};
pub use training::{Diverged, NetworkTraining, TrainedEpoch, train_network};
