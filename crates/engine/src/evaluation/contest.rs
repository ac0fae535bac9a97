//! The contest's own features: brambles and missing fields near each bee, the numbers of free
//! fields around both bees, and the difference of these numbers per stage of the game. This
//! difference decides the game after the last round.

use std::sync::{Arc, LazyLock};

use super::displacement::Displacement;
use super::features::{
    AROUND, Bucket, Changes, Feature, Features, SIDES, View, bee_ring_feature, first_game_feature,
};
use super::network::{BUCKET_COUNT, Network};
use wabe_hive::contest::{Contest, Position};
use wabe_hive::hex::{BoardSet, Cell, ContestBoard, Grid, Hex};
use wabe_hive::{ByColor, Color};

/// Groups of features for the fields around a bee.
const BLOCKED: usize = 0;
const CLOSED: usize = 1;

const STAGES: usize = 16;
const LEADS: usize = 16;

/// Number of turns in a stage.
const STAGE_LENGTH: usize = 4;

/// Number of turns that share an output bucket.
const BUCKET_TURNS: usize = 8;

/// Number of output buckets per side to move.
const BUCKETS_PER_SIDE: usize = BUCKET_COUNT / SIDES;

const FREE_AT: usize = first_game_feature::<Contest>();
const LEADS_AT: usize = FREE_AT + AROUND * AROUND;

/// Maximum distance from a bee, in steps, at which brambles and missing fields have features.
const BLOCKED_REACH: i8 = 2;

const FIELDS: usize = ContestBoard::INDEX_BOUND;

/// The displacement of each pair of fields, by their indices.
static BETWEEN: [[Displacement; FIELDS]; FIELDS] = {
    let mut between = [[Displacement::FAR; FIELDS]; FIELDS];
    let mut from = 0;
    while from < FIELDS {
        let origin = ContestBoard::hex_at(Cell::from_index(from as u16));
        let mut x = -Displacement::REACH;
        while x <= Displacement::REACH {
            let mut y = -Displacement::REACH;
            while y <= Displacement::REACH {
                if let Some(to) = ContestBoard::cell_at(Hex::new(origin.x + x, origin.y + y)) {
                    between[from][to.index()] = Displacement::from_steps(Hex::new(x, y));
                }
                y += 1;
            }
            x += 1;
        }
        from += 1;
    }
    between
};

/// The displacements within [`BLOCKED_REACH`], one bit per displacement number.
const NEAR_MASK: u64 = Displacement::within(BLOCKED_REACH);

/// For each field, the displacements within [`BLOCKED_REACH`] that lead off the board.
static OFF_BOARD: [u64; FIELDS] = {
    let mut off_board = [NEAR_MASK; FIELDS];
    let mut from = 0;
    while from < FIELDS {
        let mut to = 0;
        while to < FIELDS {
            off_board[from] &= !(1 << BETWEEN[from][to].number());
            to += 1;
        }
        from += 1;
    }
    off_board
};

impl Features for Contest {
    const FEATURE_SET: &'static [u8; 8] = b"wabecon1";
    const WEIGHT_STEP: i16 = 1;
    const FEATURE_COUNT: usize = LEADS_AT + STAGES * LEADS;
    const SURROUNDINGS: usize = 2;
    const CLOSED: usize = CLOSED;
    const AROUND_BEES: usize = FREE_AT;

    /// The free fields around each bee.
    type Facts = ByColor<Option<u32>>;

    fn built_in() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Network::built_in(include_bytes!(concat!(env!("OUT_DIR"), "/contest.net")))
        });
        Arc::clone(&NETWORK)
    }

    #[inline]
    fn facts(position: &Position, _pinned: BoardSet) -> ByColor<Option<u32>> {
        ByColor::from_fn(|color| position.free_around_bee(color))
    }

    /// Output buckets depend on the side to move and the stage of the game.
    #[inline]
    fn bucket(_position: &Position, turn: u16) -> Bucket {
        let stage = (usize::from(turn) / BUCKET_TURNS).min(BUCKETS_PER_SIDE - 1);
        let side = match Color::to_move(turn) {
            Color::Red => 0,
            Color::Blue => BUCKETS_PER_SIDE,
        };
        Bucket::new(side + stage)
    }

    #[inline]
    fn own_features(view: &View<'_, Contest>, sink: &mut impl FnMut(Feature)) {
        for color in Color::ALL {
            blocked_around_bee(view, color, sink);
        }
        for feature in free_fields(view) {
            sink(feature);
        }
    }

    #[inline]
    fn own_changes(before: &View<'_, Contest>, after: &View<'_, Contest>, changes: &mut Changes) {
        if before.facts != after.facts {
            for (old, new) in free_fields(before).into_iter().zip(free_fields(after)) {
                changes.replace(old, new);
            }
        }
    }

    fn free_around(count: usize) -> Option<u8> {
        u8::try_from(count).ok().filter(|&free| free < 7)
    }

    #[inline]
    fn displacement(bee: Cell, cell: Cell) -> Displacement {
        BETWEEN[bee.index() & 127][cell.index() & 127]
    }
}

fn blocked_around_bee(view: &View<'_, Contest>, color: Color, sink: &mut impl FnMut(Feature)) {
    let Some(bee) = view.position.bee(color) else {
        return;
    };
    let mut blocked = OFF_BOARD[bee.index() & 127];
    for obstacle in view.position.obstacles() {
        blocked |= 1 << Contest::displacement(bee, obstacle).number() & NEAR_MASK;
    }
    for displacement in Displacement::from_bits(blocked) {
        sink(bee_ring_feature::<Contest>(
            view.side(color),
            BLOCKED,
            displacement,
        ));
    }
}

/// The features of the free fields around the viewer's and the other side's bee.
#[inline]
fn free_fields(view: &View<'_, Contest>) -> [Feature; 2] {
    let own = view.facts[view.viewer];
    let other = view.facts[view.viewer.opponent()];
    let place = |free: Option<u32>| free.map_or(AROUND - 1, |free| free as usize & (AROUND - 1));
    // One more than the count that decides the game, in which a bee in reserve counts as -1.
    let count = |free: Option<u32>| free.map_or(0, |free| free as usize + 1);
    let stage = (usize::from(view.turn) / STAGE_LENGTH).min(STAGES - 1);
    let lead = (count(own) + LEADS / 2 - count(other)).min(LEADS - 1);
    [
        Feature::new(FREE_AT + place(own) * AROUND + place(other)),
        Feature::new(LEADS_AT + stage * LEADS + lead),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::hex::Symmetry;

    #[test]
    fn symmetries_map_displacements_like_fields() {
        for symmetry in Symmetry::ALL {
            let images = Displacement::images(symmetry);
            for a in ContestBoard::FIELDS {
                for b in ContestBoard::FIELDS {
                    let image =
                        |cell| ContestBoard::cell(symmetry.apply(ContestBoard::hex(cell))).unwrap();
                    let before = Contest::displacement(a, b);
                    let after = Contest::displacement(image(a), image(b));
                    assert_eq!(usize::from(images[before.number()]), after.number());
                }
            }
        }
    }
}
