//! Portable game notation, as MzingaViewer and hivegame.com write it for Hive.
//!
//! Tags as in chess, with `GameType`; then the plies, each with its own number and one a line, in the protocol's notation:
//!
//! ```text
//! [GameType "Base+MLP"]
//! [White "wabe"]
//! [Result "WhiteWins"]
//!
//! 1. wS1
//! 2. bG1 wS1-
//! {a comment}
//! ```

mod read;
mod words;
mod write;

pub use read::read_pgn;

use crate::hive::standard::notation::GameState;

/// Whether a text begins as PGN does: with a tag, or with the first move's number.
pub(in crate::replay) fn begins_like_pgn(text: &str) -> bool {
    let after_bracket = text.strip_prefix('[');
    let is_tag = after_bracket.is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
    });
    is_tag || text.starts_with("1.")
}

/// The result that a word stands for, in the protocol's words or those of chess. `None` within for a game without one; `None`
/// altogether for other words.
fn result_of(word: &str) -> Option<Option<GameState>> {
    Some(match word {
        "WhiteWins" | "1-0" => Some(GameState::WhiteWins),
        "BlackWins" | "0-1" => Some(GameState::BlackWins),
        "Draw" | "1/2-1/2" => Some(GameState::Draw),
        "InProgress" | "NotStarted" | "*" | "Unknown" | "Unkown" => None,
        _ => return None,
    })
}
