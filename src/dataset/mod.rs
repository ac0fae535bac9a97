//! Labelled positions: the training data of the network.
//!
//! A [`LabelledPosition`] is a position of a game, the score that the search expected there, and the game's result, both for the
//! side to move. A file of them begins with a header, the eight bytes `wabepos` and a version:
//!
//! - version 1 holds positions of the contest;
//! - version 2 holds those of any other game and continues with the game's name: a byte for its length, then the name.
//!
//! Records follow one another. The numbers marked with * take one byte in version 1 and two, little-endian, in version 2:
//!
//! | bytes | content |
//! |---|---|
//! | * | number of bytes that follow in the record |
//! | 4 | number of the game, little-endian; positions of one game share it |
//! | * | plies played |
//! | 2 | expected score of the side to move in thousandths, little-endian; 65535 if missing |
//! | 1 | result for the side to move: 0 loss, 1 draw, 2 win; 3 if the position did not occur in the game |
//! | 1 | plies from here to the end of the game; 255 if there are more, 0 if the position did not occur in the game |
//! | 1 for each kind | reserves: red's number + 16 · blue's; in the contest bee, spider, beetle, grasshopper, ant |
//! | * | number of obstacles, the contest's brambles |
//! | * each | fields of the obstacles |
//! | * + 1 each | pieces, those of one field from bottom to top: the field, then the kind, + 8 for blue's (+ 128 in version 2) |
//!
//! In version 2, 65535 and the legal moves with their visits may follow: for each move two bytes for the field that its piece leaves, or
//! 65280 plus the kind that is placed; two bytes for its destination; and a byte for the share of visits. Version 1 has no visits: the
//! contest's network has no policy.
//!
//! A field is `(2r + 1) · (x + r) + y + r`, where r is 5 in version 1 and 127 in version 2. The memory of the last ply is not kept: no
//! evaluation uses it, and the moves that it forbids are not among those with visits. A position of the contest takes about 48 bytes.

mod encoding;
mod files;
mod sample;
mod summary;

use std::fmt;

use crate::game::{Game, Record};
use crate::hive::{Color, Move, Position, RuleBook};
use crate::statistics::GameScore;

pub use files::{DatasetError, DatasetFile, DatasetReader, DatasetWriter, header};
pub use sample::Reservoir;
pub use summary::DatasetSummary;

/// A position with its expected score and its game's result.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPosition<R: RuleBook> {
    /// Number of its game.
    pub game: u32,
    /// The position.
    pub position: Position<R>,
    /// The score that the search expected for the side to move, in thousandths; `None` without a search.
    pub expected_thousandths: Option<u16>,
    /// The result of the game for the side to move; `None` for a position that was searched but did not occur.
    pub result: Option<GameScore>,
    /// Plies from here to the end of the game; 0 for a position that did not occur.
    pub plies_to_end: u8,
    /// All legal moves and how often the search visited them; empty if unknown. No move is a pass.
    pub visits: Vec<Visits<R>>,
}

/// Visits of a move in a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visits<R: RuleBook> {
    /// The move.
    pub mv: Move<R>,
    /// Its number of visits, in 255ths of those of the most visited move.
    pub share: u8,
}

impl<R: RuleBook> LabelledPosition<R> {
    /// The score that the search expected for the side to move, in `0..=1`.
    pub fn expected_score(&self) -> Option<f64> {
        self.expected_thousandths
            .map(|thousandths| f64::from(thousandths) / 1000.0)
    }

    /// The result of the game for the side to move, in `0..=1`; `None` for a position that did not occur.
    pub fn score(&self) -> Option<f64> {
        self.result
            .map(|result| f64::from(result.half_points()) / 2.0)
    }
}

/// Position, expected score, result (`-` for missing ones) and plies to the end, separated by tabs.
impl<R: RuleBook> fmt::Display for LabelledPosition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t", self.position)?;
        match self.expected_score() {
            Some(score) => write!(f, "{score:.3}")?,
            None => write!(f, "-")?,
        }
        match self.score() {
            Some(score) => write!(f, "\t{score}")?,
            None => write!(f, "\t-")?,
        }
        write!(f, "\t{}", self.plies_to_end)
    }
}

/// Labels each position of a game in which one of `moves` was made.
///
/// `opening` is the text of a record, `moves` are the texts of the moves after it, separated by `;`, and `scores` the scores in thousandths
/// that the sides expected when they made them. `None` for an unreadable opening and for illegal moves.
pub fn label<G: Game>(
    game: u32,
    opening: &str,
    moves: &str,
    scores: &[Option<u16>],
    winner: Option<Color>,
) -> Option<Vec<LabelledPosition<G>>> {
    let mut record: Record<G> = opening.parse().ok()?;
    let before = record.plies().len();
    record.play_texts(moves.split(';')).ok()?;
    let count = record.plies().len() - before;
    let positions = record.positions().skip(before).take(count);
    let labelled = positions
        .enumerate()
        .map(|(ply, position)| LabelledPosition {
            game,
            position,
            expected_thousandths: scores
                .get(ply)
                .copied()
                .flatten()
                .filter(|&score| score <= 1000),
            result: Some(result_for(position.side_to_move(), winner)),
            plies_to_end: u8::try_from(count - ply).unwrap_or(u8::MAX),
            visits: Vec::new(),
        });
    Some(labelled.collect())
}

/// True if files of `G` can hold visits.
pub fn tells_visits<G: Game>() -> bool {
    G::DATASET_VERSION > 1
}

/// The result of a game for `side`; a game without a winner is a draw.
pub fn result_for(side: Color, winner: Option<Color>) -> GameScore {
    match winner {
        Some(winner) if winner == side => GameScore::Win,
        Some(_) => GameScore::Loss,
        None => GameScore::Draw,
    }
}

/// A labelled position for tests.
#[cfg(test)]
fn example<G: Game>(game: u32, record: &str) -> LabelledPosition<G> {
    LabelledPosition {
        game,
        position: *record.parse::<Record<G>>().ok().unwrap().position(),
        expected_thousandths: Some(250),
        result: Some(GameScore::Win),
        plies_to_end: 9,
        visits: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;

    #[test]
    fn every_position_in_which_a_move_was_made_is_labelled() {
        let opening = "Base;InProgress;Black[1];wS1";
        let labelled = label::<Wide>(
            3,
            opening,
            "bG1 wS1-;wQ -wS1;bQ bG1/",
            &[Some(400), None, Some(1001)],
            Some(Color::Red),
        );
        let texts: Vec<_> = labelled.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "1 - 0,0:rS AAABBGGGQS/AAABBGGGQSS\t0.400\t0\t3",
                "2 - 0,0:rS;1,-1:bG AAABBGGGQS/AAABBGGQSS\t-\t1\t2",
                "3 - 0,0:rS;1,-1:bG;-1,1:rQ AAABBGGGS/AAABBGGQSS\t-\t0\t1",
            ]
        );
    }

    #[test]
    fn records_that_make_no_sense_give_nothing() {
        for (opening, moves) in [("nonsense", ""), ("0 - - AQ/AQ", "A 0,0;A 5,5")] {
            assert_eq!(
                label::<Contest>(0, opening, moves, &[], Some(Color::Red)),
                None
            );
        }
    }
}
