//! The standard game's rules against published figures and against themselves.

mod perft;
mod properties;
