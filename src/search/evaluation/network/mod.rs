//! Small learned networks.
//!
//! Many inputs that are on or off feed 32 hidden units, whose squares feed one output, in the manner of the efficiently updatable networks
//! of chess and shogi (NNUE, Nasu 2018): between a position and the next few inputs change, so that the sums that the hidden units see are
//! changed instead of added up anew. Everything is in whole numbers. Which inputs there are is a matter of the game.
//!
//! - `displacement`: where a field lies as seen from a queen
//! - `input`: inputs by their numbers
//! - `layers`: the weights, and what they make of inputs
//! - `network_file`: weights from files

mod displacement;
mod input;
mod layers;
mod network_file;

use crate::hex::Symmetry;
use crate::hive::{Position, RuleBook};

pub(super) use displacement::{DISPLACEMENTS, Displacement};
pub(super) use input::ChangedInputs;
pub use input::Input;
pub(super) use layers::Sums;
pub use layers::{HEAD_COUNT, HIDDEN, Head, Network, NetworkParts};
pub use network_file::NetworkError;

/// A game whose positions a network can judge: its inputs.
pub trait NetworkInputs: RuleBook {
    /// The first bytes of every file with a network for this game.
    const MAGIC: &'static [u8; 8];

    /// Number of inputs; some of them may never occur.
    const INPUT_COUNT: usize;

    /// Hands the inputs that are on in `position`, as the side to move sees it, to `sink`.
    fn inputs_of(position: &Position<Self>, sink: impl FnMut(Input));

    /// The head that judges `position`.
    fn head_of(position: &Position<Self>) -> Head;

    /// For each input, the input that takes its place when the board is seen through `symmetry`.
    fn images_of_inputs(symmetry: Symmetry) -> Vec<Input>;
}

/// A network of arbitrary weights.
#[cfg(test)]
pub(super) fn arbitrary<R: NetworkInputs>(seed: u64) -> Network {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut number = || rng.random_range(-0.25..0.25);
    Network::rounded(&NetworkParts {
        biases: [(); HIDDEN].map(|()| number()),
        rows: (0..R::INPUT_COUNT)
            .map(|_| [(); HIDDEN].map(|()| number()))
            .collect(),
        outputs: [(); HEAD_COUNT].map(|()| [(); HIDDEN].map(|()| number())),
        output_biases: [(); HEAD_COUNT].map(|()| number()),
    })
}
