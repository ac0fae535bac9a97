//! A small learned network.
//!
//! Some 11,000 inputs that are on or off (`inputs`) feed 32 hidden units, whose squares feed one output, in the manner of the
//! efficiently updatable networks of chess and shogi (NNUE, Nasu 2018): between a position and the next few inputs change, so that the
//! sums that the hidden units see are changed instead of added up anew. Everything is in whole numbers.
//!
//! - `displacement`: where a field lies as seen from a bee
//! - `scene`: which pieces are pinned or enclosed
//! - `inputs`: the inputs and their numbers
//! - `layers`: the weights, and what they make of inputs
//! - `network_file`: weights from files

mod displacement;
mod inputs;
mod layers;
mod network_file;
mod scene;

use std::sync::Arc;

use super::links_cache::LinksCache;
use crate::hex::{BoardSet, CellSet, Symmetry};
use crate::hive::contest::{Move, Position};
use crate::hive::links;

use displacement::Displacement;
pub use inputs::{INPUT_COUNT, Input};
use layers::Sums;
pub use layers::{HEAD_COUNT, HIDDEN, Head, Network, NetworkParts};
pub(super) use network_file::MAGIC;
pub use network_file::NetworkError;
use scene::Scene;

/// Judges positions by a network.
#[derive(Clone, Debug)]
pub(super) struct NetworkEvaluator {
    network: Arc<Network>,
    links: LinksCache,
}

impl NetworkEvaluator {
    pub(super) fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator {
            network,
            links: LinksCache::default(),
        }
    }

    #[inline]
    fn scene<'p>(&self, position: &'p Position, turn: u16) -> Scene<'p> {
        Scene::new(position, turn, self.links.links(position.occupied()))
    }

    fn sums(&self, scene: &Scene<'_>) -> Sums {
        let mut sums = self.network.empty_sums();
        inputs::inputs(scene, |input| self.network.add(&mut sums, input));
        sums
    }

    /// In logits, as the side to move sees it.
    pub(super) fn logit(&self, position: &Position) -> f32 {
        let turn = position.turn();
        let sums = self.sums(&self.scene(position, turn));
        self.network.output(&sums, Head::of_turn(turn))
    }

    /// A judge of the positions after one move from `position`, in logits, as the side to move there sees them.
    #[inline]
    pub(super) fn successors<'a>(
        &'a self,
        position: &'a Position,
    ) -> impl Fn(Move, &Position) -> f32 + 'a {
        let turn = position.turn() + 1;
        let before = self.scene(position, turn);
        let base = self.sums(&before);
        let head = Head::of_turn(turn);
        move |mv, next| {
            let after = self.scene(next, turn);
            let sums = match inputs::changed_inputs(&before, &after, fields_of(mv)) {
                Some(changes) => self.network.changed(base, &changes),
                None => self.sums(&after),
            };
            self.network.output(&sums, head)
        }
    }
}

/// The fields that a move changes.
#[inline]
fn fields_of(mv: Move) -> BoardSet {
    match mv {
        Move::Place { to, .. } => CellSet::single(to),
        Move::Drag { from, to } => BoardSet::single(from) | CellSet::single(to),
        Move::Pass => BoardSet::EMPTY,
    }
}

/// The inputs that are on in `position`, as the side to move sees it.
pub fn inputs_of(position: &Position, sink: impl FnMut(Input)) {
    let links = links::<crate::hex::ContestBoard>(position.occupied());
    inputs::inputs(&Scene::new(position, position.turn(), links), sink);
}

/// For each input, the input that takes its place when the board is seen through `symmetry`.
pub fn images_of_inputs(symmetry: Symmetry) -> Vec<Input> {
    let images = Displacement::images(symmetry);
    Input::all()
        .map(|input| input.with_displacements(&images))
        .collect()
}

/// A network of arbitrary weights.
#[cfg(test)]
pub(super) fn arbitrary(seed: u64) -> Network {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut number = || rng.random_range(-0.25..0.25);
    Network::rounded(&NetworkParts {
        biases: [(); HIDDEN].map(|()| number()),
        rows: (0..INPUT_COUNT)
            .map(|_| [(); HIDDEN].map(|()| number()))
            .collect(),
        outputs: [(); HEAD_COUNT].map(|()| [(); HIDDEN].map(|()| number())),
        output_biases: [(); HEAD_COUNT].map(|()| number()),
    })
}
