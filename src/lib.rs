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

// They panic when the reader of the output has gone.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

pub mod analysis;
pub mod arena;
pub mod board;
pub mod cli;
pub mod client;
pub mod commentary;
pub mod dataset;
pub mod engine;
pub mod evaluation;
mod files;
pub mod game;
pub mod games;
pub mod hex;
pub mod hive;
pub mod journal;
pub mod protocol;
pub mod replay;
pub mod search;
pub mod server;
pub mod statistics;
mod text;
pub mod tuning;
pub mod uhp;
pub mod verify;
pub mod view;
