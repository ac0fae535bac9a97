//! Positions, moves and values as a page shows them.

use serde::{Deserialize, Serialize};

use super::Problem;
use wabe_records::diagram::{Diagram, Point};

/// A position to draw.
///
/// Fields are `[x, y]`. In edge lengths of a field, the centre of a field is `(x - y) · √3/2` to
/// the right and `(x + y) · 3/2` up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// Fields, pieces and reserves.
    #[serde(flatten)]
    pub diagram: Diagram,
    /// The last move; `None` at the start.
    pub last: Option<LastMove>,
    /// The side to move; `None` if the game is over.
    pub to_move: Option<u8>,
    /// The ending, if the game is over.
    pub ending: Option<EndingView>,
    /// All legal moves.
    pub moves: Vec<MoveView>,
    /// Immobile pieces of the side to move: pieces without a legal move.
    pub idle: Vec<IdleView>,
}

/// A piece on the board, or a kind in reserve, without a legal move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleView {
    /// The field; `None` in reserve.
    pub at: Option<Point>,
    /// The letter of the kind.
    pub letter: char,
    /// The rule that forbids a move.
    pub reason: Problem,
}

/// The last move of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastMove {
    /// The move in the game's notation.
    pub text: String,
    /// The origin; `None` for a placed piece.
    pub from: Option<Point>,
    /// The destination; `None` for a pass.
    pub to: Option<Point>,
}

/// The ending of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndingView {
    /// The winner; `None` for a draw.
    pub winner: Option<u8>,
    /// Reason: `surrounded`, `more_free_fields`, `both_surrounded`, `equal_free_fields`,
    /// `repetition`, `agreement`, `resignation`, `ply_limit`, `disputed`, or the loser's fault:
    /// `left`, `rule_violation`, `soft_timeout`, `hard_timeout`. `stated` if the result is only in
    /// the recording.
    pub reason: String,
    /// The reason in the recording's own words, in any language.
    pub note: Option<String>,
}

/// A move with its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveView {
    /// The move in the game's notation.
    pub text: String,
    /// The letter of the piece's kind; `None` for a pass.
    pub letter: Option<char>,
    /// The origin; `None` for a placed piece.
    pub from: Option<Point>,
    /// The destination; `None` for a pass.
    pub to: Option<Point>,
}

/// The results of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// The best root moves, best first.
    pub lines: Vec<LineView>,
    /// Number of iterations.
    pub nodes: u64,
    /// Iterations per second.
    pub per_second: u64,
    /// Length of the longest PV, in plies.
    pub depth: usize,
}

/// A root move with its PV.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineView {
    /// The root move.
    #[serde(rename = "move")]
    pub mv: MoveView,
    /// The PV, including the root move.
    pub variation: Vec<String>,
    /// The value after the move.
    pub value: ValueView,
    /// Number of visits of the move.
    pub visits: u64,
}

/// The value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueView {
    /// The expected score of side 0.
    pub score: f64,
    /// True for a proven win, loss or draw.
    pub proven: bool,
    /// Upper bound on the number of plies by both sides until a proven win.
    pub plies: Option<usize>,
}

/// A reviewed move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// Number of the ply, from 1.
    pub ply: usize,
    /// The move in the game's notation.
    pub text: String,
    /// The value before the move.
    pub before: ValueView,
    /// The value after the move.
    pub after: ValueView,
    /// Expected score that the move loses.
    pub loss: f64,
    /// A better move; `None` if the search found none.
    pub better: Option<String>,
    /// The mark for this loss.
    pub mark: Mark,
}

/// Classifies a move by its loss of expected score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The search found no better move.
    Best,
    /// A loss below [`Mark::INACCURACY`].
    Good,
    /// A loss of at least [`Mark::INACCURACY`].
    Inaccuracy,
    /// A loss of at least [`Mark::MISTAKE`].
    Mistake,
    /// A loss of at least [`Mark::BLUNDER`].
    Blunder,
}

impl Mark {
    /// Minimum loss of an inaccuracy.
    pub const INACCURACY: f64 = 0.05;
    /// Minimum loss of a mistake.
    pub const MISTAKE: f64 = 0.10;
    /// Minimum loss of a blunder.
    pub const BLUNDER: f64 = 0.20;

    /// Classifies a loss. `is_best` is true if the search found no better move.
    pub fn from_loss(loss: f64, is_best: bool) -> Mark {
        match loss {
            _ if is_best => Mark::Best,
            loss if loss >= Mark::BLUNDER => Mark::Blunder,
            loss if loss >= Mark::MISTAKE => Mark::Mistake,
            loss if loss >= Mark::INACCURACY => Mark::Inaccuracy,
            _ => Mark::Good,
        }
    }
}
