//! Plays a program against a person.

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

/// A program as the opponent of a person. It is started before its first move, and again when the
/// game no longer continues from its last position, for instance after a takeback. Not `Send`.
pub struct Opponent<G: ArenaGame> {
    engine: EngineSpec,
    person: EngineSpec,
    settings: GameSettings,
    playing: Option<Playing<G>>,
}

struct Playing<G: ArenaGame> {
    seat: Box<dyn Seat<G>>,
    color: Color,
    /// The game at the time when the program was started.
    opening: Record<G>,
    /// The game after the program's latest move.
    latest: Record<G>,
    /// Number of plies sent to the program.
    plies_sent: usize,
}

/// A program's move.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentMove<G: ArenaGame> {
    /// A legal move.
    pub mv: Move<G>,
    /// Expected score of the program's side, if it reports one.
    pub score: Option<f64>,
    /// Time taken.
    pub elapsed: Duration,
}

/// Why a program did not return a move.
#[derive(Debug, Error)]
pub enum OpponentError {
    /// The request was cancelled.
    #[error("stopped")]
    Stopped,
    /// The program cannot be started or used.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The program committed a fault, such as an illegal move.
    #[error("{}", if .detail.is_empty() { .end.fault().unwrap_or("failed") } else { .detail })]
    Fault {
        /// The end that this fault would be in a match.
        end: GameEnd,
        /// Details; may be empty.
        detail: String,
    },
}

impl<G: ArenaGame> Opponent<G> {
    /// Creates an opponent without starting its program. [`choose`](Opponent::choose) does that.
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

    /// Requests a move in the current position.
    ///
    /// # Errors
    /// When the program cannot be started, does not answer in time, or makes an illegal move. The
    /// next call restarts it.
    pub fn choose(
        &mut self,
        record: &Record<G>,
        stop: &AtomicBool,
    ) -> Result<OpponentMove<G>, OpponentError> {
        let chosen = self.request_move(record, stop);
        chosen.map_err(|failure| {
            self.kill();
            match failure {
                Failure::Fault { end, detail } => OpponentError::Fault { end, detail },
                Failure::Disputed => OpponentError::Fault {
                    end: GameEnd::DisputedEnd,
                    detail: "claims that the game is over".to_owned(),
                },
                Failure::Stopped => OpponentError::Stopped,
                Failure::Error(error) => OpponentError::Game(error),
            }
        })
    }

    fn request_move(
        &mut self,
        record: &Record<G>,
        stop: &AtomicBool,
    ) -> Result<OpponentMove<G>, Failure> {
        let color = record.position().side_to_move();
        let continues =
            |playing: &Playing<G>| playing.color == color && record.continues(&playing.latest);
        if !self.playing.as_ref().is_some_and(continues) {
            self.kill();
        }
        let Opponent {
            engine,
            person,
            settings,
            playing,
        } = self;
        let mut engines = ByColor::from_fn(|_| &*person);
        engines[color] = engine;
        let task = |opening| GameTask::single(engines, opening, settings, None, stop);
        let Playing {
            seat,
            opening,
            latest,
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
                    latest: record.clone(),
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
        // If the move is taken back, the record no longer continues this one and the program is
        // restarted.
        latest.clone_from(record);
        latest.play_text(&reply.mv).map_err(|error| {
            let error = printable(&error.to_string(), MAX_DETAIL);
            let detail = format!("answers `{}`: {error}", printable(&reply.mv, MAX_NAME));
            Failure::fault(GameEnd::IllegalMove, detail)
        })?;
        let ply = latest.plies().last();
        let ply = ply.ok_or_else(|| Failure::fault(GameEnd::IllegalMove, ""))?;
        Ok(OpponentMove {
            mv: ply.mv,
            score: reply.hint.score,
            elapsed: reply.elapsed,
        })
    }

    /// Kills the program.
    fn kill(&mut self) {
        if let Some(mut playing) = self.playing.take() {
            playing.seat.kill();
        }
    }
}

impl<G: ArenaGame> Drop for Opponent<G> {
    fn drop(&mut self) {
        self.kill();
    }
}
