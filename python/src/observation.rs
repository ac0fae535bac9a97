//! Positions as arrays: planes over the fields, and numbers. `docs/python.md` describes them.
//!
//! Everything is viewed by one side, usually the one to move.

use wabe_hive::contest::{self, Contest};
use wabe_hive::game::Game;
use wabe_hive::hex::{Cell, CellSet, ContestBoard, Grid, Hex, WideTorus};
use wabe_hive::standard::{self, GameType, Standard};
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

    /// Passes the values of the game's own planes to `sink`: the number of the plane and the place.
    fn own_planes(position: &Position<Self>, frame: &Frame, sink: impl FnMut(usize, usize));
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
    /// The occupied cells of an unbounded board and their coordinates.
    cells: arrayvec::ArrayVec<(Cell, (i32, i32)), MAX_PIECES>,
}

impl Frame {
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

/// Writes planes and numbers of a position.
pub(crate) fn observe<G: Observed>(
    position: &Position<G>,
    viewer: Color,
    occurrences: usize,
    side: usize,
    planes: &mut Planes<'_>,
    numbers: &mut [u8],
) {
    draw(position, viewer, side, planes);
    write_numbers(position, viewer, occurrences, numbers);
}

/// Writes the planes of a position.
fn draw<G: Observed>(position: &Position<G>, viewer: Color, side: usize, planes: &mut Planes<'_>) {
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
    G::own_planes(position, &frame, |plane, place| {
        planes.add((piece_planes::<G>() + plane) * area + place, 1);
    });
}

/// Writes the numbers of a position.
fn write_numbers<G: Observed>(
    position: &Position<G>,
    viewer: Color,
    occurrences: usize,
    out: &mut [u8],
) {
    let reserves = [viewer, viewer.opponent()].into_iter().flat_map(|color| {
        let reserve = position.reserve(color);
        KindOf::<G>::ALL.iter().map(|&kind| reserve.count(kind))
    });
    let rest = [
        u8::from(viewer == Color::Blue),
        u8::try_from(position.turn()).unwrap_or(u8::MAX),
        u8::try_from(occurrences).unwrap_or(u8::MAX),
    ];
    for (slot, value) in out.iter_mut().zip(reserves.chain(rest)) {
        *slot = value;
    }
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

    fn own_planes(position: &contest::Position, frame: &Frame, mut sink: impl FnMut(usize, usize)) {
        for (plane, cells) in [(0, position.obstacles()), (1, ContestBoard::FIELDS)] {
            for cell in cells {
                if let Some(place) = frame.place(coordinates(ContestBoard::hex(cell))) {
                    sink(plane, place);
                }
            }
        }
    }
}

/// Up to this distance from a cell, the shortest displacement on the torus is that on the plane.
const MAX_DISPLACEMENT: i32 = 14;

impl Observed for Standard {
    /// The piece that moved last.
    const OWN_PLANES: usize = 1;

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
        frame: &Frame,
        mut sink: impl FnMut(usize, usize),
    ) {
        let resting = position.rule_state().resting();
        let at = frame.cells.iter().find(|(cell, _)| Some(*cell) == resting);
        if let Some(place) = at.and_then(|(_, point)| frame.place(*point)) {
            sink(0, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::standard::StandardRecord;

    fn drawn<G: Observed>(position: &Position<G>, side: usize) -> Vec<u8> {
        let mut values = vec![0; planes::<G>() * side * side];
        let mut set = Vec::new();
        let mut planes = Planes::new(&mut values, &mut set);
        draw(position, position.side_to_move(), side, &mut planes);
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
        assert_eq!(here.iter().filter(|&&value| value > 0).count(), 4 + 3);
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
            assert_eq!(values.iter().filter(|&&value| value > 0).count(), 2 * 22);
        }
    }

    #[test]
    fn planes_clear_only_what_they_set() {
        let position: contest::Position = "4 1,1 0,0:rQ;1,0:bQ AA/AA".parse().unwrap();
        let (mut values, mut set) = (vec![0; planes::<Contest>() * 121], Vec::new());
        draw(
            &position,
            Color::Red,
            11,
            &mut Planes::new(&mut values, &mut set),
        );
        let first = values.clone();
        let other: contest::Position = "5 - 3,0:rQ;2,0:bQ AA/AA".parse().unwrap();
        draw(
            &other,
            Color::Red,
            11,
            &mut Planes::new(&mut values, &mut set),
        );
        assert_ne!(values, first);
        draw(
            &position,
            Color::Red,
            11,
            &mut Planes::new(&mut values, &mut set),
        );
        assert_eq!(values, first);
    }
}
