//! Reads, shows and analyses recorded games. Also checks the search's moves in decisive positions.
#![allow(unreachable_pub)] // the modules are private to this test

#[path = "../common/wabe.rs"]
mod wabe;

mod analyze;
mod moves;
mod replay_command;
mod replays;
mod standard_play;
mod standard_replay;
