//! Random games and random positions for the property tests.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{SizeRange, select, subsequence};

use wabe_hive::contest::{
    Contest, ContestPiece, Deal, Kind, Move, MoveList, Position, Reserve, Setup,
};
use wabe_hive::hex::{Cell, ContestBoard, Direction, Grid, Hex};
use wabe_hive::{ByColor, Color, Piece, PieceKind, RuleBook, Stack};

/// Scores the target fields of moves in random games, so that games take different shapes.
type Style = fn(&Position, Cell) -> u32;

const STYLES: [Style; 4] = [
    |_, _| 0,
    // Fields with many neighbours, including tops of stacks.
    |position, to| ContestBoard::ring(position.occupied(), to).count_ones(),
    // Fields near the edge of the board.
    |_, to| 6 - ContestBoard::ring(ContestBoard::FIELDS, to).count_ones(),
    // Fields next to brambles.
    |position, to| ContestBoard::ring(position.obstacles(), to).count_ones(),
];

/// A random game: each choice selects among the legal moves of one position.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub start: Position,
    style: Style,
    choices: Vec<[u16; 4]>,
}

fn fields() -> Vec<Hex> {
    let fields = ContestBoard::FIELDS.into_iter();
    fields.map(ContestBoard::hex).collect()
}

fn brambles(count: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Hex>> {
    subsequence(fields(), count)
}

/// Games of up to `plies` plies, with either deal and three brambles anywhere.
pub(crate) fn scripts(plies: usize) -> impl Strategy<Value = Script> {
    (
        select(vec![Deal::Contest, Deal::Rulebook]),
        brambles(3),
        select(STYLES.to_vec()),
        vec(any::<[u16; 4]>(), 1..=plies),
    )
        .prop_map(|(deal, brambles, style, choices)| {
            let brambles = brambles.into_iter().filter_map(ContestBoard::cell);
            Script {
                start: deal.start(brambles.collect()),
                style,
                choices,
            }
        })
}

impl Script {
    /// Draws four moves and picks the one with the highest score.
    fn choose(&self, position: &Position, moves: &MoveList, choice: [u16; 4]) -> Option<Move> {
        let drawn = choice
            .into_iter()
            .filter_map(|c| moves.get(usize::from(c) % moves.len().max(1)).copied());
        drawn.max_by_key(|mv| mv.destination().map_or(0, |to| (self.style)(position, to)))
    }

    /// Plays the game. Calls `visit` with every position and the move played in it, `None` in the
    /// last.
    pub(crate) fn play<E>(
        &self,
        mut visit: impl FnMut(&Position, Option<Move>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut position = self.start;
        for &choice in &self.choices {
            let moves = position.legal_moves();
            let Some(mv) = self.choose(&position, &moves, choice) else {
                break;
            };
            visit(&position, Some(mv))?;
            position.play(mv);
        }
        visit(&position, None)
    }

    /// The position at the end of the game.
    pub(crate) fn last_position(&self) -> Position {
        let mut last = self.start;
        let _ = self.play(|position, _| {
            last = *position;
            Ok::<(), ()>(())
        });
        last
    }
}

/// All pieces that one position can hold.
fn all_pieces() -> Vec<ContestPiece> {
    let mut pieces = Vec::new();
    for color in Color::ALL {
        for &kind in Kind::ALL {
            let count = usize::from(Contest::max_pieces(kind));
            pieces.extend(std::iter::repeat_n(Piece::new(color, kind), count));
        }
    }
    pieces
}

/// How a random position grows: the index of an existing stack, the direction of the next piece
/// from it, and whether a piece that is not on the board is in reserve.
type Growth = (u16, u8, bool);

/// Valid positions that games rarely reach: any turn, 0 to 12 brambles, missing pieces.
pub(crate) fn setups() -> impl Strategy<Value = Setup> {
    let pieces = all_pieces();
    let count = pieces.len();
    (
        0..=Contest::MAX_TURN,
        brambles(0..=12),
        Just(pieces).prop_shuffle(),
        0..=count,
        select(fields()),
        vec((any::<u16>(), 0..6u8, any::<bool>()), count),
    )
        .prop_map(|(turn, brambles, pieces, on_board, first, growths)| {
            grow(turn, brambles, &pieces, on_board, first, &growths)
        })
}

fn grow(
    turn: u16,
    brambles: Vec<Hex>,
    pieces: &[ContestPiece],
    on_board: usize,
    first: Hex,
    growths: &[Growth],
) -> Setup {
    let mut stacks: Vec<Stack<Contest>> = Vec::new();
    let mut reserve = ByColor {
        red: Reserve::empty(),
        blue: Reserve::empty(),
    };
    for (i, (&piece, &(place, direction, in_reserve))) in pieces.iter().zip(growths).enumerate() {
        if i >= on_board {
            if in_reserve {
                reserve[piece.color].add(piece.kind);
            }
            continue;
        }
        let target = match stacks.len() {
            0 => Some(first),
            n => beside(stacks[usize::from(place) % n].hex, direction),
        };
        let Some(hex) = target.filter(|hex| !brambles.contains(hex)) else {
            continue;
        };
        match stacks.iter_mut().find(|stack| stack.hex == hex) {
            Some(stack) if piece.kind.climbs() => stack.pieces.push(piece),
            Some(_) => {}
            None => stacks.push(Stack {
                hex,
                pieces: vec![piece],
            }),
        }
    }
    Setup {
        turn,
        obstacles: brambles,
        stacks,
        reserve,
    }
}

fn beside(hex: Hex, direction: u8) -> Option<Hex> {
    let (dx, dy) = Direction::ALL[usize::from(direction)].step();
    let next = Hex::new(hex.x + dx, hex.y + dy);
    ContestBoard::cell(next).map(|_| next)
}

/// Every possible move, legal or not.
pub(crate) fn conceivable_moves() -> impl Iterator<Item = Move> {
    let fields = || ContestBoard::FIELDS.into_iter();
    let placements = Kind::ALL
        .iter()
        .flat_map(move |&kind| fields().map(move |to| Move::Place { kind, to }));
    let drags = fields().flat_map(move |from| fields().map(move |to| Move::Drag { from, to }));
    placements.chain(drags).chain([Move::Pass])
}
