//! Games of standard Hive between built-in players and engines of the Universal Hive Protocol.
//!
//! - `opening`: the games that pairs start from
//! - `uhp_spec`: the text form of an engine of the protocol
//! - `process`, `transcript`: an engine as a child process, and what was said
//! - `uhp_engine`: the protocol's commands, and whose fault it is if they fail
//! - `seat`: a side of a game, built in or not
//! - `play`: the referee

mod opening;
mod play;
mod process;
mod seat;
mod transcript;
mod uhp_engine;
mod uhp_spec;

pub use opening::{RandomPlies, StandardOpenings};
pub(super) use play::play;
pub(super) use seat::RunningEngines;
pub use uhp_spec::{ParseUhpError, UhpSpec};

use crate::hive::standard::GameType;

/// Plies after which a game is a draw if nothing else is said.
pub const DEFAULT_MAX_PLIES: u32 = 300;

/// The games of a run.
#[derive(Clone, Debug)]
pub struct StandardGames {
    /// Which pieces are played with.
    pub game_type: GameType,
    /// Where openings come from.
    pub openings: StandardOpenings,
    /// Plies, those of the opening among them, after which a game is a draw.
    pub max_plies: u32,
}
