//! Fitting numbers to games.
//!
//! - [`fit_weights`]: the evaluation's weights, to labelled positions (logistic regression)
//! - [`train_network`]: the evaluation's network, to labelled positions
//! - [`Spsa`]: parameters of the search, to the results of games between slightly different ones; [`SpsaGames`] plays them
//!
//! All are seeded; the first and the last keep a [`Journal`](crate::journal::Journal) and go on where it ends, to the
//! same numbers that an uninterrupted run finds.

mod adam;
mod fit;
mod network;
mod spsa;
mod spsa_games;
mod target;
mod training_set;

pub use fit::{Epoch, Fit, FitSettings, fit_weights};
pub use network::{ExampleSets, Examples, Losses, NetworkTraining, TrainedEpoch, train_network};
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::{SpsaGames, SpsaGamesError};
pub use target::Targets;
pub use training_set::{TrainingSet, TrainingSets};
