//! Where the fields of the board lie in a grid of characters, their outlines, and the coordinates on the rim.

use anstyle::Style;

use super::{Line, Text};
use crate::hex::{Cell, ContestBoard, Grid, Hex};

/// A step to the east in columns; a step to the north-east or north-west is half of it, and two lines up.
const CELL_WIDTH: i16 = 4;
const ROW_HEIGHT: i16 = 2;

const RADIUS: i16 = ContestBoard::RADIUS as i16;

/// The centre of the board. Left of it lie the fields and a label, above it the fields and a line of labels.
const CENTRE_COLUMN: i16 = CELL_WIDTH * RADIUS + 4;
const CENTRE_LINE: i16 = ROW_HEIGHT * (RADIUS + 1);

/// The grid of characters of a board, addressed by its fields.
pub(super) struct Honeycomb {
    lines: Vec<Vec<(Style, char)>>,
}

impl Honeycomb {
    /// The empty board.
    pub(super) fn new(outline: Style, label: Style) -> Honeycomb {
        let width = (CENTRE_COLUMN + CELL_WIDTH * RADIUS + 3) as usize;
        let height = (2 * CENTRE_LINE + 1) as usize;
        let mut honeycomb = Honeycomb {
            lines: vec![vec![(Style::new(), ' '); width]; height],
        };
        for cell in ContestBoard::FIELDS {
            honeycomb.draw_outline(ContestBoard::hex(cell), outline);
        }
        for coordinate in -ContestBoard::RADIUS..=ContestBoard::RADIUS {
            honeycomb.label_ends(coordinate, label);
        }
        honeycomb
    }

    /// Writes the three characters inside a field.
    pub(super) fn fill(&mut self, cell: Cell, style: Style, inside: [char; 3]) {
        let (line, column) = centre(ContestBoard::hex(cell));
        for (offset, character) in (-1..).zip(inside) {
            self.set(line, column + offset, style, character);
        }
    }

    /// Replaces a field's borders to the west and to the east.
    pub(super) fn bracket(&mut self, cell: Cell, style: Style, [west, east]: [char; 2]) {
        let (line, column) = centre(ContestBoard::hex(cell));
        self.set(line, column - CELL_WIDTH / 2, style, west);
        self.set(line, column + CELL_WIDTH / 2, style, east);
    }

    fn draw_outline(&mut self, hex: Hex, style: Style) {
        let (line, column) = centre(hex);
        for (down, right, character) in [
            (-1, -1, '╱'),
            (-1, 1, '╲'),
            (0, -2, '│'),
            (0, 2, '│'),
            (1, -1, '╲'),
            (1, 1, '╱'),
        ] {
            self.set(line + down, column + right, style, character);
        }
    }

    /// Labels the line of fields with this x at its upper end and the one with this y at its lower end.
    ///
    /// The label ends above or below the west corner of the line's first field. That is beside the outline where that field
    /// lies on a slanting edge of the board; along the level edges, the label gives way by a line.
    fn label_ends(&mut self, coordinate: i8, style: Style) {
        let most = ContestBoard::RADIUS;
        let x_end = Hex::new(coordinate, most - coordinate.max(0));
        let y_end = Hex::new(-most - coordinate.min(0), coordinate);
        let (above, below) = (
            if coordinate < 0 { -1 } else { -ROW_HEIGHT },
            if coordinate > 0 { 1 } else { ROW_HEIGHT },
        );
        for (end, down, arrow) in [(x_end, above, '↘'), (y_end, below, '↗')] {
            let (line, column) = centre(end);
            let text = format!("{coordinate}{arrow}");
            let first = column - 1 - text.chars().count() as i16;
            for (offset, character) in (0..).zip(text.chars()) {
                self.set(line + down, first + offset, style, character);
            }
        }
    }

    /// What would lie outside the grid is dropped; nothing does.
    fn set(&mut self, line: i16, column: i16, style: Style, character: char) {
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

/// The line of the middle of a field.
pub(super) fn line_of(cell: Cell) -> usize {
    centre(ContestBoard::hex(cell)).0.unsigned_abs().into()
}

/// Line and column of the middle of a field.
fn centre(hex: Hex) -> (i16, i16) {
    let east = i16::from(hex.x) - i16::from(hex.y);
    (
        CENTRE_LINE + ROW_HEIGHT * hex.z(),
        CENTRE_COLUMN + CELL_WIDTH / 2 * east,
    )
}
