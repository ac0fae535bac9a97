//! Reviews of recorded games: the expected score that each move lost.
//!
//! Values are computed from the last position backwards. The value of a position is the higher of
//! two values: that of the move played, taken from the next position, and that of the best
//! alternative, which is searched separately. So later positions correct earlier searches, and no
//! move gains expected score. The loss of a move is the value of the alternative minus its own.

use super::{Analysis, Analyzer, Value, only_move};
use crate::Playable;
use crate::search::{RootMove, Solved};
use wabe_hive::game::{Ply, Record, Repetition};
use wabe_hive::{Color, Move};

/// Minimum loss of expected score that counts as a mistake. Smaller losses are displayed as 0.0%.
const MIN_LOSS: f64 = 0.0005;

/// Maximum number of alternatives to search while all of them are proven losses.
const MAX_ALTERNATIVES: usize = 3;

/// A move of a game and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedPly<G: Playable> {
    /// Number of plies before the move.
    pub turn: u16,
    /// The move played.
    pub played: Ply<G>,
    /// The value for red or white before the move.
    pub red_before: Value,
    /// The value for red or white after the move.
    pub red_after: Value,
    /// The better move, if there was one.
    pub mistake: Option<Mistake<G>>,
}

/// A better move than the one played.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake<G: Playable> {
    /// The better move.
    pub better: Ply<G>,
    /// The expected score that the mover lost, above 0.
    pub loss: f64,
}

impl<G: Playable> ReviewedPly<G> {
    /// The expected score that the mover lost, at least 0.
    pub fn loss(&self) -> f64 {
        self.mistake.as_ref().map_or(0.0, |mistake| mistake.loss)
    }
}

/// Reviews a recorded game position by position. A running search can be interrupted through the
/// stop signals of the analysts.
pub struct GameReview<G: Playable> {
    /// Searches the positions of the game.
    analyzer: Analyzer<G>,
    /// Searches the positions after other moves, so that `analyzer` can keep its tree from ply to
    /// ply.
    alternatives: Analyzer<G>,
    game: Record<G>,
    /// Number of plies before the first position.
    skipped: usize,
    /// The game up to the next position.
    record: Record<G>,
    searched: Vec<SearchedPosition<G>>,
    has_failed: bool,
}

impl<G: Playable> GameReview<G> {
    /// Starts at the position after `skipped` plies, or at the last one of a shorter game.
    /// `analyzer` searches the positions of the game, `alternatives` those after other moves.
    pub fn new(
        game: Record<G>,
        skipped: usize,
        analyzer: Analyzer<G>,
        alternatives: Analyzer<G>,
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
        let skipped = (game.plies().iter().take(skipped))
            .take_while(|ply| record.play(ply.mv).is_ok())
            .count();
        GameReview {
            analyzer,
            alternatives,
            record,
            skipped,
            searched: Vec::with_capacity(game.plies().len() - skipped + 1),
            has_failed: false,
            game,
        }
    }

    /// The number of positions searched so far, and in total.
    pub fn progress(&self) -> (usize, usize) {
        let all = self.game.plies().len() - self.skipped + 1;
        (self.searched.len(), all)
    }

    /// True once all positions have been searched or a move has proved illegal.
    pub fn is_over(&self) -> bool {
        let (done, all) = self.progress();
        self.has_failed || done >= all
    }

    /// The moves between the positions searched so far, numbered from 1.
    pub fn plies(&self) -> impl Iterator<Item = (usize, ReviewedPly<G>)> + use<G> {
        (self.skipped + 1..).zip(review_plies(&self.searched))
    }
}

/// The results of searching a position, for its side to move.
struct SearchedPosition<G: Playable> {
    /// The move played; `None` in the last position.
    played: Option<Ply<G>>,
    /// The value of the search, used only in the last position.
    value: Value,
    /// The exact result, if known.
    proof: Option<Solved>,
    /// The exact result of the move played, if known.
    played_proof: Option<Solved>,
    /// The best other move and its value.
    alternative: Option<(Ply<G>, Value)>,
    /// Number of plies before the position.
    turn: u16,
}

