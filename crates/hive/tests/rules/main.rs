//! Tests of both games' rules against published data, second implementations and invariants.

mod contest;
mod second_rulebook;
mod standard;
mod vectors;
