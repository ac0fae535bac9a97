//! The fixed numbers of moves, for networks and masks. `docs/python.md` describes them.

use std::sync::LazyLock;

use wabe_hive::contest::{self, Contest};
use wabe_hive::game::{Game, Record};
use wabe_hive::hex::{Cell, ContestBoard, Direction, Grid, WideTorus};
use wabe_hive::standard::{self, Kind, NamedPieces, PieceName, Standard};
use wabe_hive::{Color, KindOf, Move, Piece, PieceKind, Position, RuleBook};

/// A game whose moves have fixed numbers.
pub(crate) trait Actions: Game {
    /// Number of actions; all are smaller.
    const ACTIONS: usize;

    /// Converts moves of one position to numbers and back.
    type Numbering;

    /// Prepares the numbers of the moves of `position`.
    fn numbering(position: &Position<Self>, notation: &Self::Notation) -> Self::Numbering;

    /// The number of a legal move; `None` for some illegal ones.
    fn action(numbering: &Self::Numbering, mv: Move<Self>) -> Option<usize>;

    /// The move with that number, legal or not; `None` if the number means none in this position.
    fn read_action(numbering: &Self::Numbering, action: usize) -> Option<Move<Self>>;

    /// The move with that number, legal or not, unless another number means the same move.
    fn move_of(numbering: &Self::Numbering, action: usize) -> Option<Move<Self>> {
        Self::read_action(numbering, action)
            .filter(|&mv| Self::action(numbering, mv) == Some(action))
    }
}

/// The numbers of the moves of a record's position.
pub(crate) fn numbering_of<G: Actions>(record: &Record<G>) -> G::Numbering {
    G::numbering(record.position(), record.notation())
}

/// Fields of the contest's board.
pub(crate) const FIELDS: usize = 91;

const CONTEST_KINDS: usize = <KindOf<Contest> as PieceKind>::ALL.len();

/// The fields in the order of their numbers, which is that of `x`, then `y`.
static FIELD_CELLS: LazyLock<Vec<Cell>> =
    LazyLock::new(|| ContestBoard::FIELDS.into_iter().collect());

/// The numbers of the fields by their index.
static FIELD_NUMBERS: LazyLock<[Option<u8>; ContestBoard::INDEX_BOUND]> = LazyLock::new(|| {
    let mut numbers = [None; ContestBoard::INDEX_BOUND];
    for (number, cell) in (0..).zip(FIELD_CELLS.iter()) {
        if let Some(slot) = numbers.get_mut(cell.index()) {
            *slot = Some(number);
        }
    }
    numbers
});

fn field_number(cell: Cell) -> Option<usize> {
    FIELD_NUMBERS.get(cell.index())?.map(usize::from)
}

impl Actions for Contest {
    /// A kind from the reserve or a field that a piece leaves, times the target, and `skip`.
    const ACTIONS: usize = (CONTEST_KINDS + FIELDS) * FIELDS + 1;

    type Numbering = ();

    fn numbering(_position: &contest::Position, _notation: &Self::Notation) {}

    fn action((): &(), mv: contest::Move) -> Option<usize> {
        let (origin, to) = match mv {
            Move::Place { kind, to } => (kind.index(), to),
            Move::Drag { from, to } => (CONTEST_KINDS + field_number(from)?, to),
            Move::Pass => return Some(Self::ACTIONS - 1),
        };
        Some(origin * FIELDS + field_number(to)?)
    }

    fn read_action((): &(), action: usize) -> Option<contest::Move> {
        if action == Self::ACTIONS - 1 {
            return Some(Move::Pass);
        }
        let (origin, to) = (action / FIELDS, *FIELD_CELLS.get(action % FIELDS)?);
        if let Some(&kind) = contest::Kind::ALL.get(origin) {
            return Some(Move::Place { kind, to });
        }
        let from = *FIELD_CELLS.get(origin - CONTEST_KINDS)?;
        Some(Move::Drag { from, to })
    }
}

/// Pieces per side in standard Hive with all expansions.
pub(crate) const PIECES: usize = 14;

/// Pieces of both sides: first those of the side to move, then the other's.
const ALL_PIECES: usize = 2 * PIECES;

