//! Contest clients: a program, its connection, and a room of the contest's server in which the arena is the other player.
//!
//! The room decides what the client hears, how its time is measured and what its messages mean. Records and moves pass in their text
//! forms, as they do to any program.

mod arguments;
mod conduct;
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
use super::seat::{Answer, Closing, Failure, Reply, Seat, lateness, silence, too_late};
use super::transcript::Transcript;
use crate::clock;
use crate::game::{Game, Record};
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{
    Cause, ClientMessage, GAME_TYPE, GameResult, Hint, MALFORMED, ReservationCode, RoomId,
    ServerData, ServerMessage, WireMove,
};
use crate::room::{ClientId, Effect, Origin, Room, RoomSetup, SeatSetup, Start, TimeLimits};
use crate::server::ResourceLimits;
use crate::server::lobby::identity;
use crate::text::{SENTENCE, printable};
pub(super) use arguments::{LIMITS, check};
use arguments::{time_limits, told_address, told_limits, with_defaults};
pub(super) use conduct::{Conduct, Twist};
use connection::{Arrival, Connection};

/// The environment variable that tells a build of this program whether to think during the other side's turns.
const PONDER_VARIABLE: &str = "WABE_PONDER";

/// How often the stop flag is checked.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How often the listener is checked for a client that has not connected yet.
const JOIN_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Minimum time to wait for a client, however long the other one took to join.
const MIN_JOIN_PATIENCE: Duration = Duration::from_millis(200);

/// Most bytes kept of a client's output: its end.
const KEPT_BYTES: u64 = 1 << 20;

/// The room's name for the other side.
const ARENA: ClientId = ClientId(0);

/// The room's name for the program.
const CLIENT: ClientId = ClientId(1);

/// Starts a client for a game, as the contest's server starts its clients.
/// Its command line may contain `{time}`, `{nodes}`, `{memory}` and `{seed}` in place of its limits. A build of this program is told them
/// by `--move-time`, `--nodes`, `--memory` and `--seed`. It does not ponder, as both sides may have to share a core, unless its environment
/// variable `WABE_PONDER` is `on`.
pub(super) fn start<G: Game>(
    program: &ProgramSpec,
    task: &GameTask<'_, G>,
    color: Color,
) -> Result<Box<dyn Seat<G>>, GameError> {
    Ok(Box::new(ClientSeat::start(program, task, color)?))
}

/// An event on a client's connection.
enum Received {
    Nothing,
    Something,
    /// A move and its time of arrival.
    Move(WireMove, Instant),
}

/// A client in its game.
#[derive(Debug)]
struct ClientSeat {
    process: Process,
    /// Standard output and standard error of the program.
    output: File,
    listener: TcpListener,
    reservation: ReservationCode,
    called: Instant,
    connection: Option<Connection>,
    color: Color,
    id: RoomId,
    room: Room,
    has_joined: bool,
    /// When to wake the room.
    wake_at: Option<Instant>,
    /// When the latest move request was written.
    asked: Instant,
    /// Plies known to the room.
    told: usize,
    result: Option<GameResult>,
    /// The fault of its malformed message.
    malformed: Option<String>,
    limits: TimeLimits,
    /// The time of its last move.
    took: Duration,
    dialogue: Option<Transcript>,
    exit_patience: Duration,
    conduct: Conduct,
    /// Move requests so far.
    requests: usize,
    /// Ignored messages so far.
    ignored: usize,
    /// When it was first turned away.
    refused_at: Option<Instant>,
    /// True if the connection was cut on purpose.
    is_cut: bool,
}

