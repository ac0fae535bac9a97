//! Puzzles: positions in which only one move wins by force, or all others lose by force.
//!
//! Both are proven by exhaustive search, not by the evaluation.

use wabe_hive::game::{Game, Record};
use wabe_hive::{Move, MoveList, Position, RuleBook};

use crate::search::Solver;
use crate::{Playable, SearchBoard};

/// The task of the side to move.
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
    /// The kind of solution.
    pub goal: Goal,
    /// Number of plies after which the win is complete, or the loss after any other move.
    pub plies: u16,
    /// To win: the solution and its principal variation. To save the game: the solution.
    pub line: Vec<Move<G>>,
}

/// The limits of a search for puzzles.
#[derive(Clone, Copy)]
pub struct PuzzleLimits<'a> {
    /// Maximum number of plies of a win or loss.
    pub plies: u16,
    /// Maximum number of positions of the [quick](Solver::quick) search that selects candidates.
    pub quick_positions: u32,
    /// Maximum number of positions of the proof.
    pub positions: u32,
    /// Ends the search, without a puzzle, once it returns true.
    pub is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// Fewest legal moves of a puzzle.
const MIN_MOVES: usize = 6;

/// Plies beyond the proof within which no other move may win, and within which the saving move may
/// not lose, as far as a [quick](Solver::quick) search sees.
const MARGIN: u16 = 2;

impl<G: Playable> Puzzle<G> {
    /// The puzzle in the last position of `record`, if it is one and the limits suffice for the
    /// proof.
    pub fn find(record: &Record<G>, limits: PuzzleLimits<'_>) -> Option<Puzzle<G>> {
        if record.is_over() {
            return None;
        }
        let position = record.position();
        let frame = G::Frame::for_plies(position, u32::from(limits.plies + MARGIN));
        let narrowed = frame.and_then(|frame| Some((frame, frame.narrow(position)?)));
        let Solution { goal, plies, line } = match narrowed {
            Some((frame, narrow)) => {
                let Solution { goal, plies, line } = Solution::of(&narrow, limits)?;
                let line = line.into_iter().map(|mv| frame.widen(mv)).collect();
                Solution { goal, plies, line }
            }
            None => Solution::of(position, limits)?,
        };
        // A search that was stopped may have missed other solutions.
        if (limits.is_stopped)() {
            return None;
        }
        Some(Puzzle {
            record: record.clone(),
            goal,
            plies,
            line,
        })
    }

    /// True if this puzzle has the goal of `earlier`, a puzzle of the same game, and comes later by
    /// at most its number of plies.
    pub fn is_continuation_of(&self, earlier: &Puzzle<G>) -> bool {
        let plies = |puzzle: &Puzzle<G>| puzzle.record.plies().len();
        self.goal == earlier.goal
            && plies(self) > plies(earlier)
            && plies(self) <= plies(earlier) + usize::from(earlier.plies)
    }
}

/// The solution of a puzzle, on the board of a search.
struct Solution<R: RuleBook> {
    goal: Goal,
    plies: u16,
    line: Vec<Move<R>>,
}

impl<R: RuleBook> Solution<R> {
    fn of(position: &Position<R>, limits: PuzzleLimits<'_>) -> Option<Self> {
        let moves = position.legal_moves();
        if moves.len() < MIN_MOVES {
            return None;
        }
        let side = position.side_to_move();
        let is_in_danger = |side| {
            let free = position.free_around_bee(side);
            free.is_some_and(|free| free <= u32::from(limits.plies / 2 + 2))
        };
        let win = is_in_danger(side.opponent()).then(|| Self::win(position, &moves, limits));
        win.flatten().or_else(|| {
            let save = is_in_danger(side).then(|| Self::save(position, &moves, limits));
            save.flatten()
        })
    }

