//! Training data: self-play games with their searches.
//!
//! A [`TrainingGame`] contains the moves of a game and the results of their searches.
//! [`positions`](TrainingGame::positions) replays the game and returns its [`LabelledPosition`]s.
//! `docs/tuning.md` describes the file format.

mod bits;
mod encoding;
mod files;

use crate::ArenaGame;
use crate::statistics::GameScore;
use wabe_hive::game::Record;
use wabe_hive::{Color, Move, Position, RuleBook};

pub use files::{DatasetError, GameReader, GameWriter, MAGIC, continue_file, game_word};

/// Maximum [level](Label::visits) of a move's visits.
pub const MAX_LEVEL: u8 = 15;

/// Maximum number of training positions inside a search tree, not counting the root.
pub const MAX_INNER: usize = 15;

/// Maximum depth of a training position inside a search tree, in plies below the root.
pub const MAX_DEPTH: usize = 8;

/// A self-play game with its searches.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingGame<G: ArenaGame> {
    /// Number of the game in its run.
    pub number: u32,
    /// Defines the pieces and the start position.
    pub variant: G::Variant,
    /// The position before the first ply.
    pub start: Position<G>,
    /// Legal plies.
    pub plies: Vec<TrainingPly<G>>,
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
}

impl<G: ArenaGame> TrainingGame<G> {
    /// The game up to its last ply.
    pub fn record(&self) -> Record<G> {
        let mut record = Record::new(self.variant, self.start);
        for ply in &self.plies {
            if record.play(ply.mv).is_err() {
                break;
            }
        }
        record
    }
}

/// A ply of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingPly<R: RuleBook> {
    /// The move played.
    pub mv: Move<R>,
    /// The search before the move; `None` for random and forced moves.
    pub search: Option<SearchSummary<R>>,
}

/// Result of a search: score, visits and training positions.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSummary<R: RuleBook> {
    /// Score and visits at the root. The visits are stored only if the root is kept.
    pub root: Label,
    /// True for a full search, false for a short one.
    pub is_full: bool,
    /// True if the root is a training position. Always false for short searches.
    pub is_kept: bool,
    /// Training positions inside the tree of a full search, at most [`MAX_INNER`].
    pub inner: Vec<InnerPosition<R>>,
}

/// A training position inside a search tree.
#[derive(Clone, Debug, PartialEq)]
pub struct InnerPosition<R: RuleBook> {
    /// The moves from the root, 1 to [`MAX_DEPTH`].
    pub path: Vec<Move<R>>,
    /// Score and visits in this position.
    pub label: Label,
}

/// Score and visits of a position according to a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Expected score of the side to move in thousandths, at most 1000.
    pub score: u16,
    /// Visit level of each legal move in the generator's order; empty if unknown. A level is the
    /// square root of the visits relative to the most visited move, in steps of 1/[`MAX_LEVEL`].
    pub visits: Vec<u8>,
}

impl Label {
    /// The visit level of a move, relative to the most visited move with `max_visits`.
    pub fn level(visits: u64, max_visits: u64) -> u8 {
        let share = visits as f64 / max_visits.max(1) as f64;
        (share.min(1.0).sqrt() * f64::from(MAX_LEVEL)).round() as u8
    }
}

/// A training position with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPosition<R: RuleBook> {
    /// Number of the game.
    pub game: u32,
    /// A position of the game, or one inside a search tree.
    pub position: Position<R>,
    /// Score and visits of the search.
    pub label: Label,
    /// Result of the game for the side to move; `None` if the position did not occur in it.
    pub result: Option<GameScore>,
}

impl<R: RuleBook> LabelledPosition<R> {
    /// The search's expected score for the side to move, in `0..=1`.
    pub fn expected_score(&self) -> f64 {
        f64::from(self.label.score) / 1000.0
    }

    /// The result of the game for the side to move, in `0..=1`.
    pub fn score(&self) -> Option<f64> {
        self.result.map(GameScore::points)
    }
}

