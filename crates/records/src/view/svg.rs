//! Positions as SVG.

use std::fmt::Write;

use super::escape;
use crate::diagram::{Diagram, DrawnPiece, DrawnStack, Point};

/// Distance from the centre of a field to its corners, in SVG units.
const FIELD: f64 = 30.0;

/// Size of a piece, relative to its field.
const PIECE: f64 = 0.86;

/// Vertical offset per level of a stack, in SVG units.
const STACK_STEP: f64 = 7.0;

/// Horizontal and vertical margin around the centres of the outermost fields, in SVG units.
const MARGIN: (f64, f64) = (2.0 * HALF_FIELD, 1.4 * FIELD);

/// Half the width of a field, in SVG units.
const HALF_FIELD: f64 = 1.732_050_807_568_877_2 / 2.0 * FIELD;

/// The style sheet, for light and dark pages.
const STYLE: &str = "\
.field{fill:#f4ead2;stroke:#c9b788;stroke-width:1.5}\
.bramble{fill:#5d7f4a;stroke:#3d5731;stroke-width:1.5}\
.thorn{fill:none;stroke:#2c4022;stroke-width:3;stroke-linecap:round}\
.red{fill:#d8483e;stroke:#8d231c}.blue{fill:#3f7fd0;stroke:#1d4a86}\
.white{fill:#fbf7ec;stroke:#8a8371}.black{fill:#39342e;stroke:#0e0c0a}\
.piece{stroke-width:2;stroke-linejoin:round}\
.letter{fill:#fff;font:700 24px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}\
.white+.letter{fill:#222}.number{font-size:15px}\
.height{fill:#fff;font:700 11px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}\
.badge{fill:#222;stroke:#fff;stroke-width:1}\
.from{fill:none;stroke:#e0a100;stroke-width:4;stroke-dasharray:6 5}\
.to{fill:none;stroke:#e0a100;stroke-width:4}\
.coordinate{fill:#9b8a5c;font:10px system-ui,sans-serif;text-anchor:middle}";

/// A move to draw: an arrow, or a ring for a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Start; `None` for a placement.
    pub from: Option<Point>,
    /// Target.
    pub to: Point,
}

/// Draws a self-contained SVG file with the last move marked.
pub fn picture(diagram: &Diagram) -> String {
    picture_with_arrows(diagram, &[])
}

/// Draws a self-contained SVG file with the last move marked, and moves as arrows. Later ones are
/// paler.
pub fn picture_with_arrows(diagram: &Diagram, arrows: &[Arrow]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" role=\"img\"><title>{}</title><style>{STYLE}</style><g>",
        view_box(&diagram.fields),
        title(diagram),
    );
    for &point in &diagram.fields {
        push_field(&mut out, diagram, point);
    }
    out.push_str("</g><g>");
    for (class, point) in [("from", diagram.moved_from), ("to", diagram.moved_to)] {
        if let Some(point) = point {
            out += &hexagon(class, centre(point), 0.92);
        }
    }
    // From the top row down, so that stacks cover the row behind them.
    let mut stacks: Vec<&DrawnStack> = diagram.stacks.iter().collect();
    stacks.sort_by_key(|stack| stack.point.z());
    for stack in stacks {
        push_stack(&mut out, stack);
    }
    // The first arrow on top.
    for (number, arrow) in arrows.iter().enumerate().rev() {
        push_arrow(&mut out, arrow, ARROW_OPACITY.powf(1.0 + number as f64));
    }
    out + "</g></svg>\n"
}

/// Opacity of the first arrow; each further one has this share of the previous one's.
const ARROW_OPACITY: f64 = 0.85;

/// Colour of arrows on both boards.
const ARROW: &str = "#1f8a4c";

fn push_arrow(out: &mut String, arrow: &Arrow, opacity: f64) {
    let (x, y) = centre(arrow.to);
    let Some(from) = arrow.from.filter(|&from| from != arrow.to) else {
        let _ = write!(
            out,
            "<circle class=\"arrow\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"none\" stroke=\"{ARROW}\" stroke-width=\"5\" opacity=\"{opacity:.2}\"/>",
            0.5 * FIELD
        );
        return;
    };
    let (from_x, from_y) = centre(from);
    let length = (x - from_x).hypot(y - from_y);
    // The unit vector along the arrow.
    let (ux, uy) = ((x - from_x) / length, (y - from_y) / length);
    let neck = (x - 0.55 * FIELD * ux, y - 0.55 * FIELD * uy);
    let side = 0.25 * FIELD;
    let _ = write!(
        out,
        "<g class=\"arrow\" opacity=\"{opacity:.2}\"><path d=\"M{from_x:.1},{from_y:.1}L{:.1},{:.1}\" stroke=\"{ARROW}\" stroke-width=\"6\" stroke-linecap=\"round\"/><polygon points=\"{x:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"{ARROW}\"/></g>",
        neck.0,
        neck.1,
        neck.0 - side * uy,
        neck.1 + side * ux,
        neck.0 + side * uy,
        neck.1 - side * ux,
    );
}

