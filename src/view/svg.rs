//! Positions as vector graphics: one self-contained picture, or layers that a page puts together.

use std::fmt::Write;

use crate::hex::{Cell, CellSet, ContestBoard, Grid, Hex};
use crate::hive::contest::{ContestPiece, Move, Position};
use crate::hive::{Color, PieceKind};

/// Distance from the middle of a field to its corners, in the picture's units.
const FIELD: f64 = 30.0;

/// A piece is that much smaller than its field.
const PIECE: f64 = 0.86;

/// How far a piece in a stack lies above the one below it.
const STACK_STEP: f64 = 7.0;

const HALF_WIDTH: f64 = 6.0 * 1.732_050_807_568_877_2 * FIELD;
const HALF_HEIGHT: f64 = (5.0 * 1.5 + 1.4) * FIELD;

/// Styles of everything that is drawn. Works on light and dark pages.
pub const STYLE: &str = "\
.field{fill:#f4ead2;stroke:#c9b788;stroke-width:1.5}\
.bramble{fill:#5d7f4a;stroke:#3d5731;stroke-width:1.5}\
.thorn{fill:none;stroke:#2c4022;stroke-width:3;stroke-linecap:round}\
.red{fill:#d8483e;stroke:#8d231c}.blue{fill:#3f7fd0;stroke:#1d4a86}\
.piece{stroke-width:2;stroke-linejoin:round}\
.letter{fill:#fff;font:700 24px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}\
.height{fill:#fff;font:700 11px system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}\
.badge{fill:#222;stroke:#fff;stroke-width:1}\
.from{fill:none;stroke:#e0a100;stroke-width:4;stroke-dasharray:6 5}\
.to{fill:none;stroke:#e0a100;stroke-width:4}\
.coordinate{fill:#9b8a5c;font:10px system-ui,sans-serif;text-anchor:middle}";

/// A picture of a position, complete and without references to anything else. The last move is marked.
pub fn picture(position: &Position, last_move: Option<Move>) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" role=\"img\"><title>{}</title>\
         <style>{STYLE}</style>{}{}</svg>\n",
        view_box(),
        title(position),
        ground(position),
        pieces(position, last_move)
    )
}

/// The `viewBox` that holds the whole board.
pub fn view_box() -> String {
    format!(
        "{:.0} {:.0} {:.0} {:.0}",
        -HALF_WIDTH,
        -HALF_HEIGHT,
        2.0 * HALF_WIDTH,
        2.0 * HALF_HEIGHT
    )
}

fn title(position: &Position) -> String {
    match position.outcome() {
        Some(outcome) => format!("Position after {} plies: {outcome}", position.turn()),
        None => format!(
            "Position after {} plies, {} to move",
            position.turn(),
            position.side_to_move()
        ),
    }
}

/// The middle of a field.
fn centre(cell: Cell) -> (f64, f64) {
    let Hex { x, y } = ContestBoard::hex(cell);
    let (x, y) = (f64::from(x), f64::from(y));
    ((x - y) * FIELD * 3f64.sqrt() / 2.0, -(x + y) * FIELD * 1.5)
}

/// The corners of a hexagon with its tip up, as the value of `points`.
fn hexagon((x, y): (f64, f64), scale: f64) -> String {
    let corners: Vec<String> = (0..6)
        .map(|i| {
            let angle = std::f64::consts::PI * (f64::from(i) / 3.0 + 1.0 / 6.0);
            let radius = FIELD * scale;
            format!(
                "{:.1},{:.1}",
                x + radius * angle.cos(),
                y + radius * angle.sin()
            )
        })
        .collect();
    corners.join(" ")
}

/// The fields, brambles and coordinates: what does not change during a game.
pub fn ground(position: &Position) -> String {
    let mut out = String::from("<g>");
    for cell in ContestBoard::FIELDS {
        let at = centre(cell);
        let bramble = position.obstacles().contains(cell);
        let class = if bramble { "bramble" } else { "field" };
        let _ = write!(
            out,
            "<polygon class=\"{class}\" points=\"{}\"/>",
            hexagon(at, 0.97)
        );
        if bramble {
            let _ = write!(
                out,
                "<path class=\"thorn\" d=\"M{:.1},{:.1}m-12,8l24,-16m0,16l-24,-16m12,-6v28\"/>",
                at.0, at.1
            );
        }
        let _ = write!(
            out,
            "<text class=\"coordinate\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            at.0,
            at.1 + 0.72 * FIELD,
            ContestBoard::hex(cell)
        );
    }
    out.push_str("</g>");
    out
}

