//! The results of a game and of a pair of games.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ArenaGame;
use crate::dataset::result_for;
use crate::statistics::GameScore;
use wabe_contest::protocol::{Cause, MALFORMED};
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::{Adjudication, Ending, Record, Side};
use wabe_hive::{ByColor, Color, Outcome};

/// The winner. In standard Hive, white is red and black is blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// Red won.
    Red,
    /// Blue won.
    Blue,
    /// A draw.
    Draw,
}

impl GameResult {
    /// The result when `winner` has won.
    pub fn win_of(winner: Color) -> GameResult {
        match winner {
            Color::Red => GameResult::Red,
            Color::Blue => GameResult::Blue,
        }
    }

    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::Red => Some(Color::Red),
            GameResult::Blue => Some(Color::Blue),
            GameResult::Draw => None,
        }
    }
}

/// The reason why a game ended. A fault is always the loser's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// A bee was surrounded.
    Surrounded,
    /// Both bees were surrounded.
    BothSurrounded,
    /// After the last round one bee had more free fields.
    MoreFreeFields,
    /// After the last round both bees had equally many free fields.
    EqualFreeFields,
    /// The same position occurred for the third time.
    Repetition,
    /// The game reached its limit on plies.
    PlyLimit,
    /// The players agreed to a draw.
    Agreement,
    /// The loser gave up.
    Resignation,
    /// An engine claimed a draw by another rule of repetition than ours. Neither side is at fault.
    DisputedEnd,
    /// The loser answered too late.
    Time,
    /// The loser made an illegal move.
    IllegalMove,
    /// The loser did not answer at all.
    Hang,
    /// The loser crashed.
    Crash,
    /// The loser left the game without crashing.
    Left,
    /// The loser sent a message that cannot be read.
    Malformed,
    /// The loser never joined.
    NeverJoined,
    /// The loser rejected a legal game or move, or refused to give a move.
    Refusal,
    /// The loser claimed that the game was over when it was not.
    FalseEnd,
}

impl GameEnd {
    /// A name for it; the loser's fault as a predicate, or empty; and the cause of the loser's
    /// score in the contest's terms.
    fn words(self) -> (&'static str, &'static str, Cause) {
        use Cause::{HardTimeout, Left, Regular, RuleViolation, SoftTimeout};
        match self {
            GameEnd::Surrounded => ("surrounded", "", Regular),
            GameEnd::BothSurrounded => ("both surrounded", "", Regular),
            GameEnd::MoreFreeFields => ("more free fields", "", Regular),
            GameEnd::EqualFreeFields => ("equal free fields", "", Regular),
            GameEnd::Repetition => ("repetition", "", Regular),
            GameEnd::PlyLimit => ("ply limit", "", Regular),
            GameEnd::Agreement => ("agreement", "", Regular),
            GameEnd::Resignation => ("resignation", "", Regular),
            GameEnd::DisputedEnd => ("disputed end", "", Regular),
            GameEnd::Time => ("time", "answered too late", SoftTimeout),
            GameEnd::IllegalMove => ("illegal move", "made an illegal move", RuleViolation),
            GameEnd::Hang => ("hang", "did not answer", HardTimeout),
            GameEnd::Crash => ("crash", "left the game", Left),
            GameEnd::Left => ("left", "left the game", Left),
            GameEnd::Malformed => ("malformed message", MALFORMED, Left),
            GameEnd::NeverJoined => ("never joined", "did not join the game", Left),
            GameEnd::Refusal => ("refusal", "refused a legal game or move", Left),
            GameEnd::FalseEnd => ("false end", "took the game for over", Left),
        }
    }

    /// True if the game was played to an end by the rules.
    pub fn is_regular(self) -> bool {
        self.cause().is_none() && self != GameEnd::DisputedEnd
    }

    /// The loser's fault as a predicate; `None` for an end without one.
    pub fn fault(self) -> Option<&'static str> {
        let (_, fault, _) = self.words();
        Some(fault).filter(|fault| !fault.is_empty())
    }

    /// The cause of the loser's score in the contest; `None` for an end without a fault.
    pub(super) fn cause(self) -> Option<Cause> {
        let (_, _, cause) = self.words();
        Some(cause).filter(|&cause| cause != Cause::Regular)
    }
}

impl From<Ending> for GameEnd {
    fn from(ending: Ending) -> GameEnd {
        match ending {
            Ending::Rules(Outcome::Surrounded(_)) => GameEnd::Surrounded,
            Ending::Rules(Outcome::MoreFreeFields(_)) => GameEnd::MoreFreeFields,
            Ending::Rules(Outcome::BothSurrounded) => GameEnd::BothSurrounded,
            Ending::Rules(Outcome::EqualFreeFields) => GameEnd::EqualFreeFields,
            Ending::Repetition => GameEnd::Repetition,
            Ending::Agreement(Adjudication::Draw) => GameEnd::Agreement,
            Ending::Agreement(Adjudication::Resignation(_)) => GameEnd::Resignation,
        }
    }
}

impl From<Ending> for GameResult {
    fn from(ending: Ending) -> GameResult {
        ending.winner().map_or(GameResult::Draw, GameResult::win_of)
    }
}

impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, ..) = self.words();
        f.write_str(name)
    }
}

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Index of the engine that played red.
    pub red: usize,
    /// Index of the engine that played blue.
    pub blue: usize,
    /// The result.
    pub result: GameResult,
    /// Why the game ended.
    pub end: GameEnd,
    /// Details of the loser's fault; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The moves after the opening, in their text form, separated by `;`.
    pub moves: String,
    /// Time taken for each of these moves, in microseconds.
    pub micros: Vec<u64>,
    /// Expected score of the side that made the move, in thousandths; `None` without one.
    pub scores: Vec<Option<u16>>,
    /// Search iterations for each move.
    pub nodes: Vec<u64>,
}

impl GameRecord {
    /// A game without moves between the engines with these indices.
    pub(super) fn new(engines: ByColor<usize>) -> GameRecord {
        GameRecord {
            red: engines.red,
            blue: engines.blue,
            result: GameResult::Draw,
            end: GameEnd::PlyLimit,
            detail: String::new(),
            moves: String::new(),
            micros: Vec::new(),
            scores: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// The engine that played `color`.
    pub fn engine(&self, color: Color) -> usize {
        match color {
            Color::Red => self.red,
            Color::Blue => self.blue,
        }
    }

    /// Adds a move in its text form, the time it took, the expected score of the side that made it,
    /// and the search iterations spent on it.
    pub(super) fn add_move(&mut self, mv: &str, took: Duration, score: Option<f64>, nodes: u64) {
        if !self.moves.is_empty() {
            self.moves.push(';');
        }
        self.moves.push_str(mv);
        self.micros
            .push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        let thousandths = |score: f64| (score.clamp(0.0, 1.0) * 1000.0).round() as u16;
        self.scores.push(score.map(thousandths));
        self.nodes.push(nodes);
    }

    /// The result and its reason in a sentence, such as `red wins: blue left the game`. An end by
    /// the rules is described by `by_rules`.
    pub fn sentence<G: ArenaGame>(&self, by_rules: Option<Ending>) -> String {
        match (by_rules, self.end.fault(), self.result.winner()) {
            (_, Some(fault), Some(winner)) => {
                let loser = G::SIDES[winner.opponent()];
                format!("{} wins: {loser} {fault}", G::SIDES[winner])
            }
            (Some(ending), ..) => ending.sentence::<G>(),
            _ => self.ending(G::SIDES),
        }
    }

    /// The fault of the loser in as much detail as is known, such as
    /// `answered too late (after 2.102 s, 0.102 s too late)`; `None` for an end without a fault.
    pub fn fault(&self) -> Option<String> {
        let fault = self.end.fault()?;
        let detail = printable(&self.detail, 2 * MAX_DETAIL);
        Some(match self.end {
            _ if detail.is_empty() => fault.to_owned(),
            GameEnd::NeverJoined => detail,
            _ => format!("{fault} ({detail})"),
        })
    }

    /// The result and its reason, such as `red wins: crash`.
    pub fn ending(&self, sides: ByColor<Side>) -> String {
        match self.result.winner() {
            Some(winner) => format!("{} wins: {}", sides[winner], self.end),
            None => format!("draw: {}", self.end),
        }
    }

    /// The result as the engine with that index sees it; `None` if it did not play.
    pub fn score(&self, engine: usize) -> Option<GameScore> {
        let mut sides = Color::ALL.into_iter();
        let side = sides.find(|&color| self.engine(color) == engine)?;
        Some(result_for(side, self.result.winner()))
    }
}

/// The two games of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRecord {
    /// Number of the pair in the schedule.
    pub pair: u64,
    /// The text of the record that both games began with.
    pub opening: String,
    /// The game in which the pairing's first engine is red, then the one with colours swapped.
    pub games: [GameRecord; 2],
}

impl PairRecord {
    /// The side that moves first after the opening; red if the opening is not a record of `G`.
    pub(super) fn first_to_move<G: ArenaGame>(&self) -> Color {
        let opening = self.opening.parse::<Record<G>>();
        opening.map_or(Color::Red, |record| record.position().side_to_move())
    }

    /// The indices of its engines, the smaller first.
    pub fn engines(&self) -> (usize, usize) {
        let [game, _] = &self.games;
        (game.red.min(game.blue), game.red.max(game.blue))
    }

    /// The results of both games as the first of [`engines`](PairRecord::engines) sees them.
    pub fn scores(&self) -> [GameScore; 2] {
        let (engine, _) = self.engines();
        let score = |game: &GameRecord| game.score(engine).unwrap_or(GameScore::Loss);
        self.games.each_ref().map(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    #[test]
    fn openings_of_both_games_say_who_moves_first() {
        fn first<G: ArenaGame>(opening: &str) -> Color {
            let game = |red, blue| GameRecord::new(ByColor { red, blue });
            PairRecord {
                pair: 0,
                opening: opening.to_owned(),
                games: [game(0, 1), game(1, 0)],
            }
            .first_to_move::<G>()
        }
        assert_eq!(
            first::<Contest>("4 - 0,0:rA;1,0:bA;2,0:bQ AQ/AQ"),
            Color::Red
        );
        assert_eq!(first::<Contest>("5 - 0,0:rA;1,0:bA AQ/AQ"), Color::Blue);
        assert_eq!(first::<Standard>("Base;NotStarted;White[1]"), Color::Red);
        assert_eq!(
            first::<Standard>("Base+MLP;InProgress;Black[1];wS1"),
            Color::Blue
        );
    }
}
