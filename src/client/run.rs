//! A session over TCP: connects, plays, closes.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep_until, timeout};

use super::error::{ClientError, Interruption};
use super::searcher::{Answer, Pending, PlayerFactory, Pondering, Searcher};
use super::session::{Event, GameOver, Session};
use crate::hive::contest::Move;
use crate::protocol::{self, ClientMessage, Hint, ReservationCode, STREAM_CLOSE};
use crate::search;

/// How to play.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the server is.
    pub address: Address,
    /// The reserved seat; any seat without it.
    pub reservation: Option<ReservationCode>,
    /// Limits of each search, its time counted from the arrival of the request.
    pub limits: search::Limits,
    /// Whether to think on while it is the other side's turn; with a limit on nodes, which is there to make games repeatable,
    /// never.
    pub ponder: bool,
    /// Whether moves carry a hint.
    pub send_hints: bool,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long the server may say nothing while it is not the client's turn.
    pub idle_timeout: Duration,
    /// How long a search may go on after its time before another answer is sent in its place.
    pub overrun: Duration,
    /// How long to wait for the server's last words after the result, and at the end for it to close the connection.
    pub farewell: Duration,
    /// What the server's stream may ask of the client.
    pub stream_limits: protocol::Limits,
}

impl Options {
    /// Any open seat on the server at `address`, and for everything else what suits a contest.
    pub fn new(address: Address, limits: search::Limits) -> Options {
        Options {
            address,
            reservation: None,
            limits,
            ponder: false,
            send_hints: true,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(600),
            overrun: OVERRUN,
            farewell: FAREWELL,
            stream_limits: protocol::Limits::default(),
        }
    }
}

/// A search ends by itself within a fraction of a millisecond; it takes longer only when other processes have its core, which
/// may last some milliseconds, while a thread that has been waiting is let in at once.
const OVERRUN: Duration = Duration::from_millis(3);

/// Nobody waits longer than some seconds for a client to exit.
const FAREWELL: Duration = Duration::from_secs(1);

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Name or number.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Plays one game. When `interrupted` comes to an end first, closes the connection properly and gives up.
///
/// # Errors
/// Says why there is no result.
pub async fn play(
    options: &Options,
    make_player: PlayerFactory,
    interrupted: impl Future<Output = Interruption>,
) -> Result<GameOver, ClientError> {
    let mut interrupted = pin!(interrupted);
    let searcher = Searcher::start(make_player)
        .await
        .map_err(ClientError::Search)?;
    let stream = tokio::select! {
        biased;
        signal = &mut interrupted => return Err(ClientError::Interrupted(signal)),
        stream = connect(options) => stream?,
    };
    let mut run = Run {
        options,
        stream,
        session: Session::new(options.stream_limits),
        searcher,
        pending: None,
        pondering: None,
    };
    let ending = tokio::select! {
        biased;
        signal = &mut interrupted => Err(ClientError::Interrupted(signal)),
        ending = run.until_the_end() => ending,
    };
    run.close().await;
    match ending {
        // Once there is a result, nothing that happens later takes it away.
        Err(error) if run.session.is_finished() => log::info!("after the result: {error:?}"),
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    Ok(run.session.conclude()?)
}

async fn connect(options: &Options) -> Result<TcpStream, ClientError> {
    let Address { host, port } = &options.address;
    let connecting = TcpStream::connect((host.as_str(), *port));
    let stream = timeout(options.connect_timeout, connecting)
        .await
        .map_err(|_| ClientError::ConnectTimeout {
            address: options.address.to_string(),
            after: options.connect_timeout,
        })?
        .map_err(|source| ClientError::Connect {
            address: options.address.to_string(),
            source,
        })?;
    // A move is one small write that nothing follows.
    stream.set_nodelay(true)?;
    Ok(stream)
}

struct Run<'o> {
    options: &'o Options,
    stream: TcpStream,
    session: Session,
    searcher: Searcher,
    pending: Option<Pending>,
    pondering: Option<Pondering>,
}

/// What ends a wait.
enum Wake {
    Bytes(usize),
    Answer(Answer),
    Overrun,
    Silence,
}

