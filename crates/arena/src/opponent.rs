//! A program that a person plays against, one position at a time.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::{GameSettings, GameTask};
use super::record::GameEnd;
use super::referee::start_engine;
use super::seat::{Failure, Seat};
use crate::ArenaGame;
use wabe_engine::search::PlayerSpec;
use wabe_files::text::{MAX_DETAIL, MAX_NAME, printable};
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color, Move};

/// A program that plays one side of a person's game. It is started for the first move, and again
/// when the game does not continue the one that it knows, for instance after a move was taken back.
/// It lives on one thread.
pub struct Opponent<G: ArenaGame> {
    engine: EngineSpec,
    person: EngineSpec,
    settings: GameSettings,
    playing: Option<Playing<G>>,
}

struct Playing<G: ArenaGame> {
    seat: Box<dyn Seat<G>>,
    color: Color,
    /// The game when the program was started.
    opening: Record<G>,
    /// The game after the program's latest move.
    known: Record<G>,
    /// Plies sent to the program.
    plies_sent: usize,
}

/// A program's move.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentsMove<G: ArenaGame> {
    /// The move, a legal one.
    pub mv: Move<G>,
    /// The expected score of the program's side, if it reports one.
    pub score: Option<f64>,
    /// Time taken.
    pub took: Duration,
}

/// A program that gave no move.
#[derive(Debug, Error)]
pub enum OpponentError {
    /// The request was cancelled.
    #[error("stopped")]
    Stopped,
    /// The program cannot be started or used.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The program committed a fault.
    #[error("{0}")]
    Fault(String),
}

impl<G: ArenaGame> Opponent<G> {
    /// A program under these settings, not started yet.
    pub fn new(engine: EngineSpec, settings: GameSettings) -> Opponent<G> {
        Opponent {
            engine,
            person: EngineSpec {
                name: "person".to_owned(),
                player: EnginePlayer::BuiltIn(PlayerSpec::default()),
            },
            settings,
            playing: None,
        }
    }

    /// Asks for a move in the current position.
    ///
    /// # Errors
    /// When the program cannot be started, does not answer in time, or answers with an illegal
    /// move; the next call starts it again.
    pub fn choose(
        &mut self,
        record: &Record<G>,
        stop: &AtomicBool,
    ) -> Result<OpponentsMove<G>, OpponentError> {
        let chosen = self.ask(record, stop);
        chosen.map_err(|failure| {
            self.dismiss();
            match failure {
                Failure::Fault { end, detail } if detail.is_empty() => {
                    OpponentError::Fault(end.fault().unwrap_or("failed").to_owned())
                }
                Failure::Fault { detail, .. } => OpponentError::Fault(detail),
                Failure::Disputed => {
                    OpponentError::Fault("claims that the game is over".to_owned())
                }
                Failure::Stopped => OpponentError::Stopped,
                Failure::Error(error) => OpponentError::Game(error),
            }
        })
    }

    fn ask(&mut self, record: &Record<G>, stop: &AtomicBool) -> Result<OpponentsMove<G>, Failure> {
        let color = record.position().side_to_move();
        let follows =
            |playing: &Playing<G>| playing.color == color && record.continues(&playing.known);
        if !self.playing.as_ref().is_some_and(follows) {
            self.dismiss();
        }
        let Opponent {
            engine,
            person,
            settings,
            playing,
        } = self;
        let mut engines = ByColor::from_fn(|_| &*person);
        engines[color] = engine;
        let task = |opening| GameTask::alone(engines, opening, settings, None, stop);
        let Playing {
            seat,
            opening,
            known,
            plies_sent,
            ..
        } = match playing {
            Some(playing) => playing,
            None => {
                let task = task(record);
                let mut seat = start_engine(&task, color).map_err(Failure::Error)?;
                if let Err(failure) = seat.begin(&task, color) {
                    seat.kill();
                    return Err(failure);
                }
                seat.start();
                playing.insert(Playing {
                    seat,
                    color,
                    opening: record.clone(),
                    known: record.clone(),
                    plies_sent: record.plies().len(),
                })
            }
        };
        let task = task(opening);
        for plies in *plies_sent + 1..=record.plies().len() {
            if let Some(after) = record.after(plies) {
                seat.opponent_moved(&task, &after, None)?;
            }
        }
        *plies_sent = record.plies().len();
        let reply = seat.choose(&task, record)?;
        // If this move is taken back, the game no longer continues the known one.
        known.clone_from(record);
        known.play_text(&reply.mv).map_err(|error| {
            let error = printable(&error.to_string(), MAX_DETAIL);
            let detail = format!("answers `{}`: {error}", printable(&reply.mv, MAX_NAME));
            Failure::fault(GameEnd::IllegalMove, detail)
        })?;
        let ply = known.plies().last();
        let ply = ply.ok_or_else(|| Failure::fault(GameEnd::IllegalMove, ""))?;
        Ok(OpponentsMove {
            mv: ply.mv,
            score: reply.hint.score,
            took: reply.took,
        })
    }

    /// Kills the program.
    fn dismiss(&mut self) {
        if let Some(mut playing) = self.playing.take() {
            playing.seat.kill();
        }
    }
}

impl<G: ArenaGame> Drop for Opponent<G> {
    fn drop(&mut self) {
        self.dismiss();
    }
}
