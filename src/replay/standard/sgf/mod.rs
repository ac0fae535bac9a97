//! Games as BoardSpace.net records them, in its own dialect of the smart game format.
//!
//! A property of a player, `P0` for white and `P1` for black, holds each thing that the player did, with a number before it:
//!
//! ```text
//! ; P0[1 Pick W 1 wA1]
//! ; P0[2 Dropb wA1 N 14 \\wS1]
//! ; P0[3 Done ]
//! ; P1[4 Move B bL1 M 12 /wS1]
//! ```
//!
//! Where a piece goes is said twice: by a field of BoardSpace's board, column and row, and by a piece that it goes beside. The field
//! counts; the piece helps where the field makes no sense. A move counts when the player is done. Older files leave out colours,
//! newer ones passes.

mod action;
mod board;
mod properties;
mod read;
#[cfg(test)]
mod tests;

pub use read::read_sgf;

/// Whether a text begins as SGF does.
pub(in crate::replay) fn begins_like_sgf(text: &str) -> bool {
    let rest = text.strip_prefix('(').map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(';'))
}
