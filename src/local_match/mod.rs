//! A match on this machine: the referee on a free port, two players over TCP, and somebody who watches.
//!
//! [`LocalMatch::start`] brings everybody together, [`LocalMatch::next_event`] tells what happens until there is a result,
//! [`LocalMatch::finish`] sends everybody home. A [`Display`] shows it in a terminal, with the words of the [`commentary`].

mod administrator;
pub mod commentary;
mod contender;
mod display;
mod error;
mod history;
mod program;
mod seat;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use administrator::{Administrator, Arrival};
pub use contender::{CommandLine, Contender, ParseContenderError};
pub use display::{Display, DisplayOptions};
pub use error::{ConnectionError, MatchError};
use seat::{Seat, SeatEnd};

use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{GameResult, ServerData, ServerMessage, Slot, WireState};
use crate::server::room::FinishedGame;
use crate::server::{self, Config, GameReport, Password, StartSource, TimeLimits};

/// Who plays, and under which conditions.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The players.
    pub contenders: ByColor<Contender>,
    /// What they are called in the game.
    pub names: ByColor<String>,
    /// How long each may think; `None` for as long as it likes.
    pub time_limits: ByColor<Option<TimeLimits>>,
    /// Time for a move of a built-in player that has no limits of its own.
    pub move_time: Duration,
    /// Decides everything random in what the game starts from and in built-in players.
    pub seed: u64,
    /// What the game starts from.
    pub start: StartSource,
    /// The directory that gets the replay.
    pub replays: Option<PathBuf>,
    /// The directory that gets what programs write.
    pub logs: Option<PathBuf>,
    /// How long the players may take to join.
    pub join_patience: Duration,
    /// How long a program may take to exit after the result.
    pub exit_patience: Duration,
}

impl Settings {
    /// The seed of a built-in player that has none of its own.
    fn player_seed(&self, color: Color) -> u64 {
        match color {
            Color::Red => self.seed,
            Color::Blue => self.seed.wrapping_add(1),
        }
    }

    fn log_file(&self, color: Color) -> Option<PathBuf> {
        let directory = self.logs.as_ref()?;
        Some(directory.join(format!("{color}.log")))
    }

    fn slot(&self, color: Color) -> Slot {
        Slot {
            display_name: self.names[color].clone(),
            can_timeout: self.time_limits[color].is_some(),
            should_be_paused: false,
        }
    }
}

/// The contest's time limits. They hold for every player, except for built-in ones that were told to think longer, or to search
/// a number of nodes however long it takes.
pub fn contest_time_limits(contender: &Contender, move_time: Duration) -> Option<TimeLimits> {
    let limits = TimeLimits::default();
    let holds = match contender {
        Contender::Program(_) => true,
        Contender::BuiltIn(spec) => {
            let time = spec.limits(move_time).time();
            time.is_some_and(|time| time < limits.soft())
        }
    };
    holds.then_some(limits)
}

/// A match that is being played.
#[derive(Debug)]
pub struct LocalMatch {
    settings: Settings,
    referee: Referee,
    administrator: Administrator,
    seats: ByColor<Seat>,
    /// When the latest state arrived; `None` before the game.
    latest_state: Option<Instant>,
    /// When the players were called.
    called: Instant,
}

/// The server in this process.
#[derive(Debug)]
struct Referee {
    serving: JoinHandle<std::io::Result<()>>,
    stop: oneshot::Sender<()>,
    reports: mpsc::UnboundedReceiver<GameReport>,
}

/// What happens in a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The game begins.
    Began(Box<Position>),
    /// A ply was made.
    Played(Box<Played>),
    /// The referee refuses a move, in these words.
    Refused(String),
    /// The game is over. Nothing happens after this.
    Over(Box<GameResult>),
}

/// A ply.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Who made it.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// What the player says about it.
    pub hint: Option<String>,
    /// Time between the states before and after it, as an observer sees them.
    pub time: Duration,
    /// What came of it.
    pub position: Position,
}

/// What is known after a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Where the replay is, if one was asked for and could be written.
    pub replay: Option<PathBuf>,
    /// The game as the referee has it.
    pub game: Option<FinishedGame>,
    /// Whose programs had not exited long enough after the result, and were killed.
    pub killed: Vec<Color>,
    /// The end of what each side's program has written; nothing for a built-in player.
    pub last_words: ByColor<String>,
}

impl LocalMatch {
    /// Starts the referee and the players. Needs a runtime with more than one thread: players and referee must not wait for
    /// whoever prints.
    ///
    /// # Errors
    /// When the referee or a program cannot be started.
    pub async fn start(settings: Settings) -> Result<LocalMatch, MatchError> {
        for directory in [&settings.logs, &settings.replays].into_iter().flatten() {
            std::fs::create_dir_all(directory).map_err(|error| {
                let problem = format!("cannot make the directory {}: {error}", directory.display());
                MatchError::Referee(std::io::Error::new(error.kind(), problem))
            })?;
        }
        // Nobody else on this machine is meant to meddle with the match.
        let password = format!("{:032x}", rand::random::<u128>());
        let (referee, address) = Referee::start(&settings, &password)
            .await
            .map_err(MatchError::Referee)?;
        match gather(&settings, address, &password).await {
            Ok((administrator, seats)) => Ok(LocalMatch {
                called: Instant::now(),
                settings,
                referee,
                administrator,
                seats,
                latest_state: None,
            }),
            Err(error) => {
                referee.abandon().await;
                Err(error)
            }
        }
    }

    /// Waits for what happens next.
    ///
    /// # Errors
    /// When a player does not join, or there will be no result.
    pub async fn next_event(&mut self) -> Result<Event, MatchError> {
        loop {
            let arrival = if self.latest_state.is_none() {
                self.first_arrival().await?
            } else {
                self.administrator.next().await?
            };
            if let Some(event) = self.event(arrival)? {
                return Ok(event);
            }
        }
    }

