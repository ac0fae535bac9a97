//! The expected score that each move of a recorded game gave away.
//!
//! Every position has one value, from which the whole review follows. Its side to move gets the
//! better of two values: that of the next position, which the played move led to, and that of the
//! best other move, whose position is searched like those of the game. So the game's later moves
//! correct what earlier searches thought, a side cannot gain by its own move, and its loss is how
//! much more the other move was worth.

use super::{Analysis, Analyst, Value, only_move};
use crate::Playable;
use crate::search::{RootMove, Solved};
use wabe_hive::game::{Ply, Record, Repetition};
use wabe_hive::{Color, Move};

/// Smallest loss that counts, in expected score: less would be shown as 0.0%.
const MIN_LOSS: f64 = 0.0005;

/// Number of other moves that are tried while they turn out to lose.
const MAX_ALTERNATIVES: usize = 3;

/// A move of a game as the analyst sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedPly<G: Playable> {
    /// Plies played before.
    pub turn: u16,
    /// The move that was played.
    pub played: Ply<G>,
    /// The expectation of red, or white, before the move.
    pub red_before: Value,
    /// The expectation of red after it.
    pub red_after: Value,
    /// The better move, if there was one.
    pub mistake: Option<Mistake<G>>,
}

/// A move that was worse than another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake<G: Playable> {
    /// The better move.
    pub better: Ply<G>,
    /// The expected score that the mover gave away.
    pub loss: f64,
}

impl<G: Playable> ReviewedPly<G> {
    /// The expected score that the mover gave away, at least 0.
    pub fn loss(&self) -> f64 {
        self.mistake.as_ref().map_or(0.0, |mistake| mistake.loss)
    }
}

/// The review of a recorded game, position by position. To end it within a position, stop its
/// analysts.
pub struct GameReview<G: Playable> {
    /// Follows the game.
    analyst: Analyst<G>,
    /// Judges other moves, so that the tree of `analyst` can be kept from ply to ply.
    alternatives: Analyst<G>,
    game: Record<G>,
    /// Plies before the first position.
    from: usize,
    /// The game up to the position to look at next.
    record: Record<G>,
    studied: Vec<Studied<G>>,
    has_failed: bool,
}

impl<G: Playable> GameReview<G> {
    /// Begins at the position after `from` plies of the game, or at its last position. `analyst`
    /// follows the game, `alternatives` judges other moves than those of the game.
    pub fn new(
        game: Record<G>,
        from: usize,
        analyst: Analyst<G>,
        alternatives: Analyst<G>,
    ) -> GameReview<G> {
        let start = || Record::new(game.variant(), *game.start());
        let mut trial = start().with_repetition(game.repetition());
        let mut plies = game.plies().iter();
        // If a game continued after a draw by repetition, its players ignored repetition.
        let repetition = if plies.all(|ply| trial.play(ply.mv).is_ok()) {
            game.repetition()
        } else {
            Repetition::Ignore
        };
        let mut record = start().with_repetition(repetition);
        let skipped = game.plies().iter().take(from);
        let from = skipped
            .take_while(|ply| record.play(ply.mv).is_ok())
            .count();
        GameReview {
            analyst,
            alternatives,
            record,
            from,
            studied: Vec::with_capacity(game.plies().len() - from + 1),
            has_failed: false,
            game,
        }
    }

    /// The number of positions that were searched, and of all that will be.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.game.plies().len() - self.from + 1;
        (self.studied.len(), all)
    }

    /// True once every position was searched.
    pub fn is_over(&self) -> bool {
        let (done, all) = self.progress();
        self.has_failed || done >= all
    }

    /// The moves between the positions that were searched, with their number, from 1.
    pub fn plies(&self) -> impl Iterator<Item = (usize, ReviewedPly<G>)> + use<G> {
        (self.from + 1..).zip(reviewed(&self.studied))
    }
}