impl ClientSeat {
    fn start<G: Game>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<ClientSeat, GameError> {
        let engine = |color| task.engines[color].1;
        let position = task.opening.position().to_string().parse::<Position>();
        let Ok(position) = position else {
            let problem = format!("does not play {}", G::WORD);
            return Err(GameError::unusable(&engine(color).name, &problem));
        };
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address, tempfile::NamedTempFile::new()?))
        };
        let (listener, address, output) = listen().map_err(GameError::Client)?;
        let told = with_defaults(program, task.settings.move_time, task.seeds[color]);
        let told = told.map_err(|error| {
            GameError::unusable(&engine(color).name, &format!("has no limits: {error}"))
        })?;
        let conduct = task.settings.programs.conduct;
        let reservation = ReservationCode(identity(rand::random()));
        let code = Some(&reservation).filter(|_| conduct.twist != Twist::Open);
        let arguments = told_address(told_limits(&told), address, code);
        // The program writes through one description of the file, which reading through the other does not disturb.
        let ours = output.reopen().map_err(GameError::Client)?;
        let theirs = output.into_file();
        let stdout = theirs.try_clone().map_err(GameError::Client)?;
        let process = Process::start(program, &arguments, |child| {
            child.stdin(Stdio::null()).stdout(stdout).stderr(theirs);
            if program.kind == ProgramKind::Wabe {
                // An environment variable, because builds that cannot ponder would reject an option. The user's own value overrides it.
                child.env(PONDER_VARIABLE, "off");
            }
        });
        let id = RoomId(identity(rand::random()));
        let limits = time_limits(&told, task.settings);
        let setup = RoomSetup {
            id: id.clone(),
            seats: ByColor::from_fn(|color| SeatSetup {
                name: engine(color).name.clone(),
                can_timeout: true,
            }),
            origin: if conduct.twist == Twist::Open {
                Origin::Joined
            } else {
                Origin::Prepared
            },
            paused: false,
            start: Start {
                position,
                last_move: None,
            },
            time_limits: ByColor::from_fn(|side| (side == color).then_some(limits)),
        };
        Ok(ClientSeat {
            process: process.map_err(|source| task.cannot_start(color, source))?,
            output: ours,
            listener,
            reservation,
            called: clock::now(),
            connection: None,
            color,
            id,
            room: Room::new(setup),
            has_joined: false,
            wake_at: None,
            asked: clock::now(),
            told: task.opening.plies().len(),
            result: None,
            malformed: None,
            limits,
            took: Duration::ZERO,
            dialogue: (task.settings.programs.protocol_log.is_some()).then(Transcript::default),
            exit_patience: task.settings.programs.exit_patience,
            conduct,
            requests: 0,
            ignored: 0,
            refused_at: None,
            is_cut: false,
        })
    }

    /// Accepts the client, or reads a message once it has connected. Returns whether it has joined.
    fn has_come(&mut self) -> Result<bool, Failure> {
        let Some(connection) = &self.connection else {
            let accepted = self.listener.accept();
            let open = |(stream, _)| Connection::open(stream, self.dialogue.as_ref(), self.conduct);
            match accepted.and_then(open) {
                Ok(connection) => self.connection = Some(connection),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    thread::sleep(JOIN_CHECK_INTERVAL);
                }
                Err(error) => log::info!("a client cannot be greeted: {error}"),
            }
            return Ok(false);
        };
        let arrival = match connection.arrivals.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => return Ok(false),
            Err(RecvTimeoutError::Disconnected) => {
                // It may connect again.
                self.connection = None;
                return Ok(false);
            }
        };
        let malformed = |fault| Failure::fault(GameEnd::Malformed, fault);
        let is_refused = self.conduct.twist == Twist::Refused;
        match arrival.message.map_err(malformed)? {
            ClientMessage::JoinPrepared(code) if code == self.reservation && !is_refused => {
                return Ok(true);
            }
            ClientMessage::Join { game_type } if self.conduct.twist == Twist::Open => {
                if game_type == GAME_TYPE {
                    return Ok(true);
                }
                return Err(never_joined("asked for a game of another type"));
            }
            ClientMessage::Join { .. } => {
                return Err(never_joined(
                    "asked for any game in place of its reservation",
                ));
            }
            ClientMessage::JoinPrepared(_)
            | ClientMessage::Move { .. }
            | ClientMessage::NoMove(_)
            | ClientMessage::CloseConnection => {
                self.hang_up(true);
                self.connection = None;
                self.refused_at.get_or_insert_with(clock::now);
            }
            message => log::info!("ignored before the game: {message:?}"),
        }
        Ok(false)
    }

    fn hang_up(&mut self, is_expelled: bool) {
        if let Some(connection) = &mut self.connection
            && let Err(error) = connection.end(is_expelled)
        {
            log::debug!("a client has gone before the end: {error}");
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
                    self.requests += 1;
                    if self.conduct.twist == Twist::Lost && self.requests > 1 {
                        self.connection = None;
                        self.is_cut = true;
                    }
                    sent = sent.and_then(|()| self.send(&message));
                    sent = sent
                        .and_then(|()| self.connection.as_mut().map_or(Ok(()), Connection::flush));
                    self.asked = clock::now();
                    self.room.request_sent(self.asked);
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
            log::info!("a client cannot be written to: {error}");
            self.leave(CLIENT);
        }
    }

    fn send(&mut self, message: &ServerMessage) -> io::Result<()> {
        match &mut self.connection {
            Some(connection) => connection.send(message),
            None => Ok(()),
        }
    }

    /// Drops a client that is gone, or that has sent an unreadable message.
    fn lose(&mut self, malformed: Option<String>) {
        self.malformed = malformed;
        self.connection = None;
        self.leave(CLIENT);
    }

    fn leave(&mut self, who: ClientId) {
        let effects = self.room.leave(who, clock::now());
        self.perform(effects);
    }

    /// Waits for a message or the client's departure and passes it on to the room.
    fn receive(&mut self, patience: Duration) -> Received {
        let Some(connection) = &self.connection else {
            return Received::Nothing;
        };
        let Arrival { message, at } = match connection.arrivals.recv_timeout(patience) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => {
                if self.wake_at.is_some_and(|at| at <= clock::now()) {
                    let effects = self.room.wake(clock::now());
                    self.perform(effects);
                }
                return Received::Nothing;
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.lose(None);
                return Received::Something;
            }
        };
        let message = match message {
            Ok(message) => message,
            Err(fault) => {
                self.lose(Some(fault));
                return Received::Something;
            }
        };
        match message {
            ClientMessage::Move { room, mv } if room == self.id => {
                self.took = at.saturating_duration_since(self.asked);
                let effects = self.room.play(CLIENT, mv.clone(), at, clock::now());
                self.perform(effects);
                return Received::Move(mv, at);
            }
            ClientMessage::NoMove(room) if room == self.id => {
                self.took = at.saturating_duration_since(self.asked);
                let effects = self.room.play(CLIENT, None, at, clock::now());
                self.perform(effects);
            }
            // As on the contest's server, a client that names another room is expelled.
            ClientMessage::Move { room, .. } | ClientMessage::NoMove(room) => {
                let (room, own) = (printable(&room.0, SENTENCE), &self.id);
                self.malformed = Some(format!("about the room `{room}` in place of `{own}`"));
                self.hang_up(true);
                self.leave(CLIENT);
            }
            ClientMessage::CloseConnection => self.leave(CLIENT),
            message => {
                log::info!("ignored in the game: {message:?}");
                self.ignored += 1;
                let most = ResourceLimits::default().ignored_messages;
                if self.ignored > most {
                    self.malformed = Some(format!("more than {most} that mean nothing here"));
                    self.hang_up(true);
                    self.leave(CLIENT);
                }
            }
        }
        Received::Something
    }

    /// Lets time pass in which the client must stay silent.
    fn idle(&mut self, time: Duration, stop: &AtomicBool) -> Result<(), Failure> {
        let begun = clock::now();
        while let Some(left) = time.checked_sub(clock::since(begun))
            && self.connection.is_some()
        {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            self.receive(left.min(STOP_CHECK_INTERVAL));
        }
        Ok(())
    }

    /// Watches the client for a moment, in a check, and returns its fault. Once the game is over it may leave, but not crash.
    fn rest(&mut self) -> Result<(), Failure> {
        let begun = clock::now();
        let is_over = self.result.is_some();
        while let Some(left) = self.conduct.moment.checked_sub(clock::since(begun))
            && !left.is_zero()
            && self.connection.is_some()
        {
            self.receive(left);
        }
        if self.conduct.moment.is_zero() || self.is_cut {
            return Ok(());
        }
        if !is_over {
            return self.fault().map_or(Ok(()), Err);
        }
        if let Some(fault) = self.malformed.take() {
            return Err(Failure::fault(GameEnd::Malformed, fault));
        }
        match self.departure() {
            crash @ Failure::Fault {
                end: GameEnd::Crash,
                ..
            } => Err(crash),
            _ => Ok(()),
        }
    }

    /// Pauses the game while the client is told the other side's last move.
    fn tell_in_a_pause<G: Game>(
        &mut self,
        task: &GameTask<'_, G>,
        record: &Record<G>,
    ) -> Result<(), Failure> {
        self.conduct.twist = Twist::Nothing;
        let _nothing = self.room.pause(true, clock::now());
        self.tell(record, None);
        let paused = ServerMessage::Room {
            room: self.id.clone(),
            data: ServerData::Paused,
        };
        let to = vec![CLIENT];
        self.perform(vec![Effect::Send {
            to,
            message: paused,
        }]);
        self.idle(self.conduct.pause, task.stop)?;
        let effects = self.room.pause(false, clock::now());
        self.perform(effects);
        Ok(())
    }

    /// Tells the room the other side's last move and the comment on it.
    fn tell<G: Game>(&mut self, record: &Record<G>, comment: Option<String>) {
        let is_new = record.plies().len() > self.told;
        let last = record.plies().last().filter(|_| is_new);
        let Some(mv) = last.and_then(|ply| ply.text.parse::<Move>().ok()) else {
            return;
        };
        self.told = record.plies().len();
        let now = clock::now();
        let mv = WireMove::new(mv, self.color.opponent(), comment);
        let effects = self.room.play(ARENA, mv, now, now);
        self.perform(effects);
    }

    /// The client's fault that ended the game.
    fn fault(&mut self) -> Option<Failure> {
        let score = &self.result.as_ref()?.scores[self.color];
        let reason = score.reason.clone().unwrap_or_default();
        Some(match score.cause {
            Cause::Regular => return None,
            Cause::SoftTimeout => {
                let late_by = too_late(self.took, self.limits.soft()).unwrap_or_default();
                Failure::fault(GameEnd::Time, lateness(self.took, late_by))
            }
            Cause::HardTimeout => Failure::fault(GameEnd::Hang, silence(self.limits.hard())),
            Cause::RuleViolation => {
                Failure::fault(GameEnd::IllegalMove, printable(&reason, SENTENCE))
            }
            Cause::Left | Cause::Unknown => {
                // The room drops a client whose move it cannot judge.
                let fault = reason.split_once(MALFORMED);
                let fault = fault.and_then(|(_, fault)| fault.trim().strip_prefix('('));
                let fault = fault.and_then(|fault| fault.strip_suffix(')'));
                self.malformed = self.malformed.take().or(fault.map(str::to_owned));
                self.departure()
            }
        })
    }

    /// The fault of a client that has gone.
    fn departure(&mut self) -> Failure {
        if let Some(fault) = self.malformed.take() {
            return Failure::fault(GameEnd::Malformed, fault);
        }
        match self.connection {
            Some(_) => Failure::fault(GameEnd::Left, ""),
            None => self.process.departure(),
        }
    }

    /// The end of the program's output.
    fn read_output(&mut self) -> io::Result<String> {
        let length = self.output.metadata()?.len();
        let start = length.saturating_sub(KEPT_BYTES);
        self.output.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        (&self.output).take(KEPT_BYTES).read_to_end(&mut bytes)?;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn never_joined(detail: impl Into<String>) -> Failure {
    Failure::fault(GameEnd::NeverJoined, detail)
}

impl<G: Game> Seat<G> for ClientSeat {
    fn begin(&mut self, task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        let patience = task.settings.programs.join_patience;
        let asked = clock::now();
        while !self.has_come()? {
            if task.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            let is_refused = self.conduct.twist == Twist::Refused;
            let refused_at = self.refused_at.filter(|_| is_refused);
            if let Ok(Some(status)) = self.process.exit_status() {
                if refused_at.is_some() {
                    return Err(Failure::BrokenOff);
                }
                if let Ok(output) = self.read_output()
                    && let Some(error) = self.process.start_error(&output)
                {
                    return Err(Failure::Error(task.cannot_start(self.color, error)));
                }
                let detail = format!("ended before the game began, with {status}");
                let end = match is_refused {
                    true => GameEnd::NeverJoined,
                    false => GameEnd::Crash,
                };
                return Err(Failure::fault(end, detail));
            }
            if refused_at.is_some_and(|at| clock::since(at) > self.exit_patience) {
                return Err(never_joined("was still there when it should have exited"));
            }
            // A client that connected while the other one was waited for has to be noticed.
            if clock::since(self.called) > patience && clock::since(asked) > MIN_JOIN_PATIENCE {
                let patience = patience.as_secs_f64();
                let detail = format!("did not join the game within {patience} s");
                return Err(never_joined(detail));
            }
        }
        self.has_joined = true;
        match self.conduct.twist {
            Twist::Late => self.idle(self.conduct.pause, task.stop),
            _ => Ok(()),
        }
    }

    fn start(&mut self) {
        let now = clock::now();
        let mut effects = self.room.join(CLIENT, self.color, now);
        effects.extend(self.room.join(ARENA, self.color.opponent(), now));
        self.perform(effects);
    }

    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure> {
        loop {
            if task.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if let Some(fault) = self.fault() {
                return Err(fault);
            }
            if self.is_cut {
                return Err(Failure::BrokenOff);
            }
            if self.connection.is_none() {
                return Err(self.departure());
            }
            let patience = self.wake_at.map_or(STOP_CHECK_INTERVAL, clock::until);
            let asked = self.asked;
            let Received::Move(wire, at) = self.receive(patience.min(STOP_CHECK_INTERVAL)) else {
                continue;
            };
            if let Some(fault) = self.fault() {
                return Err(fault);
            }
            // The room has played it, so it is legal.
            let mv = wire.to_move(self.color);
            let mv = mv.map_err(|error| Failure::fault(GameEnd::IllegalMove, error.to_string()))?;
            self.told = record.plies().len() + 1;
            let hint = wire
                .hint
                .as_deref()
                .and_then(|hint| hint.parse::<Hint>().ok());
            return Ok(Reply {
                mv: Answer::Text(mv.to_string()),
                took: at.saturating_duration_since(asked),
                late_by: None,
                words: wire.hint.filter(|_| hint.is_none()),
                hint: hint.unwrap_or_default(),
            });
        }
    }

    fn hear(
        &mut self,
        task: &GameTask<'_, G>,
        record: &Record<G>,
        reply: &Reply<G>,
    ) -> Result<(), Failure> {
        // Messages sent in the other side's turn come first.
        while self.result.is_none() && !matches!(self.receive(Duration::ZERO), Received::Nothing) {}
        match self.conduct.twist {
            Twist::Pause if self.requests > 0 && record.plies().len() > self.told => {
                self.tell_in_a_pause(task, record)?;
            }
            Twist::Lost if self.requests > 0 && record.plies().len() > self.told => {
                // The connection is about to be lost: a fault before that is the client's own.
                self.idle(self.conduct.moment, task.stop)?;
                self.tell(record, reply.comment());
            }
            _ => self.tell(record, reply.comment()),
        }
        match self.fault() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn finish(&mut self, record: &Record<G>, winner: Option<Color>) -> Result<(), Failure> {
        if !self.has_joined {
            return Ok(());
        }
        self.tell(record, None);
        if self.result.is_some() {
            return self.rest();
        }
        let rested = self.rest();
        if self.result.is_none() && winner == Some(self.color) {
            self.leave(ARENA);
        } else if self.result.is_none() {
            let effects = self.room.cancel();
            self.perform(effects);
        }
        rested
    }

    fn close(&mut self, stop: &AtomicBool) -> Closing {
        let waits = self.has_joined && (self.conduct.exits || self.conduct.moment.is_zero());
        let has_stayed = waits && !self.process.exits_within(self.exit_patience, Some(stop));
        let was_killed = has_stayed && !stop.load(Ordering::Relaxed);
        self.process.kill();
        let output = self.read_output().unwrap_or_else(|error| {
            log::warn!("cannot read the output of a client: {error}");
            String::new()
        });
        let dialogue = self.dialogue.as_ref().map(Transcript::take);
        Closing {
            output,
            dialogue: dialogue.unwrap_or_default(),
            was_killed,
        }
    }
}
