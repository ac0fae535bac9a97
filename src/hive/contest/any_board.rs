//! Moves on boards that no game by the rules reaches.
//!
//! The contest's server lets some forged moves through, after which the hive is torn. Its checks of
//! a single move still make sense on such a board, and these are the moves that pass them.

use super::{BEE_DUE_TURN, ContestPiece, Kind, Move, Setup};
use crate::hex::{BoardSet, Cell, CellSet, ContestBoard, Direction, Grid};
use crate::hive::Color;
use crate::hive::movegen::is_connected;

/// The moves of `mover` that the contest's server accepts, on any board. On boards that the rules
/// allow these are the legal moves, but it does not know when a game is over.
pub fn moves_on_any_board(setup: &Setup, mover: Color) -> Vec<Move> {
    let board = Board::new(setup, mover);
    let mut moves = board.placements(setup);
    moves.extend(board.drags());
    if moves.is_empty() {
        moves.push(Move::Pass);
    }
    moves
}

/// One of the [`moves_on_any_board`]: the one that leaves the other side's bee the fewest free
/// fields, and the mover's the most.
pub fn best_on_any_board(setup: &Setup, mover: Color) -> Move {
    let board = Board::new(setup, mover);
    let free_after = |mv: &Move| {
        let mut free = board.free();
        if let Move::Drag { from, .. } = mv
            && board.height(*from) == 1
        {
            free.insert(*from);
        }
        mv.destination().into_iter().for_each(|to| free.remove(to));
        let around = |color| {
            let mut bee = board.bee(color);
            match *mv {
                Move::Place {
                    kind: Kind::Bee,
                    to,
                } if color == mover => bee = Some(to),
                Move::Drag { from, to } if color == mover && board.is_bee(from) => bee = Some(to),
                _ => {}
            }
            bee.map_or(0, |bee| ContestBoard::ring(free, bee).count_ones())
        };
        i64::from(around(mover.opponent())) - i64::from(around(mover))
    };
    let moves = moves_on_any_board(setup, mover);
    moves
        .into_iter()
        .min_by_key(free_after)
        .unwrap_or(Move::Pass)
}

/// The pieces as the mover sees them.
struct Board<'s> {
    mover: Color,
    /// The fields with pieces, and the pieces, bottom to top.
    stacks: Vec<(Cell, &'s [ContestPiece])>,
    own: BoardSet,
    other: BoardSet,
    obstacles: BoardSet,
}

impl Board<'_> {
    fn new(setup: &Setup, mover: Color) -> Board<'_> {
        let mut board = Board {
            mover,
            stacks: Vec::new(),
            own: BoardSet::EMPTY,
            other: BoardSet::EMPTY,
            obstacles: setup
                .obstacles
                .iter()
                .filter_map(|&hex| ContestBoard::cell(hex))
                .collect(),
        };
        for stack in &setup.stacks {
            if let (Some(cell), Some(top)) = (ContestBoard::cell(stack.hex), stack.pieces.last()) {
                board.stacks.push((cell, &stack.pieces));
                match top.color == mover {
                    true => board.own.insert(cell),
                    false => board.other.insert(cell),
                }
            }
        }
        board
    }

    fn occupied(&self) -> BoardSet {
        self.own | self.other
    }

    fn free(&self) -> BoardSet {
        ContestBoard::FIELDS - self.occupied() - self.obstacles
    }

    fn stack(&self, cell: Cell) -> &[ContestPiece] {
        let found = self.stacks.iter().find(|(field, _)| *field == cell);
        found.map_or(&[], |(_, pieces)| pieces)
    }

    fn height(&self, cell: Cell) -> usize {
        self.stack(cell).len()
    }

    fn bee(&self, color: Color) -> Option<Cell> {
        let is_bee = |piece: &ContestPiece| piece.kind == Kind::Bee && piece.color == color;
        let mut stacks = self.stacks.iter();
        stacks
            .find(|(_, pieces)| pieces.iter().any(is_bee))
            .map(|(cell, _)| *cell)
    }

    fn is_bee(&self, cell: Cell) -> bool {
        self.stack(cell)
            .last()
            .is_some_and(|piece| piece.kind == Kind::Bee)
    }

    fn placements(&self, setup: &Setup) -> Vec<Move> {
        let beside = ContestBoard::neighbours;
        let zone = if !self.own.is_empty() {
            beside(self.own) - beside(self.other)
        } else if self.stacks.is_empty() {
            ContestBoard::FIELDS
        } else if self.has_placed() {
            BoardSet::EMPTY
        } else {
            beside(self.other)
        };
        let is_bee_due = setup.turn >= BEE_DUE_TURN && self.bee(self.mover).is_none();
        let kinds = setup.reserve[self.mover].kinds();
        let kinds = kinds.filter(|&kind| kind == Kind::Bee || !is_bee_due);
        let to_zone = |kind| {
            (zone & self.free())
                .into_iter()
                .map(move |to| Move::Place { kind, to })
        };
        kinds.flat_map(to_zone).collect()
    }

    fn has_placed(&self) -> bool {
        let mut pieces = self.stacks.iter().flat_map(|(_, pieces)| pieces.iter());
        pieces.any(|piece| piece.color == self.mover)
    }

    fn drags(&self) -> Vec<Move> {
        if self.bee(self.mover).is_none() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for from in self.own {
            let Some(piece) = self.stack(from).last() else {
                continue;
            };
            let mut others = self.occupied();
            if self.height(from) == 1 {
                others.remove(from);
            }
            if !is_connected::<ContestBoard>(others) {
                continue;
            }
            let lifted = Lifted {
                others,
                obstacles: self.obstacles,
                from,
            };
            let targets = lifted.targets(piece.kind).into_iter();
            moves.extend(targets.map(|to| Move::Drag { from, to }));
        }
        moves
    }
}