impl<G: ArenaGame> TrainingGame<G> {
    /// The training positions of each ply: the root, if it is kept, then those inside the tree.
    pub fn positions(&self) -> Vec<LabelledPosition<G>> {
        let mut positions = Vec::new();
        let mut position = self.start;
        for ply in &self.plies {
            if let Some(search) = &ply.search {
                if search.is_kept {
                    positions.push(LabelledPosition {
                        game: self.number,
                        position,
                        label: search.root.clone(),
                        result: Some(result_for(position.side_to_move(), self.winner)),
                    });
                }
                positions.extend(search.inner.iter().map(|inner| {
                    let path = inner.path.iter();
                    LabelledPosition {
                        game: self.number,
                        position: path.fold(position, |before, &mv| before.after(mv)),
                        label: inner.label.clone(),
                        result: None,
                    }
                }));
            }
            position.play(ply.mv);
        }
        positions
    }
}

/// The result of a game for `side`; a game without a winner is a draw.
pub fn result_for(side: Color, winner: Option<Color>) -> GameScore {
    match winner {
        Some(winner) if winner == side => GameScore::Win,
        Some(_) => GameScore::Loss,
        None => GameScore::Draw,
    }
}

/// Rounds an expected score to thousandths.
pub(crate) fn thousandths(score: f64) -> u16 {
    (score.clamp(0.0, 1.0) * 1000.0).round() as u16
}

/// A random legal move, drawn by its index: checksums of tests must not depend on how
/// [`random_move`](Position::random_move) draws.
#[cfg(test)]
fn choose_move<G: ArenaGame>(position: &Position<G>, rng: &mut impl rand::Rng) -> Option<Move<G>> {
    let moves = position.legal_moves();
    rand::seq::IndexedRandom::choose(&moves[..], rng).copied()
}

/// Generates a random game with every kind of search, without running a search or a network.
#[cfg(test)]
fn random_game<G: ArenaGame>(number: u32, variant: G::Variant) -> TrainingGame<G> {
    use rand::{Rng, RngExt, SeedableRng};

    fn random_label<G: ArenaGame>(position: &Position<G>, rng: &mut impl Rng) -> Label {
        let moves = position.legal_moves();
        let has_visits = rng.random_bool(0.5) && moves.len() > 1;
        let count = if has_visits { moves.len() } else { 0 };
        Label {
            score: [0, 1, 523, 1000][rng.random_range(0..4)],
            visits: (0..count)
                .map(|_| rng.random_range(0..=MAX_LEVEL))
                .collect(),
        }
    }

    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(number.into());
    let start = G::start(variant, &mut rng);
    let mut position = start;
    let mut plies = Vec::new();
    while let Some(mv) = choose_move(&position, &mut rng).filter(|_| plies.len() < 50) {
        let kind = rng.random_range(0..4);
        let mut root = random_label(&position, &mut rng);
        if kind < 3 {
            root.visits.clear();
        }
        let mut inner = Vec::new();
        for depth in 1..=if kind < 2 { 0 } else { 3 } {
            let (mut path, mut below) = (Vec::new(), position);
            for _ in 0..depth {
                if let Some(mv) = choose_move(&below, &mut rng) {
                    path.push(mv);
                    below.play(mv);
                }
            }
            if below.outcome().is_none() {
                let label = random_label(&below, &mut rng);
                inner.push(InnerPosition { path, label });
            }
        }
        let search = SearchSummary {
            root,
            is_full: kind >= 2,
            is_kept: kind == 3,
            inner,
        };
        plies.push(TrainingPly {
            mv,
            search: (kind > 0).then_some(search),
        });
        position.play(mv);
    }
    TrainingGame {
        number,
        variant,
        start,
        plies,
        winner: [None, Some(Color::Red), Some(Color::Blue)][number as usize % 3],
    }
}
