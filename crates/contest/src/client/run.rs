//! Runs a session over TCP.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{sleep_until, timeout};

use super::error::{ClientError, Interruption, ReplyError};
use super::margin::{MEASURE_INTERVAL, Margin};
use super::session::{Event, GameOver, PlayerSession, Request, RequestId};
use crate::protocol::{ClientMessage, Hint, ReservationCode, STREAM_CLOSE};
use crate::socket::set_options;
use wabe_engine::search;
use wabe_engine::thread::{Engine, MoveSearch, PlayerFactory, Pondering, SearchResult};
use wabe_hive::contest::{Contest, Move};
use wabe_hive::game::Record;

/// Options of [`play`].
#[derive(Clone, Debug)]
pub struct Options {
    /// The server's address.
    pub address: Address,
    /// The reserved seat; `None` for any open seat.
    pub reservation: Option<ReservationCode>,
    /// Limits per move. Time counts from the arrival of the request to the reply.
    pub limits: search::Limits,
    /// Safety margin taken off the time limit; `None` adapts it to the delays of the machine.
    pub margin: Option<Duration>,
    /// True to ponder during the opponent's turn. Ignored with a node limit, to keep games
    /// reproducible.
    pub ponder: bool,
    /// True to send hints with moves.
    pub send_hints: bool,
    /// Timeout for connecting.
    pub connect_timeout: Duration,
    /// How much a search may exceed its time limit before a fallback move is sent.
    pub overrun: Duration,
    /// Timeout for the server to close the room after the result, and then the connection.
    pub close_timeout: Duration,
}

impl Options {
    /// Options for any open seat on the server at `address`, with the contest's defaults.
    pub fn new(address: Address, limits: search::Limits) -> Options {
        Options {
            address,
            reservation: None,
            limits,
            margin: None,
            ponder: false,
            send_hints: true,
            connect_timeout: Duration::from_secs(10),
            overrun: OVERRUN,
            close_timeout: CLOSE_TIMEOUT,
        }
    }
}

/// Time past the deadline after which a move is sent without waiting for the search. A search
/// normally stops within a fraction of a millisecond; a later one has been preempted.
const OVERRUN: Duration = Duration::from_millis(3);

/// Programs that start the client wait only a few seconds for it to exit.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            // IPv6 addresses need brackets because of their colons.
            host if host.contains(':') => write!(f, "[{host}]:{}", self.port),
            host => write!(f, "{host}:{}", self.port),
        }
    }
}

/// Plays one game. If `interrupted` completes first, closes the connection and returns an error.
///
/// # Errors
/// When the game has no result.
pub async fn play(
    options: &Options,
    make_player: PlayerFactory<Contest>,
    interrupted: impl Future<Output = Interruption>,
) -> Result<GameOver, ClientError> {
    let mut interrupted = pin!(interrupted);
    let engine = Engine::start(make_player).map_err(ClientError::Search)?;
    let stream = tokio::select! {
        biased;
        signal = &mut interrupted => return Err(ClientError::Interrupted(signal)),
        stream = connect(&options.address, options.connect_timeout) => stream?,
    };
    log::info!("connected to {}; waiting for a seat", options.address);
    let (answer_sender, answers) = unbounded_channel();
    let mut run = Run {
        options,
        stream,
        session: PlayerSession::new(),
        engine,
        answer_sender,
        answers,
        pending: None,
        pondering: None,
        margin: Margin::default(),
        next_measurement: None,
        ends_at: None,
    };
    let ending = tokio::select! {
        biased;
        signal = &mut interrupted => Err(ClientError::Interrupted(signal)),
        ending = run.run_session() => ending,
    };
    run.close().await;
    match ending {
        // Failures after the result do not invalidate it.
        Err(error) if run.session.is_finished() => log::info!("after the result: {error:?}"),
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    Ok(run.session.conclude()?)
}

pub(super) async fn connect(
    address: &Address,
    connect_timeout: Duration,
) -> Result<TcpStream, ClientError> {
    let connecting = TcpStream::connect((address.host.as_str(), address.port));
    let late = |_| {
        let problem = format!("no answer within {} s", connect_timeout.as_secs_f64());
        Err(io::Error::new(io::ErrorKind::TimedOut, problem))
    };
    let connected = timeout(connect_timeout, connecting).await;
    let stream = connected
        .unwrap_or_else(late)
        .map_err(|source| ClientError::Connect {
            address: address.to_string(),
            source,
        })?;
    for error in set_options(&stream).into_iter().filter_map(Result::err) {
        log::info!("cannot set an option of the connection: {error}");
    }
    Ok(stream)
}

struct Run<'o> {
    options: &'o Options,
    stream: TcpStream,
    session: PlayerSession,
    engine: Engine<Contest>,
    /// Keeps `answers` open.
    answer_sender: UnboundedSender<(RequestId, SearchResult<Contest>)>,
    answers: UnboundedReceiver<(RequestId, SearchResult<Contest>)>,
    pending: Option<Pending>,
    pondering: Option<Pondering>,
    margin: Margin,
    /// When the next delay is measured; `None` with a fixed margin.
    next_measurement: Option<Instant>,
    /// When the session ends after the result, even if the server does not close the room.
    ends_at: Option<Instant>,
}