impl<G: Playable> SearchedPosition<G> {
    fn unknown(turn: u16, played: Option<Ply<G>>) -> SearchedPosition<G> {
        SearchedPosition {
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
        let index = self.skipped + self.searched.len();
        let played = self.game.plies().get(index).cloned();
        let record = match &played {
            Some(_) => self.record.clone(),
            None => self.game.clone(),
        };
        let mut found = self.search_position(&record, played.as_ref());
        if let Some(before) = self.searched.last() {
            found.proof = found.proof.or(before.played_proof.map(Solved::reversed));
        }
        // In a lost position every move loses. A forced move has the value of its position.
        if found.proof == Some(Solved::Loss) || found.alternative.is_none() {
            found.played_proof = found.played_proof.or(found.proof);
        }
        self.searched.push(found);
        self.has_failed = played.is_some_and(|ply| self.record.play(ply.mv).is_err());
    }

    fn search_position(
        &mut self,
        record: &Record<G>,
        played: Option<&Ply<G>>,
    ) -> SearchedPosition<G> {
        let position = record.position();
        let mut searched = SearchedPosition::unknown(position.turn(), played.cloned());
        if let (None, Some(ending)) = (played, record.ending()) {
            searched.proof = Some(Solved::from_winner(
                ending.winner(),
                position.side_to_move(),
            ));
            return searched;
        }
        if played.is_some() && only_move(record).is_some() {
            return searched;
        }
        let Analysis { lines, value, .. } = self.analyzer.analyze(record, usize::MAX);
        match value {
            Value::Proven(proof) => searched.proof = Some(proof),
            Value::Expected(_) => searched.value = value,
        }
        let Some(played) = played else {
            return searched;
        };
        let line = lines.iter().find(|line| line.mv == played.mv);
        searched.played_proof = line.and_then(|line| line.proof);
        if searched.played_proof != Some(Solved::Win) {
            let alternative = self.alternative(record, &lines, played.mv);
            searched.alternative = alternative.map(|(mv, value)| {
                let text = record.write(mv);
                (Ply { mv, text }, value)
            });
        }
        searched
    }

    /// The best move other than the one played, and its value.
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
        // `play` leaves the game unchanged if the move is illegal.
        match next.play(mv) {
            Ok(()) => self.alternatives.analyze(&next, 1).value.reversed(),
            Err(_) => Value::Proven(Solved::Loss),
        }
    }
}

impl<G: Playable> SearchedPosition<G> {
    /// The value before the move, and the mistake if the move was one. `after` is the value after
    /// the move. Values are for the side to move.
    fn assess(&self, after: Value) -> (Value, Option<Mistake<G>>) {
        let best = match &self.alternative {
            None => after,
            Some((_, value)) if value.score() - after.score() >= MIN_LOSS => value.at_least(),
            Some(_) => after.at_least(),
        };
        let before = self.proof.map_or(best, Value::Proven);
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

/// Computes the values of all positions from the last one backwards, and the mistakes between them.
fn review_plies<G: Playable>(searched: &[SearchedPosition<G>]) -> Vec<ReviewedPly<G>> {
    let mut plies = Vec::with_capacity(searched.len());
    let mut next: Option<Value> = None;
    for found in searched.iter().rev() {
        let value = found.proof.map_or(found.value, Value::Proven);
        let Some(after) = next.map(Value::reversed) else {
            next = Some(value);
            continue;
        };
        let (before, mistake) = found.assess(after);
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

    fn assess(alternative: Option<Value>, after: Value, proof: Option<Solved>) -> (Value, f64) {
        let searched: SearchedPosition<Contest> = SearchedPosition {
            alternative: alternative.map(|value| (pass(), value)),
            proof,
            ..SearchedPosition::unknown(0, Some(pass()))
        };
        let (before, mistake) = searched.assess(after);
        (before, mistake.map_or(0.0, |mistake| mistake.loss))
    }

    #[test]
    fn position_has_the_value_of_its_better_move() {
        use Value::{Expected, Proven};
        let worse = assess(Some(Expected(0.75)), Expected(0.5), None);
        assert_eq!(worse, (Expected(0.75), 0.25));
        let better = assess(Some(Expected(0.25)), Expected(0.5), None);
        assert_eq!(better, (Expected(0.5), 0.0));
        let hardly_worse = assess(Some(Expected(0.5004)), Expected(0.5), None);
        assert_eq!(hardly_worse, (Expected(0.5), 0.0));
        let only_move = assess(None, Proven(Solved::Loss), None);
        assert_eq!(only_move, (Proven(Solved::Loss), 0.0));
        let missed_win = assess(Some(Proven(Solved::Win)), Expected(0.5), Some(Solved::Win));
        assert_eq!(missed_win, (Proven(Solved::Win), 0.5));
    }

    #[test]
    fn proven_value_needs_all_moves_proven() {
        use Value::{Expected, Proven};
        let missed_draw = assess(Some(Proven(Solved::Draw)), Proven(Solved::Loss), None);
        assert_eq!(missed_draw, (Expected(0.5), 0.5));
        let both_lose = assess(Some(Proven(Solved::Loss)), Proven(Solved::Loss), None);
        assert_eq!(both_lose, (Expected(0.0), 0.0));
        let all_lose = assess(
            Some(Proven(Solved::Loss)),
            Proven(Solved::Loss),
            Some(Solved::Loss),
        );
        assert_eq!(all_lose, (Proven(Solved::Loss), 0.0));
        let wins_too = assess(Some(Expected(0.9)), Proven(Solved::Win), None);
        assert_eq!(wins_too, (Proven(Solved::Win), 0.0));
    }
}