    /// The next message, unless a player ends or the time to join does so before.
    async fn first_arrival(&mut self) -> Result<Arrival, MatchError> {
        let patience = self.settings.join_patience;
        let patience = sleep(patience.saturating_sub(self.called.elapsed()));
        let ByColor { red, blue } = &mut self.seats;
        let (color, end) = tokio::select! {
            biased;
            arrival = self.administrator.next() => return Ok(arrival?),
            end = red.ended() => (Color::Red, end),
            end = blue.ended() => (Color::Blue, end),
            () = patience => return Err(self.absence().await?),
        };
        Err(match end {
            SeatEnd::Exited(status) => MatchError::Exited {
                color,
                status,
                last_words: self.seats[color].last_words(),
            },
            SeatEnd::Failed(source) => MatchError::Player { color, source },
            SeatEnd::Lost(problem) => MatchError::Referee(std::io::Error::other(problem)),
            // Without a game, nobody can have seen its end.
            SeatEnd::Played => MatchError::NoResult,
        })
    }

    /// Who is missing when the time to join is over.
    async fn absence(&mut self) -> Result<MatchError, MatchError> {
        let absent = self.administrator.absent().await?;
        Ok(match absent.first() {
            Some(&color) => MatchError::NeverJoined {
                color,
                after: self.settings.join_patience,
                last_words: self.seats[color].last_words(),
            },
            None => MatchError::NoResult,
        })
    }

    fn event(&mut self, arrival: Arrival) -> Result<Option<Event>, MatchError> {
        match arrival.message {
            ServerMessage::Room { data, .. } => match data {
                ServerData::State(state) => Ok(Some(self.ply(*state, arrival.at)?)),
                ServerData::Error { message, .. } => Ok(Some(Event::Refused(message))),
                ServerData::Result(result) => Ok(Some(Event::Over(result))),
                _ => Ok(None),
            },
            ServerMessage::Left(_) | ServerMessage::CloseConnection => Err(MatchError::NoResult),
            _ => Ok(None),
        }
    }

    fn ply(&mut self, state: WireState, at: Instant) -> Result<Event, ConnectionError> {
        let position = state.position;
        let last_move = state.last_move()?;
        let before = self.latest_state.replace(at);
        Ok(match (before, last_move) {
            (Some(before), Some(mv)) => Event::Played(Box::new(Played {
                color: position.side_to_move().opponent(),
                mv,
                hint: state.last_move.and_then(|wire| wire.hint),
                time: at.saturating_duration_since(before),
                position,
            })),
            _ => Event::Began(Box::new(position)),
        })
    }

    /// Breaks the match off: ends the players at once and closes the referee.
    pub async fn abandon(mut self) {
        let ByColor { red, blue } = &mut self.seats;
        tokio::join!(red.leave(Duration::ZERO), blue.leave(Duration::ZERO));
        drop(self.administrator);
        self.referee.abandon().await;
    }

    /// After the result: waits for the programs, ends those that stay, and closes the referee.
    ///
    /// # Errors
    /// When the referee failed.
    pub async fn finish(mut self) -> Result<Finished, MatchError> {
        let patience = self.settings.exit_patience;
        let ByColor { red, blue } = &mut self.seats;
        let (red, blue) = tokio::join!(red.leave(patience), blue.leave(patience));
        let killed = [(Color::Red, red), (Color::Blue, blue)]
            .into_iter()
            .filter_map(|(color, by_itself)| (!by_itself).then_some(color))
            .collect();
        let last_words = ByColor::from_fn(|color| self.seats[color].last_words());
        drop(self.administrator);
        let report = self.referee.stop().await.map_err(MatchError::Referee)?;
        let (game, replay) = report.map_or((None, None), |r| (Some(r.game), r.replay));
        Ok(Finished {
            replay,
            game,
            killed,
            last_words,
        })
    }
}

/// Prepares a room and lets the players go to it.
async fn gather(
    settings: &Settings,
    referee: SocketAddr,
    password: &str,
) -> Result<(Administrator, ByColor<Seat>), MatchError> {
    let slots = Color::ALL.map(|color| settings.slot(color));
    let administrator = Administrator::prepare(referee, password, slots).await?;
    let seat = |color| {
        let reservation = &administrator.reservations[color];
        Seat::start(settings, color, referee, reservation)
    };
    let seats = ByColor {
        red: seat(Color::Red)?,
        blue: seat(Color::Blue)?,
    };
    Ok((administrator, seats))
}

impl Referee {
    async fn start(settings: &Settings, password: &str) -> std::io::Result<(Referee, SocketAddr)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (reports_sender, reports) = mpsc::unbounded_channel();
        let config = Config {
            password: Password::new(password.to_owned()),
            side_time_limits: settings.time_limits,
            start: settings.start.clone(),
            seed: settings.seed,
            replays: settings.replays.clone(),
            reports: Some(reports_sender),
            ..Config::default()
        };
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(server::run(listener, config, async {
            // An error says that nobody is there any more to stop it.
            let _ = stopped.await;
        }));
        let referee = Referee {
            serving,
            stop,
            reports,
        };
        Ok((referee, address))
    }

    /// Stops the server; what it has reported of the game.
    async fn stop(mut self) -> std::io::Result<Option<GameReport>> {
        let _ = self.stop.send(());
        self.serving.await.map_err(std::io::Error::other)??;
        Ok(self.reports.try_recv().ok())
    }

    /// Stops the server of a match without a result, of which nobody wants to hear any more.
    async fn abandon(self) {
        if let Err(error) = self.stop().await {
            log::warn!("the referee failed: {error}");
        }
    }
}