/// A move request with its running search.
struct Pending {
    id: RequestId,
    /// When the request arrived.
    arrived_at: Instant,
    /// End of the search's time limit; `None` without one.
    ends_at: Option<Instant>,
    /// Dropping it stops the search.
    thinking: MoveSearch<Contest>,
}

impl Run<'_> {
    async fn run_session(&mut self) -> Result<(), ClientError> {
        let opening = PlayerSession::opening(self.options.reservation.as_ref());
        self.stream.write_all(opening.as_bytes()).await?;
        let mut buffer = vec![0; 1 << 16];
        let is_timed = self.options.limits.time().is_some();
        self.next_measurement = (is_timed && self.options.margin.is_none()).then(Instant::now);
        while !self.session.is_ended() {
            let overrun = self.overrun_at();
            tokio::select! {
                biased;
                () = wait_until(self.ends_at) => return Ok(()),
                Some((id, answer)) = self.answers.recv() => self.answer(id, answer).await,
                () = wait_until(overrun) => self.answer_after_overrun().await,
                length = self.stream.read(&mut buffer) => {
                    let bytes = buffer.get(..length?).unwrap_or_default();
                    if bytes.is_empty() {
                        return Ok(());
                    }
                    self.receive(bytes).await;
                    self.ponder();
                }
                () = wait_until(self.next_measurement) => {
                    self.measure_delay(self.next_measurement);
                    self.next_measurement = Some(Instant::now() + MEASURE_INTERVAL);
                }
            }
        }
        Ok(())
    }

    /// Handles bytes from the server.
    async fn receive(&mut self, bytes: &[u8]) {
        let arrived_at = Instant::now();
        // Pondering would delay reading on a single core, so it stops first.
        self.pondering = None;
        self.session.receive(bytes);
        while let Some(event) = self.session.next_event() {
            self.handle(event, arrived_at).await;
        }
    }

    fn overrun_at(&self) -> Option<Instant> {
        let pending = self.pending.as_ref()?;
        pending.ends_at?.checked_add(self.options.overrun)
    }

    /// Records the delay of an event planned for this time.
    fn measure_delay(&mut self, planned: Option<Instant>) {
        let now = Instant::now();
        if let Some(planned) = planned {
            self.margin
                .record(now.saturating_duration_since(planned), now);
        }
    }

    /// Limits of a search. The margin is subtracted, so that the reply arrives in time.
    fn search_limits(&self) -> search::Limits {
        let limits = self.options.limits;
        let time = limits.time().map(|time| {
            let adapted = || self.margin.for_time(time, Instant::now());
            time.saturating_sub(self.options.margin.unwrap_or_else(adapted))
        });
        search::Limits::from_parts(time, limits.nodes())
    }

    async fn handle(&mut self, event: Event, arrived_at: Instant) {
        match event {
            Event::Joined(room) => log::info!("joined room {room}; waiting for the game to begin"),
            Event::Welcome(color) => log::info!("playing {color}"),
            Event::State {
                position,
                last_move,
            } => {
                self.pending = None;
                if let Some(mv) = last_move {
                    log::info!("turn {}: {mv}", position.turn().saturating_sub(1));
                }
                log::debug!("position {position}");
            }
            Event::InvalidState(error) => {
                self.pending = None;
                log::warn!("the state is impossible by the rules: {error}");
            }
            Event::MoveRequested(request) => self.search(request, arrived_at),
            Event::MoveRequestedInInvalidState { id, mv } => {
                log::warn!("answering without a search: {mv}");
                match self.session.reply(id, mv, None) {
                    Ok(text) => self.send_move(&text).await,
                    Err(error) => log::error!("did not send {mv}: {error}"),
                }
            }
            Event::Refused(message) => log::info!("the server refused a request: {message}"),
            Event::Finished => {
                self.pending = None;
                let ends_at = arrived_at + self.options.close_timeout;
                self.ends_at.get_or_insert(ends_at);
            }
            Event::Ended => self.pending = None,
        }
    }

    fn search(&mut self, request: Request, arrived_at: Instant) {
        // Stops a search for an earlier request.
        self.pending = None;
        let Request { id, position } = request;
        let answers = self.answer_sender.clone();
        let on_answer = move |answer| {
            // The receiver may have been dropped.
            let _ = answers.send((id, answer));
        };
        let (record, limits) = (Record::from_position(position), self.search_limits());
        if let Some(time) = limits.time() {
            log::debug!("searching for {time:?}");
        }
        let clock = search::SystemClock::since(arrived_at);
        self.pending = Some(Pending {
            id,
            arrived_at,
            ends_at: limits.time().and_then(|time| arrived_at.checked_add(time)),
            thinking: self.engine.think(clock, record, limits, 0, on_answer),
        });
    }

    /// Ponders during the opponent's turn.
    fn ponder(&mut self) {
        if self.options.ponder && self.options.limits.nodes().is_none() {
            let position = self.session.position_to_ponder();
            self.pondering =
                position.map(|&position| self.engine.ponder(Record::from_position(position)));
        }
    }

    async fn answer(&mut self, id: RequestId, answer: SearchResult<Contest>) {
        log::debug!(
            "searched from {:?} to {:?} after the request",
            answer.started_after,
            answer.ended_after
        );
        let Some(pending) = self.pending.take_if(|pending| pending.id == id) else {
            return;
        };
        let choice = answer.choice.map(|choice| {
            let send_hints = self.options.send_hints;
            let hint = send_hints.then(|| {
                let pv = choice.best.pv().map(|mv| mv.to_string());
                Hint::from_choice(&choice, pv.collect()).to_string()
            });
            (choice.best.mv, hint)
        });
        self.reply(&pending, choice).await;
    }

    async fn answer_after_overrun(&mut self) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        pending.thinking.stop();
        log::info!("the search exceeded its time limit");
        self.reply(&pending, None).await;
    }

    /// Sends the search's choice with its hint. Sends a fallback move if the choice is missing or
    /// illegal.
    async fn reply(&mut self, pending: &Pending, choice: Option<(Move, Option<String>)>) {
        let id = pending.id;
        let mut reply = None;
        if let Some((mv, hint)) = choice {
            match self.session.reply(id, mv, hint) {
                Err(ReplyError::Illegal(error)) => {
                    log::error!("the search chose the illegal move {mv}: {error}");
                }
                answered => reply = Some(answered),
            }
        }
        if reply.is_none() {
            let fallback = pending.thinking.fallback();
            reply = fallback.map(|mv| self.session.reply(id, mv, None));
        }
        match reply {
            Some(Ok(text)) => {
                self.send_move(&text).await;
                if self.options.margin.is_none() {
                    self.measure_delay(pending.ends_at);
                }
                let elapsed = pending.arrived_at.elapsed();
                log::debug!("answered {elapsed:?} after the request");
            }
            Some(Err(error)) => log::debug!("did not send the move: {error}"),
            // Unreachable, because the position of a request has a legal move.
            None => log::error!("no legal move to answer with"),
        }
    }

    async fn send_move(&mut self, text: &str) {
        // After an error, the last messages must still be read: the server may have ended the game.
        if let Err(error) = self.stream.write_all(text.as_bytes()).await {
            log::debug!("could not send the move: {error}");
        }
    }

    /// Sends `CloseConnection` and closes the connection.
    async fn close(&mut self) {
        self.pending = None;
        self.pondering = None;
        let text = ClientMessage::CloseConnection.to_xml() + STREAM_CLOSE;
        let closing = async {
            self.stream.write_all(text.as_bytes()).await?;
            self.stream.shutdown().await?;
            // Closing with unread input sends RST, which may discard the message on the server's
            // side.
            let mut rest = [0; 4096];
            while self.stream.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        match timeout(self.options.close_timeout, closing).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => log::debug!("while closing the connection: {error}"),
            Err(_) => log::debug!("the server did not close the connection"),
        }
    }
}

async fn wait_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
