//! The positions that pairs of the contest's game start from.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

use crate::arena::OpeningError;
use crate::hive::contest::{Contest, Deal, MoveList, Position, random_brambles};
use crate::search::{ContestEvaluator, Limits, MctsOptions, MctsPlayer, Player, unstopped};

/// Iterations of the search that judges whether an opening is balanced.
const JUDGE_NODES: u64 = 200;

/// Memory of that search, in MiB.
const JUDGE_MEMORY_MIB: usize = 16;

/// How far from one half the expected score of a balanced opening may be.
const BALANCE: f64 = 0.15;

/// Openings tried before one that is not balanced is taken after all.
const ATTEMPTS: u64 = 50;

/// How openings are drawn. The same settings and number always give the same opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningSettings {
    /// Decides brambles and plies.
    pub seed: u64,
    /// Random legal plies after the empty board.
    pub plies: u16,
    /// The pieces that each side gets.
    pub deal: Deal,
}

/// Where openings come from.
#[derive(Clone, Debug)]
pub enum OpeningBook {
    /// Drawn at random and balanced by a quick search.
    Drawn(OpeningSettings),
    /// From a file, over and over.
    Listed(Vec<Position>),
}

impl OpeningBook {
    /// Reads a file's text: a position in its text form a line; empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// Names the first line that is no position to play from.
    pub fn parse(text: &str) -> Result<OpeningBook, OpeningError> {
        let mut positions = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let position: Position = text.parse().map_err(|error| OpeningError::Position {
                line,
                message: format!("{error}"),
            })?;
            if position.outcome().is_some() {
                return Err(OpeningError::GameOver { line });
            }
            positions.push(position);
        }
        if positions.is_empty() {
            return Err(OpeningError::Empty);
        }
        Ok(OpeningBook::Listed(positions))
    }

    /// The opening with that number, from 0.
    pub fn opening(&self, number: u64) -> Position {
        match self {
            OpeningBook::Drawn(settings) => settings.draw(number),
            OpeningBook::Listed(positions) => positions[(number % positions.len() as u64) as usize],
        }
    }
}

impl OpeningSettings {
    fn draw(&self, number: u64) -> Position {
        let mut judge = MctsPlayer::new(
            ContestEvaluator::default(),
            MctsOptions {
                memory_mib: JUDGE_MEMORY_MIB,
                ..MctsOptions::default()
            },
        );
        let run_key: u64 = SplitMix64::seed_from_u64(self.seed).random();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(run_key.wrapping_add(number));
        let mut opening = self.draw_once(&mut rng);
        for _ in 1..ATTEMPTS {
            if opening.is_some_and(|position| is_balanced(&position, &mut judge)) {
                break;
            }
            opening = self.draw_once(&mut rng);
        }
        opening.unwrap_or_else(|| self.deal.start(random_brambles(&mut rng)))
    }

    /// A start and random plies; `None` if the game ended meanwhile.
    fn draw_once(&self, rng: &mut Xoshiro256PlusPlus) -> Option<Position> {
        let mut position = self.deal.start(random_brambles(rng));
        let mut moves = MoveList::new();
        for _ in 0..self.plies {
            position.legal_moves(&mut moves);
            position.play(*moves.choose(rng)?);
        }
        position.outcome().is_none().then_some(position)
    }
}

fn is_balanced(position: &Position, judge: &mut MctsPlayer<Contest, ContestEvaluator>) -> bool {
    judge.new_game();
    unstopped(Limits::Nodes(JUDGE_NODES), |control| {
        judge.choose(position, control)
    })
    .and_then(|choice| choice.best.score)
    .is_some_and(|score| (score - 0.5).abs() <= BALANCE)
}
