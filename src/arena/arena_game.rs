//! Which game a run plays.

use thiserror::Error;

use super::{EnginePlayer, EngineSpec, OpeningBook, StandardGames};
use crate::hive::Color;
use crate::search::{OtherGameError, WeightsFile};

/// What a run plays, and from which openings.
#[derive(Clone, Debug)]
pub enum ArenaGame {
    /// The contest's game.
    Contest(OpeningBook),
    /// Standard Hive.
    Standard(StandardGames),
}

/// What the two sides of a game are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SideNames {
    /// As the contest does.
    #[default]
    RedAndBlue,
    /// As standard Hive does.
    WhiteAndBlack,
}

impl SideNames {
    /// A side's name.
    pub const fn of(self, color: Color) -> &'static str {
        match (self, color) {
            (SideNames::RedAndBlue, Color::Red) => "red",
            (SideNames::RedAndBlue, Color::Blue) => "blue",
            (SideNames::WhiteAndBlack, Color::Red) => "white",
            (SideNames::WhiteAndBlack, Color::Blue) => "black",
        }
    }
}

/// An engine that does not play the run's game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WrongGameError {
    /// A program of the protocol for viewers.
    #[error(
        "`{0}` is an engine for standard Hive: say which game is played, such as --game Base+MLP"
    )]
    ForStandard(String),
    /// A client of the contest.
    #[error(
        "`{0}` is a client of the contest: with --game, engines are built-in players or UHP engines, such as \
         uhp:'wabe uhp'; without, the contest is played"
    )]
    ForContest(String),
    /// Weights for another game's evaluation.
    #[error(transparent)]
    Weights(#[from] OtherGameError),
}

impl ArenaGame {
    /// What the sides are called in what people read.
    pub fn side_names(&self) -> SideNames {
        match self {
            ArenaGame::Contest(_) => SideNames::RedAndBlue,
            ArenaGame::Standard(_) => SideNames::WhiteAndBlack,
        }
    }

    /// Whether all engines play this game.
    ///
    /// # Errors
    /// Names the first one that does not.
    pub fn check(&self, engines: &[EngineSpec]) -> Result<(), WrongGameError> {
        for engine in engines {
            let text = || engine.to_string();
            match (self, &engine.player) {
                (ArenaGame::Contest(_), EnginePlayer::Uhp(_)) => {
                    return Err(WrongGameError::ForStandard(text()));
                }
                (ArenaGame::Standard(_), EnginePlayer::Program(_)) => {
                    return Err(WrongGameError::ForContest(text()));
                }
                (game, EnginePlayer::BuiltIn(spec)) => {
                    if let Some(weights) = &spec.weights {
                        game.check_weights(weights)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_weights(&self, weights: &WeightsFile) -> Result<(), OtherGameError> {
        match self {
            ArenaGame::Contest(_) => weights.contest().map(drop),
            ArenaGame::Standard(_) => weights.standard().map(drop),
        }
    }
}