impl Run<'_> {
    async fn until_the_end(&mut self) -> Result<(), ClientError> {
        let opening = Session::opening(self.options.reservation.as_ref());
        self.send(&opening).await?;
        let mut buffer = vec![0; 1 << 16];
        let mut silent_since = Instant::now();
        while !self.session.is_ended() {
            match self.wait(&mut buffer, silent_since).await? {
                Wake::Bytes(length) => {
                    let arrived = Instant::now();
                    // Before anything is read: on a machine with one core, thinking ahead would delay it.
                    self.pondering = None;
                    silent_since = arrived;
                    let bytes = buffer.get(..length).unwrap_or_default();
                    if bytes.is_empty() {
                        return Ok(());
                    }
                    self.session.receive(bytes);
                    while let Some(event) = self.session.next_event()? {
                        self.handle(event, arrived);
                    }
                    self.ponder();
                }
                Wake::Answer(answer) => {
                    self.answer(answer).await?;
                    silent_since = Instant::now();
                }
                Wake::Overrun => {
                    self.answer_in_place_of_the_search().await?;
                    silent_since = Instant::now();
                }
                Wake::Silence if self.session.is_finished() => return Ok(()),
                Wake::Silence => return Err(ClientError::Idle(self.options.idle_timeout)),
            }
        }
        Ok(())
    }

    async fn wait(&mut self, buffer: &mut [u8], since: Instant) -> Result<Wake, ClientError> {
        // While the client thinks, it is not the server that keeps the other waiting.
        let overrun = self.overrun_at();
        let silence = if self.session.is_finished() {
            Some(since + self.options.farewell)
        } else if self.pending.is_none() {
            since.checked_add(self.options.idle_timeout)
        } else {
            None
        };
        tokio::select! {
            biased;
            answer = self.searcher.answer() => Ok(Wake::Answer(answer)),
            length = self.stream.read(buffer) => Ok(Wake::Bytes(length?)),
            () = wait_until(overrun) => Ok(Wake::Overrun),
            () = wait_until(silence) => Ok(Wake::Silence),
        }
    }

    fn overrun_at(&self) -> Option<Instant> {
        let time = self.options.limits.time()?;
        let pending = self.pending.as_ref()?;
        pending
            .arrived
            .checked_add(time)?
            .checked_add(self.options.overrun)
    }

    fn handle(&mut self, event: Event, arrived: Instant) {
        match event {
            Event::Joined(room) => log::info!("joined room {room}; waiting for the game to begin"),
            Event::Welcome(color) => log::info!("playing {color}"),
            Event::State {
                position,
                last_move,
            } => {
                self.drop_search();
                if let Some(mv) = last_move {
                    log::info!("turn {}: {mv}", position.turn().saturating_sub(1));
                }
                log::debug!("position {position}");
            }
            Event::MoveRequested(request) => {
                self.drop_search();
                let limits = self.options.limits;
                self.pending = Some(self.searcher.search(request, arrived, limits));
            }
            Event::Refused(message) => log::info!("the server refused a request: {message}"),
            Event::Result(_) | Event::Ended => self.drop_search(),
        }
    }

    /// Thinks on if it is the other side's turn.
    fn ponder(&mut self) {
        if self.options.ponder && self.options.limits.nodes().is_none() {
            let position = self.session.position_of_the_other();
            self.pondering = position.map(|position| self.searcher.ponder(*position));
        }
    }

    /// Nobody waits for the search any more, if there is one.
    fn drop_search(&mut self) {
        if let Some(pending) = self.pending.take() {
            pending.stop();
        }
    }

    async fn answer(&mut self, answer: Answer) -> Result<(), ClientError> {
        log::debug!(
            "searched from {:?} to {:?} after the request",
            answer.started_after,
            answer.ended_after
        );
        let Some(pending) = self.pending.take_if(|p| p.request.id == answer.id) else {
            return Ok(());
        };
        let Some(choice) = answer.choice else {
            return self.reply_with_fallback(&pending).await;
        };
        let mv = choice.best.mv;
        if let Err(error) = pending.request.position.check(mv) {
            log::error!("the search chose an illegal move, {mv}: {error}");
            return self.reply_with_fallback(&pending).await;
        }
        let hint = Hint::of(&choice).to_string();
        self.reply(&pending, mv, Some(hint)).await
    }

    async fn answer_in_place_of_the_search(&mut self) -> Result<(), ClientError> {
        let Some(pending) = self.pending.take() else {
            return Ok(());
        };
        pending.stop();
        log::info!("the search did not end in time");
        self.reply_with_fallback(&pending).await
    }

    async fn reply_with_fallback(&mut self, pending: &Pending) -> Result<(), ClientError> {
        match pending.fallback() {
            Some(mv) => self.reply(pending, mv, None).await,
            // The session lets no request through that has no legal move.
            None => Ok(()),
        }
    }

    async fn reply(
        &mut self,
        pending: &Pending,
        mv: Move,
        hint: Option<String>,
    ) -> Result<(), ClientError> {
        let hint = hint.filter(|_| self.options.send_hints);
        match self.session.reply(pending.request.id, mv, hint) {
            Ok(reply) => match self.send(&reply).await {
                Ok(()) => log::debug!("answered {:?} after the request", pending.arrived.elapsed()),
                // The server may have ended the game meanwhile: what it sent last still has to be read.
                Err(ClientError::Io(error)) => log::debug!("could not send {mv}: {error}"),
                Err(error) => return Err(error),
            },
            Err(error) => log::debug!("did not send {mv}: {error}"),
        }
        Ok(())
    }

    /// Writes everything, or gives up on a server that does not read.
    async fn send(&mut self, text: &str) -> Result<(), ClientError> {
        let writing = self.stream.write_all(text.as_bytes());
        timeout(self.options.idle_timeout, writing)
            .await
            .map_err(|_| ClientError::Idle(self.options.idle_timeout))??;
        Ok(())
    }

    /// Takes leave of the server, as far as it still listens.
    async fn close(&mut self) {
        self.drop_search();
        self.pondering = None;
        let mut text = String::new();
        ClientMessage::CloseConnection.write(&mut text);
        text.push_str(STREAM_CLOSE);
        let farewell = async {
            self.stream.write_all(text.as_bytes()).await?;
            self.stream.shutdown().await?;
            // Closing with unread bytes would reset the connection, and the server might miss the farewell.
            let mut rest = [0; 4096];
            while self.stream.read(&mut rest).await? > 0 {}
            std::io::Result::Ok(())
        };
        match timeout(self.options.farewell, farewell).await {
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
