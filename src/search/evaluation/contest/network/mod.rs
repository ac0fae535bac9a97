//! Judging the contest's positions by a small learned network.
//!
//! - `between`: where a field lies as seen from a bee
//! - `scene`: which pieces are pinned or enclosed
//! - `inputs`: the inputs and their numbers

mod between;
mod inputs;
mod scene;

use std::sync::{Arc, LazyLock};

use crate::hex::{BoardSet, CellSet, ContestBoard, Symmetry};
use crate::hive::contest::{Contest, Move, Position};
use crate::hive::{Color, links};
use crate::search::evaluation::links_cache::LinksCache;
use crate::search::evaluation::network::{
    Displacement, HEAD_COUNT, Head, Input, Network, NetworkInputs, Sums,
};

use between::between;
use scene::Scene;

/// The built-in network.
const BUILT_IN: &[u8] = include_bytes!("default.net");

/// The built-in network.
///
/// # Panics
/// Never: a test reads the same bytes.
pub(super) fn built_in() -> Arc<Network> {
    static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
        let network = Network::from_bytes::<Contest>(BUILT_IN);
        Arc::new(network.expect("the built-in network is sound"))
    });
    Arc::clone(&NETWORK)
}

/// Turns that share a head.
const HEAD_TURNS: usize = 8;

/// Heads for each side to move.
const HEADS_OF_SIDE: usize = HEAD_COUNT / 2;

/// They depend on the side to move and on how far the game has come.
#[inline]
fn head_of_turn(turn: u16) -> Head {
    let stage = (usize::from(turn) / HEAD_TURNS).min(HEADS_OF_SIDE - 1);
    let side = match Color::to_move(turn) {
        Color::Red => 0,
        Color::Blue => HEADS_OF_SIDE,
    };
    Head::new(side + stage)
}

impl NetworkInputs for Contest {
    const MAGIC: &'static [u8; 8] = b"wabenet1";

    const INPUT_COUNT: usize = inputs::INPUT_COUNT;

    fn inputs_of(position: &Position, sink: impl FnMut(Input)) {
        let links = links::<ContestBoard>(position.occupied());
        inputs::inputs(&Scene::new(position, position.turn(), links), sink);
    }

    fn head_of(position: &Position) -> Head {
        head_of_turn(position.turn())
    }

    fn images_of_inputs(symmetry: Symmetry) -> Vec<Input> {
        let images = Displacement::images(symmetry);
        (0..inputs::INPUT_COUNT)
            .map(|input| inputs::with_displacements(input, &images))
            .collect()
    }
}

/// Judges positions by a network.
#[derive(Clone, Debug)]
pub(super) struct NetworkEvaluator {
    network: Arc<Network>,
    links: LinksCache<BoardSet>,
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
        Scene::new(
            position,
            turn,
            self.links.links::<ContestBoard>(position.occupied()),
        )
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
        self.network.output(&sums, head_of_turn(turn))
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
        let head = head_of_turn(turn);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_is_read_and_written() {
        assert_eq!(built_in().to_bytes::<Contest>(), BUILT_IN);
    }
}