/// The findings of the searches in a position, as its side to move sees it.
struct Studied<G: Playable> {
    /// The move that was played, if the next recorded position is the one after it.
    played: Option<Ply<G>>,
    /// The expectation of a search; used only where no move was played.
    value: Value,
    /// The exact result, if it is known.
    proof: Option<Solved>,
    /// The exact result of the move that was played, if it is known.
    played_proof: Option<Solved>,
    /// The best other move.
    alternative: Option<(Ply<G>, Value)>,
    /// Plies played before.
    turn: u16,
}

impl<G: Playable> Studied<G> {
    fn unknown(turn: u16, played: Option<Ply<G>>) -> Studied<G> {
        Studied {
            turn,
            played,
            value: Value::Expected(0.5),
            proof: None,
            played_proof: None,
            alternative: None,
        }
    }
}

impl<G: Playable> GameReview<G> {
    /// Searches the next position of the game, if there is one.
    pub fn step(&mut self) {
        if self.is_over() {
            return;
        }
        let at = self.from + self.studied.len();
        let played = self.game.plies().get(at).cloned();
        let record = match &played {
            Some(_) => self.record.clone(),
            None => self.game.clone(),
        };
        let mut found = self.study(&record, played.as_ref());
        if let Some(before) = self.studied.last() {
            found.proof = found.proof.or(before.played_proof.map(Solved::reversed));
        }
        // Every move of a lost position loses, and an only move changes nothing.
        if found.proof == Some(Solved::Loss) || found.alternative.is_none() {
            found.played_proof = found.played_proof.or(found.proof);
        }
        self.studied.push(found);
        self.has_failed = played.is_some_and(|ply| self.record.play(ply.mv).is_err());
    }

    fn study(&mut self, record: &Record<G>, played: Option<&Ply<G>>) -> Studied<G> {
        let position = record.position();
        let mut studied = Studied::unknown(position.turn(), played.cloned());
        if let (None, Some(ending)) = (played, record.ending()) {
            studied.proof = Some(Solved::from_winner(
                ending.winner(),
                position.side_to_move(),
            ));
            return studied;
        }
        if played.is_some() && only_move(record).is_some() {
            return studied;
        }
        let Analysis { lines, value, .. } = self.analyst.analyze(record, usize::MAX);
        match value {
            Value::Proven(proof) => studied.proof = Some(proof),
            Value::Expected(_) => studied.value = value,
        }
        let Some(played) = played else {
            return studied;
        };
        let line = lines.iter().find(|line| line.mv == played.mv);
        studied.played_proof = line.and_then(|line| line.proof);
        if studied.played_proof != Some(Solved::Win) {
            let alternative = self.alternative(record, &lines, played.mv);
            studied.alternative = alternative.map(|(mv, value)| {
                let text = record.write(mv);
                (Ply { mv, text }, value)
            });
        }
        studied
    }

    /// The best move other than the played one, and its value.
    fn alternative(
        &mut self,
        record: &Record<G>,
        lines: &[RootMove<G>],
        played: Move<G>,
    ) -> Option<(Move<G>, Value)> {
        let mut best: Option<(Move<G>, Value)> = None;
        let others = lines.iter().filter(|line| line.mv != played);
        for line in others.take(MAX_ALTERNATIVES) {
            let value = match line.proof {
                Some(proof) => Value::Proven(proof),
                None => self.value_after(record, line.mv),
            };
            if best.is_none_or(|(_, best)| value.score() > best.score()) {
                best = Some((line.mv, value));
            }
            if value != Value::Proven(Solved::Loss) {
                break;
            }
        }
        best
    }

    /// The value of a move for the side to move.
    fn value_after(&mut self, record: &Record<G>, mv: Move<G>) -> Value {
        self.alternatives.forget();
        let mut next = record.clone();
        // An illegal move would leave the game as it is.
        match next.play(mv) {
            Ok(()) => self.alternatives.analyze(&next, 1).value.reversed(),
            Err(_) => Value::Proven(Solved::Loss),
        }
    }
}

