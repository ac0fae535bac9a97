//! The legend of the board: the side to move, the reserves, and the stacks.

use super::{ColorMode, Line, Role, Text};
use crate::diagram::{Diagram, DrawnStack};
use wabe_hive::game::Side;
use wabe_hive::{ByColor, Color};

/// Column widths of the table of reserves: names, then the numbers of both sides.
const NAMES: usize = 17;
const NUMBERS: [usize; 2] = [5, 6];

/// Side to move, reserves, free fields around the queens, and stacks, one per line.
pub fn legend(diagram: &Diagram, color_mode: ColorMode) -> Text {
    let name =
        |side: Side| Line::new().styled(color_mode.style(Role::Side(side)), side.to_string());
    let mut text = Text::new();
    text.push(Line::new().styled(color_mode.style(Role::Strong), diagram.progress.as_str()));
    text.push(match (diagram.to_move, diagram.winner) {
        (Some(side), _) => name(side).text(" to move"),
        (None, Some(winner)) => name(winner).text(" has won"),
        (None, None) => Line::from("draw"),
    });
    let names = Color::ALL.into_iter().zip(NUMBERS);
    text.push(names.fold(
        Line::from(format!("{:NAMES$}", "in reserve")),
        |line, (color, width)| {
            let side = diagram.sides[color];
            let name = format!("{:>width$}", side.to_string());
            line.styled(color_mode.style(Role::Side(side)), name)
        },
    ));
    for kind in &diagram.reserves {
        let name = format!("  {} {}", kind.letter, kind.name);
        let count = |color| Some(kind.counts[color]).filter(|&count| count > 0);
        text.push(row(&name, ByColor::from_fn(count)));
    }
    text.push(row(
        &format!("free around {}", diagram.bee),
        diagram.free_around_bee,
    ));
    for DrawnStack { point, pieces } in &diagram.stacks {
        if pieces.len() > 1 {
            let place = if diagram.has_coordinates {
                format!("stack {:6}", point.to_string())
            } else {
                "stack ".to_owned()
            };
            text.push(pieces.iter().rev().fold(Line::from(place), |line, &piece| {
                line.styled(color_mode.style(Role::Piece(piece)), piece.to_string())
                    .text(" ")
            }));
        }
    }
    text
}

/// A row of the table, with a dash for `None`.
fn row(name: &str, counts: ByColor<Option<impl ToString>>) -> Line {
    let [red, blue] = [counts.red, counts.blue]
        .map(|count| count.map_or("-".to_owned(), |count| count.to_string()));
    let [first, second] = NUMBERS;
    Line::from(format!("{name:NAMES$}{red:>first$}{blue:>second$}"))
}
