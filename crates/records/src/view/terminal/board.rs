//! The board with pieces, move marks and coordinates.

use std::collections::BTreeMap;

use anstyle::Style;

use super::{ColorMode, Line, Role, Text};
use crate::diagram::{Diagram, DrawnPiece, DrawnStack, Point};
use wabe_hive::hex::Direction;

/// Width of a step to the east, in columns. Steps to the north-east and north-west take half.
const CELL_WIDTH: i32 = 4;

/// Draws the board and marks the last move.
pub fn board(diagram: &Diagram, color_mode: ColorMode) -> Text {
    let mut honeycomb = Honeycomb::default();
    let faint = color_mode.style(Role::Faint);
    for &point in &diagram.fields {
        honeycomb.bracket(point, faint, ['│', '│']);
    }
    if diagram.has_coordinates {
        honeycomb.label_ends(&diagram.fields, faint);
    }
    for &point in &diagram.obstacles {
        honeycomb.fill(point, color_mode.style(Role::Bramble), ['▒'; 3]);
    }
    if let Some(from) = diagram.moved_from {
        honeycomb.fill(from, color_mode.style(Role::Strong), [' ', '·', ' ']);
    }
    for DrawnStack { point, pieces } in &diagram.stacks {
        if let Some(&top) = pieces.last() {
            let style = color_mode.style(Role::Piece(top));
            honeycomb.fill(*point, style, face(top, pieces.len(), color_mode));
        }
    }
    let mark = color_mode.style(Role::Mark);
    if let Some(from) = diagram.moved_from {
        honeycomb.bracket(from, mark, ['(', ')']);
    }
    // Drawn last, because adjacent fields share a border.
    if let Some(to) = diagram.moved_to {
        honeycomb.bracket(to, mark, ['[', ']']);
    }
    honeycomb.into_text()
}

/// The three characters of a stack. Coloured output omits the owner's letter. Plain output shows
/// the height of a stack instead of the top piece's number, which is in the legend.
fn face(top: DrawnPiece, height: usize, color_mode: ColorMode) -> [char; 3] {
    let number = top
        .number
        .and_then(|number| char::from_digit(number.into(), 10));
    match (color_mode, number) {
        (ColorMode::Color, Some(number)) => [top.letter, number, raised(height)],
        (ColorMode::Color, None) => [' ', top.letter, raised(height)],
        (ColorMode::Plain, Some(number)) if height == 1 => [top.side.letter(), top.letter, number],
        (ColorMode::Plain, _) => [top.side.letter(), top.letter, raised(height)],
    }
}

/// The height of a stack as a superscript digit; a blank for a single piece.
fn raised(height: usize) -> char {
    const DIGITS: [char; 8] = [' ', ' ', '²', '³', '⁴', '⁵', '⁶', '⁷'];
    DIGITS.get(height).copied().unwrap_or('⁺')
}

/// The characters of the board by line and column, relative to the centre of the origin's field.
#[derive(Default)]
struct Honeycomb(BTreeMap<(i32, i32), (Style, char)>);

impl Honeycomb {
    /// Writes characters from left to right, starting `right` columns and `down` lines from the
    /// centre of a field.
    fn write(
        &mut self,
        point: Point,
        (down, right): (i32, i32),
        style: Style,
        characters: impl IntoIterator<Item = char>,
    ) {
        let (line, column) = (point.z() + down, CELL_WIDTH / 2 * point.across() + right);
        for (column, character) in (column..).zip(characters) {
            self.0.insert((line, column), (style, character));
        }
    }

    /// Writes the three characters inside a field.
    fn fill(&mut self, point: Point, style: Style, inside: [char; 3]) {
        self.write(point, (0, -1), style, inside);
    }

    /// Replaces the west and east borders of a field.
    fn bracket(&mut self, point: Point, style: Style, [west, east]: [char; 2]) {
        self.write(point, (0, -CELL_WIDTH / 2), style, [west]);
        self.write(point, (0, CELL_WIDTH / 2), style, [east]);
    }

    /// Labels lines of equal x at their upper ends and lines of equal y at their lower ends. The
    /// labels are above or below the west corner of the last field of the line.
    fn label_ends(&mut self, fields: &[Point], style: Style) {
        for &end in fields {
            for (direction, down, label) in [
                (Direction::NorthWest, -1, format!("{}↘", end.x)),
                (Direction::SouthWest, 1, format!("{}↗", end.y)),
            ] {
                if !fields.contains(&end.beside(direction)) {
                    let first = -1 - label.chars().count() as i32;
                    self.write(end, (down, first), style, label.chars());
                }
            }
        }
    }

    /// Joins the characters to lines.
    fn into_text(self) -> Text {
        let (Some((&(top, _), _)), Some((&(bottom, _), _))) =
            (self.0.first_key_value(), self.0.last_key_value())
        else {
            return Text::new();
        };
        let left = self.0.keys().map(|&(_, column)| column).min().unwrap_or(0);
        let mut lines = vec![Line::new(); (bottom - top + 1) as usize];
        let mut next = (top, left);
        for ((line, column), (style, character)) in self.0 {
            if line > next.0 {
                next = (line, left);
            }
            let drawn = &mut lines[(line - top) as usize];
            drawn.push(Style::new(), &" ".repeat((column - next.1) as usize));
            drawn.push(style, character.encode_utf8(&mut [0; 4]));
            next = (line, column + 1);
        }
        lines.into_iter().collect()
    }
}
