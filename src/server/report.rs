//! What the server tells the program around it.

use std::path::PathBuf;

use super::room::FinishedGame;

/// A game that has ended with a result.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// The game.
    pub game: FinishedGame,
    /// Where its replay is, if one was asked for and could be written.
    pub replay: Option<PathBuf>,
}
