//! Batch self-play: engines against each other over many openings, results that survive a crash, statistics on pairs.
//!
//! Every opening is played twice with colours swapped; that pair is the unit of scheduling, storage and statistics.
//!
//! - [`EngineSpec`]: who plays, a built-in player in process, a [`ProgramSpec`] under a referee of its own for each game, or a
//!   [`UhpSpec`] at the referee's pipe
//! - [`ArenaGame`]: the contest's game or standard Hive
//! - [`Schedule`]: which engines meet in which pair
//! - [`OpeningBook`], [`StandardOpenings`]: what a pair starts from
//! - [`PairRecord`]: two games
//! - [`Journal`]: the records on disk, one JSON line each
//! - [`Tally`]: what happened, counted
//! - [`Summary`]: the tally with its statistics, for people
//! - [`run`]: all of it on several threads, in an order that does not depend on their number

mod arena_game;
mod command;
mod contest;
mod engine;
mod error;
mod game;
mod journal;
mod labels;
mod output;
mod rating_table;
mod record;
mod replay;
mod report;
mod runner;
mod schedule;
mod standard;
mod summary;
mod table;
mod tally;

pub use crate::journal::JournalError;
pub use arena_game::{ArenaGame, SideNames, WrongGameError};
pub use command::ParseCommandError;
pub use contest::{OpeningBook, OpeningSettings, ParseProgramError, ProgramKind, ProgramSpec};
pub use engine::{EnginePlayer, EngineSpec, ParseEngineSpecError};
pub use error::{GameError, OpeningError};
pub use game::{GameSettings, ProgramSettings};
pub use journal::{Journal, RunSettings, StandardSettings};
pub use labels::LabelledGame;
pub use record::{GameEnd, GameRecord, GameResult, PairRecord};
pub use replay::{KeptReplays, ReplayFolder};
pub use report::{History, ReportError, report_page};
pub use runner::{Plan, RunEnd, RunError, run};
pub use schedule::{Format, Pairing, Schedule, Shard};
pub use standard::{
    DEFAULT_MAX_PLIES, ParseUhpError, RandomPlies, StandardGames, StandardOpenings, UhpSpec,
};
pub use summary::Summary;
pub use tally::{EngineTally, Tally};
