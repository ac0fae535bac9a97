//! Training and tuning by games.
//!
//! - [`train_network`]: the evaluation's network, to labelled positions
//! - [`Spsa`]: parameters of the search, to the results of games between slightly different ones
//!
//! Both are seeded, so that they can be repeated.

mod examples;
mod model;
mod spsa;
mod spsa_games;
mod training;

pub use examples::{ExampleSets, Examples, Targets};
pub use model::Losses;
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::{SpsaGames, SpsaGamesError};
pub use training::{Diverged, NetworkTraining, TrainedEpoch, train_network};
