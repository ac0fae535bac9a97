//! Inputs by their numbers.

use arrayvec::ArrayVec;

/// Number of an input: what it stands for is a matter of the game, see [`NetworkInputs`](super::NetworkInputs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input(u16);

impl Input {
    /// The input with that number.
    #[inline]
    pub(in super::super) const fn new(number: usize) -> Input {
        Input(number as u16)
    }

    /// The number.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// Most inputs that one ply without a queen turns off, or on: those of a stack's pieces on two fields, of all others whose state
/// changes, and a few of each other group.
const MOST_CHANGES: usize = 160;

/// What a ply turns off and on; an input may be in both.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct ChangedInputs {
    pub(in super::super) off: ArrayVec<Input, MOST_CHANGES>,
    pub(in super::super) on: ArrayVec<Input, MOST_CHANGES>,
}
