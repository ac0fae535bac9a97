//! Both sides of the contest's protocol: the client against a scripted server, and the referee
//! against scripted clients.
#![allow(unreachable_pub)] // the modules are private to this test

#[path = "../common/mod.rs"]
mod common;

mod background;
mod board;
mod play;
mod play_failures;
mod protocol_doc;
mod server;
mod session;
mod start_script;
mod transcripts;
