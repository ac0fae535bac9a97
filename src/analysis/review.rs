//! What each move of a recorded game gave away.
//!
//! Every position has one value, from which everything that a review says follows: its side to move can have the better of two
//! things, what came of the move that was played, which is the value of the next position, and the best other move, whose
//! position is searched like those of the game. So the game's later moves correct what a search thought before them, a side
//! cannot gain by its own move, and what it loses is what the other move was worth more.

use super::{Analysis, Analyst, Value, only_move};
use crate::hive::{Color, Move, Position, RuleBook};
use crate::search::{Evaluator, Line, Proof};

/// What is lost is counted from here on, in expected score: less would be shown as 0.0%.
const LEAST_LOSS: f64 = 0.0005;

/// How many other moves are looked at while they turn out to lose.
const MOST_ALTERNATIVES: usize = 3;

/// A recorded position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<R: RuleBook> {
    /// The position.
    pub position: Position<R>,
    /// The move that led to it, if the recording names a possible one.
    pub last_move: Option<Move<R>>,
    /// What the side to move gets, where that is decided by more than the position: a draw by repetition.
    pub ended: Option<Proof>,
}

/// A move of a game as the analyst sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedPly<R: RuleBook> {
    /// Plies played before.
    pub turn: u16,
    /// The move that was played.
    pub played: Move<R>,
    /// What red, or white, could expect before the move.
    pub red_before: Value,
    /// What red could expect after it.
    pub red_after: Value,
    /// What was better, if something was.
    pub mistake: Option<Mistake<R>>,
}

/// A move that was worse than another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake<R: RuleBook> {
    /// The better move.
    pub better: Move<R>,
    /// How much expected score the mover gave away.
    pub loss: f64,
}

impl<R: RuleBook> ReviewedPly<R> {
    /// Who moved.
    pub fn mover(&self) -> Color {
        Color::to_move(self.turn)
    }

    /// How much expected score the mover gave away, at least 0.
    pub fn loss(&self) -> f64 {
        self.mistake.as_ref().map_or(0.0, |mistake| mistake.loss)
    }
}

/// Looks at the moves of whole games.
#[derive(Debug)]
pub struct Reviewer<R: RuleBook, E> {
    /// Follows the game.
    game: Analyst<R, E>,
    /// Looks at other moves, so that the first one's tree can be kept from ply to ply.
    alternatives: Analyst<R, E>,
}

/// What the searches found out about a position, as its side to move sees it.
struct Studied<R: RuleBook> {
    /// The move that was played, if the next recorded position is the one after it.
    played: Option<Move<R>>,
    /// What a search expects; only where nothing was played.
    value: Value,
    /// The exact result, if it is known.
    proof: Option<Proof>,
    /// The exact result of the move that was played, if it is known.
    played_proof: Option<Proof>,
    /// The best other move.
    alternative: Option<(Move<R>, Value)>,
}

impl<R: RuleBook> Studied<R> {
    fn unknown(played: Option<Move<R>>) -> Studied<R> {
        Studied {
            played,
            value: Value::Expected(0.5),
            proof: None,
            played_proof: None,
            alternative: None,
        }
    }
}

impl<R: RuleBook, E: Evaluator<R>> Reviewer<R, E> {
    /// A reviewer whose searches are those of two analysts.
    pub fn new(game: Analyst<R, E>, alternatives: Analyst<R, E>) -> Reviewer<R, E> {
        Reviewer { game, alternatives }
    }

    /// Every move of a recorded game whose position before it was recorded too, in order. `progress` hears of each position
    /// before it is searched.
    pub fn review(
        &mut self,
        steps: &[Step<R>],
        mut progress: impl FnMut(usize, usize),
    ) -> Vec<ReviewedPly<R>> {
        self.game.forget();
        let mut studied: Vec<Studied<R>> = Vec::with_capacity(steps.len());
        for (i, step) in steps.iter().enumerate() {
            progress(i, steps.len());
            // Where the recording is damaged, plies are missing.
            let next = steps.get(i + 1);
            let next = next.filter(|next| next.position.turn() == step.position.turn() + 1);
            let mut found = self.study(step, next.and_then(|next| next.last_move));
            let before = i.checked_sub(1).and_then(|before| studied.get(before));
            if let Some(before) = before.filter(|before| before.played.is_some()) {
                found.proof = found.proof.or(before.played_proof.map(Proof::reversed));
            }
            // Every move of a lost position loses, and an only move changes nothing.
            if found.proof == Some(Proof::Loss) || found.alternative.is_none() {
                found.played_proof = found.played_proof.or(found.proof);
            }
            studied.push(found);
        }
        reviewed(steps, &studied)
    }

    fn study(&mut self, step: &Step<R>, played: Option<Move<R>>) -> Studied<R> {
        let mut studied = Studied::unknown(played);
        let position = &step.position;
        if played.is_none() && step.ended.is_some() {
            studied.proof = step.ended;
            return studied;
        }
        if played.is_some() && only_move(position).is_some() {
            return studied;
        }
        let Analysis { lines, value, .. } = self.game.analyze(position, usize::MAX);
        match value {
            Value::Proven(proof) => studied.proof = Some(proof),
            Value::Expected(_) => studied.value = value,
        }
        let Some(played) = played else {
            return studied;
        };
        let line = lines.iter().find(|line| line.mv == played);
        studied.played_proof = line.and_then(|line| line.proof);
        if studied.played_proof != Some(Proof::Win) {
            studied.alternative = self.alternative(position, &lines, played);
        }
        studied
    }

