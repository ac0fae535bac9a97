//! Tests of both games' rules: published and measured data, second implementations, invariants.

mod contest;
mod second_rulebook;
mod standard;
mod vectors;
