//! The common interface of players.

use super::choice::{Choice, RootMove};
use super::control::SearchControl;
use crate::Playable;
use wabe_hive::game::Record;

/// Chooses moves. A player may keep a tree between moves, but chooses for the record that it is
/// given.
pub trait Player<G: Playable>: Send {
    /// Chooses a legal move in the present position of `record` within the limits of `control`;
    /// `None` when the game is over.
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>>;

    /// Searches during the other side's turn, until `control` stops it or the result is known. The
    /// result is used by later choices.
    fn ponder(&mut self, _record: &Record<G>, _control: &SearchControl<'_, G>) {}

    /// The best moves of the last search, at most `most`, the chosen one first; empty from a player
    /// that does not search.
    fn lines(&self, _most: usize) -> Vec<RootMove<G>> {
        Vec::new()
    }

    /// Resets the player, random state included: the same requests get the same answers again.
    fn new_game(&mut self);
}

/// The best moves of the search that ended with `choice`, at most `most` and at least the chosen
/// one, which is the first.
pub fn lines_of<G: Playable>(
    player: &dyn Player<G>,
    choice: Choice<G>,
    most: usize,
) -> Vec<RootMove<G>> {
    // A level draws its move, and a forced move leaves the lines of an earlier search.
    let mut lines = player.lines(most);
    lines.retain(|line| line.mv != choice.best.mv);
    lines.insert(0, choice.best);
    lines.truncate(most.max(1));
    lines
}