    /// The best move but the one that was played, and what it leads to.
    fn alternative(
        &mut self,
        position: &Position<R>,
        lines: &[Line<R>],
        played: Move<R>,
    ) -> Option<(Move<R>, Value)> {
        let mut best: Option<(Move<R>, Value)> = None;
        let others = lines.iter().filter(|line| line.mv != played);
        for line in others.take(MOST_ALTERNATIVES) {
            let value = match line.proof {
                Some(proof) => Value::Proven(proof),
                None => self.value_after(position, line.mv),
            };
            if best.is_none_or(|(_, best)| value.score() > best.score()) {
                best = Some((line.mv, value));
            }
            if value != Value::Proven(Proof::Loss) {
                break;
            }
        }
        best
    }

    /// What the side to move can expect after a move.
    fn value_after(&mut self, position: &Position<R>, mv: Move<R>) -> Value {
        self.alternatives.forget();
        let next = position.after(mv);
        self.alternatives.analyze(&next, 1).value.reversed()
    }
}

impl<R: RuleBook> Studied<R> {
    /// What the side to move can expect, and what was better than the move that was played, after which it can expect `after`.
    fn judge(&self, after: Value) -> (Value, Option<Mistake<R>>) {
        let kept = match self.alternative {
            None => after,
            Some((_, value)) if value.score() - after.score() >= LEAST_LOSS => value.at_least(),
            Some(_) => after.at_least(),
        };
        let before = self.proof.map_or(kept, Value::Proven);
        let loss = before.score() - after.score();
        let alternative = self.alternative.filter(|_| loss >= LEAST_LOSS);
        let mistake = alternative.map(|(better, _)| Mistake { better, loss });
        (before, mistake)
    }
}

/// The values of all positions from the last one back, and what they say of the moves in between.
fn reviewed<R: RuleBook>(steps: &[Step<R>], studied: &[Studied<R>]) -> Vec<ReviewedPly<R>> {
    let mut plies = Vec::with_capacity(steps.len());
    let mut next: Option<Value> = None;
    for (Step { position, .. }, found) in steps.iter().zip(studied).rev() {
        let side = position.side_to_move();
        let own = found.proof.map_or(found.value, Value::Proven);
        next = Some(match (found.played, next) {
            (Some(played), Some(next)) => {
                let after = next.reversed();
                let (before, mistake) = found.judge(after);
                let red = |value: Value| match side {
                    Color::Red => value,
                    Color::Blue => value.reversed(),
                };
                plies.push(ReviewedPly {
                    turn: position.turn(),
                    played,
                    red_before: red(before),
                    red_after: red(after),
                    mistake,
                });
                before
            }
            _ => own,
        });
    }
    plies.reverse();
    plies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::{Contest, Move};

    fn judge(alternative: Option<Value>, after: Value, proof: Option<Proof>) -> (Value, f64) {
        let studied: Studied<Contest> = Studied {
            alternative: alternative.map(|value| (Move::Pass, value)),
            proof,
            ..Studied::unknown(Some(Move::Pass))
        };
        let (before, mistake) = studied.judge(after);
        (before, mistake.map_or(0.0, |mistake| mistake.loss))
    }

    #[test]
    fn a_position_is_worth_the_better_of_the_move_that_was_played_and_the_best_other_one() {
        use Value::{Expected, Proven};
        let worse = judge(Some(Expected(0.75)), Expected(0.5), None);
        assert_eq!(worse, (Expected(0.75), 0.25));
        let better = judge(Some(Expected(0.25)), Expected(0.5), None);
        assert_eq!(better, (Expected(0.5), 0.0));
        let hardly_worse = judge(Some(Expected(0.5004)), Expected(0.5), None);
        assert_eq!(hardly_worse, (Expected(0.5), 0.0));
        let only_move = judge(None, Proven(Proof::Loss), None);
        assert_eq!(only_move, (Proven(Proof::Loss), 0.0));
        let missed_win = judge(Some(Proven(Proof::Win)), Expected(0.5), Some(Proof::Win));
        assert_eq!(missed_win, (Proven(Proof::Win), 0.5));
    }

    #[test]
    fn a_draw_or_a_loss_is_certain_only_when_every_move_is_known() {
        use Value::{Expected, Proven};
        let missed_draw = judge(Some(Proven(Proof::Draw)), Proven(Proof::Loss), None);
        assert_eq!(missed_draw, (Expected(0.5), 0.5));
        let both_lose = judge(Some(Proven(Proof::Loss)), Proven(Proof::Loss), None);
        assert_eq!(both_lose, (Expected(0.0), 0.0));
        let all_lose = judge(
            Some(Proven(Proof::Loss)),
            Proven(Proof::Loss),
            Some(Proof::Loss),
        );
        assert_eq!(all_lose, (Proven(Proof::Loss), 0.0));
        let wins_too = judge(Some(Expected(0.9)), Proven(Proof::Win), None);
        assert_eq!(wins_too, (Proven(Proof::Win), 0.0));
    }
}
