//! Runs contest clients: a program, its connection, and a room of the contest's server with the
//! arena as the other player.
//!
//! The room decides which messages are sent, measures the client's time and judges its moves.
//! Records and moves are converted through their text forms, as for other programs.

mod arguments;
mod connection;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use super::error::GameError;
use super::game::GameTask;
use super::process::Process;
use super::program::{ProgramKind, ProgramSpec};
use super::record::GameEnd;
use super::seat::{Failure, ProgramOutput, Reply, STOP_CHECK_INTERVAL, Seat, lateness};
use super::transcript::Transcript;
use crate::ArenaGame;
use arguments::{time_limits, with_address, with_defaults, with_limits};
use connection::{Arrival, Connection};
pub(super) use connection::{Encoding, encode_whole};
use wabe_contest::protocol::{
    Cause, ClientMessage, GameResult, MALFORMED, ReservationCode, RoomId, ServerMessage, WireMove,
};
use wabe_contest::room::{ClientId, Effect, Origin, Room, RoomSetup, SeatSetup, Start, TimeLimits};
use wabe_contest::server::lobby::identity;
use wabe_engine::clock;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::contest::{Move, Position};
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};

/// Environment variable that switches pondering of a wabe build `on` or `off`.
const PONDER_VARIABLE: &str = "WABE_PONDER";

/// How often to poll for a connection of the client.
const JOIN_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Minimum timeout for a client, even if the other one took long to join.
const MIN_JOIN_TIMEOUT: Duration = Duration::from_millis(200);

/// Maximum number of bytes read from the end of a client's output. The file itself may be longer.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Maximum number of ignored messages. A client that sends more is expelled.
const MAX_IGNORED: usize = 1000;

/// The arena's id in the room.
const ARENA: ClientId = ClientId(0);

/// The program's id in the room.
const CLIENT: ClientId = ClientId(1);

/// An event on a client's connection.
pub(super) enum Received {
    Timeout,
    Other,
    /// A move and when it arrived.
    Move(WireMove, Instant),
}

/// A client in its game.
#[derive(Debug)]
pub(super) struct ClientSeat {
    process: Process,
    /// Standard output and standard error of the program.
    output: File,
    listener: TcpListener,
    reservation: ReservationCode,
    started_at: Instant,
    connection: Option<Connection>,
    encoding: Encoding,
    color: Color,
    id: RoomId,
    room: Room,
    has_joined: bool,
    /// When the room wants to be woken.
    wake_at: Option<Instant>,
    /// When the latest move request was sent.
    request_sent_at: Instant,
    /// Number of plies passed to the room.
    known_plies: usize,
    result: Option<GameResult>,
    /// Why the client's last message was malformed.
    malformed: Option<String>,
    limits: TimeLimits,
    /// Time taken for the last move.
    move_time: Duration,
    dialogue: Option<Transcript>,
    exit_timeout: Duration,
    /// Number of ignored messages so far.
    ignored: usize,
}