/// A piece that has been taken off its field.
struct Lifted {
    from: Cell,
    /// The fields with other pieces.
    others: BoardSet,
    obstacles: BoardSet,
}

impl Lifted {
    fn targets(&self, kind: Kind) -> BoardSet {
        match kind {
            Kind::Bee => self.slides(self.from),
            Kind::Ant => self.slides_anywhere(),
            Kind::Spider => self.slides_thrice(),
            Kind::Grasshopper => self.jumps(),
            Kind::Beetle => self.climbs(),
        }
    }

    fn free(&self) -> BoardSet {
        ContestBoard::FIELDS - self.others - self.obstacles
    }

    /// The fields beside both ends of a step.
    fn beside_step(at: Cell, direction: Direction) -> BoardSet {
        [direction.left(), direction.right()]
            .into_iter()
            .filter_map(|side| ContestBoard::neighbour(at, side))
            .collect()
    }

    fn slides(&self, at: Cell) -> BoardSet {
        let slide = |direction| {
            let sides = Lifted::beside_step(at, direction);
            let is_open = sides.count_cells() == 1 || sides.meets(self.free());
            let to = ContestBoard::neighbour(at, direction)?;
            (is_open && sides.meets(self.others) && self.free().contains(to)).then_some(to)
        };
        Direction::ALL.into_iter().filter_map(slide).collect()
    }

    fn slides_anywhere(&self) -> BoardSet {
        let mut reached = BoardSet::single(self.from);
        let mut edge = reached;
        while let Some(at) = edge.first() {
            edge.remove(at);
            let new = self.slides(at) - reached;
            reached |= new;
            edge |= new;
        }
        reached - BoardSet::single(self.from)
    }

    fn slides_thrice(&self) -> BoardSet {
        let mut ends = BoardSet::EMPTY;
        for first in self.slides(self.from) {
            let visited = BoardSet::single(self.from) | BoardSet::single(first);
            for second in self.slides(first) - visited {
                ends |= self.slides(second) - visited;
            }
        }
        ends
    }

    fn jumps(&self) -> BoardSet {
        let jump = |direction| {
            let mut at = ContestBoard::neighbour(self.from, direction)?;
            if !self.others.contains(at) {
                return None;
            }
            while self.others.contains(at) {
                at = ContestBoard::neighbour(at, direction)?;
            }
            self.free().contains(at).then_some(at)
        };
        Direction::ALL.into_iter().filter_map(jump).collect()
    }

    fn climbs(&self) -> BoardSet {
        let climb = |direction| {
            let to = ContestBoard::neighbour(self.from, direction)?;
            let ends = BoardSet::single(self.from) | BoardSet::single(to);
            let contact = ends | Lifted::beside_step(self.from, direction);
            (contact.meets(self.others) && !self.obstacles.contains(to)).then_some(to)
        };
        Direction::ALL.into_iter().filter_map(climb).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::{MoveList, Position};
    use crate::hive::random_games::for_each_position;

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let mut texts: Vec<String> = moves.into_iter().map(|mv| mv.to_string()).collect();
        texts.sort_unstable();
        texts
    }

    fn moves(setup: &str, mover: Color) -> Vec<String> {
        sorted(moves_on_any_board(&setup.parse().unwrap(), mover))
    }

    #[test]
    fn agrees_with_the_rules_on_possible_boards() {
        let check = |position: &Position| {
            if position.outcome().is_some() {
                return;
            }
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let (setup, mover) = (position.to_setup(), position.side_to_move());
            assert_eq!(
                sorted(moves_on_any_board(&setup, mover)),
                sorted(legal),
                "{position}"
            );
            position.check(best_on_any_board(&setup, mover)).unwrap();
        };
        for_each_position(40, check, |_| ());
    }

    #[test]
    fn torn_hive_allows_placements() {
        let torn = "8 - 0,0:rQ;1,0:bQ;4,0:rG;0,-1:bA A/A";
        let moves = moves(torn, Color::Red);
        assert!(moves.contains(&"set A 5,-1".to_owned()), "{moves:?}");
        // Without the grasshopper, the hive is whole, but it has nothing to jump over.
        assert!(!moves.iter().any(|mv| mv.starts_with("drag")), "{moves:?}");
    }

    #[test]
    fn torn_hive_is_mended_by_a_lone_piece() {
        let torn = "8 - 0,0:rQ;1,0:bQ;4,0:rB -/A";
        // A beetle that is alone has no contact on any step.
        assert_eq!(moves(torn, Color::Red), ["skip"]);
        let stack = "8 - 0,0:rQ;1,0:bQ;4,0:bArB -/A";
        assert_eq!(moves(stack, Color::Red), ["skip"]);
    }

    #[test]
    fn wrong_counts_are_no_obstacle() {
        let many = "9 - 0,0:rQbB;1,0:bQbA;2,0:bBbBbBbBbBbBbB;3,0:rQ QQAAAA/AAAA";
        for color in Color::ALL {
            assert!(!moves(many, color).is_empty());
        }
    }

    #[test]
    fn best_move_closes_in_on_the_bee() {
        let setup: Setup = "9 - 0,0:bQ;-2,0:rA;-1,0:rQ;5,0:bG -/A".parse().unwrap();
        assert_eq!(best_on_any_board(&setup, Color::Red).to_string(), "skip");
        let setup: Setup = "9 - 0,0:bQ;-2,0:rA;-1,0:rQ -/A".parse().unwrap();
        let to = best_on_any_board(&setup, Color::Red).destination();
        let beside_bee = ContestBoard::neighbours(setup.build().unwrap().occupied());
        assert!(to.is_some_and(|to| beside_bee.contains(to)));
    }
}
