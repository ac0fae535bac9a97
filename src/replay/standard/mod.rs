//! Recorded games of standard Hive.

mod album;
mod export;
mod game_string;
mod loose_text;
mod moves;
mod pgn;
mod sgf;

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::hive::ByColor;
use crate::hive::standard::notation::{Game, GameState, Repetition};
use crate::hive::standard::{Layout, Move, ParseGameTypeError};

pub(super) use game_string::begins_like_a_game_string;
pub use game_string::read_game_string;
pub(super) use pgn::begins_like_pgn;
pub use pgn::read_pgn;
pub(super) use sgf::begins_like_sgf;
pub use sgf::read_sgf;

/// A recorded game of standard Hive.
#[derive(Clone, Debug)]
pub struct StandardReplay {
    /// What the players call themselves; empty where the recording does not say.
    pub names: ByColor<String>,
    /// What else the recording says about the game, name and value: event, date and the like.
    pub tags: Vec<(String, String)>,
    /// The game, as far as it could be read.
    pub game: Game,
    /// What there is to say about positions, by the number of plies before them.
    pub comments: BTreeMap<usize, String>,
    /// How the game ended by the recording's account: also by resignation, agreement or time.
    pub result: Option<GameState>,
    /// What is wrong with the recording, if it is not whole.
    pub damage: Option<StandardDamage>,
    /// Further games in the same file.
    pub further_games: usize,
}

/// Where a recording of a standard game stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandardDamage {
    /// The line of the file, from 1.
    pub line: usize,
    /// The ply that cannot be played, from 1.
    pub ply: usize,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for StandardDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, ply {}: {}", self.line, self.ply, self.problem)
    }
}

/// Why there is nothing to show of a recording of a standard game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadStandardError {
    /// Its game type.
    #[error("line {line}: {error}")]
    GameType {
        /// The line of the file, from 1.
        line: usize,
        /// What is wrong with it.
        error: ParseGameTypeError,
    },
    /// A variant that BoardSpace has and standard Hive has not.
    #[error(
        "line {line}: `{variant}` is no variant of standard Hive: expected `hive`, or `hive-` with some of the letters p, l and m"
    )]
    Variant {
        /// The line of the file, from 1.
        line: usize,
        /// As it is written.
        variant: String,
    },
}

impl StandardReplay {
    /// A recording of which nothing is known but its game.
    pub fn of_game(game: Game) -> StandardReplay {
        StandardReplay {
            names: ByColor::default(),
            tags: Vec::new(),
            game,
            comments: BTreeMap::new(),
            result: None,
            damage: None,
            further_games: 0,
        }
    }

    /// Number of plies that could be read.
    pub fn plies(&self) -> usize {
        self.game.plies().len()
    }

    /// The game after its first `plies` plies; `None` where there are not so many.
    pub fn after(&self, plies: usize) -> Option<Game> {
        let mut game = self.game.clone();
        let taken_back = self.plies().checked_sub(plies)?;
        game.undo(taken_back).then_some(game)
    }

    /// Calls `visit` with every position of the game from the start to the end. Repetitions on the way did not end it.
    pub fn for_each_position(&self, mut visit: impl FnMut(&StandardPosition<'_>)) {
        let Some(mut game) = self.after(0) else {
            return;
        };
        game.set_repetition(Repetition::Ignore);
        let mut layout = Layout::start();
        visit(&StandardPosition {
            game: &game,
            layout: &layout,
            last: None,
        });
        for (number, (mv, text)) in (1..).zip(self.game.plies()) {
            if game.play(text).is_err() {
                break;
            }
            if number == self.plies() {
                game.set_repetition(self.game.repetition());
            }
            let before = layout;
            layout = before.followed_by(game.position());
            visit(&StandardPosition {
                game: &game,
                layout: &layout,
                last: Some((mv, text, &before)),
            });
        }
    }
}

/// A position of a recorded game.
#[derive(Clone, Copy, Debug)]
pub struct StandardPosition<'a> {
    /// The game up to there.
    pub game: &'a Game,
    /// Where its pieces lie.
    pub layout: &'a Layout,
    /// The move that led to it, its text, and the layout before it.
    pub last: Option<(Move, &'a str, &'a Layout)>,
}
