//! The rules of both games: against what was measured and published, against other programs of them, against themselves.

mod contest;
mod layers;
mod second_rulebook;
mod standard;
mod third_rulebook;
mod vectors;
