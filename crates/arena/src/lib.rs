//! Plays matches between engines with crash-safe results and statistics. Also generates training
//! data, and trains networks on it.
//!
//! A match plays every opening twice with colours swapped. Such a pair is the unit of scheduling,
//! storage and statistics.
//!
//! - A run: [`run`] plays the pairs of a [`Schedule`] with the openings of [`Games`] on several
//!   threads. The order of results does not depend on the number of threads. A [`Journal`] stores
//!   each [`PairRecord`] as a line of JSON, and a [`Tally`] counts them. A [`Summary`] prints the
//!   counts with their [`statistics`], and [`Standings`] are the same as data.
//! - A game: [`play_game`] requests moves from two seats in turn, and enforces the rules and time
//!   limits (`referee.rs`). A `Seat` is a built-in player (`built_in.rs`), a function of the
//!   caller (`function.rs`), a UHP engine (`uhp.rs`) or a contest client (`client/`), depending on
//!   the [`EngineSpec`]. `process.rs` starts and
//!   kills programs.
//! - [`Opponent`]: a program that plays against a person on the board.
//! - [`SITUATIONS`]: the conformance check of contest clients.
//! - [`dataset`]: training games with search scores. [`tuning`]: self-play and network training.

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
mod function;
mod game;
mod journal;
mod journal_file;
mod opening;
mod opponent;
mod process;
mod program;
mod rating_table;
mod record;
mod referee;
mod replay;
mod runner;
mod schedule;
mod seat;
mod standings;
pub mod statistics;
mod summary;
mod tally;
mod transcript;
pub mod tuning;
mod uhp;

pub use crate::journal_file::{Journal, JournalError, differing_settings};
pub use adjudication::{AdjudicationRules, ScoreRule};
pub use arena_game::{ArenaGame, Protocol, max_plies_help, opening_plies_help};
pub use check::{CheckSettings, Fault, SITUATIONS, Situation, SituationResult};
pub use engine::{EnginePlayer, EngineSpec};
pub use error::{EngineError, GameError};
pub use function::{FunctionMove, FunctionRequest, MoveFunction};
pub use game::{GameNumber, GameSettings};
pub use journal::RunSettings;
pub use opening::{Games, OpeningSettings, Openings};
pub use opponent::{Opponent, OpponentError, OpponentMove};
pub use process::{CANNOT_START, launch, set_launcher};
pub use program::{ProgramKind, ProgramSpec, local_file_hint, split_words};
pub use record::{GameEnd, GameRecord, GameResult, PairRecord};
pub use referee::{GameRun, PlayedGame, WatchedPly};
pub use replay::{encode_replay, write_replays};
pub use runner::{GameSpectator, Plan, RunEnd, Spectator, play_game, run};
pub use schedule::{Format, Pairing, Schedule, Shard};
pub use seat::ProgramOutput;
pub use standings::{EngineStanding, PairingStanding, RatingList, SprtStanding, Standings};
pub use summary::Summary;
pub use tally::{CountedGame, EngineTally, PairingTally, Tally};
