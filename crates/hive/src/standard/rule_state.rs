//! State besides the board on which the rules of standard Hive depend, and the repetition key.

use super::{Kind, Move, Position, Standard, StandardPiece};
use crate::hex::{Cell, CellSet, Grid, Hex, WideTorus};
use crate::position::{hash_mix as mix, piece_key};
use crate::{Color, Piece, PieceKind, RuleBook};

/// The rule for placing the queen on the first turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpeningRule {
    /// Not allowed: the tournament rule, which engines and viewers follow.
    #[default]
    Tournament,
    /// Allowed.
    Free,
}

/// The resting piece, which moved last, and the opening rule of the game.
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

    /// The rule for placing the queen on the first turn.
    #[inline]
    pub const fn opening(self) -> OpeningRule {
        self.opening
    }

    /// The state after a ply with this destination.
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
        // Multiples of a large odd number, so differences between keys are as random as that
        // number.
        resting.wrapping_mul(RESTING).wrapping_add(opening)
    }
}

/// The parts of a position that the repetition rule compares: the pieces, up to translation of the
/// hive, the side to move, and the moves that a resting piece forbids. The resting piece itself is
/// not compared, because it forbids no move unless a pillbug is in reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepetitionKey {
    side: Color,
    /// Location, height, owner and kind of each piece, sorted.
    pieces: Vec<((i8, i8), usize, Color, usize)>,
    /// Start and target of each move that the resting piece forbids, sorted.
    forbidden: Vec<((i8, i8), (i8, i8))>,
}

impl RepetitionKey {
    /// The key of a position.
    pub fn from_position<G: Grid>(position: &Position<G>) -> RepetitionKey {
        let anchor = anchor(position);
        let place = |cell: Cell| {
            let Hex { x, y } =
                anchor.map_or(Hex::new(0, 0), |anchor| G::displacement(anchor, cell));
            (x, y)
        };
        let mut pieces = Vec::new();
        for cell in position.occupied() {
            for (height, piece) in position.stack(cell).enumerate() {
                pieces.push((place(cell), height, piece.color, piece.kind.index()));
            }
        }
        pieces.sort_unstable_by_key(|&(place, height, ..)| (place, height));
        let mut forbidden: Vec<_> = forbidden_moves(position)
            .into_iter()
            .map(|(from, to)| (place(from), place(to)))
            .collect();
        forbidden.sort_unstable();
        RepetitionKey {
            side: position.side_to_move(),
            pieces,
            forbidden,
        }
    }
}

/// The cell relative to which pieces are compared: a queen's. Positions without a queen cannot
/// repeat, since pieces can only be placed. Any anchor will do.
fn anchor<G: Grid>(position: &Position<G>) -> Option<Cell> {
    position
        .bee(Color::Red)
        .or(position.bee(Color::Blue))
        .or_else(|| G::cell(Hex::new(0, 0)))
}

/// A hash of the pieces, up to translation of the hive, and of the side to move. Positions with
/// equal [`RepetitionKey`]s have equal hashes, on any board once a queen is placed.
pub(super) fn repetition_hash<G: Grid>(position: &Position<G>) -> u64 {
    let mut hash = Standard::turn_key(position.turn());
    let Some(anchor) = anchor(position) else {
        return hash;
    };
    let mut add = |piece, cell, height| {
        hash = hash.wrapping_add(relative_key::<G>(anchor, piece, cell, height));
    };
    for color in Color::ALL {
        for &kind in Kind::ALL {
            let piece = Piece::new(color, kind);
            for cell in position.tops(color) & position.tops_of_kind(kind) {
                add(piece, cell, position.height(cell) - 1);
            }
        }
    }
    for cell in position.stacked() {
        for (height, piece) in position.covered_on(cell).enumerate() {
            add(piece, cell, height);
        }
    }
    hash
}

/// The key of a piece, relative to the anchor.
#[inline]
fn relative_key<G: Grid>(anchor: Cell, piece: StandardPiece, cell: Cell, height: usize) -> u64 {
    let (Hex { x, y }, anchor) = (G::hex(cell), G::hex(anchor));
    let place = WideTorus::cell(Hex::new(x - anchor.x, y - anchor.y));
    place.map_or(0, |place| piece_key(piece, place, height))
}

