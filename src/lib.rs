//! `wabe`: a competition client for the Software Challenge 2020 and the tools around it.
//!
//! Layers, each using only those below it:
//!
//! - [`cli`]: the command line
//! - [`tuning`]: fits the evaluation and the search to games
//! - [`uhp`]: the engine for Hive viewers
//! - [`arena`]: batch self-play
//! - [`dataset`]: labelled positions
//! - [`local_match`]: a match between two players on this machine
//! - [`analysis`]: what a search thinks of positions and games
//! - [`client`]: a player's side of a game on a server
//! - [`statistics`]: the mathematics of matches
//! - [`server`]: the referee
//! - [`verify`]: checks the rules against measured vectors
//! - [`replay`]: recorded games
//! - [`protocol`]: the contest's XML, bytes to messages to positions and back
//! - [`engine`]: a player on a thread of its own
//! - [`search`]: players, evaluation, limits
//! - [`journal`]: long runs on disk
//! - `files`: result files that are complete or missing
//! - [`view`]: pictures of positions
//! - [`hive`]: the game's rules, over a rule book
//! - [`hex`]: hexagonal grids and sets of cells

pub mod analysis;
pub mod arena;
pub mod cli;
pub mod client;
pub mod dataset;
pub mod engine;
pub mod evaluation;
mod files;
pub mod game;
pub mod hex;
pub mod hive;
pub mod journal;
pub mod local_match;
pub mod protocol;
pub mod replay;
pub mod search;
pub mod server;
pub mod statistics;
pub mod tuning;
pub mod uhp;
pub mod verify;
pub mod view;