/// The pieces and the marks of the last move.
pub fn pieces(position: &Position, last_move: Option<Move>) -> String {
    let mut out = String::from("<g>");
    let mut mark = |class, cell| {
        let _ = write!(
            out,
            "<polygon class=\"{class}\" points=\"{}\"/>",
            hexagon(centre(cell), 0.92)
        );
    };
    if let Some(Move::Drag { from, .. }) = last_move {
        mark("from", from);
    }
    if let Some(to) = last_move.and_then(Move::destination) {
        mark("to", to);
    }
    // From the top row down, so that a stack covers what lies behind it.
    let mut cells: Vec<Cell> = position.occupied().into_iter().collect();
    cells.sort_by(|&a, &b| centre(a).1.total_cmp(&centre(b).1));
    for cell in cells {
        stack(&mut out, position, cell);
    }
    out.push_str("</g>");
    out
}

fn stack(out: &mut String, position: &Position, cell: Cell) {
    let (x, ground) = centre(cell);
    let height = position.height(cell);
    let tooltip: Vec<String> = position.stack(cell).map(describe).collect();
    let _ = write!(out, "<g><title>{}</title>", tooltip.join(", under "));
    for (level, piece) in position.stack(cell).enumerate() {
        let y = ground - level as f64 * STACK_STEP;
        let _ = write!(
            out,
            "<polygon class=\"piece {}\" points=\"{}\"/>",
            piece.color,
            hexagon((x, y), PIECE)
        );
        if level + 1 == height {
            let _ = write!(
                out,
                "<text class=\"letter\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                piece.kind.letter()
            );
        }
    }
    if height > 1 {
        let (bx, by) = (x + 0.55 * FIELD, ground - 0.55 * FIELD);
        let _ = write!(
            out,
            "<circle class=\"badge\" cx=\"{bx:.1}\" cy=\"{by:.1}\" r=\"8\"/>\
             <text class=\"height\" x=\"{bx:.1}\" y=\"{by:.1}\">{height}</text>"
        );
    }
    out.push_str("</g>");
}

fn describe(piece: ContestPiece) -> String {
    format!("{} {}", piece.color, piece.kind.name())
}

/// A side's reserve in words: `3 ants, 1 bee`.
pub fn reserve_in_words(position: &Position, color: Color) -> String {
    let reserve = position.reserve(color);
    let parts: Vec<String> = reserve
        .kinds()
        .map(|kind| {
            let count = reserve.count(kind);
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {}{plural}", kind.name())
        })
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_shows_fields_brambles_pieces_and_the_last_move() {
        let position: Position = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS"
            .parse()
            .unwrap();
        let picture = picture(&position, Some("drag 1,0 2,0".parse().unwrap()));
        let count = |part: &str| picture.matches(part).count();
        assert_eq!(count("class=\"field\""), 88);
        assert_eq!(count("class=\"bramble\""), 3);
        assert_eq!(count("class=\"piece red\""), 2);
        assert_eq!(count("class=\"piece blue\""), 3);
        assert_eq!(count("class=\"letter\""), 4);
        assert_eq!(count("class=\"height\""), 1);
        assert_eq!(count("class=\"from\""), 1);
        assert_eq!(count("class=\"to\""), 1);
        assert!(picture.contains("blue ant, under red beetle"));
    }

    #[test]
    fn east_is_right_and_north_is_up() {
        let at = |x, y| centre(ContestBoard::cell(Hex::new(x, y)).unwrap());
        assert!(at(1, -1).0 > at(0, 0).0 && at(1, -1).1.abs() < 1e-9);
        assert!(at(0, 1).0 < 0.0 && at(0, 1).1 < 0.0);
    }

    #[test]
    fn reserves_are_spelled_out() {
        let position: Position = "0 - - AAQ/-".parse().unwrap();
        assert_eq!(reserve_in_words(&position, Color::Red), "1 bee, 2 ants");
        assert_eq!(reserve_in_words(&position, Color::Blue), "nothing");
    }
}