impl<G: Playable> Studied<G> {
    /// The expectation of the side to move, and its mistake, if the played move was one. `after` is
    /// its expectation after that move.
    fn judge(&self, after: Value) -> (Value, Option<Mistake<G>>) {
        let kept = match &self.alternative {
            None => after,
            Some((_, value)) if value.score() - after.score() >= MIN_LOSS => value.at_least(),
            Some(_) => after.at_least(),
        };
        let before = self.proof.map_or(kept, Value::Proven);
        let loss = before.score() - after.score();
        let mistake = match &self.alternative {
            Some((better, _)) if loss >= MIN_LOSS => Some(Mistake {
                better: better.clone(),
                loss,
            }),
            _ => None,
        };
        (before, mistake)
    }
}

/// The values of all positions, from the last one back, and the mistakes between them.
fn reviewed<G: Playable>(studied: &[Studied<G>]) -> Vec<ReviewedPly<G>> {
    let mut plies = Vec::with_capacity(studied.len());
    let mut next: Option<Value> = None;
    for found in studied.iter().rev() {
        let own = found.proof.map_or(found.value, Value::Proven);
        let Some(after) = next.map(Value::reversed) else {
            next = Some(own);
            continue;
        };
        let (before, mistake) = found.judge(after);
        next = Some(before);
        let red = |value: Value| match Color::to_move(found.turn) {
            Color::Red => value,
            Color::Blue => value.reversed(),
        };
        plies.extend(found.played.clone().map(|played| ReviewedPly {
            turn: found.turn,
            played,
            red_before: red(before),
            red_after: red(after),
            mistake,
        }));
    }
    plies.reverse();
    plies
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::Contest;

    fn pass() -> Ply<Contest> {
        Ply {
            mv: Move::Pass,
            text: "skip".to_owned(),
        }
    }

    fn judge(alternative: Option<Value>, after: Value, proof: Option<Solved>) -> (Value, f64) {
        let studied: Studied<Contest> = Studied {
            alternative: alternative.map(|value| (pass(), value)),
            proof,
            ..Studied::unknown(0, Some(pass()))
        };
        let (before, mistake) = studied.judge(after);
        (before, mistake.map_or(0.0, |mistake| mistake.loss))
    }

    #[test]
    fn positions_are_worth_their_better_move() {
        use Value::{Expected, Proven};
        let worse = judge(Some(Expected(0.75)), Expected(0.5), None);
        assert_eq!(worse, (Expected(0.75), 0.25));
        let better = judge(Some(Expected(0.25)), Expected(0.5), None);
        assert_eq!(better, (Expected(0.5), 0.0));
        let hardly_worse = judge(Some(Expected(0.5004)), Expected(0.5), None);
        assert_eq!(hardly_worse, (Expected(0.5), 0.0));
        let only_move = judge(None, Proven(Solved::Loss), None);
        assert_eq!(only_move, (Proven(Solved::Loss), 0.0));
        let missed_win = judge(Some(Proven(Solved::Win)), Expected(0.5), Some(Solved::Win));
        assert_eq!(missed_win, (Proven(Solved::Win), 0.5));
    }

    #[test]
    fn draws_or_losses_need_every_move_known() {
        use Value::{Expected, Proven};
        let missed_draw = judge(Some(Proven(Solved::Draw)), Proven(Solved::Loss), None);
        assert_eq!(missed_draw, (Expected(0.5), 0.5));
        let both_lose = judge(Some(Proven(Solved::Loss)), Proven(Solved::Loss), None);
        assert_eq!(both_lose, (Expected(0.0), 0.0));
        let all_lose = judge(
            Some(Proven(Solved::Loss)),
            Proven(Solved::Loss),
            Some(Solved::Loss),
        );
        assert_eq!(all_lose, (Proven(Solved::Loss), 0.0));
        let wins_too = judge(Some(Expected(0.9)), Proven(Solved::Win), None);
        assert_eq!(wins_too, (Proven(Solved::Win), 0.0));
    }
}
