//! The standard game's rules against published figures and against themselves.

mod games;
mod perft;
mod properties;
mod vectors;
