//! The fields of a board in a grid of characters, their outlines, and the coordinates on the rim.

use anstyle::Style;

use super::{Line, Text};
use crate::scene::{Scene, Spot};
use wabe_hive::hex::Direction;

/// A step to the east in columns; a step to the north-east or north-west is half of it, and a row up.
const CELL_WIDTH: i32 = 4;

/// Lines of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Rows {
    /// The slanted borders between rows are left out.
    Compact = 1,
    /// With a line of borders between rows.
    Open = 2,
}

/// The part of the plane that a drawing shows, and its place in the grid of characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The middle of the field at the origin.
    origin_column: i32,
    origin_line: i32,
    width: i32,
    height: i32,
    rows: Rows,
    has_coordinates: bool,
}

impl Frame {
    /// The frame of all fields of a scene.
    pub(super) fn of(scene: &Scene, rows: Rows) -> Frame {
        let row_height = rows as i32;
        let bounds = |axis: fn(Spot) -> i32| {
            let values = || scene.fields.iter().copied().map(axis);
            (values().min().unwrap_or(0), values().max().unwrap_or(0))
        };
        let (left, right) = bounds(|spot| CELL_WIDTH / 2 * spot.across());
        let (top, bottom) = bounds(Spot::z);
        // Around the middle of a field is its outline; beyond that are coordinates on the left, above and below.
        let (beside, above) = if scene.has_coordinates {
            (CELL_WIDTH / 2 + 2, row_height)
        } else {
            (CELL_WIDTH / 2, row_height - 1)
        };
        Frame {
            origin_column: beside - left,
            origin_line: above - row_height * top,
            width: beside + right - left + CELL_WIDTH / 2 + 1,
            height: 2 * above + row_height * (bottom - top) + 1,
            rows,
            has_coordinates: scene.has_coordinates,
        }
    }

    /// Line and column of the middle of a field.
    fn centre(&self, spot: Spot) -> (i32, i32) {
        (
            self.origin_line + self.rows as i32 * spot.z(),
            self.origin_column + CELL_WIDTH / 2 * spot.across(),
        )
    }

    /// The line of the middle of a field.
    pub(super) fn line_of(&self, spot: Spot) -> usize {
        usize::try_from(self.centre(spot).0).unwrap_or(0)
    }
}

/// The grid of characters of a board, addressed by its fields.
pub(super) struct Honeycomb {
    frame: Frame,
    lines: Vec<Vec<(Style, char)>>,
}

impl Honeycomb {
    /// The empty board.
    pub(super) fn new(frame: Frame, fields: &[Spot], outline: Style, label: Style) -> Honeycomb {
        let [width, height] =
            [frame.width, frame.height].map(|size| usize::try_from(size).unwrap_or(0));
        let mut honeycomb = Honeycomb {
            frame,
            lines: vec![vec![(Style::new(), ' '); width]; height],
        };
        for &spot in fields {
            honeycomb.draw_outline(spot, outline);
        }
        if frame.has_coordinates {
            honeycomb.label_ends(fields, label);
        }
        honeycomb
    }

    /// Writes the three characters inside a field.
    pub(super) fn fill(&mut self, spot: Spot, style: Style, inside: [char; 3]) {
        let (line, column) = self.frame.centre(spot);
        for (offset, character) in (-1..).zip(inside) {
            self.set(line, column + offset, style, character);
        }
    }

    /// Replaces a field's borders to the west and to the east.
    pub(super) fn bracket(&mut self, spot: Spot, style: Style, [west, east]: [char; 2]) {
        let (line, column) = self.frame.centre(spot);
        self.set(line, column - CELL_WIDTH / 2, style, west);
        self.set(line, column + CELL_WIDTH / 2, style, east);
    }

    fn draw_outline(&mut self, spot: Spot, style: Style) {
        let (line, column) = self.frame.centre(spot);
        let (upright, slanted) = (
            [(0, -2, '│'), (0, 2, '│')],
            [(-1, -1, '╱'), (-1, 1, '╲'), (1, -1, '╲'), (1, 1, '╱')],
        );
        let slanted = match self.frame.rows {
            Rows::Open => &slanted[..],
            Rows::Compact => &[],
        };
        for &(down, right, character) in upright.iter().chain(slanted) {
            self.set(line + down, column + right, style, character);
        }
    }

    /// Labels each line of fields with the same x at its upper end and each with the same y at its lower end.
    ///
    /// The label ends above or below the west corner of the line's first field. That is beside the outline if the field
    /// is on a slanted edge of the board; along level edges the label is one line farther out.
    fn label_ends(&mut self, fields: &[Spot], style: Style) {
        let row_height = self.frame.rows as i32;
        let levels = || fields.iter().map(|spot| spot.z());
        let (top, bottom) = (levels().min(), levels().max());
        for &end in fields {
            let is_end = |direction| !fields.contains(&end.beside(direction));
            let lines = |edge| if Some(end.z()) == edge { row_height } else { 1 };
            if is_end(Direction::NorthWest) {
                self.label(end, -lines(top), &format!("{}↘", end.x), style);
            }
            if is_end(Direction::SouthWest) {
                self.label(end, lines(bottom), &format!("{}↗", end.y), style);
            }
        }
    }

    /// Writes a label `down` lines below the middle of a field.
    fn label(&mut self, spot: Spot, down: i32, text: &str, style: Style) {
        let (line, column) = self.frame.centre(spot);
        let first = column - 1 - text.chars().count() as i32;
        for (offset, character) in (0..).zip(text.chars()) {
            self.set(line + down, first + offset, style, character);
        }
    }

    /// Ignores places outside the grid; no caller has any.
    fn set(&mut self, line: i32, column: i32, style: Style, character: char) {
        let place = usize::try_from(line).ok().zip(usize::try_from(column).ok());
        debug_assert!(place.is_some());
        let Some((line, column)) = place else { return };
        if let Some(slot) = self.lines.get_mut(line).and_then(|l| l.get_mut(column)) {
            *slot = (style, character);
        }
    }

    /// The finished drawing.
    pub(super) fn into_text(self) -> Text {
        let mut buffer = [0; 4];
        self.lines
            .into_iter()
            .map(|characters| {
                let mut line = Line::new();
                for (style, character) in characters {
                    line.push(style, character.encode_utf8(&mut buffer));
                }
                line
            })
            .collect()
    }
}