/// The `viewBox` around all fields.
fn view_box(fields: &[Point]) -> String {
    let bounds = |axis: fn((f64, f64)) -> f64, margin: f64| {
        let values = || fields.iter().map(|&point| axis(centre(point)));
        let min = values().reduce(f64::min).unwrap_or(0.0) - margin;
        let max = values().reduce(f64::max).unwrap_or(0.0) + margin;
        (min, max - min)
    };
    let (left, width) = bounds(|(x, _)| x, MARGIN.0);
    let (top, height) = bounds(|(_, y)| y, MARGIN.1);
    format!("{left:.0} {top:.0} {width:.0} {height:.0}")
}

fn title(diagram: &Diagram) -> String {
    let separator = if diagram.to_move.is_some() { "," } else { ":" };
    let (turn, state) = (diagram.turn, &diagram.state);
    escape(&format!("Position after {turn} plies{separator} {state}"))
}

/// The centre of a field in SVG units.
fn centre(point: Point) -> (f64, f64) {
    (
        f64::from(point.across()) * HALF_FIELD,
        f64::from(point.z()) * FIELD * 1.5,
    )
}

/// A pointy-top hexagon, `scale` times the size of a field.
fn hexagon(class: &str, (x, y): (f64, f64), scale: f64) -> String {
    let corner = |i: i32| {
        let angle = std::f64::consts::PI * (f64::from(i) / 3.0 + 1.0 / 6.0);
        let radius = FIELD * scale;
        let (x, y) = (x + radius * angle.cos(), y + radius * angle.sin());
        format!("{x:.1},{y:.1}")
    };
    let corners = (0..6).map(corner).collect::<Vec<_>>().join(" ");
    format!("<polygon class=\"{class}\" points=\"{corners}\"/>")
}

/// Draws a field, its bramble and its coordinates.
fn push_field(out: &mut String, diagram: &Diagram, point: Point) {
    let (x, y) = centre(point);
    if diagram.obstacles.contains(&point) {
        *out += &hexagon("bramble", (x, y), 0.97);
        let _ = write!(
            out,
            "<path class=\"thorn\" d=\"M{x:.1},{y:.1}m-12,8l24,-16m0,16l-24,-16m12,-6v28\"/>"
        );
    } else {
        *out += &hexagon("field", (x, y), 0.97);
    }
    if diagram.has_coordinates {
        let y = y + 0.72 * FIELD;
        let _ = write!(
            out,
            "<text class=\"coordinate\" x=\"{x:.1}\" y=\"{y:.1}\">{point}</text>"
        );
    }
}

fn push_stack(out: &mut String, DrawnStack { point, pieces }: &DrawnStack) {
    let (x, ground) = centre(*point);
    let tooltip: Vec<String> = pieces.iter().map(describe).collect();
    let _ = write!(out, "<g><title>{}</title>", tooltip.join(", under "));
    let mut y = ground;
    for (level, piece) in pieces.iter().enumerate() {
        y = ground - level as f64 * STACK_STEP;
        *out += &hexagon(&format!("piece {}", piece.side), (x, y), PIECE);
    }
    if let Some(DrawnPiece { letter, number, .. }) = pieces.last() {
        let number = number.map(|number| format!("<tspan class=\"number\">{number}</tspan>"));
        let number = number.unwrap_or_default();
        let _ = write!(
            out,
            "<text class=\"letter\" x=\"{x:.1}\" y=\"{y:.1}\">{letter}{number}</text>"
        );
    }
    let height = pieces.len();
    if height > 1 {
        let (x, y) = (x + 0.55 * FIELD, ground - 0.55 * FIELD);
        let _ = write!(
            out,
            "<circle class=\"badge\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\"/>\
             <text class=\"height\" x=\"{x:.1}\" y=\"{y:.1}\">{height}</text>"
        );
    }
    out.push_str("</g>");
}

fn describe(piece: &DrawnPiece) -> String {
    let (side, name) = (piece.side, piece.name);
    match piece.number {
        Some(number) => format!("{side} {name} {number}"),
        None => format!("{side} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_start_and_end_in_fields() {
        let record = wabe_hive::standard::StandardRecord::default();
        let diagram = Diagram::from_record(&record);
        let (from, to) = (Point::new(0, 0), Point::new(1, -1));
        let arrows = [
            Arrow {
                from: Some(from),
                to,
            },
            Arrow { from: None, to },
        ];
        let svg = picture_with_arrows(&diagram, &arrows);
        assert!(svg.contains("<path d=\"M0.0,0.0L"), "{svg}");
        assert!(
            svg.contains("<circle class=\"arrow\" cx=\"52.0\" cy=\"0.0\""),
            "{svg}"
        );
        assert_eq!(svg.matches("class=\"arrow\"").count(), 2);
        assert!(!picture(&diagram).contains("arrow"));
    }

    #[test]
    fn centre_maps_east_to_the_right() {
        let at = |x, y| centre(Point::new(x, y));
        assert!(at(1, -1).0 > at(0, 0).0 && at(1, -1).1.abs() < 1e-9);
        assert!(at(0, 1).0 < 0.0 && at(0, 1).1 < 0.0);
    }
}
