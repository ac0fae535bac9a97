//! The referee at the socket.

mod abuse;
mod admin;
pub mod binary;
mod endings;
mod games;
mod options;
mod peer;
mod recorded_session;
pub mod referee;
mod strictness;
mod transcripts;
