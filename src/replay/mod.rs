//! Recorded games of the contest.
//!
//! A recording is the stream of a `<protocol>` document with the states of a game and its result: what the contest's server
//! writes with `--saveReplay`, what the contest offers for download, and what an observer received and its viewer saved. It
//! may be gzipped, and it may be damaged or cut off: what could be read is kept.

pub mod export;
mod read;

use std::fmt;

use crate::hive::ByColor;
use crate::hive::contest::{Move, Position};
use crate::protocol::GameResult;

pub use read::{ReplayError, read};

/// A recorded game.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// What the players call themselves.
    pub names: ByColor<String>,
    /// The positions in the order of the recording; at least one.
    pub plies: Vec<Ply>,
    /// The result, if the recording has one.
    pub result: Option<GameResult>,
    /// What is wrong with the recording, if it is not whole.
    pub damage: Option<Damage>,
}

/// A position of a recorded game and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The position.
    pub position: Position,
    /// The move that led to it, if the recording names a possible one.
    pub last_move: Option<Move>,
    /// What the player that made the move had to say.
    pub hint: Option<String>,
}

/// Where a recording breaks off or makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The message in which it happened, from 1.
    pub message: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}: {}", self.message, self.problem)
    }
}

impl Replay {
    /// The last position.
    pub fn last(&self) -> &Ply {
        // `read` gives no recording without positions.
        &self.plies[self.plies.len() - 1]
    }

    /// The recorded position at `turn`, if there is one.
    pub fn at_turn(&self, turn: u16) -> Option<&Ply> {
        self.plies.iter().find(|ply| ply.position.turn() == turn)
    }

    /// The turns at which the recorded position is not what the recorded move makes of the position before.
    pub fn inconsistencies(&self) -> Vec<u16> {
        self.plies
            .windows(2)
            .filter(|pair| {
                let mut expected = pair[0].position;
                let follows = pair[1]
                    .last_move
                    .is_some_and(|mv| expected.try_play(mv).is_ok());
                !follows || expected != pair[1].position
            })
            .map(|pair| pair[1].position.turn())
            .collect()
    }
}
