//! The referee at the socket.
#![allow(unreachable_pub)] // the modules are private to this test

#[path = "../common/mod.rs"]
mod common;

mod abuse;
mod admin;
mod binary;
mod endings;
mod games;
mod peer;
mod referee;
mod transcripts;
