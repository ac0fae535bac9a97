//! The mapping from BoardSpace's fields and piece numbers to ours.

use super::super::moves::{FileNames, FilePiece, reference};
use super::action::{Field, Put};
use crate::diagram::Point;
use crate::layout::Layout;
use wabe_hive::standard::{Move, Wide};
use wabe_hive::standard::{PieceName, StandardRecord};
use wabe_hive::{Color, Piece};

/// The place of the file's game on our board.
#[derive(Debug)]
pub(super) struct FileBoard {
    layout: Layout<Wide>,
    /// The field of the first piece.
    origin: Option<Field>,
    names: FileNames,
}

impl FileBoard {
    /// The mapping before the first move.
    pub(super) fn new(game: &StandardRecord) -> FileBoard {
        FileBoard {
            layout: Layout::start(game.start()),
            origin: None,
            names: FileNames::default(),
        }
    }

    /// Our name of the topmost piece on a field.
    fn top(&self, game: &StandardRecord, field: Field) -> Option<PieceName> {
        let mut places = self.layout.places();
        let (cell, _) = places.find(|&(_, place)| self.is_at(place, field))?;
        game.stack(cell).last()
    }

    /// True if our coordinates belong to a field.
    fn is_at(&self, point: Point, field: Field) -> bool {
        // A column is a step to the right, a row one to the top left.
        let (column, row) = (point.x, -point.z());
        self.origin.is_some_and(|origin| {
            (origin.column + column - field.column).rem_euclid(Field::SIZE) == 0
                && (origin.row + row - field.row).rem_euclid(Field::SIZE) == 0
        })
    }

    /// The text of the move that puts a piece down: by its field, or, if no legal move leads there, by its neighbour. `color` is the
    /// owner if the file does not name it.
    pub(super) fn text_of(&self, game: &StandardRecord, put: &Put, color: Color) -> String {
        let piece = put.piece.of(color);
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
        let is_wanted = |mv: &Move| {
            let is_piece = match *mv {
                Move::Place { kind, .. } => {
                    let piece = Piece::new(game.position().side_to_move(), kind);
                    from.is_none() && piece == name.piece()
                }
                Move::Drag { from: cell, .. } => {
                    Some(cell) == from && game.stack(cell).last() == Some(name)
                }
                Move::Pass => false,
            };
            let place = mv.destination().and_then(|cell| self.layout.place(cell));
            is_piece && place.is_some_and(|place| self.is_at(place, field))
        };
        let moves = game.legal_moves();
        let found = moves.iter().copied().find(is_wanted)?;
        Some(game.write(found))
    }

    fn by_reference(&self, put: &Put, name: Option<PieceName>) -> String {
        let name = name.map_or_else(|| "?".to_owned(), |name| name.to_string());
        let beside = reference(&put.beside).and_then(|(before, piece, behind)| {
            let named = self.names.in_play(piece.of(piece.color?), piece.number)?;
            Some(format!("{before}{named}{behind}"))
        });
        format!("{name} {}", beside.unwrap_or_else(|| put.beside.clone()))
    }

    /// Updates the mapping after a move.
    pub(super) fn follow(&mut self, game: &StandardRecord, put: Option<(&Put, Color)>) {
        self.layout = self.layout.followed_by(game.position());
        let Some((put, color)) = put else { return };
        self.origin = self.origin.or(put.field);
        self.names
            .follow(game, put.piece.of(color), put.piece.number);
    }

    /// The owner of a piece whose owner the file does not name.
    pub(super) fn owner(
        &self,
        game: &StandardRecord,
        piece: FilePiece,
        picked: Option<FilePiece>,
        picked_from: Option<Field>,
        player: Color,
    ) -> Color {
        let from_hand = picked.filter(|picked| picked.kind == piece.kind);
        let from_board = picked_from.and_then(|field| self.top(game, field));
        let from_board = from_board.filter(|name| name.piece().kind == piece.kind);
        piece
            .color
            .or(from_hand.and_then(|picked| picked.color))
            .or(from_board.map(|name| name.piece().color))
            .unwrap_or(player)
    }
}
