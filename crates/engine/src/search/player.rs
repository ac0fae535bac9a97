//! The common interface of players.

use super::choice::{Choice, RootMove};
use super::control::{Limits, SearchControl, with_limits};
use crate::Playable;
use wabe_hive::game::Record;

/// Chooses moves. A player may keep its tree between moves, but accepts any record at any time.
pub trait Player<G: Playable>: Send {
    /// Chooses a legal move in the current position of `record` within the limits of `control`;
    /// `None` when the game is over.
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>>;

    /// Like [`choose`](Player::choose), without a stop signal or reports.
    fn choose_within(&mut self, record: &Record<G>, limits: Limits) -> Option<Choice<G>> {
        with_limits(limits, |control| self.choose(record, control))
    }

    /// Searches during the other side's turn, until `control` stops it or the result is proven.
    /// Later searches reuse the tree.
    fn ponder(&mut self, _record: &Record<G>, _control: &SearchControl<'_, G>) {}

    /// The best root moves of the last search, at most `max_lines`, the chosen one first. Empty for
    /// players without a search.
    fn lines(&self, _max_lines: usize) -> Vec<RootMove<G>> {
        Vec::new()
    }

    /// Memory of the search tree in use, in bytes; 0 for players without one.
    fn memory_bytes(&self) -> usize {
        0
    }

    /// Resets the player and its random state. The same requests then lead to the same choices.
    fn new_game(&mut self);
}

/// The best root moves of the search that returned `choice`: the chosen move first, at most
/// `max_lines` but at least one.
pub fn lines_with_choice<G: Playable>(
    player: &dyn Player<G>,
    choice: Choice<G>,
    max_lines: usize,
) -> Vec<RootMove<G>> {
    // A level may have drawn another move, and a forced move may have no line.
    let mut lines = player.lines(max_lines);
    lines.retain(|line| line.mv != choice.best.mv);
    lines.insert(0, choice.best);
    lines.truncate(max_lines.max(1));
    lines
}
