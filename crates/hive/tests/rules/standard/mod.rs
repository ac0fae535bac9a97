//! The standard game's rules: published data and invariants.

mod games;
mod perft;
mod properties;
mod vectors;
