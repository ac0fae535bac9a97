//! A side's player, in this process or in one of its own.

use std::future::pending;
use std::net::SocketAddr;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::task::JoinHandle;

use super::error::MatchError;
use super::program::Program;
use super::{Contender, Settings};
use crate::client::{self, Address, ClientError, GameOver, Interruption};
use crate::hive::Color;
use crate::protocol::ReservationCode;
use crate::search::PlayerSpec;

/// How long the referee may say nothing to a built-in player: an opponent without a time limit may think.
const IDLE_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// A side's player while it runs, and afterwards.
#[derive(Debug)]
pub(super) enum Seat {
    BuiltIn(JoinHandle<Result<GameOver, ClientError>>),
    Program(Program),
    Left,
}

/// How a player ended.
#[derive(Debug)]
pub(super) enum SeatEnd {
    /// A built-in player has seen the game's end.
    Played,
    /// A built-in player has not.
    Failed(ClientError),
    /// A program has exited.
    Exited(ExitStatus),
    /// Nobody knows.
    Lost(String),
}

impl Seat {
    /// Lets the player of `color` take its seat.
    pub(super) fn start(
        settings: &Settings,
        color: Color,
        referee: SocketAddr,
        reservation: &ReservationCode,
    ) -> Result<Seat, MatchError> {
        match &settings.contenders[color] {
            Contender::BuiltIn(spec) => {
                let seed = settings.player_seed(color);
                let options = options(spec, settings.move_time, referee, reservation);
                let player = spec.prepare(seed)?;
                Ok(Seat::BuiltIn(tokio::spawn(async move {
                    let make_player = Box::new(move || player.build());
                    client::play(&options, make_player, pending::<Interruption>()).await
                })))
            }
            Contender::Program(command) => {
                let log = settings.log_file(color);
                Program::start(command, referee, reservation, log.as_deref())
                    .map(Seat::Program)
                    .map_err(|source| MatchError::Start {
                        color,
                        program: command.program.clone(),
                        source,
                    })
            }
        }
    }

    /// Waits for the player's end.
    pub(super) async fn ended(&mut self) -> SeatEnd {
        let end = match self {
            Seat::BuiltIn(playing) => match playing.await {
                Ok(Ok(_)) => SeatEnd::Played,
                Ok(Err(error)) => SeatEnd::Failed(error),
                Err(error) => SeatEnd::Lost(error.to_string()),
            },
            Seat::Program(program) => match program.exited().await {
                Ok(status) => return SeatEnd::Exited(status),
                Err(error) => SeatEnd::Lost(error.to_string()),
            },
            Seat::Left => pending().await,
        };
        *self = Seat::Left;
        end
    }

    /// The end of what a program has written; nothing for a built-in player.
    pub(super) fn last_words(&mut self) -> String {
        match self {
            Seat::Program(program) => program.last_words().unwrap_or_default(),
            Seat::BuiltIn(_) | Seat::Left => String::new(),
        }
    }

    /// Gives the player some time to end by itself, and ends it then. Whether it did so by itself.
    pub(super) async fn leave(&mut self, patience: Duration) -> bool {
        if matches!(self, Seat::Left) {
            return true;
        }
        match tokio::time::timeout(patience, self.ended()).await {
            Ok(SeatEnd::Played | SeatEnd::Exited(_)) => return true,
            Ok(SeatEnd::Failed(error)) => {
                log::warn!("a built-in player has failed: {error}");
                return true;
            }
            Ok(SeatEnd::Lost(problem)) => {
                log::warn!("cannot wait for a player: {problem}");
                return true;
            }
            Err(_) => {}
        }
        match self {
            Seat::BuiltIn(playing) => playing.abort(),
            Seat::Program(program) => {
                if let Err(error) = program.kill().await {
                    log::warn!("cannot kill a program: {error}");
                }
            }
            Seat::Left => {}
        }
        false
    }
}

fn options(
    spec: &PlayerSpec,
    move_time: Duration,
    referee: SocketAddr,
    reservation: &ReservationCode,
) -> client::Options {
    let address = Address {
        host: referee.ip().to_string(),
        port: referee.port(),
    };
    client::Options {
        reservation: Some(reservation.clone()),
        idle_timeout: IDLE_PATIENCE,
        ..client::Options::new(address, spec.limits(move_time))
    }
}
