//! What the rules of standard Hive depend on besides the board, and repetition, which depends on
//! it.

use super::{Kind, Move, MoveList, Position};
use crate::hex::{Cell, CellSet, Grid, Hex};
use crate::position::hash_mix as mix;
use crate::{Color, PieceKind};

/// The rule for queens on a side's first turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpeningRule {
    /// They may not be placed: the tournament rule, which engines and viewers follow.
    #[default]
    Tournament,
    /// They may be placed.
    Free,
}

/// The piece that moved last, which rests, and the opening rule of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleState {
    resting: Option<Cell>,
    opening: OpeningRule,
}

impl RuleState {
    /// The state before the first ply and after a pass.
    pub const fn new(opening: OpeningRule) -> RuleState {
        RuleState {
            resting: None,
            opening,
        }
    }

    /// The cell of the piece that was moved, thrown or placed in the last ply: it may not move,
    /// throw or be thrown.
    #[inline]
    pub const fn resting(self) -> Option<Cell> {
        self.resting
    }

    /// The rule for queens on the first turn.
    #[inline]
    pub const fn opening(self) -> OpeningRule {
        self.opening
    }

    /// The state after a ply that put a piece on this cell.
    #[inline]
    #[must_use]
    pub const fn after(self, destination: Option<Cell>) -> RuleState {
        RuleState {
            resting: destination,
            ..self
        }
    }

    #[inline]
    pub(super) fn key(self) -> u64 {
        const RESTING: u64 = mix(6 << 40) | 1;
        const FREE_OPENING: u64 = mix(7 << 40);
        let resting = self.resting.map_or(0, |cell| cell.index() as u64 + 1);
        let opening = match self.opening {
            OpeningRule::Tournament => 0,
            OpeningRule::Free => FREE_OPENING,
        };
        // Multiples of a large odd number, so differences of keys are as unpredictable as the
        // number.
        resting.wrapping_mul(RESTING).wrapping_add(opening)
    }
}

/// A position as the repetition rule compares it: the pieces, up to a translation of the hive; the
/// side to move; and the moves that are missing because a piece rests. The resting piece itself
/// does not count: without a pillbug in reach its rest changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepetitionKey {
    side: Color,
    /// Place, height, owner and kind of each piece, sorted.
    pieces: Vec<((i8, i8), usize, Color, usize)>,
    /// Start and target of each move that rest forbids, sorted.
    missing: Vec<((i8, i8), (i8, i8))>,
}

impl RepetitionKey {
    /// The occurrence of a position.
    pub fn from_position<G: Grid>(position: &Position<G>) -> RepetitionKey {
        // Positions without a queen cannot repeat, since pieces are only placed: any anchor will
        // do.
        let anchor = position
            .bee(Color::Red)
            .or(position.bee(Color::Blue))
            .or_else(|| G::cell(Hex::new(0, 0)));
        let place = |cell: Cell| {
            let way = anchor.map_or(Hex::new(0, 0), |anchor| G::way(anchor, cell));
            (way.x, way.y)
        };
        let mut pieces = Vec::new();
        for cell in position.occupied() {
            for (height, piece) in position.stack(cell).enumerate() {
                pieces.push((place(cell), height, piece.color, piece.kind.index()));
            }
        }
        pieces.sort_unstable_by_key(|&(place, height, ..)| (place, height));
        let mut missing: Vec<_> = missing_moves(position)
            .into_iter()
            .map(|(from, to)| (place(from), place(to)))
            .collect();
        missing.sort_unstable();
        RepetitionKey {
            side: position.side_to_move(),
            pieces,
            missing,
        }
    }
}

/// The moves that are not legal only because the piece that moved last rests, as start and target.
fn missing_moves<G: Grid>(position: &Position<G>) -> Vec<(Cell, Cell)> {
    // Without a pillbug no piece of the side to move is affected by the rest of the other side's
    // piece.
    if position.rule_state().resting().is_none() || position.tops_of_kind(Kind::Pillbug).is_empty()
    {
        return Vec::new();
    }
    let rested = position.with_rule_state(position.rule_state().after(None));
    let (mut moves, mut all) = (MoveList::<G>::new(), MoveList::<G>::new());
    position.legal_moves(&mut moves);
    rested.legal_moves(&mut all);
    let drags = all.iter().filter(|mv| !moves.contains(mv));
    drags
        .filter_map(|mv| match *mv {
            Move::<G>::Drag { from, to } => Some((from, to)),
            Move::<G>::Place { .. } | Move::<G>::Pass => None,
        })
        .collect()
}

/// True if two positions with the same pieces on the same cells have the same moves.
pub(super) fn have_same_moves<G: Grid>(a: &Position<G>, b: &Position<G>) -> bool {
    if a.rule_state().resting() == b.rule_state().resting() {
        return true;
    }
    let sorted = |position| {
        let mut missing = missing_moves(position);
        missing.sort_unstable_by_key(|&(from, to)| (from.index(), to.index()));
        missing
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::WideTorus;
    use crate::standard::RuleState;

    fn occurrence(text: &str, resting: Option<(i8, i8)>) -> RepetitionKey {
        let position: Position = text.parse().unwrap();
        let resting = resting.and_then(|(x, y)| WideTorus::cell(Hex::new(x, y)));
        let state = RuleState::default().after(resting);
        RepetitionKey::from_position(&position.with_rule_state(state))
    }

    #[test]
    fn a_hive_is_the_same_wherever_it_lies() {
        let here = occurrence("6 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA", None);
        let there = occurrence("6 - 5,-3:rQ;6,-3:bQ;7,-3:bA AA/AA", None);
        assert_eq!(here, there);
        let turned = occurrence("6 - 0,0:rQ;0,1:bQ;0,2:bA AA/AA", None);
        assert_ne!(here, turned);
        let other_side = occurrence("7 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA", None);
        assert_ne!(here, other_side);
    }

    #[test]
    fn rest_counts_where_it_forbids_a_move() {
        // Red's pillbug can throw the ant beside it, but not the one at the far end.
        let text = "6 - 0,0:rP;0,1:rQ;1,0:bQ;-1,0:bA;2,0:bS AA/AA";
        let free = occurrence(text, None);
        assert_eq!(free, occurrence(text, Some((2, 0))));
        assert_ne!(free, occurrence(text, Some((-1, 0))));
    }
}
