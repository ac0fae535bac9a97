//! Judging standard Hive's positions by a small learned network.
//!
//! - `scene`: which pieces are pinned or enclosed
//! - `inputs`: the inputs and their numbers

mod inputs;
mod scene;

use std::sync::{Arc, LazyLock};

use crate::hex::{CellSet, Grid, Symmetry};
use crate::hive::standard::{Compact, Kind, Move, Position, Standard};
use crate::hive::{Color, links};
use crate::search::evaluation::network::{
    Displacement, HEAD_COUNT, Head, Input, Network, NetworkInputs, Sums,
};

use scene::Scene;

/// The built-in network.
const BUILT_IN: &[u8] = include_bytes!("default.net");

/// The built-in network.
///
/// # Panics
/// Never: a test reads the same bytes.
pub(super) fn built_in() -> Arc<Network> {
    static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
        let network = Network::from_bytes::<Compact>(BUILT_IN);
        Arc::new(network.expect("the built-in network is sound"))
    });
    Arc::clone(&NETWORK)
}

/// Judges positions by a network.
#[derive(Clone, Debug)]
pub(super) struct NetworkEvaluator(Arc<Network>);

/// Plies that share a head.
const HEAD_PLIES: usize = 8;

/// Heads of games with a pillbug, and without.
const STAGES: usize = HEAD_COUNT / 2;

/// They depend on how far the game has come, and on whether it is played with pillbugs: with them queens live longer.
#[inline]
fn head_at(ply: u16, has_pillbugs: bool) -> Head {
    let stage = (usize::from(ply) / HEAD_PLIES).min(STAGES - 1);
    Head::new(usize::from(has_pillbugs) * STAGES + stage)
}

fn has_pillbugs<G: Grid>(position: &Position<G>) -> bool {
    let in_hand = |color| position.reserve(color).count(Kind::Pillbug) > 0;
    let is_covered = || {
        let mut stacked = position.stacked().into_iter();
        stacked.any(|cell| position.covered_on(cell).any(|p| p.kind == Kind::Pillbug))
    };
    !position.tops_of_kind(Kind::Pillbug).is_empty()
        || Color::ALL.into_iter().any(in_hand)
        || is_covered()
}

impl<G: Grid> NetworkInputs for Standard<G> {
    const MAGIC: &'static [u8; 8] = b"wabehiv1";

    const INPUT_COUNT: usize = inputs::INPUT_COUNT;

    fn inputs_of(position: &Position<G>, sink: impl FnMut(Input)) {
        let links = links::<G>(position.occupied());
        inputs::inputs(&Scene::new(position, position.side_to_move(), links), sink);
    }

    fn head_of(position: &Position<G>) -> Head {
        head_at(position.turn(), has_pillbugs(position))
    }

    fn images_of_inputs(symmetry: Symmetry) -> Vec<Input> {
        let images = Displacement::images(symmetry);
        (0..inputs::INPUT_COUNT)
            .map(|input| inputs::with_displacements(input, &images))
            .collect()
    }
}

impl NetworkEvaluator {
    pub(super) fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator(network)
    }

    fn sums<G: Grid>(&self, scene: &Scene<'_, G>) -> Sums {
        let mut sums = self.0.empty_sums();
        inputs::inputs(scene, |input| self.0.add(&mut sums, input));
        sums
    }

    /// In logits, as the side to move sees it. `links` finds what holds a hive together.
    pub(super) fn logit<G: Grid>(
        &self,
        position: &Position<G>,
        links: impl Fn(G::Set) -> G::Set,
    ) -> f32 {
        let links = links(position.occupied());
        let sums = self.sums(&Scene::new(position, position.side_to_move(), links));
        self.0.output(&sums, Standard::head_of(position))
    }

    /// A judge of the positions after one move from `position`, in logits, as the side to move there sees them.
    #[inline]
    pub(super) fn successors<'a, G: Grid>(
        &'a self,
        position: &'a Position<G>,
        links: impl Fn(G::Set) -> G::Set + 'a,
    ) -> impl Fn(Move<G>, &Position<G>) -> f32 + 'a {
        let viewer = position.side_to_move().opponent();
        let before = Scene::new(position, viewer, links(position.occupied()));
        let base = self.sums(&before);
        let head = head_at(position.turn() + 1, has_pillbugs(position));
        move |mv, next| {
            let after = Scene::new(next, viewer, links(next.occupied()));
            let sums = match inputs::changed_inputs(&before, &after, cells_of(mv)) {
                Some(changes) => self.0.changed(base, &changes),
                None => self.sums(&after),
            };
            self.0.output(&sums, head)
        }
    }
}

/// The cells that a move changes.
#[inline]
fn cells_of<G: Grid>(mv: Move<G>) -> G::Set {
    match mv {
        Move::<G>::Place { to, .. } => CellSet::single(to),
        Move::<G>::Drag { from, to } => G::Set::single(from) | CellSet::single(to),
        Move::<G>::Pass => CellSet::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_is_read_and_written() {
        assert_eq!(built_in().to_bytes::<Compact>(), BUILT_IN);
    }
}
