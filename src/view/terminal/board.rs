//! The board with everything on it.

use super::honeycomb::{Honeycomb, line_of};
use super::{Look, Role, Text};
use crate::hex::Cell;
use crate::hive::PieceKind;
use crate::hive::contest::{ContestPiece, Move, Position};

/// Draws the board; `last_move`, which led to `position`, is marked.
pub fn board(position: &Position, last_move: Option<Move>, look: Look) -> Text {
    let faint = look.style(Role::Faint);
    let mut honeycomb = Honeycomb::new(faint, faint);
    for cell in position.obstacles() {
        honeycomb.fill(cell, look.style(Role::Bramble), ['▒'; 3]);
    }
    for cell in position.occupied() {
        if let Some(piece) = position.top(cell) {
            let style = look.style(Role::Piece(piece));
            honeycomb.fill(cell, style, top_piece(piece, position.height(cell), look));
        }
    }
    let mark = look.style(Role::Mark);
    let (from, to) = match last_move {
        Some(Move::Drag { from, to }) => (Some(from), Some(to)),
        Some(Move::Place { to, .. }) => (None, Some(to)),
        Some(Move::Pass) | None => (None, None),
    };
    if let Some(from) = from {
        if position.top(from).is_none() {
            honeycomb.fill(from, look.style(Role::Strong), [' ', '·', ' ']);
        }
        honeycomb.bracket(from, mark, ['(', ')']);
    }
    // After the other mark: where the fields are neighbours, they share a border.
    if let Some(to) = to {
        honeycomb.bracket(to, mark, ['[', ']']);
    }
    honeycomb.into_text()
}

/// The line of a drawn board, from 0, on which a field's piece stands.
pub fn board_line(cell: Cell) -> usize {
    line_of(cell)
}

fn top_piece(piece: ContestPiece, height: usize, look: Look) -> [char; 3] {
    let owner = match look {
        Look::Plain => piece.color.letter(),
        Look::Color => ' ',
    };
    [owner, piece.kind.letter(), raised(height)]
}

/// The height of a stack as a raised digit; nothing for a single piece.
fn raised(height: usize) -> char {
    const DIGITS: [char; 8] = [' ', ' ', '²', '³', '⁴', '⁵', '⁶', '⁷'];
    DIGITS.get(height).copied().unwrap_or('⁺')
}
