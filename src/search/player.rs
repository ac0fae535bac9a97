//! The players' common interface.

use super::choice::{Choice, Line};
use super::control::SearchControl;
use crate::game::{Game, Record};

/// Chooses moves. It may remember the game so far to search faster; its choice is decided by the record it is given.
pub trait Player<G: Game>: Send {
    /// Chooses a legal move in the present position of `record` within the limits of `control`; `None` when the game is over.
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>>;

    /// Thinks ahead during the other side's turn, until `control` ends it or there is nothing more to find out. It shows only in later
    /// choices.
    fn ponder(&mut self, _record: &Record<G>, _control: &SearchControl<'_, G>) {}

    /// The best moves of the last search, at most `most`, the chosen one first; none from a player that does not search.
    fn lines(&self, _most: usize) -> Vec<Line<G>> {
        Vec::new()
    }

    /// Forgets all games, random state included: the same requests get the same answers again.
    fn new_game(&mut self);
}
