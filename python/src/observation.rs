//! Positions as arrays: planes over the fields, and numbers. `docs/python.md` describes them.
//!
//! Everything is viewed by one side, usually the one to move.

use wabe_engine::evaluation::{Features, features_of};
use wabe_hive::contest::{self, Contest};
use wabe_hive::game::Game;
use wabe_hive::hex::{Cell, CellSet, ContestBoard, Grid, Hex, WideTorus};
use wabe_hive::standard::{self, GameType, NamedPieces, Standard};
use wabe_hive::{Color, KindOf, PieceKind, Position};
use wabe_records::layout::Layout;

/// A game whose positions can be written as arrays.
pub(crate) trait Observed: Game {
    /// Planes after those of the pieces.
    const OWN_PLANES: usize;

    /// Width and height of the planes, in fields.
    fn side(variant: Self::Variant) -> usize;

    /// The place of each field on a plane, `side * x + y`.
    fn frame(position: &Position<Self>, side: usize) -> Frame;

    /// Passes the values of the game's own planes to `sink`: the number of the plane, the place and
    /// the value.
    fn own_planes(
        position: &Position<Self>,
        notation: &Self::Notation,
        frame: &Frame,
        sink: impl FnMut(usize, usize, u8),
    );
}

const fn kinds<G: Observed>() -> usize {
    <KindOf<G> as PieceKind>::ALL.len()
}

/// Planes of pieces: topmost and covered ones of each side, by kind, and the height.
const fn piece_planes<G: Observed>() -> usize {
    4 * kinds::<G>() + 1
}

/// Number of planes.
pub(crate) const fn planes<G: Observed>() -> usize {
    piece_planes::<G>() + G::OWN_PLANES
}

/// Number of numbers: the reserves of both sides, the player, the turn and the occurrences.
pub(crate) const fn numbers<G: Observed>() -> usize {
    2 * kinds::<G>() + 3
}

/// Maximum number of pieces on the board.
const MAX_PIECES: usize = 28;

/// The places of fields on the planes.
#[derive(Default)]
pub(crate) struct Frame {
    /// Side of the planes.
    side: usize,
    /// The coordinates of the first row and column.
    origin: (i32, i32),
    /// The occupied cells of an unbounded board and their coordinates, sorted by cell.
    cells: arrayvec::ArrayVec<(Cell, (i32, i32)), MAX_PIECES>,
}

impl Frame {
    /// The place of an occupied cell.
    fn place_of(&self, cell: Cell) -> Option<usize> {
        let index = self
            .cells
            .binary_search_by_key(&cell.index(), |(at, _)| at.index());
        self.place(self.cells.get(index.ok()?)?.1)
    }

    fn place(&self, (x, y): (i32, i32)) -> Option<usize> {
        let inside = |value: i32| usize::try_from(value).ok().filter(|&v| v < self.side);
        Some(inside(x - self.origin.0)? * self.side + inside(y - self.origin.1)?)
    }
}

/// The planes of one position, of which only the values set before are cleared.
pub(crate) struct Planes<'a> {
    values: &'a mut [u8],
    set: &'a mut Vec<u32>,
}

impl<'a> Planes<'a> {
    /// `set` contains the indices of all values that are not 0.
    pub(crate) fn new(values: &'a mut [u8], set: &'a mut Vec<u32>) -> Planes<'a> {
        for index in set.drain(..) {
            if let Some(value) = values.get_mut(index as usize) {
                *value = 0;
            }
        }
        Planes { values, set }
    }

    #[inline]
    fn add(&mut self, index: usize, amount: u8) {
        if let (Some(value), Ok(number)) = (self.values.get_mut(index), u32::try_from(index)) {
            *value = value.saturating_add(amount);
            self.set.push(number);
        }
    }
}

/// A position and what the arrays show besides its pieces.
pub(crate) struct View<'a, G: Observed> {
    pub(crate) position: &'a Position<G>,
    pub(crate) notation: &'a G::Notation,
    pub(crate) viewer: Color,
    /// How often the position has occurred, this time included.
    pub(crate) occurrences: usize,
}

/// Writes planes and numbers of a position.
pub(crate) fn observe<G: Observed>(
    view: &View<'_, G>,
    side: usize,
    planes: &mut Planes<'_>,
    numbers: &mut [u8],
) {
    draw(view, side, planes);
    write_numbers(view, numbers);
}

