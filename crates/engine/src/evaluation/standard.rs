//! Standard Hive's own features: the kinds that each mosquito touches, the occupied cells around
//! both queens, and for each queen the occupied cells around it combined with the number of enemy
//! pieces that could still attack it.

use std::sync::{Arc, LazyLock};

use super::features::{
    AROUND, Bucket, Changes, Feature, Features, SIDES, View, first_game_feature,
};
use super::network::{BUCKET_COUNT, Network};
use wabe_hive::hex::{CellSet, Grid};
use wabe_hive::standard::{Kind, Position, StandardNarrow, StandardOn};
use wabe_hive::{ByColor, Color, PieceKind};

const KINDS: usize = 8;

/// Number of counts of attackers: 0 to 6, and 7 or more.
const ATTACKERS: usize = 8;

/// The ring of all six neighbours.
const ALL_AROUND: u8 = 63;

/// Number of plies that share an output bucket.
const BUCKET_PLIES: usize = 8;

/// Number of output buckets for games with a pillbug, and for those without.
const STAGES: usize = BUCKET_COUNT / 2;

/// Feature numbers do not depend on the board.
const TOUCHES_AT: usize = first_game_feature::<StandardNarrow>();
const OCCUPIED_AT: usize = TOUCHES_AT + SIDES * KINDS;
const ATTACKERS_AT: usize = OCCUPIED_AT + AROUND * AROUND;

/// Facts about the surroundings of a side's queen and mosquito.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Number of occupied cells around the queen; `None` while it is in hand.
    occupied_around: Option<u8>,
    /// Number of the other side's pieces that are neither pinned nor adjacent to the queen.
    attackers: u8,
    /// The kinds that the mosquito touches on the ground, one bit per kind.
    touched: u8,
}

impl<G: Grid> Features for StandardOn<G> {
    const FEATURE_SET: &'static [u8; 8] = b"wabehiv1";
    const WEIGHT_STEP: i16 = 2;
    const FEATURE_COUNT: usize = ATTACKERS_AT + SIDES * AROUND * ATTACKERS;
    const AROUND_BEES: usize = OCCUPIED_AT;

    type Facts = ByColor<Side>;

    fn built_in() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Network::built_in(include_bytes!(concat!(env!("OUT_DIR"), "/standard.net")))
        });
        Arc::clone(&NETWORK)
    }

    #[inline]
    fn facts(position: &Position<G>, pinned: G::Set) -> ByColor<Side> {
        let occupied = position.occupied();
        ByColor::from_fn(|color| {
            let touched = touched_kinds(position, color);
            let Some(queen) = position.bee(color) else {
                return Side {
                    touched,
                    ..Side::default()
                };
            };
            let movable = position.tops(color.opponent()) - pinned;
            let attackers = movable - G::cells_of_ring(queen, ALL_AROUND);
            Side {
                occupied_around: Some(G::ring(occupied, queen).count_ones() as u8),
                attackers: attackers.count_cells() as u8,
                touched,
            }
        })
    }

    /// Output buckets depend on the stage of the game and on pillbugs, which prolong games.
    #[inline]
    fn bucket(position: &Position<G>, turn: u16) -> Bucket {
        let stage = (usize::from(turn) / BUCKET_PLIES).min(STAGES - 1);
        Bucket::new(usize::from(position.has_kind(Kind::Pillbug)) * STAGES + stage)
    }

    #[inline]
    fn own_features(view: &View<'_, StandardOn<G>>, sink: &mut impl FnMut(Feature)) {
        for color in Color::ALL {
            touch_features(view, color, view.facts[color].touched, sink);
            sink(attackers_feature(view, color));
        }
        sink(occupied_around_queens(view));
    }

    #[inline]
    fn own_changes(
        before: &View<'_, StandardOn<G>>,
        after: &View<'_, StandardOn<G>>,
        changes: &mut Changes,
    ) {
        changes.replace(
            occupied_around_queens(before),
            occupied_around_queens(after),
        );
        for color in Color::ALL {
            changes.replace(
                attackers_feature(before, color),
                attackers_feature(after, color),
            );
            let (old, new) = (before.facts[color].touched, after.facts[color].touched);
            touch_features(before, color, old & !new, &mut |f| changes.off.push(f));
            touch_features(after, color, new & !old, &mut |f| changes.on.push(f));
        }
    }

    fn free_around(count: usize) -> Option<u8> {
        6u8.checked_sub(u8::try_from(count).ok()?)
    }
}

#[inline]
fn touched_kinds<G: Grid>(position: &Position<G>, color: Color) -> u8 {
    let mosquitoes = position.tops_of_kind(Kind::Mosquito);
    if mosquitoes.is_empty() {
        return 0;
    }
    let mosquito = mosquitoes & position.tops(color);
    let Some(cell) = (mosquito - position.stacked()).first() else {
        return 0;
    };
    let around = G::cells_of_ring(cell, ALL_AROUND);
    let mut touched = 0;
    for &kind in Kind::ALL {
        let touches = position.tops_of_kind(kind).intersects(around);
        touched |= u8::from(touches) << kind.index();
    }
    touched
}

#[inline]
fn touch_features<G: Grid>(
    view: &View<'_, StandardOn<G>>,
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

/// Number of occupied cells around the queen of `color`; 7 while it is in hand.
#[inline]
fn occupied_around<G: Grid>(view: &View<'_, StandardOn<G>>, color: Color) -> usize {
    view.facts[color]
        .occupied_around
        .map_or(AROUND - 1, usize::from)
}

#[inline]
fn occupied_around_queens<G: Grid>(view: &View<'_, StandardOn<G>>) -> Feature {
    let (own, other) = (view.viewer, view.viewer.opponent());
    Feature::new(OCCUPIED_AT + occupied_around(view, own) * AROUND + occupied_around(view, other))
}

#[inline]
fn attackers_feature<G: Grid>(view: &View<'_, StandardOn<G>>, color: Color) -> Feature {
    let attackers = usize::from(view.facts[color].attackers).min(ATTACKERS - 1);
    let queen = view.side(color) * AROUND + occupied_around(view, color);
    Feature::new(ATTACKERS_AT + queen * ATTACKERS + attackers)
}
