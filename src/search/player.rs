//! What can play.

use super::{Choice, SearchControl};
use crate::hive::{Position, RuleBook};

/// Something that chooses moves. It may remember earlier positions of the game to search faster; what it plays is always
/// decided by the position it is given.
pub trait Player<R: RuleBook>: Send {
    /// Chooses a legal move of `position` within the limits of `control`; `None` when the game is over.
    fn choose(
        &mut self,
        position: &Position<R>,
        control: &SearchControl<'_, R>,
    ) -> Option<Choice<R>>;

    /// Thinks ahead about `position`, in which it is the other side's turn, until `control` ends it or there is nothing more to
    /// find out. What comes of it shows only in later choices.
    fn ponder(&mut self, _position: &Position<R>, _control: &SearchControl<'_, R>) {}

    /// Forgets everything about games played so far, random state included, so that the same requests get the same answers
    /// again.
    fn new_game(&mut self);
}
