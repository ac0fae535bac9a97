//! Batch self-play: engines against each other over many openings, results that survive a crash, statistics on pairs.
//!
//! Every opening is played twice with colours swapped; that pair is the unit of scheduling, storage and statistics.
//!
//! - [`EngineSpec`]: a built-in player, in process, or a [`ProgramSpec`]
//! - [`Schedule`]: which engines meet in which pair
//! - [`Games`]: the variant, the openings, the most plies
//! - [`PairRecord`]: two games
//! - [`Journal`]: the records on disk, one JSON line each
//! - [`Tally`]: the counts of a run
//! - [`Summary`]: the tally with its statistics, for people
//! - [`run`]: all of it on several threads, in an order that does not depend on their number

mod adjudication;
mod arena_game;
mod built_in;
#[cfg(target_os = "linux")]
mod cgroup;
mod check;
mod client;
pub mod dataset;
mod engine;
mod error;
mod game;
mod journal;
pub mod journal_file;
mod opening;
mod opponent;
mod process;
mod program;
mod rating_table;
mod record;
mod referee;
mod replay;
mod report;
mod runner;
mod schedule;
mod seat;
pub mod statistics;
mod summary;
mod tally;
mod transcript;
pub mod tuning;
mod uhp;

pub use crate::journal_file::JournalError;
pub use adjudication::{Adjudication, ScoreRule};
pub use arena_game::{ArenaGame, Protocol, max_plies_help, opening_plies_help};
pub use check::{CheckSettings, Fault, SITUATIONS, Situation, Verdict};
pub use engine::{EnginePlayer, EngineSpec};
pub use error::{EngineError, GameError};
pub use game::{GameNumber, GameSettings};
pub use journal::{Journal, RunSettings};
pub use opening::{Games, OpeningSettings, Openings};
pub use opponent::{Opponent, OpponentError, OpponentsMove};
pub use process::{CANNOT_START, launch, set_launcher};
pub use program::split_words;
pub use program::{ProgramKind, ProgramSpec};
pub use record::{GameEnd, GameRecord, GameResult, PairRecord};
pub use referee::{PlayedGame, WatchedPly};
pub use replay::{KeptReplays, keep_replays, replay_of, written};
pub use report::report_page;
pub use runner::{Plan, RunEnd, Spectator, play_game, run};
pub use schedule::{Format, Pairing, Schedule, Shard};
pub use seat::ProgramOutput;
pub use summary::Summary;
pub use tally::{EngineTally, PairingTally, Tally};
