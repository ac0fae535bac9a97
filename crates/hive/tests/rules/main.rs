//! The rules of both games: against what was measured and published, against other programs of
//! them, against themselves.

mod contest;
mod second_rulebook;
mod standard;
mod vectors;
