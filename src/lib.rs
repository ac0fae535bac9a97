//! wabe: an engine for Hive, both for the Software Challenge 2020 and for the game as it is sold, with the tools around it.
//!
//! # Write a bot
//!
#![cfg_attr(
    feature = "bot",
    doc = "- for the contest: [`run_bot`] makes a client of a function that chooses moves"
)]
#![cfg_attr(
    not(feature = "bot"),
    doc = "- for the contest: `run_bot`, with the feature `bot`, makes a client of a function"
)]
//! - [`contest`] and [`standard`]: games to play and query, their positions and moves
//! - [`Search`]: wabe's moves, scores and lines, also with your own evaluation; [`Limits`] bounds it
//! - [`statistics`]: a match's tally and its uncertainty; the examples `bot`, `own_evaluation`, `closures` and `openings` show all of them
//!
//! ```
//! use wabe::{Limits, standard};
//!
//! let mut game: standard::Game = "Base;InProgress;White[2];wS1;bG1 wS1-".parse().unwrap();
//! let best = standard::Search::new().best(&game, Limits::Nodes(100)).unwrap();
//! println!("wabe plays {}", game.write(best));
//! game.play(best).unwrap();
//! ```
//!
//! With `default-features = false` the crate is rules, search and analysis; `Cargo.toml` says what each feature adds.
//!
//! # Read recordings, judge positions
//!
//! - [`analysis`]: positions and recorded games, judged by a search
//! - [`dataset`]: training data
#![cfg_attr(
    feature = "replay",
    doc = "- [`replay`]: recorded games of all forms; [`games`]: the list of all games"
)]
//! - [`view`]: pictures of positions
//!
//! # Foundations
//!
//! These are public because what they compute appears in the items above, or because a test, a benchmark or the fuzzer of this project
//! works on them. They change more often.
//!
//! - [`engine`]: a player on a thread of its own
//! - [`search`]: players and their limits
//! - [`game`]: the game as a type parameter, and its record
//! - [`evaluation`]: positions judged by a network
//! - [`hive`]: the rules, over a rule book; [`hex`]: hexagonal grids and sets of cells
#![cfg_attr(
    feature = "protocol",
    doc = "- [`protocol`]: the contest's XML; [`room`]: a game as its referee sees it"
)]
#![cfg_attr(
    feature = "client",
    doc = "- [`client`]: a player's side of a game on a server"
)]
#![cfg_attr(feature = "server", doc = "- [`server`]: the referee")]
#![cfg_attr(
    feature = "arena",
    doc = "- [`arena`]: many games between engines; [`journal`]: long runs on disk"
)]
#![cfg_attr(feature = "uhp", doc = "- [`uhp`]: the engine for Hive viewers")]
#![cfg_attr(
    feature = "page",
    doc = "- [`board`]: the board in a browser: the page, its server, the messages between them"
)]
#![cfg_attr(
    feature = "cli",
    doc = "- [`cli`]: the command line; [`tuning`]: trains the network"
)]
// These macros panic when the reader of the output has gone.
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]
// Without `cli`, the code that only it uses is dead.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

pub mod analysis;
#[cfg(feature = "arena")]
pub mod arena;
#[cfg(feature = "page")]
pub mod board;
#[cfg(feature = "bot")]
mod bot;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
mod clock;
#[cfg(feature = "cli")]
mod commentary;
pub mod contest;
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
pub mod standard;
pub mod statistics;
mod text;
#[cfg(feature = "cli")]
pub mod tuning;
#[cfg(feature = "uhp")]
pub mod uhp;
pub mod view;

#[cfg(feature = "bot")]
pub use bot::{Time, run_bot, run_client};
pub use search::{Limits, Search};
