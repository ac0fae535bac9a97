//! Fitting numbers to games.
//!
//! - [`fit_weights`]: the evaluation's weights, to labelled positions (logistic regression)
//! - [`Spsa`]: parameters of the search, to the results of games between slightly different ones; [`SpsaGames`] plays them
//!
//! Both are seeded, keep a [`Journal`](crate::journal::Journal) and go on where it ends, to the same numbers that an
//! uninterrupted run finds.

mod adam;
mod fit;
mod spsa;
mod spsa_games;
mod training_set;

pub use fit::{Epoch, Fit, FitSettings, fit_weights};
pub use spsa::{Spsa, SpsaParameter, SpsaStep, SpsaTrial};
pub use spsa_games::{SpsaGames, SpsaGamesError};
pub use training_set::{TrainingSet, TrainingSets};
