//! The referee at the socket.
#![allow(unreachable_pub)] // the modules are private to this test

#[path = "../common/mod.rs"]
mod common;

mod abuse;
mod admin;
mod admin_control;
mod binary;
mod endings;
mod games;
mod options;
mod peer;
mod recorded_session;
mod referee;
mod transcripts;
