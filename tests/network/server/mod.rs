//! The referee over real sockets.

mod abuse;
mod admin;
pub mod binary;
mod games;
mod peer;
mod recorded_session;
pub mod referee;
mod strictness;
mod transcripts;