impl ClientSeat {
    /// Starts a client like the contest's server does. Messages to it are encoded with `encoding`.
    ///
    /// The command line may contain the placeholders `{time}`, `{nodes}`, `{memory}` and `{seed}`.
    /// A build of wabe gets its limits as `--move-time`, `--nodes`, `--memory` and `--seed`. It
    /// does not ponder unless `WABE_PONDER` is `on`, because both sides may share a core.
    pub(super) fn start<G: ArenaGame>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
        encoding: Encoding,
    ) -> Result<ClientSeat, GameError> {
        let engine = |color| task.engines[color].1;
        let unusable = |problem| GameError::unusable(&engine(color).name, problem);
        let position = task.opening.position().to_string().parse::<Position>();
        let position = position.map_err(|_| unusable(format!("does not play {}", G::WORD)))?;
        let program = with_defaults(program, task.settings.move_time, task.seeds[color])
            .map_err(|error| unusable(format!("has no limits: {error}")))?;
        let open = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            // Opened twice, because reading must not move the write position.
            let output = tempfile::NamedTempFile::new()?;
            let ours = output.reopen()?;
            let theirs = output.into_file();
            Ok((listener, address, ours, theirs.try_clone()?, theirs))
        };
        let (listener, address, output, stdout, stderr) =
            open().map_err(GameError::system("cannot wait for a client"))?;
        let reservation = ReservationCode(identity(rand::random()));
        let arguments = with_address(with_limits(&program), address, &reservation);
        let process = Process::start(&program, &arguments, |child| {
            child.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
            if program.kind == ProgramKind::Wabe {
                // Not an option, because builds without pondering would reject it. The user's own
                // value takes precedence.
                child.env(PONDER_VARIABLE, "off");
            }
        });
        let id = RoomId(identity(rand::random()));
        let limits = time_limits(&program, task.settings);
        let setup = RoomSetup {
            id: id.clone(),
            seats: ByColor::from_fn(|color| SeatSetup {
                name: engine(color).name.clone(),
                can_timeout: true,
            }),
            origin: Origin::Prepared,
            paused: false,
            start: Start {
                position,
                last_move: None,
            },
            time_limits: ByColor::from_fn(|side| (side == color).then_some(limits)),
        };
        Ok(ClientSeat {
            process: process.map_err(|source| task.cannot_start(color, source))?,
            output,
            listener,
            reservation,
            started_at: clock::now(),
            connection: None,
            encoding,
            color,
            id,
            room: Room::new(setup),
            has_joined: false,
            wake_at: None,
            request_sent_at: clock::now(),
            known_plies: task.opening.plies().len(),
            result: None,
            malformed: None,
            limits,
            move_time: Duration::ZERO,
            dialogue: task.settings.keep_dialogues.then(Transcript::default),
            exit_timeout: task.settings.exit_timeout,
            ignored: 0,
        })
    }

    /// Accepts the client's connection, then reads one message at a time. Returns true once the
    /// client has joined.
    fn accept_or_read(&mut self) -> Result<bool, Failure> {
        let Some(connection) = &self.connection else {
            let dialogue = self.dialogue.clone();
            let accepted = self.listener.accept();
            match accepted.and_then(|(stream, _)| Connection::open(stream, dialogue, self.encoding))
            {
                Ok(connection) => self.connection = Some(connection),
                Err(error) => {
                    if error.kind() != io::ErrorKind::WouldBlock {
                        log::info!("cannot accept a client: {error}");
                    }
                    thread::sleep(JOIN_CHECK_INTERVAL);
                }
            }
            return Ok(false);
        };
        let arrival = match connection.arrivals.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => return Ok(false),
            Err(RecvTimeoutError::Disconnected) => {
                // The client may connect again.
                self.connection = None;
                return Ok(false);
            }
        };
        let malformed = |fault| Failure::fault(GameEnd::Malformed, fault);
        match arrival.message.map_err(malformed)? {
            ClientMessage::JoinPrepared(code) if code == self.reservation => return Ok(true),
            ClientMessage::Join { .. } => {
                let detail = "asked to join any game instead of its reservation";
                return Err(Failure::fault(GameEnd::NeverJoined, detail));
            }
            ClientMessage::JoinPrepared(_)
            | ClientMessage::Move { .. }
            | ClientMessage::NoMove(_)
            | ClientMessage::CloseConnection => {
                self.hang_up(true);
                self.connection = None;
            }
            message => log::info!("ignored a message before the game: {message:?}"),
        }
        Ok(false)
    }

    fn hang_up(&mut self, is_expelled: bool) {
        if let Some(connection) = &mut self.connection
            && let Err(error) = connection.end(is_expelled)
        {
            log::debug!("cannot close the stream to a client: {error}");
        }
    }

    /// Carries out the room's effects.
    fn perform(&mut self, effects: Vec<Effect>) {
        let mut sent = Ok(());
        for effect in effects {
            match effect {
                Effect::Send { to, message } if to.contains(&CLIENT) => {
                    sent = sent.and_then(|()| self.send(&message));
                }
                Effect::Request {
                    to: CLIENT,
                    message,
                } => {
                    sent = sent.and_then(|()| self.send(&message));
                    self.request_sent_at = clock::now();
                    self.room.request_sent(CLIENT, self.request_sent_at);
                }
                Effect::WakeAt(at) => self.wake_at = Some(at),
                Effect::Sleep => self.wake_at = None,
                Effect::GameOver(game) => self.result = Some(game.result),
                Effect::Release(CLIENT) => self.hang_up(false),
                Effect::Expel(CLIENT) => self.hang_up(true),
                _ => {}
            }
        }
        if let Err(error) = sent {
            log::info!("cannot write to a client: {error}");
            self.leave(CLIENT);
        }
    }

    fn send(&mut self, message: &ServerMessage) -> io::Result<()> {
        match &mut self.connection {
            Some(connection) => connection.send(message),
            None => Ok(()),
        }
    }

    fn leave(&mut self, who: ClientId) {
        let effects = self.room.leave(who, clock::now());
        self.perform(effects);
    }

    /// Expels the client for a malformed message.
    fn expel(&mut self, fault: String) {
        self.malformed = Some(fault);
        self.hang_up(true);
        self.leave(CLIENT);
    }

    /// Waits for a message and passes it to the room, or notices that the client has disconnected.
    fn receive(&mut self, timeout: Duration) -> Received {
        let Some(connection) = &self.connection else {
            return Received::Timeout;
        };
        let Arrival {
            message,
            arrived_at,
        } = match connection.arrivals.recv_timeout(timeout) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => {
                if self.wake_at.is_some_and(|at| at <= clock::now()) {
                    let effects = self.room.wake(clock::now());
                    self.perform(effects);
                }
                return Received::Timeout;
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.connection = None;
                self.leave(CLIENT);
                return Received::Other;
            }
        };
        match message {
            Ok(ClientMessage::Move { room, mv }) if room == self.id => {
                self.play(mv.clone(), arrived_at);
                return Received::Move(mv, arrived_at);
            }
            Ok(ClientMessage::NoMove(room)) if room == self.id => self.play(None, arrived_at),
            // As on the contest's server, a client that names another room is expelled.
            Ok(ClientMessage::Move { room, .. } | ClientMessage::NoMove(room)) => {
                let (room, own) = (printable(&room.0, MAX_DETAIL), &self.id);
                self.expel(format!("expected the room `{own}`, found `{room}`"));
            }
            Ok(ClientMessage::CloseConnection) => self.leave(CLIENT),
            Ok(message) => {
                log::info!("ignored a message in the game: {message:?}");
                self.ignored += 1;
                if self.ignored > MAX_IGNORED {
                    self.expel(format!("more than {MAX_IGNORED} irrelevant messages"));
                }
            }
            Err(fault) => {
                self.malformed = Some(fault);
                self.connection = None;
                self.leave(CLIENT);
            }
        }
        Received::Other
    }

    /// Passes the client's move to the room.
    fn play(&mut self, mv: impl Into<Option<WireMove>>, arrived_at: Instant) {
        self.move_time = arrived_at.saturating_duration_since(self.request_sent_at);
        let effects = self.room.play(CLIENT, mv, arrived_at, clock::now());
        self.perform(effects);
    }

    /// Checks that the client stays silent for `time`, and returns its fault otherwise. After the
    /// game it may disconnect but not crash.
    pub(super) fn watch(&mut self, time: Duration) -> Result<(), Failure> {
        let started = clock::now();
        let is_over = self.result.is_some();
        while let Some(left) = time.checked_sub(clock::since(started))
            && !left.is_zero()
            && self.connection.is_some()
        {
            self.receive(left);
        }
        if !is_over {
            return self.check();
        }
        if let Some(fault) = self.malformed.take() {
            return Err(Failure::fault(GameEnd::Malformed, fault));
        }
        match self.exit_fault() {
            crash @ Failure::Fault {
                end: GameEnd::Crash,
                ..
            } => Err(crash),
            _ => Ok(()),
        }
    }

    /// Handles messages that arrived during the opponent's turn.
    pub(super) fn receive_pending(&mut self) {
        while self.result.is_none() && !matches!(self.receive(Duration::ZERO), Received::Timeout) {}
    }

    /// Closes the connection without a message.
    pub(super) fn disconnect(&mut self) {
        self.connection = None;
    }

    /// Closes the room without a result, unless the game is over.
    pub(super) fn cancel(&mut self) {
        if self.result.is_none() {
            let effects = self.room.cancel();
            self.perform(effects);
        }
    }

    /// Seats both players, which starts the game.
    pub(super) fn start_game(&mut self) {
        let now = clock::now();
        let mut effects = self.room.join(CLIENT, self.color, now);
        effects.extend(self.room.join(ARENA, self.color.opponent(), now));
        self.perform(effects);
    }

    /// Waits until the client has joined the game.
    pub(super) fn wait_for_join<G: ArenaGame>(
        &mut self,
        task: &GameTask<'_, G>,
    ) -> Result<(), Failure> {
        let timeout = task.settings.join_timeout;
        let waits_since = clock::now();
        while !self.accept_or_read()? {
            if task.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if let Ok(Some(status)) = self.process.exit_status() {
                if let Ok(output) = self.read_output()
                    && let Some(error) = self.process.start_error(&output)
                {
                    return Err(Failure::Error(task.cannot_start(self.color, error)));
                }
                let detail = format!("before it began, with {status}");
                return Err(Failure::fault(GameEnd::Crash, detail));
            }
            // The client may have connected while the arena waited for the other one.
            if clock::since(self.started_at) > timeout
                && clock::since(waits_since) > MIN_JOIN_TIMEOUT
            {
                let timeout = timeout.as_secs_f64();
                let detail = format!("did not join the game within {timeout} s");
                return Err(Failure::fault(GameEnd::NeverJoined, detail));
            }
        }
        self.has_joined = true;
        Ok(())
    }

    /// Waits for the room to play a move of the client. Returns the move and the time taken.
    pub(super) fn next_move(&mut self, stop: &AtomicBool) -> Result<(WireMove, Duration), Failure> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            self.check()?;
            if self.connection.is_none() {
                return Err(self.exit_fault());
            }
            let wake = self.wake_at.map_or(STOP_CHECK_INTERVAL, clock::until);
            let request_sent_at = self.request_sent_at;
            if let Received::Move(wire, arrived_at) = self.receive(wake.min(STOP_CHECK_INTERVAL)) {
                self.check()?;
                return Ok((wire, arrived_at.saturating_duration_since(request_sent_at)));
            }
        }
    }

    /// Waits for the program to exit. Returns false after the timeout or if `stop` is set.
    pub(super) fn exits(&mut self, stop: &AtomicBool) -> bool {
        self.process.exits_within(self.exit_timeout, Some(stop))
    }

    /// Kills the program and returns its output.
    pub(super) fn kill_program(&mut self) -> ProgramOutput {
        self.process.kill();
        let output = self.read_output().unwrap_or_else(|error| {
            log::warn!("cannot read the output of a client: {error}");
            String::new()
        });
        let dialogue = self.dialogue.as_ref().map(Transcript::take);
        ProgramOutput {
            output,
            dialogue: dialogue.unwrap_or_default(),
            was_killed: false,
        }
    }

    /// Passes the opponent's last move with its comment to the room, unless the room already played
    /// it.
    pub(super) fn play_opponents_move<G: ArenaGame>(
        &mut self,
        record: &Record<G>,
        comment: Option<String>,
    ) {
        if record.plies().len() <= self.known_plies {
            return;
        }
        let last = record.plies().last();
        let Some(mv) = last.and_then(|ply| ply.text.parse::<Move>().ok()) else {
            return;
        };
        self.known_plies = record.plies().len();
        let now = clock::now();
        let mv = WireMove::new(mv, self.color.opponent(), comment);
        let effects = self.room.play(ARENA, mv, now, now);
        self.perform(effects);
    }

    /// Returns the client's fault if the room has ended the game.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        let Some(result) = &self.result else {
            return Ok(());
        };
        let score = &result.scores[self.color];
        let reason = score.reason.clone().unwrap_or_default();
        Err(match score.cause {
            Cause::Regular => return Ok(()),
            Cause::SoftTimeout => {
                let late_by = lateness(self.move_time, self.limits.soft).unwrap_or_default();
                Failure::late(self.move_time, late_by)
            }
            Cause::HardTimeout => Failure::hang(self.limits.hard),
            Cause::RuleViolation => {
                Failure::fault(GameEnd::IllegalMove, printable(&reason, MAX_DETAIL))
            }
            Cause::Left | Cause::Unknown => {
                // The room names the fault for which it expelled the client after its colour.
                let fault = result.sentence(self.color);
                let fault = fault.and_then(|fault| fault.split_once(' '));
                let fault = fault.map(|(_, fault)| fault);
                if let Some(details) = fault.and_then(|fault| fault.strip_prefix(MALFORMED)) {
                    let details = details.trim().strip_prefix('(');
                    let details = details.and_then(|details| details.strip_suffix(')'));
                    Failure::fault(GameEnd::Malformed, details.unwrap_or_default())
                } else if let Some(fault) = fault {
                    Failure::fault(GameEnd::Left, fault)
                } else {
                    self.exit_fault()
                }
            }
        })
    }

    /// The fault of a client that has left the game.
    fn exit_fault(&mut self) -> Failure {
        if let Some(fault) = self.malformed.take() {
            return Failure::fault(GameEnd::Malformed, fault);
        }
        match self.connection {
            Some(_) => Failure::fault(GameEnd::Left, ""),
            None => self.process.exit_fault(),
        }
    }

    /// Reads the end of the program's output.
    fn read_output(&mut self) -> io::Result<String> {
        let length = self.output.metadata()?.len();
        let start = length.saturating_sub(MAX_OUTPUT_BYTES);
        self.output.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        (&self.output)
            .take(MAX_OUTPUT_BYTES)
            .read_to_end(&mut bytes)?;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl<G: ArenaGame> Seat<G> for ClientSeat {
    fn begin(&mut self, task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        self.wait_for_join(task)
    }

    fn start(&mut self) {
        self.start_game();
    }

    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply, Failure> {
        let (wire, elapsed) = self.next_move(task.stop)?;
        // Always legal, because the room has played it.
        let mv = wire.to_move(self.color);
        let mv = mv.map_err(|error| Failure::fault(GameEnd::IllegalMove, error.to_string()))?;
        self.known_plies = record.plies().len() + 1;
        let hint = wire.hint.as_deref().and_then(|hint| hint.parse().ok());
        Ok(Reply {
            mv: mv.to_string(),
            elapsed,
            late_by: None,
            remark: if hint.is_none() { wire.hint } else { None },
            hint: hint.unwrap_or_default(),
        })
    }

    fn opponent_moved(
        &mut self,
        _task: &GameTask<'_, G>,
        record: &Record<G>,
        comment: Option<String>,
    ) -> Result<(), Failure> {
        self.receive_pending();
        self.play_opponents_move(record, comment);
        self.check()
    }

    fn finish(&mut self, record: &Record<G>, winner: Option<Color>) {
        if self.has_joined {
            self.play_opponents_move(record, None);
            if self.result.is_none() && winner == Some(self.color) {
                self.leave(ARENA);
            }
            self.cancel();
        }
    }

    fn close(&mut self, stop: &AtomicBool) -> ProgramOutput {
        let was_killed = self.has_joined && !self.exits(stop) && !stop.load(Ordering::Relaxed);
        ProgramOutput {
            was_killed,
            ..self.kill_program()
        }
    }
}
