//! Puzzles: positions in which exactly one move wins by force, or alone avoids a forced loss.
//!
//! Both are proven by exhaustive search, not by the evaluation.

use wabe_hive::game::{Game, Record};
use wabe_hive::hex::{CellSet, Grid};
use wabe_hive::{Move, MoveList, Position, RuleBook};

use crate::search::Solver;

/// What the side to move has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The only move that wins by force.
    Win,
    /// The only move that does not lose by force.
    Save,
}

/// A position with exactly one solution.
#[derive(Clone, Debug)]
pub struct Puzzle<G: Game> {
    /// The game up to the position.
    pub record: Record<G>,
    /// The task.
    pub goal: Goal,
    /// Number of plies after which the win is complete, or the loss after any other move.
    pub plies: u16,
    /// To win: the solution and its principal variation. To save the game: the solution.
    pub line: Vec<Move<G>>,
}

/// The limits of a search for puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleLimits {
    /// Maximum number of plies of a win or loss.
    pub plies: u16,
    /// Maximum number of positions searched per puzzle.
    pub positions: u32,
}

/// Fewest legal moves of a puzzle.
const MIN_MOVES: usize = 6;

/// Plies beyond the proof within which no other move may win, and within which the saving move may
/// not lose, as far as a [quick](Solver::quick) search sees.
const MARGIN: u16 = 2;

impl<G: Game> Puzzle<G> {
    /// The puzzle in the last position of `record`; `None` if that is none, or if it could not be
    /// proven within the limits.
    pub fn find(record: &Record<G>, limits: PuzzleLimits) -> Option<Puzzle<G>> {
        let moves = record.legal_moves();
        if record.is_over() || moves.len() < MIN_MOVES {
            return None;
        }
        let position = record.position();
        let side = position.side_to_move();
        let is_in_danger = |side| {
            let free = position.free_around_bee(side);
            free.is_some_and(|free| free <= u32::from(limits.plies / 2 + 2))
        };
        let win = is_in_danger(side.opponent()).then(|| Puzzle::win(record, &moves, limits));
        win.flatten().or_else(|| {
            let save = is_in_danger(side).then(|| Puzzle::save(record, &moves, limits));
            save.flatten()
        })
    }

    /// True if other positions of the same game show the same win later.
    pub fn is_continuation_of(&self, earlier: &Puzzle<G>) -> bool {
        let plies = |puzzle: &Puzzle<G>| puzzle.record.plies().len();
        self.goal == earlier.goal
            && plies(self) > plies(earlier)
            && plies(self) <= plies(earlier) + usize::from(earlier.plies)
    }

    fn win(record: &Record<G>, moves: &MoveList<G>, limits: PuzzleLimits) -> Option<Puzzle<G>> {
        let position = record.position();
        let side = position.side_to_move();
        let solver = || Solver::new(side, limits.positions, &|| false);
        Self::only_win(record, moves, limits, solver().quick(), MARGIN)?;
        Self::only_win(record, moves, limits, solver(), 0)
    }

    /// The puzzle if exactly one move wins, also with `margin` more plies.
    fn only_win(
        record: &Record<G>,
        moves: &MoveList<G>,
        limits: PuzzleLimits,
        mut solver: Solver<'_, G>,
        margin: u16,
    ) -> Option<Puzzle<G>> {
        let position = record.position();
        for plies in 1..=limits.plies {
            let mut wins = moves.iter().filter_map(|&mv| {
                let rest = solver.win(&position.after(mv), plies - 1)?;
                Some([vec![mv], rest].concat())
            });
            let (first, second) = (wins.next(), wins.next());
            let Some(line) = first else {
                continue;
            };
            if second.is_some() {
                return None;
            }
            let others = moves.iter().filter(|&&mv| mv != line[0]);
            for &mv in others {
                if solver
                    .win(&position.after(mv), plies + margin - 1)
                    .is_some()
                {
                    return None;
                }
            }
            return (!solver.is_exhausted()).then(|| Puzzle {
                record: record.clone(),
                goal: Goal::Win,
                plies,
                line,
            });
        }
        None
    }

    fn save(record: &Record<G>, moves: &MoveList<G>, limits: PuzzleLimits) -> Option<Puzzle<G>> {
        let position = record.position();
        let opponent = position.side_to_move().opponent();
        let solver = || Solver::new(opponent, limits.positions, &|| false);
        // Without a threat, more than one move saves the game.
        let threat = position.after(Move::Pass);
        solver().quick().win(&threat, limits.plies - 1)?;
        Self::only_save(record, moves, limits, solver().quick(), MARGIN)?;
        Self::only_save(record, moves, limits, solver(), 0)
    }

