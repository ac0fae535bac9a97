//! Results of games and of pairs of games.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::game::GameNumber;
use crate::ArenaGame;
use crate::dataset::{result_for, thousandths};
use crate::statistics::GameScore;
use wabe_contest::protocol::{Cause, MALFORMED};
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::{Adjudication, Ending, Record, Side};
use wabe_hive::{ByColor, Color, Outcome};

/// The result of a game. In standard Hive, white is red and black is blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// Red won.
    Red,
    /// Blue won.
    Blue,
    /// Neither side won.
    Draw,
}

impl GameResult {
    /// A win by `winner`.
    pub fn win_of(winner: Color) -> GameResult {
        match winner {
            Color::Red => GameResult::Red,
            Color::Blue => GameResult::Blue,
        }
    }

    /// The winner; `None` for a draw.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::Red => Some(Color::Red),
            GameResult::Blue => Some(Color::Blue),
            GameResult::Draw => None,
        }
    }
}

/// Why a game ended. Faults are the loser's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameEnd {
    /// A bee was surrounded.
    Surrounded,
    /// Both bees were surrounded.
    BothSurrounded,
    /// After the last round, one bee had more free fields around it.
    MoreFreeFields,
    /// After the last round, both bees had equally many free fields around them.
    EqualFreeFields,
    /// The same position occurred for the third time.
    Repetition,
    /// The game reached its ply limit.
    PlyLimit,
    /// The players agreed to a draw.
    Agreement,
    /// The loser resigned.
    Resignation,
    /// An engine claimed a draw by a repetition rule that we do not use. Neither side is at fault.
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
    /// The loser sent a malformed message.
    Malformed,
    /// The loser never joined.
    NeverJoined,
    /// The loser rejected a legal game or move, or refused to give a move.
    Refusal,
    /// The loser claimed that the game was over when it was not.
    FalseEnd,
}

impl GameEnd {
    /// Name, the loser's fault as a predicate (may be empty), and the cause in the contest's score.
    fn describe(self) -> (&'static str, &'static str, Cause) {
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
            GameEnd::Refusal => ("refusal", "rejected a legal game or move", Left),
            GameEnd::FalseEnd => ("false end", "claimed that the game was over", Left),
        }
    }

    /// True if the game ended by the rules.
    pub fn is_regular(self) -> bool {
        self.cause().is_none() && self != GameEnd::DisputedEnd
    }

    /// The loser's fault as a predicate; `None` without a fault.
    pub fn fault(self) -> Option<&'static str> {
        let (_, fault, _) = self.describe();
        Some(fault).filter(|fault| !fault.is_empty())
    }

    /// The loser's fault with details, such as `left the game (with exit status: 3)`; `None`
    /// without a fault.
    pub(super) fn fault_with(self, detail: &str) -> Option<String> {
        let fault = self.fault()?;
        Some(match self {
            _ if detail.is_empty() => fault.to_owned(),
            GameEnd::NeverJoined => detail.to_owned(),
            _ => format!("{fault} ({detail})"),
        })
    }

    /// The cause in the contest's score; `None` without a fault.
    pub(super) fn cause(self) -> Option<Cause> {
        let (_, _, cause) = self.describe();
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
        let (name, ..) = self.describe();
        f.write_str(name)
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Index of the engine that played red.
    pub red: usize,
    /// Index of the engine that played blue.
    pub blue: usize,
    /// Win or draw.
    pub result: GameResult,
    /// Why the game ended.
    pub end: GameEnd,
    /// Details of the loser's fault; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Text forms of the moves after the opening, separated by `;`.
    pub moves: String,
    /// Time taken for each move, in microseconds.
    pub micros: Vec<u64>,
    /// The mover's expected score for each move, in thousandths, if reported.
    pub scores: Vec<Option<u16>>,
    /// Search iterations for each move.
    pub nodes: Vec<u64>,
}

impl GameRecord {
    /// A record without moves of a game between these engines.
    pub fn new(engines: ByColor<usize>) -> GameRecord {
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

    /// Index of the engine that played `color`.
    pub fn engine(&self, color: Color) -> usize {
        match color {
            Color::Red => self.red,
            Color::Blue => self.blue,
        }
    }

    /// Adds a move with its time, the mover's expected score, and the search iterations.
    pub(super) fn add_move(&mut self, mv: &str, elapsed: Duration, score: Option<f64>, nodes: u64) {
        if !self.moves.is_empty() {
            self.moves.push(';');
        }
        self.moves.push_str(mv);
        self.micros
            .push(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX));
        self.scores.push(score.map(thousandths));
        self.nodes.push(nodes);
    }

    /// The result and its reason as a sentence, such as `red wins: blue left the game`. `by_rules`
    /// is the ending if the rules ended the game.
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

    /// The loser's fault with details, such as
    /// `answered too late (after 2.102 s, 0.102 s too late)`; `None` without a fault.
    pub fn fault(&self) -> Option<String> {
        let detail = printable(&self.detail, 2 * MAX_DETAIL);
        self.end.fault_with(&detail)
    }

    /// The result and its reason, such as `red wins: crash`.
    pub fn ending(&self, sides: ByColor<Side>) -> String {
        match self.result.winner() {
            Some(winner) => format!("{} wins: {}", sides[winner], self.end),
            None => format!("draw: {}", self.end),
        }
    }

    /// Result for the engine with this index; `None` if it did not play.
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
    /// Text form of the record from which both games start.
    pub opening: String,
    /// The pairing's first engine is red in the first game, and blue in the second.
    pub games: [GameRecord; 2],
}

impl PairRecord {
    /// The side to move after the opening; red if the opening cannot be parsed.
    pub(super) fn first_to_move<G: ArenaGame>(&self) -> Color {
        let opening = self.opening.parse::<Record<G>>();
        opening.map_or(Color::Red, |record| record.position().side_to_move())
    }

    /// Both games with their numbers.
    pub fn numbered_games(&self) -> impl Iterator<Item = (GameNumber, &GameRecord)> {
        let number = |game| GameNumber {
            pair: self.pair,
            game,
        };
        (0..).map(number).zip(&self.games)
    }

    /// Indices of the two engines, the smaller one first.
    pub fn engines(&self) -> (usize, usize) {
        let [game, _] = &self.games;
        (game.red.min(game.blue), game.red.max(game.blue))
    }

    /// Results of both games for the first of [`engines`](PairRecord::engines).
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
    fn first_to_move_reads_openings_of_both_games() {
        fn find_first<G: ArenaGame>(opening: &str) -> Color {
            let game = |red, blue| GameRecord::new(ByColor { red, blue });
            PairRecord {
                pair: 0,
                opening: opening.to_owned(),
                games: [game(0, 1), game(1, 0)],
            }
            .first_to_move::<G>()
        }
        assert_eq!(
            find_first::<Contest>("4 - 0,0:rA;1,0:bA;2,0:bQ AQ/AQ"),
            Color::Red
        );
        assert_eq!(
            find_first::<Contest>("5 - 0,0:rA;1,0:bA AQ/AQ"),
            Color::Blue
        );
        assert_eq!(
            find_first::<Standard>("Base;NotStarted;White[1]"),
            Color::Red
        );
        assert_eq!(
            find_first::<Standard>("Base+MLP;InProgress;Black[1];wS1"),
            Color::Blue
        );
    }
}
