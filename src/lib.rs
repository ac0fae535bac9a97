//! `wabe`: an engine for Hive, of the Software Challenge 2020 and of the game as it is sold, and the tools around it.
//!
//! Layers, each using only those below it; a test compares them with the imports:
//!
//! - [`cli`]: the command line
//! - [`board`]: the board in a browser: the page, its server, the messages between them
//! - [`tuning`]: trains the evaluation's network, tunes the search
//! - [`arena`]: batch self-play
//! - [`uhp`]: the engine for Hive viewers
//! - [`games`]: the list of all games
//! - [`commentary`]: a game in words and pictures while it is played
//! - [`analysis`]: positions and recorded games, judged by a search
//! - [`replay`]: recorded games
//! - [`client`]: a player's side of a game on a server
//! - [`server`]: the referee
//! - [`room`]: a game as its referee sees it
//! - [`protocol`]: the contest's XML, bytes to messages to positions and back
//! - [`verify`]: checks the rules against measured vectors
//! - [`view`]: pictures of positions
//! - [`dataset`]: labelled positions
//! - [`statistics`]: the mathematics of matches
//! - [`journal`]: long runs on disk
//! - [`engine`]: a player on a thread of its own
//! - [`search`]: players and their limits
//! - [`game`]: the game as a type parameter, and its record
//! - [`evaluation`]: positions judged by a network
//! - [`hive`]: the rules, over a rule book
//! - [`hex`]: hexagonal grids and sets of cells
//! - `text`: text from outside, fit to be printed
//! - `files`: result files that are complete or missing, and readers with limits
//!
//! With `default-features = false` it is the engine alone; `Cargo.toml` says what each feature adds.

// They panic when the reader of the output has gone.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
// Much of what is left is for the parts that a feature leaves out.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub mod analysis;
#[cfg(feature = "arena")]
pub mod arena;
#[cfg(feature = "page")]
pub mod board;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "cli")]
pub mod commentary;
pub mod dataset;
pub mod engine;
pub mod evaluation;
mod files;
pub mod game;
#[cfg(feature = "replay")]
pub mod games;
pub mod hex;
pub mod hive;
#[cfg(feature = "arena")]
pub mod journal;
#[cfg(feature = "protocol")]
pub mod protocol;
#[cfg(feature = "replay")]
pub mod replay;
#[cfg(feature = "protocol")]
pub mod room;
pub mod search;
#[cfg(feature = "server")]
pub mod server;
pub mod statistics;
mod text;
#[cfg(feature = "cli")]
pub mod tuning;
#[cfg(feature = "uhp")]
pub mod uhp;
#[cfg(feature = "cli")]
pub mod verify;
pub mod view;
