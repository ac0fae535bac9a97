//! Checks that a position from the editor can occur in a game, as far as counting proves it.

use super::protocol::Problem;
use super::protocol::problem::{kind_name, side_name};
use crate::BoardGame;
use wabe_hive::hex::Grid;
use wabe_hive::{Color, PieceKind, Setup};

/// Number of turns in which a side must have placed its queen.
const BEE_DUE: usize = 4;

/// Number of turns of a side in the first `turn` plies.
fn turns(color: Color, turn: u16) -> usize {
    match color {
        Color::Red => turn.div_ceil(2).into(),
        Color::Blue => (turn / 2).into(),
    }
}

/// Fails if no game can lead to the position. The contest allows more, because edge and brambles
/// may leave a side no field for its bee.
pub(super) fn check<G: BoardGame>(setup: &Setup<G>) -> Result<(), Problem> {
    let (mut turn, mut hurried) = (setup.turn, None);
    for color in Color::ALL {
        let side = || side_name::<G>(color);
        let (mut placed, mut climbed, mut has_bee) = (0, None, false);
        let mut needed = 0;
        for stack in &setup.stacks {
            let pieces = stack.pieces.iter().enumerate();
            for (level, piece) in pieces.filter(|(_, piece)| piece.color == color) {
                placed += 1;
                needed += 1;
                has_bee |= piece.kind == PieceKind::BEE;
                // Pieces are placed on empty fields and climb in a later turn.
                if level > 0 {
                    needed += 1;
                    climbed.get_or_insert(piece.kind);
                }
            }
        }
        if let (false, Some(kind)) = (has_bee, climbed) {
            return Err(Problem::MovedBeforeBee {
                side: side(),
                kind: kind_name::<G>(kind.letter()),
                bee: G::BEE.to_owned(),
            });
        }
        while turns(color, turn) < needed {
            turn = turn.saturating_add(2);
            hurried = Some(color);
        }
        let count = turns(color, setup.turn);
        if !has_bee && G::Grid::IS_UNBOUNDED {
            let bee = G::BEE.to_owned();
            if count >= BEE_DUE {
                return Err(Problem::BeeMissing { side: side(), bee });
            }
            // Before the queen, each turn places a piece.
            if placed < count {
                return Err(Problem::TooManyTurns {
                    side: side(),
                    bee,
                    count,
                });
            }
        }
    }
    match hurried {
        Some(color) => Err(Problem::TooFewTurns {
            side: side_name::<G>(color),
            round: turn / 2 + 1,
        }),
        None => Ok(()),
    }
}
