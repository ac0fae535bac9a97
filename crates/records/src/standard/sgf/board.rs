//! Maps BoardSpace's fields and piece numbers to ours.

use super::super::moves::{FileNames, parse_target};
use super::action::{Field, Put};
use crate::diagram::Point;
use crate::layout::Layout;
use wabe_hive::Color;
use wabe_hive::standard::{Move, PieceName, StandardRecord};

/// The mapping from BoardSpace's fields and piece numbers to a game of ours.
#[derive(Debug)]
pub(super) struct FileBoard {
    layout: Layout,
    /// BoardSpace's field of the first piece.
    origin: Option<Field>,
    names: FileNames,
}

impl FileBoard {
    /// The mapping for a game without moves.
    pub(super) fn new(game: &StandardRecord) -> FileBoard {
        FileBoard {
            layout: Layout::start(game.start()),
            origin: None,
            names: FileNames::default(),
        }
    }

    /// Our name of the top piece on a field.
    pub(super) fn top(&self, game: &StandardRecord, field: Field) -> Option<PieceName> {
        let mut places = self.layout.places();
        let (cell, _) = places.find(|&(_, place)| self.is_at(place, field))?;
        game.stack(cell).last()
    }

    /// True if `point` and `field` are the same place.
    fn is_at(&self, point: Point, field: Field) -> bool {
        // Columns count to the right, rows to the top left.
        let (column, row) = (point.x, -point.z());
        self.origin.is_some_and(|origin| {
            (origin.column + column - field.column).rem_euclid(Field::SIZE) == 0
                && (origin.row + row - field.row).rem_euclid(Field::SIZE) == 0
        })
    }

    /// The move in our notation. Uses the field of the target, or the reference piece if no legal
    /// move leads to that field. `color` is the owner if the file does not give it.
    pub(super) fn text_of(&self, game: &StandardRecord, put: &Put, color: Color) -> String {
        let piece = put.piece.owned(color);
        let name = self.names.name(game, piece, put.piece.number);
        self.by_field(game, put, name)
            .unwrap_or_else(|| self.by_reference(put, name))
    }

    fn by_field(
        &self,
        game: &StandardRecord,
        put: &Put,
        name: Option<PieceName>,
    ) -> Option<String> {
        let (field, name) = (put.field?, name?);
        if game.plies().is_empty() {
            return Some(name.to_string());
        }
        let from = game.cell_of(name);
        let piece = name.piece();
        let is_movable = match from {
            Some(cell) => game.stack(cell).last() == Some(name),
            None => piece.color == game.position().side_to_move(),
        };
        let mut targets = self.layout.places().filter_map(|(to, place)| {
            let mv = match from {
                Some(from) => Move::Drag { from, to },
                None => Move::Place {
                    kind: piece.kind,
                    to,
                },
            };
            let is_legal = self.is_at(place, field) && game.position().check(mv).is_ok();
            is_legal.then_some(mv)
        });
        let found = targets.next().filter(|_| is_movable)?;
        Some(game.write(found))
    }

    fn by_reference(&self, put: &Put, name: Option<PieceName>) -> String {
        let name = name.map_or_else(|| "?".to_owned(), |name| name.to_string());
        let reference = parse_target(&put.reference).and_then(|(before, piece, after)| {
            let named = self
                .names
                .in_play(piece.owned(piece.color?), piece.number)?;
            Some(format!("{before}{named}{after}"))
        });
        let target = reference.unwrap_or_else(|| put.reference.clone());
        format!("{name} {target}")
    }

    /// Updates the mapping after a move, with the dropped piece and its owner.
    pub(super) fn update(&mut self, game: &StandardRecord, put: Option<(&Put, Color)>) {
        self.layout = self.layout.followed_by(game.position());
        let Some((put, color)) = put else { return };
        self.origin = self.origin.or(put.field);
        self.names
            .update(game, put.piece.owned(color), put.piece.number);
    }
}
