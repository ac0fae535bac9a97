//! Pictures of positions.
//!
//! - A [`Diagram`](crate::diagram::Diagram) is the content of a picture.
//! - [`terminal`] draws it with characters.
//! - [`svg`] draws vector graphics.

pub mod svg;
pub mod terminal;

/// Escapes text for a page, in content and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The picture of a position of the contest, with marks of a move.
#[cfg(test)]
fn marked_diagram(
    position: &wabe_hive::contest::Position,
    last: Option<wabe_hive::contest::Move>,
) -> crate::diagram::Diagram {
    use crate::diagram::{Diagram, Point};
    use wabe_hive::game::Record;
    use wabe_hive::hex::{ContestBoard, Grid};
    use wabe_hive::{Move, contest::Contest};
    let point = |cell| {
        let hex = ContestBoard::hex(cell);
        Point::new(hex.x.into(), hex.y.into())
    };
    let mut diagram = Diagram::of(&Record::<Contest>::from(*position));
    diagram.moved_to = last.and_then(|mv| mv.destination()).map(point);
    if let Some(Move::Drag { from, .. }) = last {
        diagram.moved_from = Some(point(from));
    }
    diagram
}