/// The six directions, and on top.
const PLACES: usize = Direction::ALL.len() + 1;
const ON_TOP: usize = PLACES - 1;

/// The first of the actions that place the first piece.
const FIRST_PIECES: usize = ALL_PIECES * ALL_PIECES * PLACES;

/// For each kind, the number of its first piece among those of one side.
const FIRST_OF_KIND: [u8; Kind::ALL.len()] = {
    let mut first = [0; Kind::ALL.len()];
    let mut kind = 1;
    while kind < first.len() {
        first[kind] = first[kind - 1] + Kind::ALL[kind - 1].pieces_per_side();
        kind += 1;
    }
    first
};

/// Cells of the board, rounded up to a power of two: indices modulo this number are in bounds.
const CELLS: usize = WideTorus::CELL_COUNT.next_power_of_two();

/// No piece or no reference.
const NONE: u8 = u8::MAX;

/// The pieces of a position by number and by cell. A reference is the number of a piece times
/// [`PLACES`], plus the direction from it.
pub(crate) struct PieceNumbers {
    /// The number of the topmost piece by cell.
    top: [u8; CELLS],
    /// The lowest reference to each cell beside the hive, and the lowest from another piece.
    references: [[u8; 2]; CELLS],
    /// The cell of each piece on the board.
    cells: [Option<Cell>; ALL_PIECES],
    /// The number of the piece below each piece.
    below: [u8; ALL_PIECES],
    /// The number of the next piece of each kind that the side to move can place.
    next: [Option<u8>; Kind::ALL.len()],
}

/// The number of a piece, viewed by `mover`.
fn piece_number(name: PieceName, mover: Color) -> u8 {
    let piece = name.piece();
    let side = if piece.color == mover {
        0
    } else {
        PIECES as u8
    };
    side + FIRST_OF_KIND[piece.kind.index()] + name.ordinal() - 1
}

/// The number of the piece in a reference.
fn piece_of(reference: u8) -> u8 {
    reference / PLACES as u8
}

impl PieceNumbers {
    fn top(&self, cell: Cell) -> u8 {
        self.top[cell.index() % CELLS]
    }

    /// Fills `references`.
    fn find_references(&mut self) {
        for (piece, at) in (0..).zip(self.cells) {
            let Some(at) = at.filter(|&at| self.top(at) == piece) else {
                continue;
            };
            for direction in Direction::ALL {
                let cell = WideTorus::neighbour(at, direction).map_or(0, Cell::index) % CELLS;
                let reference = piece * PLACES as u8 + direction.index() as u8;
                let [lowest, second] = self.references[cell];
                self.references[cell] = [lowest.min(reference), second.min(reference.max(lowest))];
            }
        }
    }

    /// The lowest reference to `to` once the piece `lifted` is lifted; `NONE` if no piece is beside
    /// it.
    #[inline]
    fn reference(&self, to: Cell, lifted: u8) -> u8 {
        let [lowest, second] = self.references[to.index() % CELLS];
        let other = if piece_of(lowest) == lifted {
            second
        } else {
            lowest
        };
        other.min(self.uncovered(to, lifted))
    }

    /// The reference to `to` from the piece below `lifted`.
    #[inline]
    fn uncovered(&self, to: Cell, lifted: u8) -> u8 {
        let below = self.below.get(usize::from(lifted)).copied().unwrap_or(NONE);
        if below == NONE {
            return NONE;
        }
        let from = self.cells.get(usize::from(lifted)).copied().flatten();
        for direction in Direction::ALL {
            if from.and_then(|from| WideTorus::neighbour(from, direction)) == Some(to) {
                return below * PLACES as u8 + direction.index() as u8;
            }
        }
        NONE
    }
}

impl Actions for Standard {
    /// The piece that moves, the reference piece and the direction from it; the first piece of the
    /// game; and `pass`.
    const ACTIONS: usize = FIRST_PIECES + PIECES + 1;

    type Numbering = PieceNumbers;

