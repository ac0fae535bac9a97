//! Drawings of contest positions.

use super::svg::picture;
use crate::diagram::{Diagram, Point};
use wabe_hive::contest::{Contest, Move, Position};
use wabe_hive::game::Record;
use wabe_hive::hex::{ContestBoard, Grid};

/// The diagram of a position with `last` marked as the last move.
pub(super) fn marked_diagram(position: &Position, last: Option<Move>) -> Diagram {
    let point = |cell| {
        let hex = ContestBoard::hex(cell);
        Point::new(hex.x.into(), hex.y.into())
    };
    let mut diagram = Diagram::from_record(&Record::<Contest>::from_position(*position));
    diagram.moved_to = last.and_then(|mv| mv.destination()).map(point);
    if let Some(Move::Drag { from, .. }) = last {
        diagram.moved_from = Some(point(from));
    }
    diagram
}

#[test]
fn picture_contains_all_elements() {
    let position: Position = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS"
        .parse()
        .unwrap();
    let last_move = "drag 1,0 2,0".parse().unwrap();
    let picture = picture(&marked_diagram(&position, Some(last_move)));
    assert!(
        picture.contains("viewBox=\"-312 -267 624 534\""),
        "{picture}"
    );
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
