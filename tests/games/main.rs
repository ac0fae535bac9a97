//! Recorded games read, shown and analysed, and how the search plays where a game is about to be
//! decided.
#![allow(unreachable_pub)] // the modules are private to this test

#[path = "../common/wabe.rs"]
mod wabe;

mod analyze;
mod moves;
mod replay_command;
mod replays;
mod standard_play;
mod standard_replay;
