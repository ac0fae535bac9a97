//! The board with its pieces, marks and coordinates.

use anstyle::Style;

use super::{Line, Look, Role, Text};
use crate::diagram::{Diagram, DrawnStack, Point};
use wabe_hive::hex::Direction;

/// A step to the east in columns; a step to the north-east or north-west is half of it.
const CELL_WIDTH: i32 = 4;

/// Draws the board; the last move is marked.
pub fn board(diagram: &Diagram, look: Look) -> Text {
    let mut honeycomb = Honeycomb::new(diagram, look.style(Role::Faint));
    for &point in &diagram.obstacles {
        honeycomb.fill(point, look.style(Role::Bramble), ['▒'; 3]);
    }
    for stack in &diagram.stacks {
        let style = look.style(Role::Piece(stack.top));
        honeycomb.fill(stack.point, style, face(stack, look));
    }
    let mark = look.style(Role::Mark);
    if let Some(from) = diagram.moved_from {
        if diagram.stack(from).is_none() {
            honeycomb.fill(from, look.style(Role::Strong), [' ', '·', ' ']);
        }
        honeycomb.bracket(from, mark, ['(', ')']);
    }
    // After the other mark, because adjacent fields share a border.
    if let Some(to) = diagram.moved_to {
        honeycomb.bracket(to, mark, ['[', ']']);
    }
    honeycomb.into_text()
}

/// The three characters of a stack. With colours the owner's letter is left out. Without them a
/// stack shows its height instead of the top piece's number, which is in the legend.
fn face(stack: &DrawnStack, look: Look) -> [char; 3] {
    let top = stack.top;
    let number = top
        .number
        .and_then(|number| char::from_digit(number.into(), 10));
    match (look, number) {
        (Look::Color, Some(number)) => [top.letter, number, raised(stack.height())],
        (Look::Color, None) => [' ', top.letter, raised(stack.height())],
        (Look::Plain, Some(number)) if stack.height() == 1 => {
            [top.paint.letter(), top.letter, number]
        }
        (Look::Plain, _) => [top.paint.letter(), top.letter, raised(stack.height())],
    }
}

/// The height of a stack as a raised digit; a blank for a single piece.
fn raised(height: usize) -> char {
    const DIGITS: [char; 8] = [' ', ' ', '²', '³', '⁴', '⁵', '⁶', '⁷'];
    DIGITS.get(height).copied().unwrap_or('⁺')
}

/// The grid of characters of a board, addressed by its fields.
struct Honeycomb {
    /// The middle of the field at the origin.
    origin_line: i32,
    origin_column: i32,
    lines: Vec<Vec<(Style, char)>>,
}

impl Honeycomb {
    /// The empty board.
    fn new(diagram: &Diagram, faint: Style) -> Honeycomb {
        let bounds = |axis: fn(Point) -> i32| {
            let values = || diagram.fields.iter().copied().map(axis);
            (values().min().unwrap_or(0), values().max().unwrap_or(0))
        };
        let (left, right) = bounds(|point| CELL_WIDTH / 2 * point.across());
        let (top, bottom) = bounds(Point::z);
        // Coordinates take two columns on the left, and a line above and below.
        let rim = i32::from(diagram.has_coordinates);
        let beside = CELL_WIDTH / 2 + 2 * rim;
        let width = beside + right - left + CELL_WIDTH / 2 + 1;
        let height = 2 * rim + bottom - top + 1;
        let [width, height] = [width, height].map(|size| usize::try_from(size).unwrap_or(0));
        let mut honeycomb = Honeycomb {
            origin_line: rim - top,
            origin_column: beside - left,
            lines: vec![vec![(Style::new(), ' '); width]; height],
        };
        for &point in &diagram.fields {
            honeycomb.bracket(point, faint, ['│', '│']);
        }
        if diagram.has_coordinates {
            honeycomb.label_ends(&diagram.fields, faint);
        }
        honeycomb
    }

    /// Line and column of the middle of a field.
    fn centre(&self, point: Point) -> (i32, i32) {
        (
            self.origin_line + point.z(),
            self.origin_column + CELL_WIDTH / 2 * point.across(),
        )
    }

    /// Writes the three characters inside a field.
    fn fill(&mut self, point: Point, style: Style, inside: [char; 3]) {
        let (line, column) = self.centre(point);
        for (offset, character) in (-1..).zip(inside) {
            self.set(line, column + offset, style, character);
        }
    }

    /// Replaces a field's borders to the west and to the east.
    fn bracket(&mut self, point: Point, style: Style, [west, east]: [char; 2]) {
        let (line, column) = self.centre(point);
        self.set(line, column - CELL_WIDTH / 2, style, west);
        self.set(line, column + CELL_WIDTH / 2, style, east);
    }

    /// Labels each line of fields with the same x at its upper end and each with the same y at its
    /// lower end, above or below the west corner of the line's first field.
    fn label_ends(&mut self, fields: &[Point], style: Style) {
        for &end in fields {
            let is_end = |direction| !fields.contains(&end.beside(direction));
            if is_end(Direction::NorthWest) {
                self.label(end, -1, &format!("{}↘", end.x), style);
            }
            if is_end(Direction::SouthWest) {
                self.label(end, 1, &format!("{}↗", end.y), style);
            }
        }
    }

    /// Writes a label `down` lines below the middle of a field.
    fn label(&mut self, point: Point, down: i32, text: &str, style: Style) {
        let (line, column) = self.centre(point);
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
    fn into_text(self) -> Text {
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