/// The [`repetition_hash`] after the legal move `mv`; `hash` is that of `before`. Computed from
/// scratch only if the anchor may change.
pub(super) fn repetition_hash_after<G: Grid>(
    before: &Position<G>,
    mv: Move<G>,
    mut hash: u64,
) -> u64 {
    let (piece, from) = match mv {
        Move::<G>::Place { kind, .. } => (Some(Piece::new(before.side_to_move(), kind)), None),
        Move::<G>::Drag { from, .. } => (before.top(from), Some(from)),
        Move::<G>::Pass => (None, None),
    };
    let places_queen = from.is_none() && piece.is_some_and(|piece| piece.kind == Kind::Queen);
    let anchor = anchor(before).filter(|&anchor| from != Some(anchor) && !places_queen);
    let Some(anchor) = anchor else {
        return repetition_hash(&before.after(mv));
    };
    if let (Some(piece), Some(from)) = (piece, from) {
        let height = before.height(from).saturating_sub(1);
        hash = hash.wrapping_sub(relative_key::<G>(anchor, piece, from, height));
    }
    if let (Some(piece), Some(to)) = (piece, mv.destination()) {
        hash = hash.wrapping_add(relative_key::<G>(anchor, piece, to, before.height(to)));
    }
    let turn = before.turn();
    hash.wrapping_sub(Standard::turn_key(turn))
        .wrapping_add(Standard::turn_key(turn.wrapping_add(1)))
}

/// Start and target of the moves that are illegal only because the piece that moved last rests.
fn forbidden_moves<G: Grid>(position: &Position<G>) -> Vec<(Cell, Cell)> {
    // Without a pillbug, the resting piece of the other side does not affect the side to move.
    if position.rule_state().resting().is_none() || position.tops_of_kind(Kind::Pillbug).is_empty()
    {
        return Vec::new();
    }
    let rested = position.with_rule_state(position.rule_state().after(None));
    let moves = position.legal_moves();
    let all = rested.legal_moves();
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
        let mut forbidden = forbidden_moves(position);
        forbidden.sort_unstable_by_key(|&(from, to)| (from.index(), to.index()));
        forbidden
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::hex::WideTorus;
    use crate::standard::{GameType, RuleState};

    fn key(text: &str, resting: Option<(i8, i8)>) -> RepetitionKey {
        let position: Position = text.parse().unwrap();
        let resting = resting.and_then(|(x, y)| WideTorus::cell(Hex::new(x, y)));
        let state = RuleState::default().after(resting);
        RepetitionKey::from_position(&position.with_rule_state(state))
    }

    fn hash(text: &str) -> u64 {
        repetition_hash::<WideTorus>(&text.parse().unwrap())
    }

    #[test]
    fn key_ignores_translation() {
        let here = key("6 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA", None);
        let there = key("6 - 5,-3:rQ;6,-3:bQ;7,-3:bA AA/AA", None);
        assert_eq!(here, there);
        assert_eq!(
            hash("6 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA"),
            hash("6 - 5,-3:rQ;6,-3:bQ;7,-3:bA AA/AA")
        );
        assert_ne!(
            hash("6 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA"),
            hash("7 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA")
        );
        let turned = key("6 - 0,0:rQ;0,1:bQ;0,2:bA AA/AA", None);
        assert_ne!(here, turned);
        let other_side = key("7 - 0,0:rQ;1,0:bQ;2,0:bA AA/AA", None);
        assert_ne!(here, other_side);
    }

    #[test]
    fn hash_follows_moves() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(14);
        for game_type in GameType::ALL {
            let mut position: Position = game_type.start(OpeningRule::Tournament);
            let mut hash = repetition_hash(&position);
            for _ in 0..200 {
                let Some(mv) = position.random_move(&mut rng) else {
                    break;
                };
                hash = repetition_hash_after(&position, mv, hash);
                position.play(mv);
                assert_eq!(hash, repetition_hash(&position), "{mv} to {position}");
            }
        }
    }

    #[test]
    fn key_contains_moves_forbidden_by_rest() {
        // Red's pillbug can throw the ant next to it, but not the spider at the far end.
        let text = "6 - 0,0:rP;0,1:rQ;1,0:bQ;-1,0:bA;2,0:bS AA/AA";
        let free = key(text, None);
        assert_eq!(free, key(text, Some((2, 0))));
        assert_ne!(free, key(text, Some((-1, 0))));
    }
}
