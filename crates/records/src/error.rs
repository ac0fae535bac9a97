//! Errors of recordings from which no game can be read.

use std::io;

use thiserror::Error;

use crate::{Damage, MAX_GAMES, MAX_TEXT, MAX_TOTAL_PLIES};

/// The error returned when no game of a file can be read.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Reading failed before the first position.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No position is readable.
    #[error("no readable position: {0}")]
    Damaged(Box<Damage>),
    /// The recording is complete but contains no position.
    #[error("the file contains no position")]
    NoPositions,
    /// The format is unknown.
    #[error(
        "no recorded game found; supported formats (plain, gzipped or in a ZIP archive): the contest server's XML (<protocol> with \
         the states of a game), positions in text form, and for standard Hive game strings (Base;InProgress;White[2];wS1;bG1 wS1-), \
         PGN, BoardSpace's SGF and hivegame.com analyses"
    )]
    NotARecording,
    /// The file has 0 bytes.
    #[error("the file is empty")]
    Empty,
    /// The text or archive exceeds 16 MiB.
    #[error("larger than {} MiB", MAX_TEXT >> 20)]
    TooLarge,
    /// More than [`MAX_GAMES`] games.
    #[error("more than {MAX_GAMES} games")]
    TooManyGames,
    /// More than 1,000,000 plies in all games.
    #[error("more than {MAX_TOTAL_PLIES} plies in total")]
    TooManyPlies,
    /// No game is readable.
    #[error("{0}")]
    Unreadable(Box<Damage>),
}
