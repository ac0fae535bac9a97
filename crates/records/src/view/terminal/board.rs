//! The board with its pieces and marks.

use super::honeycomb::{Frame, Honeycomb, Rows};
use super::{Look, Role, Text};
use crate::scene::{Pile, Scene, Spot};

/// Draws the board; the last move is marked.
pub fn board(scene: &Scene, look: Look) -> Text {
    board_in(scene, look, Rows::Open)
}

pub(super) fn board_in(scene: &Scene, look: Look, rows: Rows) -> Text {
    let faint = look.style(Role::Faint);
    let mut honeycomb = Honeycomb::new(Frame::of(scene, rows), &scene.fields, faint, faint);
    for &spot in &scene.obstacles {
        honeycomb.fill(spot, look.style(Role::Bramble), ['▒'; 3]);
    }
    for pile in &scene.piles {
        let style = look.style(Role::Piece(pile.top));
        honeycomb.fill(pile.spot, style, face(pile, look));
    }
    let mark = look.style(Role::Mark);
    if let Some(from) = scene.moved_from {
        if scene.pile(from).is_none() {
            honeycomb.fill(from, look.style(Role::Strong), [' ', '·', ' ']);
        }
        honeycomb.bracket(from, mark, ['(', ')']);
    }
    // After the other mark, because adjacent fields share a border.
    if let Some(to) = scene.moved_to {
        honeycomb.bracket(to, mark, ['[', ']']);
    }
    honeycomb.into_text()
}

/// The line of the drawn board, from 0, on which a field's piece stands.
pub fn board_line(scene: &Scene, spot: Spot) -> usize {
    Frame::of(scene, Rows::Open).line_of(spot)
}

/// The three characters of a pile. With colours the owner's letter is left out. Without them a stack shows its height in place of the
/// top piece's number, which is in the legend.
fn face(pile: &Pile, look: Look) -> [char; 3] {
    let top = pile.top;
    let number = top
        .number
        .and_then(|number| char::from_digit(number.into(), 10));
    match (look, number) {
        (Look::Color, Some(number)) => [top.letter, number, raised(pile.height())],
        (Look::Color, None) => [' ', top.letter, raised(pile.height())],
        (Look::Plain, Some(number)) if pile.height() == 1 => {
            [top.paint.letter(), top.letter, number]
        }
        (Look::Plain, _) => [top.paint.letter(), top.letter, raised(pile.height())],
    }
}

/// The height of a stack as a raised digit; nothing for a single piece.
fn raised(height: usize) -> char {
    const DIGITS: [char; 8] = [' ', ' ', '²', '³', '⁴', '⁵', '⁶', '⁷'];
    DIGITS.get(height).copied().unwrap_or('⁺')
}
