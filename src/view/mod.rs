//! Pictures of positions.
//!
//! - A [`Scene`](crate::game::Scene) is what a picture shows.
//! - [`terminal`] draws it with characters.
//! - [`svg`] draws vector graphics; [`game_page`] puts those of a whole game on a web page.

mod page;
pub mod svg;
pub mod terminal;

pub(crate) use page::escape;
pub use page::{PagePly, game_page};

/// The picture of a position of the contest, with marks of a move.
#[cfg(test)]
fn marked_scene(
    position: &crate::hive::contest::Position,
    last: Option<crate::hive::contest::Move>,
) -> crate::game::Scene {
    use crate::game::{Record, Scene, Spot};
    use crate::hex::{ContestBoard, Grid};
    use crate::hive::{Move, contest::Contest};
    let spot = |cell| Spot::from(ContestBoard::hex(cell));
    let mut scene = Scene::of(&Record::<Contest>::from(*position));
    scene.moved_to = last.and_then(|mv| mv.destination()).map(spot);
    if let Some(Move::Drag { from, .. }) = last {
        scene.moved_from = Some(spot(from));
    }
    scene
}