    fn numbering(position: &standard::Position, notation: &NamedPieces) -> PieceNumbers {
        let mover = position.side_to_move();
        let mut numbers = PieceNumbers {
            top: [NONE; CELLS],
            references: [[NONE; 2]; CELLS],
            cells: [None; ALL_PIECES],
            below: [NONE; ALL_PIECES],
            next: [None; Kind::ALL.len()],
        };
        for (name, cell) in notation.iter() {
            let number = piece_number(name, mover);
            if let (Some(top), Some(at), Some(below)) = (
                numbers.top.get_mut(cell.index()),
                numbers.cells.get_mut(usize::from(number)),
                numbers.below.get_mut(usize::from(number)),
            ) {
                *below = *top;
                *top = number;
                *at = Some(cell);
            }
        }
        for &kind in Kind::ALL {
            let left = position.reserve(mover).count(kind);
            let ordinal = (Standard::max_pieces(kind).checked_sub(left)).map(|placed| placed + 1);
            let name = ordinal.and_then(|ordinal| PieceName::new(Piece::new(mover, kind), ordinal));
            numbers.next[kind.index()] = name.map(|name| piece_number(name, mover));
        }
        numbers.find_references();
        numbers
    }

    #[inline]
    fn action(numbers: &PieceNumbers, mv: standard::Move) -> Option<usize> {
        let (piece, to) = match mv {
            Move::Place { kind, to } => (numbers.next[kind.index()]?, to),
            Move::Drag { from, to } => (numbers.top(from), to),
            Move::Pass => return Some(Self::ACTIONS - 1),
        };
        if piece == NONE {
            return None;
        }
        let on = numbers.top(to);
        let reference = if on == NONE {
            numbers.reference(to, piece)
        } else {
            on * PLACES as u8 + ON_TOP as u8
        };
        let piece = usize::from(piece);
        Some(match reference {
            NONE => FIRST_PIECES + piece,
            _ => piece * ALL_PIECES * PLACES + usize::from(reference),
        })
    }

    fn read_action(numbers: &PieceNumbers, action: usize) -> Option<standard::Move> {
        if action == Self::ACTIONS - 1 {
            return Some(Move::Pass);
        }
        let (piece, to) = match action.checked_sub(FIRST_PIECES) {
            Some(piece) => (piece, WideTorus::cell(wabe_hive::hex::Hex::new(0, 0))?),
            None => {
                let (pieces, place) = (action / PLACES, action % PLACES);
                let (piece, reference) = (pieces / ALL_PIECES, pieces % ALL_PIECES);
                let reference = (*numbers.cells.get(reference)?)?;
                let to = match Direction::ALL.get(place) {
                    Some(&direction) => WideTorus::neighbour(reference, direction)?,
                    None => reference,
                };
                (piece, to)
            }
        };
        if let Some(from) = *numbers.cells.get(piece)? {
            return Some(Move::Drag { from, to });
        }
        let kinds = Kind::ALL.iter().zip(numbers.next);
        let mut placed = kinds
            .filter(|(_, next)| next.map(usize::from) == Some(piece))
            .map(|(&kind, _)| Move::Place { kind, to });
        placed.next_back()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn assert_actions_round_trip<G: Actions>(variant: G::Variant) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..5 {
            let mut record = Record::<G>::new(variant, G::start(variant, &mut rng));
            for _ in 0..150 {
                let moves = record.legal_moves();
                let numbering = numbering_of(&record);
                let mut actions = Vec::new();
                for &mv in &moves {
                    let action = G::action(&numbering, mv).unwrap();
                    assert!(action < G::ACTIONS);
                    assert_eq!(G::move_of(&numbering, action), Some(mv));
                    actions.push(action);
                }
                actions.sort_unstable();
                actions.dedup();
                assert_eq!(actions.len(), moves.len());
                let Some(&mv) = moves.choose(&mut rng) else {
                    break;
                };
                record.play(mv).unwrap();
            }
        }
    }

    #[test]
    fn actions_of_legal_moves_round_trip() {
        for variant in Contest::variants() {
            assert_actions_round_trip::<Contest>(variant);
        }
        for variant in Standard::variants() {
            assert_actions_round_trip::<Standard>(variant);
        }
        assert_eq!(Contest::ACTIONS, 8737);
        assert_eq!(Standard::ACTIONS, 5503);
    }
}
