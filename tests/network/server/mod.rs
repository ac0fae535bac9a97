//! The referee at the socket.

mod abuse;
mod admin;
mod admin_control;
pub mod binary;
mod endings;
mod games;
mod options;
mod peer;
mod recorded_session;
pub mod referee;
mod strangers;
mod strictness;
mod transcripts;
