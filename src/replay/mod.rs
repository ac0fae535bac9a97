//! Recorded games, of the contest and of standard Hive.
//!
//! A [`Recording`] is one or the other; an [`Album`] is what there is to show of it.
//!
//! A recording of the contest, a [`Replay`], is the stream of a `<protocol>` document with the states of a game and its result: what the contest's server
//! writes with `--saveReplay`, what the contest offers for download, and what an observer received and its viewer saved. It
//! may be gzipped, and it may be damaged or cut off: what can be read is kept, behind the damage too. A [`StandardReplay`] is read
//! from a game string of the Universal Hive Protocol, from portable game notation or from BoardSpace's SGF, and kept up to the first move that is not possible.

mod album;
pub mod export;
mod read;
mod recording;
mod standard;
mod timing;

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::GameResult;

pub use album::{Album, AlbumPage, missing_line};
pub use read::{ReplayError, read};
pub use recording::Recording;
pub use standard::{
    ReadStandardError, StandardDamage, StandardPosition, StandardReplay, read_game_string,
    read_pgn, read_sgf,
};
pub use timing::{MoveTimes, Timing};

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
    /// How long the move took, if the recording is one of ours.
    pub time: Option<Duration>,
}

/// Where a recording breaks off or makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The message in which it happened first, from 1.
    pub message: usize,
    /// The turn of the last position before it.
    pub after: Option<u16>,
    /// What is wrong there.
    pub problem: String,
    /// How many further messages are damaged.
    pub further: usize,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}", self.message)?;
        if let Some(turn) = self.after {
            write!(f, " (behind ply {turn})")?;
        }
        write!(f, ": {}", self.problem)?;
        match self.further {
            0 => Ok(()),
            1 => f.write_str("; one further message is damaged"),
            count => write!(f, "; {count} further messages are damaged"),
        }
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

    /// The plies that are missing before the position with this index, because the recording is damaged there.
    pub fn missing_before(&self, index: usize) -> Option<RangeInclusive<u16>> {
        let before = self.plies.get(index.checked_sub(1)?)?.position.turn();
        let turn = self.plies.get(index)?.position.turn();
        let missing = before.checked_add(1)?..=turn.checked_sub(1)?;
        (!missing.is_empty()).then_some(missing)
    }

    /// The times of all moves that the recording knows.
    pub fn timing(&self) -> Timing {
        let mut timing = Timing::default();
        for ply in &self.plies {
            if let Some(time) = ply.time {
                timing.add(Color::to_move(ply.position.turn()).opponent(), time);
            }
        }
        timing
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
