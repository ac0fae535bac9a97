//! Pictures of positions.
//!
//! - A [`Scene`](crate::scene::Scene) is the content of a picture.
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
fn marked_scene(
    position: &wabe_hive::contest::Position,
    last: Option<wabe_hive::contest::Move>,
) -> crate::scene::Scene {
    use crate::scene::{Scene, Spot};
    use wabe_hive::game::Record;
    use wabe_hive::hex::{ContestBoard, Grid};
    use wabe_hive::{Move, contest::Contest};
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