    fn win(position: &Position<R>, moves: &MoveList<R>, limits: PuzzleLimits<'_>) -> Option<Self> {
        let side = position.side_to_move();
        let solver = |positions| Solver::new(side, positions);
        let quick = solver(limits.quick_positions).quick();
        Self::only_win(position, moves, limits, quick, MARGIN)?;
        Self::only_win(position, moves, limits, solver(limits.positions), 0)
    }

    /// The win if exactly one move wins, also with `margin` more plies.
    fn only_win(
        position: &Position<R>,
        moves: &MoveList<R>,
        limits: PuzzleLimits<'_>,
        mut solver: Solver<R>,
        margin: u16,
    ) -> Option<Self> {
        for plies in 1..=limits.plies {
            let mut wins = moves.iter().filter_map(|&mv| {
                let rest = solver.win(&position.after(mv), plies - 1, limits.is_stopped)?;
                Some([vec![mv], rest].concat())
            });
            let (first, second) = (wins.next(), wins.next());
            let Some(line) = first else {
                continue;
            };
            if second.is_some() {
                return None;
            }
            let mut others = moves.iter().filter(|&&mv| mv != line[0]);
            let plies_of_others = plies + margin - 1;
            let mut win = |mv| solver.win(&position.after(mv), plies_of_others, limits.is_stopped);
            if others.any(|&mv| win(mv).is_some()) {
                return None;
            }
            let goal = Goal::Win;
            return (!solver.is_exhausted()).then_some(Solution { goal, plies, line });
        }
        None
    }

    fn save(position: &Position<R>, moves: &MoveList<R>, limits: PuzzleLimits<'_>) -> Option<Self> {
        let opponent = position.side_to_move().opponent();
        let solver = |positions| Solver::new(opponent, positions);
        let quick = || solver(limits.quick_positions).quick();
        // Without a threat, more than one move saves the game.
        let threat = position.after(Move::Pass);
        quick().win(&threat, limits.plies - 1, limits.is_stopped)?;
        Self::only_save(position, moves, limits, quick(), MARGIN)?;
        Self::only_save(position, moves, limits, solver(limits.positions), 0)
    }

    /// The only move that does not lose, not even within `margin` more plies.
    fn only_save(
        position: &Position<R>,
        moves: &MoveList<R>,
        limits: PuzzleLimits<'_>,
        mut solver: Solver<R>,
        margin: u16,
    ) -> Option<Self> {
        let mut solution = None;
        let mut slowest = 0;
        for &mv in moves.iter() {
            let after = position.after(mv);
            let mut win = |plies| solver.win(&after, plies, limits.is_stopped);
            match (1..limits.plies).find(|&plies| win(plies).is_some()) {
                Some(plies) => slowest = slowest.max(plies + 1),
                None if solution.is_some() || solver.is_exhausted() => return None,
                None => solution = Some(mv),
            }
        }
        let solution = solution?;
        let after = position.after(solution);
        let plies = limits.plies + margin - 1;
        let loses_later = solver.win(&after, plies, limits.is_stopped);
        (loses_later.is_none() && !solver.is_exhausted()).then(|| Solution {
            goal: Goal::Save,
            plies: slowest,
            line: vec![solution],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::minimax_wins as wins;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::contest::{Contest, Deal, random_brambles};

    #[test]
    fn solutions_are_unique() {
        let limits = PuzzleLimits {
            plies: 2,
            quick_positions: 10_000,
            positions: 100_000,
            is_stopped: &|| false,
        };
        let mut found = [0; 2];
        for seed in 0..60 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let start = Deal::Contest.start(random_brambles(&mut rng));
            let mut record = Record::<Contest>::new(Deal::Contest, start);
            while let Some(mv) = record.position().random_move(&mut rng) {
                if let Some(puzzle) = Puzzle::find(&record, limits) {
                    let stopped = PuzzleLimits {
                        is_stopped: &|| true,
                        ..limits
                    };
                    assert!(Puzzle::find(&record, stopped).is_none());
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