/// Writes the planes of a position.
fn draw<G: Observed>(view: &View<'_, G>, side: usize, planes: &mut Planes<'_>) {
    let (position, viewer) = (view.position, view.viewer);
    let frame = G::frame(position, side);
    let area = side * side;
    let height_plane = 4 * kinds::<G>();
    let mut draw_cell = |cell: Cell, place: usize| {
        let mut height = 0;
        let top = position.height(cell);
        for piece in position.stack(cell) {
            height += 1;
            let side = usize::from(piece.color != viewer);
            let covered = usize::from(height < top);
            let plane = (2 * covered + side) * kinds::<G>() + piece.kind.index();
            planes.add(plane * area + place, 1);
        }
        planes.add(
            height_plane * area + place,
            u8::try_from(height).unwrap_or(u8::MAX),
        );
    };
    if G::Grid::IS_UNBOUNDED {
        for &(cell, point) in &frame.cells {
            if let Some(place) = frame.place(point) {
                draw_cell(cell, place);
            }
        }
    } else {
        for cell in position.occupied() {
            if let Some(place) = frame.place(coordinates(G::Grid::hex(cell))) {
                draw_cell(cell, place);
            }
        }
    }
    G::own_planes(position, view.notation, &frame, |plane, place, value| {
        planes.add((piece_planes::<G>() + plane) * area + place, value);
    });
}

/// Writes the numbers of a position.
fn write_numbers<G: Observed>(view: &View<'_, G>, out: &mut [u8]) {
    let (position, viewer) = (view.position, view.viewer);
    let reserves = [viewer, viewer.opponent()].into_iter().flat_map(|color| {
        let reserve = position.reserve(color);
        KindOf::<G>::ALL.iter().map(|&kind| reserve.count(kind))
    });
    let rest = [
        u8::from(viewer == Color::Blue),
        u8::try_from(position.turn()).unwrap_or(u8::MAX),
        u8::try_from(view.occurrences).unwrap_or(u8::MAX),
    ];
    for (slot, value) in out.iter_mut().zip(reserves.chain(rest)) {
        *slot = value;
    }
}

/// Width of the array of features. No position has more.
pub(crate) const MAX_FEATURES: usize = 128;

/// Writes the numbers of the network's active features, viewed by the side to move. The rest of the
/// row is the number of all features.
pub(crate) fn list_features<G: Features>(position: &Position<G>, row: &mut [i32]) {
    row.fill(i32::try_from(G::FEATURE_COUNT).unwrap_or(i32::MAX));
    let mut slots = row.iter_mut();
    features_of(position, &mut |feature| {
        if let (Some(slot), Ok(number)) = (slots.next(), i32::try_from(feature.number())) {
            *slot = number;
        }
    });
}

fn coordinates(hex: Hex) -> (i32, i32) {
    (hex.x.into(), hex.y.into())
}

impl Observed for Contest {
    /// Brambles and fields.
    const OWN_PLANES: usize = 2;

    fn side(_deal: contest::Deal) -> usize {
        2 * ContestBoard::RADIUS as usize + 1
    }

    fn frame(_position: &contest::Position, side: usize) -> Frame {
        let radius = i32::from(ContestBoard::RADIUS);
        Frame {
            side,
            origin: (-radius, -radius),
            ..Frame::default()
        }
    }

    fn own_planes(
        position: &contest::Position,
        _notation: &Self::Notation,
        frame: &Frame,
        mut sink: impl FnMut(usize, usize, u8),
    ) {
        for (plane, cells) in [(0, position.obstacles()), (1, ContestBoard::FIELDS)] {
            for cell in cells {
                if let Some(place) = frame.place(coordinates(ContestBoard::hex(cell))) {
                    sink(plane, place, 1);
                }
            }
        }
    }
}

/// Up to this distance from a cell, the shortest displacement on the torus is that on the plane.
const MAX_DISPLACEMENT: i32 = 14;

impl Observed for Standard {
    /// The piece that moved last, and the numbers of the topmost pieces.
    const OWN_PLANES: usize = 2;

    /// The number of pieces in the game, because no hive is longer.
    fn side(game_type: GameType) -> usize {
        let reserve = game_type.reserve();
        let pieces = standard::Kind::ALL.iter();
        2 * pieces
            .map(|&kind| usize::from(reserve.count(kind)))
            .sum::<usize>()
    }

