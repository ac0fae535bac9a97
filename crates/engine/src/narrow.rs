//! Maps positions of the wide board to the compact one.

use crate::frame::SearchBoard;
use wabe_hive::Stack;
use wabe_hive::hex::{Cell, CellSet, CompactTorus, Grid, Hex, WideTorus};
use wabe_hive::standard::{Move, Position, Setup, Standard, StandardNarrow};

/// The cells of the wide board around a centre, which are mapped to the compact board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NarrowBoard {
    /// The cell that is mapped to the origin of the compact board.
    center: Cell,
}

/// Maximum distance of a piece from the centre, in steps. The hive then spans at most 14 steps, so
/// its cells and their neighbours are distinct on the compact board.
const REACH: u16 = 7;

/// The extent of a hive along the three axes, relative to one of its cells.
struct Extent {
    origin: Cell,
    min: [i16; 3],
    max: [i16; 3],
}

impl Extent {
    /// `None` without pieces.
    fn from_position(position: &Position) -> Option<Extent> {
        let occupied = position.occupied();
        let origin = occupied.first()?;
        let (mut min, mut max) = ([0; 3], [0; 3]);
        for cell in occupied {
            let axes = axes(WideTorus::displacement(origin, cell));
            min = std::array::from_fn(|axis| axes[axis].min(min[axis]));
            max = std::array::from_fn(|axis| axes[axis].max(max[axis]));
        }
        Some(Extent { origin, min, max })
    }

    /// The distance of the farthest piece from `cell`, in steps. A distance is the largest
    /// difference along an axis.
    fn farthest(&self, cell: Cell) -> u16 {
        let axes = axes(WideTorus::displacement(self.origin, cell));
        let reach = |axis: usize| {
            let below = axes[axis].abs_diff(self.min[axis]);
            below.max(axes[axis].abs_diff(self.max[axis]))
        };
        reach(0).max(reach(1)).max(reach(2))
    }
}

/// The three cube coordinates.
fn axes(offset: Hex) -> [i16; 3] {
    [offset.x.into(), offset.y.into(), offset.z()]
}

impl NarrowBoard {
    fn to_compact(self, cell: Cell) -> Option<Cell> {
        CompactTorus::cell(WideTorus::displacement(self.center, cell))
    }
}

/// The centre is a cell in the middle of the hive.
impl SearchBoard<Standard> for NarrowBoard {
    type Rules = StandardNarrow;

    fn around(position: &Position, before: Option<NarrowBoard>) -> Option<NarrowBoard> {
        let Some(extent) = Extent::from_position(position) else {
            let center = WideTorus::cell(Hex::new(0, 0))?;
            return Some(before.unwrap_or(NarrowBoard { center }));
        };
        if let Some(frame) = before.filter(|frame| extent.farthest(frame.center) <= REACH) {
            return Some(frame);
        }
        let cells = position.occupied().into_iter();
        let center = cells.min_by_key(|&cell| extent.farthest(cell))?;
        (extent.farthest(center) <= REACH).then_some(NarrowBoard { center })
    }

    /// Each ply extends the hive by at most one step.
    fn for_plies(position: &Position, plies: u32) -> Option<NarrowBoard> {
        let frame = NarrowBoard::around(position, None)?;
        let extent = Extent::from_position(position);
        let farthest = extent.map_or(0, |extent| extent.farthest(frame.center));
        let across = 2 * u32::from(farthest);
        (across.checked_add(plies)? <= 2 * u32::from(REACH)).then_some(frame)
    }

    fn narrow(self, position: &Position) -> Option<Position<CompactTorus>> {
        let setup = position.to_setup();
        let stacks = setup
            .stacks
            .into_iter()
            .map(|stack| Stack::<StandardNarrow> {
                hex: WideTorus::displacement(
                    self.center,
                    WideTorus::cell(stack.hex).unwrap_or(self.center),
                ),
                pieces: stack.pieces,
            });
        let setup = Setup::<CompactTorus> {
            turn: setup.turn,
            obstacles: Vec::new(),
            stacks: stacks.collect(),
            reserve: setup.reserve,
        };
        let state = position.rule_state();
        let resting = state.resting().and_then(|cell| self.to_compact(cell));
        Some(setup.build().ok()?.with_rule_state(state.after(resting)))
    }

    fn narrow_move(self, mv: Move) -> Option<Move<CompactTorus>> {
        mv.on_fields(|cell| {
            let offset = WideTorus::displacement(self.center, cell);
            let is_near = axes(offset)
                .into_iter()
                .all(|axis| axis.unsigned_abs() <= REACH);
            if is_near {
                CompactTorus::cell(offset)
            } else {
                None
            }
        })
    }

    fn widen(self, mv: Move<CompactTorus>) -> Move {
        let wide = |cell| Some(CompactTorus::widen(cell, self.center));
        mv.on_fields(wide).unwrap_or(Move::Pass)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use wabe_hive::standard::{GameType, OpeningRule};

    #[test]
    fn narrow_positions_have_the_same_moves() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut compared = 0;
        for _ in 0..20 {
            let mut position: Position = GameType::ALL[7].start(OpeningRule::Tournament);
            let mut frame = None;
            for _ in 0..60 {
                let moves = position.legal_moves();
                frame = NarrowBoard::around(&position, frame);
                if let Some(frame) = frame {
                    let narrow_moves = frame.narrow(&position).unwrap().legal_moves();
                    let widened: HashSet<_> =
                        narrow_moves.iter().map(|&mv| frame.widen(mv)).collect();
                    let listed: HashSet<_> = moves.iter().copied().collect();
                    assert_eq!(widened, listed, "{position}");
                    let narrowed = |mv| frame.narrow_move(mv).map(|mv| frame.widen(mv));
                    for &mv in &moves {
                        assert!([None, Some(mv)].contains(&narrowed(mv)), "{position}");
                    }
                    compared += 1;
                }
                let Some(&mv) = moves.choose(&mut rng) else {
                    break;
                };
                position.play(mv);
            }
        }
        assert!(compared > 500);
    }

    #[test]
    fn long_hives_do_not_fit() {
        let pieces = "rQ rA rA rA rG rG rG rS rS bQ bA bA bA bG bG bG bS bS bB bB";
        let stacks = (0..).zip(pieces.split(' '));
        let stacks: Vec<_> = stacks.map(|(x, piece)| format!("{x},0:{piece}")).collect();
        let text = format!("20 - {} -/-", stacks.join(";"));
        let position: Position = text.parse().unwrap();
        assert_eq!(NarrowBoard::around(&position, None), None);
    }
}
