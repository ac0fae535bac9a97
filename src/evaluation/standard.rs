//! Standard Hive's own features: the kinds that each mosquito touches, the taken cells around both queens, and for each queen the
//! taken cells around her together with the number of pieces that may still come.

use std::sync::{Arc, LazyLock};

use super::features::{Bucket, Changes, Feature, Features, Meaning, SIDES, View, own_from};
use super::network::{BUCKET_COUNT, Network};
use crate::hex::{CellSet, Grid};
use crate::hive::standard::{Compact, Kind, Position, Standard};
use crate::hive::{ByColor, Color, PieceKind};

const KINDS: usize = 8;

/// Numbers of taken cells around a queen, 0 to 6, and a queen in hand.
const TAKEN: usize = 8;

/// Numbers of pieces that may still come to a queen, from none to seven or more.
const COMERS: usize = 8;

/// The ring of all six neighbours.
const ALL_AROUND: u8 = 63;

/// Plies that share a bucket.
const BUCKET_PLIES: usize = 8;

/// Buckets of games with a pillbug, and without.
const STAGES: usize = BUCKET_COUNT / 2;

/// The numbers of features do not depend on the board.
const TOUCHES_AT: usize = own_from::<Compact>();
const TAKEN_AT: usize = TOUCHES_AT + SIDES * KINDS;
const COMERS_AT: usize = TAKEN_AT + TAKEN * TAKEN;

/// Facts about the surroundings of a side's queen and mosquito.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// The taken cells around the queen; `None` while she is in hand.
    taken: Option<u8>,
    /// The other side's pieces that may leave their cell and are not beside the queen yet.
    comers: u8,
    /// The kinds that the mosquito touches on the ground, a bit for each.
    touched: u8,
}

impl<G: Grid> Features for Standard<G> {
    const FEATURE_SET: &'static [u8; 8] = b"wabehiv1";
    const FEATURE_COUNT: usize = COMERS_AT + SIDES * TAKEN * COMERS;

    type Facts = ByColor<Side>;

    fn built_in() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            let network = Network::from_bytes(include_bytes!("standard.net"));
            Arc::new(network.expect("a test reads the same bytes"))
        });
        Arc::clone(&NETWORK)
    }

    #[inline]
    fn facts(position: &Position<G>, pinned: G::Set) -> ByColor<Side> {
        let occupied = position.occupied();
        ByColor::from_fn(|color| {
            let touched = touched(position, color);
            let Some(queen) = position.bee(color) else {
                return Side {
                    touched,
                    ..Side::default()
                };
            };
            let movable = position.tops(color.opponent()) - pinned;
            let comers = movable - G::cells_of_ring(queen, ALL_AROUND);
            Side {
                taken: Some(G::ring(occupied, queen).count_ones() as u8),
                comers: comers.count_cells() as u8,
                touched,
            }
        })
    }

    /// By the stage of the game, and by whether it has pillbugs: with them queens live longer.
    #[inline]
    fn bucket(position: &Position<G>, turn: u16) -> Bucket {
        let stage = (usize::from(turn) / BUCKET_PLIES).min(STAGES - 1);
        Bucket::new(usize::from(has_pillbugs(position)) * STAGES + stage)
    }

    #[inline]
    fn own_features(view: &View<'_, Standard<G>>, sink: &mut impl FnMut(Feature)) {
        for color in Color::ALL {
            touch_features(view, color, view.facts[color].touched, sink);
            sink(comers(view, color));
        }
        sink(taken_around_queens(view));
    }

    #[inline]
    fn own_changes(
        before: &View<'_, Standard<G>>,
        after: &View<'_, Standard<G>>,
        changes: &mut Changes,
    ) {
        changes.replace(taken_around_queens(before), taken_around_queens(after));
        for color in Color::ALL {
            changes.replace(comers(before, color), comers(after, color));
            let (was, is) = (before.facts[color].touched, after.facts[color].touched);
            touch_features(before, color, was & !is, &mut |f| changes.off(f));
            touch_features(after, color, is & !was, &mut |f| changes.on(f));
        }
    }

    fn meaning(feature: Feature) -> Option<Meaning> {
        let pair = feature.number().checked_sub(TAKEN_AT)?;
        let free = |taken: usize| u8::try_from(taken).ok().and_then(|t| 6u8.checked_sub(t));
        (pair < TAKEN * TAKEN).then(|| Meaning::FreeAround {
            own: free(pair / TAKEN),
            other: free(pair % TAKEN),
        })
    }
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

#[inline]
fn touched<G: Grid>(position: &Position<G>, color: Color) -> u8 {
    let mosquito = position.tops_of_kind(Kind::Mosquito) & position.tops(color);
    let Some(cell) = (mosquito - position.stacked()).first() else {
        return 0;
    };
    let mut touched = 0;
    for &kind in Kind::ALL {
        let touches = G::ring(position.tops_of_kind(kind), cell) != 0;
        touched |= u8::from(touches) << kind.index();
    }
    touched
}

#[inline]
fn touch_features<G: Grid>(
    view: &View<'_, Standard<G>>,
    color: Color,
    touched: u8,
    sink: &mut impl FnMut(Feature),
) {
    if touched == 0 {
        return;
    }
    for &kind in Kind::ALL {
        if touched >> kind.index() & 1 != 0 {
            sink(Feature::new(
                TOUCHES_AT + view.side(color) * KINDS + kind.index(),
            ));
        }
    }
}

/// The taken cells around the queen of `color`, or one more than there can be while she is in hand.
#[inline]
fn taken<G: Grid>(view: &View<'_, Standard<G>>, color: Color) -> usize {
    view.facts[color].taken.map_or(TAKEN - 1, usize::from)
}

#[inline]
fn taken_around_queens<G: Grid>(view: &View<'_, Standard<G>>) -> Feature {
    let (own, other) = (view.viewer, view.viewer.opponent());
    Feature::new(TAKEN_AT + taken(view, own) * TAKEN + taken(view, other))
}

#[inline]
fn comers<G: Grid>(view: &View<'_, Standard<G>>, color: Color) -> Feature {
    let comers = usize::from(view.facts[color].comers).min(COMERS - 1);
    let queen = view.side(color) * TAKEN + taken(view, color);
    Feature::new(COMERS_AT + queen * COMERS + comers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_is_read_and_written() {
        let network = Compact::built_in();
        assert_eq!(network.to_bytes(), include_bytes!("standard.net"));
        assert_eq!(network.check::<Compact>(), Ok(()));
    }
}