    /// The middle of the hive's bounding box is in the middle of the frame.
    fn frame(position: &standard::Position, side: usize) -> Frame {
        let mut frame = Frame {
            side,
            ..Frame::default()
        };
        let occupied = position.occupied();
        let Some(anchor) = occupied.first() else {
            return frame;
        };
        let mut is_near = true;
        for cell in occupied {
            let hex = WideTorus::displacement(anchor, cell);
            let (x, y) = coordinates(hex);
            is_near &= x.abs().max(y.abs()).max((x + y).abs()) <= MAX_DISPLACEMENT;
            let _ = frame.cells.try_push((cell, (x, y)));
        }
        if !is_near {
            let layout = Layout::start(position);
            for (cell, point) in &mut frame.cells {
                if let Some(place) = layout.place(*cell) {
                    *point = (place.x, place.y);
                }
            }
        }
        let axis = |value: fn(&(i32, i32)) -> i32| {
            let values = || frame.cells.iter().map(|(_, point)| value(point));
            let (min, max) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            min - (i32::try_from(side).unwrap_or(0) - (max - min + 1)) / 2
        };
        frame.origin = (axis(|point| point.0), axis(|point| point.1));
        frame
    }

    fn own_planes(
        position: &standard::Position,
        notation: &NamedPieces,
        frame: &Frame,
        mut sink: impl FnMut(usize, usize, u8),
    ) {
        let resting = position.rule_state().resting();
        let stacked = position.stacked();
        for (name, cell) in notation.iter() {
            let top = || notation.iter().filter(|&(_, at)| at == cell).last();
            if stacked.contains(cell) && top().is_none_or(|(top, _)| top != name) {
                continue;
            }
            if let Some(place) = frame.place_of(cell) {
                sink(1, place, name.ordinal());
                if Some(cell) == resting {
                    sink(0, place, 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::game::Notation;
    use wabe_hive::standard::StandardRecord;

    fn draw_start<G: Observed>(position: &Position<G>, side: usize, planes: &mut Planes<'_>) {
        let view = View {
            position,
            notation: &G::Notation::from_start(position),
            viewer: position.side_to_move(),
            occurrences: 1,
        };
        draw(&view, side, planes);
    }

    fn drawn<G: Observed>(position: &Position<G>, side: usize) -> Vec<u8> {
        let mut values = vec![0; planes::<G>() * side * side];
        draw_start(
            position,
            side,
            &mut Planes::new(&mut values, &mut Vec::new()),
        );
        values
    }

    #[test]
    fn planes_ignore_translation() {
        let [here, there] = [
            "6 - 0,0:rQ;1,0:bQ;2,0:bArB AA/AA",
            "6 - 7,-3:rQ;8,-3:bQ;9,-3:bArB AA/AA",
        ]
        .map(|text| drawn::<Standard>(&text.parse().unwrap(), 22));
        assert_eq!(here, there);
        assert_eq!(here.iter().filter(|&&value| value > 0).count(), 4 + 2 * 3);
    }

    #[test]
    fn long_hives_fit_the_frame() {
        let pieces = "rQ rA rA rA rG rG rG rS rS bQ bA bA bA bG bG bG bS bS bB bB rB rB";
        for step in [(1, 0), (0, 1), (1, -1)] {
            let stacks = (0..).zip(pieces.split(' '));
            let stacks: Vec<_> = stacks
                .map(|(i, piece)| format!("{},{}:{piece}", i * step.0, i * step.1))
                .collect();
            let text = format!("20 - {} -/-", stacks.join(";"));
            let record: StandardRecord = text.parse().unwrap();
            let side = Standard::side(record.variant());
            let values = drawn(record.position(), side);
            assert_eq!(values.iter().filter(|&&value| value > 0).count(), 3 * 22);
        }
    }

    #[test]
    fn planes_clear_only_what_they_set() {
        let position: contest::Position = "4 1,1 0,0:rQ;1,0:bQ AA/AA".parse().unwrap();
        let (mut values, mut set) = (vec![0; planes::<Contest>() * 121], Vec::new());
        draw_start(&position, 11, &mut Planes::new(&mut values, &mut set));
        let first = values.clone();
        let other: contest::Position = "5 - 3,0:rQ;2,0:bQ AA/AA".parse().unwrap();
        draw_start(&other, 11, &mut Planes::new(&mut values, &mut set));
        assert_ne!(values, first);
        draw_start(&position, 11, &mut Planes::new(&mut values, &mut set));
        assert_eq!(values, first);
    }
}