    /// The puzzle if all moves but one lose, and that one not even within `margin` more plies.
    fn only_save(
        record: &Record<G>,
        moves: &MoveList<G>,
        limits: PuzzleLimits,
        mut solver: Solver<'_, G>,
        margin: u16,
    ) -> Option<Puzzle<G>> {
        let position = record.position();
        let mut solution = None;
        let mut slowest = 0;
        for &mv in moves.iter() {
            let after = position.after(mv);
            match shortest_win(&mut solver, &after, limits.plies - 1) {
                Some(plies) => slowest = slowest.max(plies + 1),
                None if solution.is_some() || solver.is_exhausted() => return None,
                None => solution = Some(mv),
            }
        }
        let solution = solution?;
        let loses_later = solver.win(&position.after(solution), limits.plies + margin - 1);
        (loses_later.is_none() && !solver.is_exhausted()).then(|| Puzzle {
            record: record.clone(),
            goal: Goal::Save,
            plies: slowest,
            line: vec![solution],
        })
    }
}

/// A feature of a puzzle's solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// It fills the last free field around the enemy queen.
    LastField,
    /// It moves onto the enemy queen.
    OnQueen,
    /// It moves an enemy piece.
    Throw,
    /// It moves the own queen.
    QueenMove,
    /// It places a piece.
    Drop,
    /// It leaves the enemy at least [`PINNED`] movable pieces fewer.
    Pin,
    /// It goes to no field around the enemy queen.
    Quiet,
}

/// Fewest enemy pieces that lose their mobility in [`Theme::Pin`].
const PINNED: usize = 2;

impl Theme {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Theme::LastField => "last-field",
            Theme::OnQueen => "on-queen",
            Theme::Throw => "throw",
            Theme::QueenMove => "queen-move",
            Theme::Drop => "drop",
            Theme::Pin => "pin",
            Theme::Quiet => "quiet",
        }
    }
}

impl<G: Game> Puzzle<G> {
    /// The themes of the solution's first move.
    pub fn themes(&self) -> Vec<Theme> {
        let (position, Some(&mv)) = (self.record.position(), self.line.first()) else {
            return Vec::new();
        };
        let side = position.side_to_move();
        let enemy = side.opponent();
        let after = position.after(mv);
        let queen = position.bee(enemy);
        let goes_to = |cell| mv.destination() == cell;
        let is_beside =
            |cell| G::Grid::ring(position.free(), cell) != G::Grid::ring(after.free(), cell);
        let movable = |position: &Position<G>| position.unpinned(enemy).count_cells();
        let mut themes = Vec::new();
        if self.goal == Goal::Win && position.free_around_bee(enemy) == Some(1) {
            themes.push(Theme::LastField);
        }
        if queen.is_some() && goes_to(queen) {
            themes.push(Theme::OnQueen);
        }
        match mv {
            Move::Place { .. } => themes.push(Theme::Drop),
            Move::Drag { from, .. } if position.tops(enemy).contains(from) => {
                themes.push(Theme::Throw);
            }
            Move::Drag { from, .. } if position.bee(side) == Some(from) => {
                themes.push(Theme::QueenMove);
            }
            _ => {}
        }
        if movable(position) >= movable(&after) + PINNED {
            themes.push(Theme::Pin);
        }
        if queen.is_some_and(|queen| !is_beside(queen)) && !goes_to(queen) {
            themes.push(Theme::Quiet);
        }
        themes
    }
}

/// Plies of the solver's shortest win, at most `plies`.
fn shortest_win<R: RuleBook>(
    solver: &mut Solver<'_, R>,
    position: &Position<R>,
    plies: u16,
) -> Option<u16> {
    (1..=plies).find(|&plies| solver.win(position, plies).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::Color;
    use wabe_hive::contest::{Contest, Deal, random_brambles};

    /// True if `winner` wins within `plies`, by plain minimax.
    fn wins(position: &Position<Contest>, winner: Color, plies: u16) -> bool {
        if let Some(outcome) = position.outcome() {
            return outcome.winner() == Some(winner);
        }
        if plies == 0 {
            return false;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut after = moves.iter().map(|&mv| position.after(mv));
        if position.side_to_move() == winner {
            after.any(|after| wins(&after, winner, plies - 1))
        } else {
            after.all(|after| wins(&after, winner, plies - 1))
        }
    }

    #[test]
    fn solutions_are_unique() {
        let limits = PuzzleLimits {
            plies: 2,
            positions: 100_000,
        };
        let mut found = [0; 2];
        for seed in 0..60 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let start = Deal::Contest.start(random_brambles(&mut rng));
            let mut record = Record::<Contest>::new(Deal::Contest, start);
            while let Some(mv) = record.position().random_move(&mut rng) {
                if let Some(puzzle) = Puzzle::find(&record, limits) {
                    let position = record.position();
                    let side = position.side_to_move();
                    let solution = puzzle.line[0];
                    let moves = record.legal_moves();
                    for &mv in moves.iter() {
                        let after = position.after(mv);
                        let (is_right, expected) = match puzzle.goal {
                            Goal::Win => (wins(&after, side, puzzle.plies - 1), mv == solution),
                            Goal::Save => (
                                !wins(&after, side.opponent(), puzzle.plies - 1),
                                mv == solution,
                            ),
                        };
                        assert_eq!(is_right, expected, "{position}: {mv}");
                    }
                    found[usize::from(puzzle.goal == Goal::Save)] += 1;
                }
                if record.play(mv).is_err() {
                    break;
                }
            }
        }
        assert!(found.iter().all(|&count| count > 0), "{found:?}");
    }
}
