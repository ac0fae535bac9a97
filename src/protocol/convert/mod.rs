//! Wire types ⇄ types of the game, everything checked.

mod moves;
mod state;

pub use moves::{Endpoint, MoveError};
pub use state::StateError;

use super::field::WireCoordinates;
use crate::hex::Hex;

impl WireCoordinates {
    /// The coordinates of `hex`.
    pub fn of(hex: Hex) -> WireCoordinates {
        WireCoordinates {
            x: hex.x.into(),
            y: hex.y.into(),
            z: hex.z().into(),
        }
    }

    /// Whether the three add up to 0, as cube coordinates must.
    fn is_cube(self) -> bool {
        i128::from(self.x) + i128::from(self.y) + i128::from(self.z) == 0
    }

    fn hex(self) -> Option<Hex> {
        Some(Hex::new(
            i8::try_from(self.x).ok()?,
            i8::try_from(self.y).ok()?,
        ))
    }
}

#[cfg(test)]
mod tests;
