//! Pictures of positions.
//!
//! - A [`Scene`](crate::game::Scene) is the content of a picture.
//! - [`terminal`] draws it with characters.
//! - [`svg`] draws vector graphics.

pub mod svg;
#[cfg(feature = "cli")]
pub mod terminal;

/// Escapes text for a page, in content and in quoted attributes.
pub(crate) fn escape(text: &str) -> String {
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
fn marked_scene(
    position: &crate::hive::contest::Position,
    last: Option<crate::hive::contest::Move>,
) -> crate::game::Scene {
    use crate::game::{Record, Scene, Spot};
    use crate::hex::{ContestBoard, Grid};
    use crate::hive::{Move, contest::Contest};
    let spot = |cell| {
        let hex = ContestBoard::hex(cell);
        Spot::new(hex.x.into(), hex.y.into())
    };
    let mut scene = Scene::of(&Record::<Contest>::from(*position));
    scene.moved_to = last.and_then(|mv| mv.destination()).map(spot);
    if let Some(Move::Drag { from, .. }) = last {
        scene.moved_from = Some(spot(from));
    }
    scene
}
