//! Contest clients: a program, its connection, and a room of the contest's server in which the arena is the other player.
//!
//! The room decides what the client hears, how its time is measured and what its messages mean. Records and moves pass in their text
//! forms, as they do to any program.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::conduct::{Conduct, Course, Delivery};
use super::engine::ParseEngineError;
use super::error::GameError;
use super::game::{GameSettings, GameTask, HARD_LIMIT_FACTOR};
use super::process::Process;
use super::program::{Facts, Program, ProgramSpec};
use super::record::GameEnd;
use super::seat::{Answer, Closing, Failure, Reply, Seat, lateness, silence, too_late};
use super::transcript::{Transcript, Voice};
use crate::game::{Game, Protocol, Record};
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{
    Cause, ClientData, ClientMessage, Frame, Framer, GAME_TYPE, GameResult, Hint, Limits,
    ReservationCode, RoomId, STREAM_CLOSE, STREAM_OPEN, ServerData, ServerMessage, WireMove,
    malformed_message, malformed_stream,
};
use crate::room::{ClientId, Effect, Origin, Room, RoomSetup, SeatSetup, Start, TimeLimits};
use crate::server::ResourceLimits;
use crate::text::{SENTENCE, printable};

/// The environment variable that tells a build of this program whether to think during the other side's turns.
const PONDER_VARIABLE: &str = "WABE_PONDER";

/// How often the stop flag is looked at.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How often a client is looked for that has not joined yet.
const JOIN_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// How long a client is looked for at least, however long the other one has taken.
const LEAST_JOIN_PATIENCE: Duration = Duration::from_millis(200);

/// Messages that may wait to be read. A client that sends more has to wait.
const WAITING_MESSAGES: usize = 64;

/// How long a program that has closed its connection may take to exit, for its exit status to be told.
const DYING_TIME: Duration = Duration::from_millis(200);

/// Bytes read at a time.
const READ_BYTES: usize = 16 << 10;

/// Most of a client's output that is kept: its end, in bytes.
const KEPT_BYTES: u64 = 1 << 20;

/// The room's name for the other side.
const ARENA: ClientId = ClientId(0);

/// The room's name for the program.
const CLIENT: ClientId = ClientId(1);

/// Any contest client. It is started for each game as the contest's server starts its clients. Its command line may have `{time}`,
/// `{nodes}`, `{memory}` and `{seed}` in the places of its limits.
pub(super) struct AnyClient;

/// A build of this program. It is told its limits by `--move-time`, `--nodes`, `--memory` and `--seed`. It does not ponder, as both
/// sides may have to share a core, unless its environment variable `WABE_PONDER` is `on`.
pub(super) struct Wabe;

/// The options that tell a client its limits.
const LIMITS: &[&str] = &["time", "nodes", "memory", "seed"];

impl Program for AnyClient {
    const FACTS: Facts = Facts {
        prefix: "cmd:",
        protocol: Protocol::Contest,
        options: LIMITS,
        check: |program| {
            let unheard = |&&option: &&&str| {
                // The referee keeps to a time, whether the client is told or not.
                option != "time" && program.has(option) && !has_placeholder(program, option)
            };
            match LIMITS.iter().find(unheard) {
                None => check_placeholders(program),
                Some(option) => Err(ParseEngineError(format!(
                    "{option}= says nothing to a program without {{{option}}} in its command line"
                ))),
            }
        },
    };

    fn start<G: Game>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<Box<dyn Seat<G>>, GameError> {
        let takes_time = has_placeholder(program, "time");
        let told = with_defaults(program, takes_time, task, color);
        let client = ClientSeat::start(&told, told_limits(&told, false), task, color)?;
        Ok(Box::new(client))
    }
}

impl Program for Wabe {
    const FACTS: Facts = Facts {
        prefix: "wabe:",
        protocol: Protocol::Contest,
        options: LIMITS,
        check: check_placeholders,
    };

    fn start<G: Game>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<Box<dyn Seat<G>>, GameError> {
        let mut told = with_defaults(program, program.nodes.is_none(), task, color);
        // An environment variable, because builds that cannot ponder would not know an option. The user's own, a later one, overrides it.
        let variable = (PONDER_VARIABLE.to_owned(), "off".to_owned());
        told.environment.insert(0, variable);
        let client = ClientSeat::start(&told, told_limits(&told, true), task, color)?;
        Ok(Box::new(client))
    }
}

/// A program with a seed, and with the run's time for a move if it takes one and names none.
fn with_defaults<G: Game>(
    program: &ProgramSpec,
    takes_time: bool,
    task: &GameTask<'_, G>,
    color: Color,
) -> ProgramSpec {
    let default_time = takes_time.then_some(task.settings.move_time);
    ProgramSpec {
        move_time: program.move_time.or(default_time),
        seed: program.seed.or(Some(task.seeds[color])),
        ..program.clone()
    }
}

fn has_placeholder(program: &ProgramSpec, option: &str) -> bool {
    let placeholder = format!("{{{option}}}");
    let mut arguments = program.arguments.iter();
    arguments.any(|argument| argument.contains(&placeholder))
}

/// Checks that every placeholder has a value. A seed can be drawn and a time is always there.
fn check_placeholders(program: &ProgramSpec) -> Result<(), ParseEngineError> {
    let is_missing = |option: &&str| has_placeholder(program, option) && !program.has(option);
    match ["nodes", "memory"].into_iter().find(is_missing) {
        None => Ok(()),
        Some(option) => Err(ParseEngineError(format!(
            "{{{option}}} in a command line needs a value: {option}=…"
        ))),
    }
}

/// Puts a value in the places of its placeholder. Whether there was one.
fn fill_in(arguments: &mut [String], name: &str, value: &str) -> bool {
    let placeholder = format!("{{{name}}}");
    let mut is_there = false;
    for argument in arguments {
        if argument.contains(&placeholder) {
            *argument = argument.replace(&placeholder, value);
            is_there = true;
        }
    }
    is_there
}

/// A program's arguments with its limits: in the places of their placeholders, or else, with `by_options`, after the others.
fn told_limits(program: &ProgramSpec, by_options: bool) -> Vec<String> {
    let mut arguments = program.arguments.clone();
    let limits = program.options().into_iter();
    for (name, value) in limits.filter(|(name, _)| LIMITS.contains(name)) {
        if !fill_in(&mut arguments, name, &value) && by_options {
            let option = if name == "time" { "move-time" } else { name };
            arguments.extend([format!("--{option}"), value]);
        }
    }
    arguments
}

/// Tells a client where to play: in the places of `{host}`, `{port}` and `{reservation}`, or else as the contest's server does.
fn told_address(
    mut arguments: Vec<String>,
    server: SocketAddr,
    reservation: Option<&ReservationCode>,
) -> Vec<String> {
    let reservation = reservation.map_or_else(String::new, |code| code.0.clone());
    let values = [
        ("host", server.ip().to_string()),
        ("port", server.port().to_string()),
        ("reservation", reservation),
    ];
    let places = values
        .iter()
        .map(|(name, value)| fill_in(&mut arguments, name, value));
    if places.filter(|&is_there| is_there).count() == 0 {
        for (name, value) in values.into_iter().filter(|(_, value)| !value.is_empty()) {
            arguments.extend([format!("--{name}"), value]);
        }
    }
    arguments
}

/// How long the referee waits for moves: the time that the program was told and the margin. The contest's limits hold for a client
/// that was not told any, the run's patience for a search of so many nodes.
fn time_limits(told: &ProgramSpec, settings: &GameSettings) -> TimeLimits {
    let patience = settings.programs.hang_patience;
    let limits = match (told.move_time, told.nodes) {
        (Some(time), _) => {
            let soft = time.saturating_add(settings.margin);
            TimeLimits::new(soft, soft.saturating_mul(HARD_LIMIT_FACTOR))
        }
        (None, Some(_)) => TimeLimits::new(patience, patience),
        (None, None) => Ok(TimeLimits::default()),
    };
    limits.unwrap_or_default()
}

/// A client's messages, and our side of its stream.
#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    arrivals: Receiver<Arrival>,
    dialogue: Option<Transcript>,
    conduct: Conduct,
    /// Messages that are not sent yet.
    pending: String,
}

/// An event on a client's connection.
enum Received {
    Nothing,
    Something,
    /// A move and when it arrived.
    Move(WireMove, Instant),
}

#[derive(Debug)]
struct Arrival {
    /// The message, or why it cannot be read; none comes after that.
    message: Result<ClientMessage, String>,
    /// The arrival of its last byte.
    at: Instant,
}

impl Connection {
    /// Greets a client and begins to read.
    fn open(
        mut stream: TcpStream,
        dialogue: Option<&Transcript>,
        conduct: Conduct,
    ) -> io::Result<Connection> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(ResourceLimits::default().write_timeout))?;
        stream.write_all(STREAM_OPEN.as_bytes())?;
        let (sender, arrivals) = mpsc::sync_channel(WAITING_MESSAGES);
        let incoming = stream.try_clone()?;
        let heard = dialogue.cloned();
        thread::Builder::new().spawn(move || read(incoming, heard.as_ref(), &sender))?;
        Ok(Connection {
            stream,
            arrivals,
            dialogue: dialogue.cloned(),
            conduct,
            pending: String::new(),
        })
    }

    fn send(&mut self, message: &ServerMessage) -> io::Result<()> {
        let text = self.conduct.dress(message);
        if let Some(dialogue) = &self.dialogue {
            dialogue.add(Voice::Referee, &text);
        }
        self.pending += &text;
        match self.conduct.delivery {
            Delivery::Together => Ok(()),
            Delivery::Messages | Delivery::Pieces => self.flush(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let delivery = self.conduct.delivery;
        delivery.write(&mut self.stream, pending.as_bytes())
    }

    /// Ends our side of the stream. The client may still write.
    fn end(&mut self, is_expelled: bool) -> io::Result<()> {
        if is_expelled {
            self.send(&ServerMessage::CloseConnection)?;
        }
        self.pending += STREAM_CLOSE;
        self.flush()?;
        self.stream.shutdown(Shutdown::Write)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Passes on every message until the stream ends, is malformed, or nobody listens.
fn read(mut stream: TcpStream, dialogue: Option<&Transcript>, arrivals: &SyncSender<Arrival>) {
    let mut framer = Framer::new(Limits {
        message_bytes: ResourceLimits::default().message_bytes,
        ..Limits::default()
    });
    let mut buffer = vec![0; READ_BYTES];
    let (mut before, mut number) = (0, 0);
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let at = Instant::now();
        let chunk = buffer.get(..length).unwrap_or_default();
        framer.feed(chunk);
        loop {
            let from = framer.completed_bytes();
            number += 1;
            let message = match framer.next_frame() {
                Ok(None) => break,
                Ok(Some(Frame::End)) => return,
                Ok(Some(Frame::Message(text))) => {
                    if let Some(dialogue) = dialogue {
                        dialogue.add(Voice::Engine, text);
                    }
                    ClientMessage::read(text)
                        .map_err(|error| malformed_message(number, from, &error, text))
                }
                Err(error) => {
                    let fault = malformed_stream(number, &error, before, chunk);
                    if let Some(dialogue) = dialogue {
                        dialogue.add(Voice::Engine, &fault);
                    }
                    Err(fault)
                }
            };
            let is_last = message.is_err();
            if arrivals.send(Arrival { message, at }).is_err() || is_last {
                return;
            }
        }
        number -= 1;
        before += length as u64;
    }
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
    /// Plies that the room knows of.
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
    /// Meaningless messages so far.
    ignored: usize,
    /// It has asked for a game without its reservation.
    wants_any_game: bool,
    /// The moment at which it was first turned away.
    refused_at: Option<Instant>,
}

impl ClientSeat {
    fn start<G: Game>(
        program: &ProgramSpec,
        arguments: Vec<String>,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<ClientSeat, GameError> {
        let engine = |color| task.engine(color).1;
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
        let conduct = task.settings.programs.conduct;
        let reservation = ReservationCode(random_identity());
        let told = Some(&reservation).filter(|_| !conduct.is_open);
        let arguments = told_address(arguments, address, told);
        // The program writes through one description of the file; reading through the other does not disturb it.
        let ours = output.reopen().map_err(GameError::Client)?;
        let theirs = output.into_file();
        let stdout = theirs.try_clone().map_err(GameError::Client)?;
        let process = Process::start(program, &arguments, |child| {
            child.stdin(Stdio::null()).stdout(stdout).stderr(theirs);
        });
        let id = RoomId(random_identity());
        let limits = time_limits(program, task.settings);
        let setup = RoomSetup {
            id: id.clone(),
            seats: ByColor::from_fn(|color| SeatSetup {
                name: engine(color).name.clone(),
                can_timeout: true,
            }),
            origin: if conduct.is_open {
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
            process: process.map_err(|source| task.cannot_start(color, program, source))?,
            output: ours,
            listener,
            reservation,
            called: Instant::now(),
            connection: None,
            color,
            id,
            room: Room::new(setup),
            has_joined: false,
            wake_at: None,
            asked: Instant::now(),
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
            wants_any_game: false,
            refused_at: None,
        })
    }

    /// Accepts the client, or reads a message of the one that has connected. Whether it has joined.
    fn has_come(&mut self) -> bool {
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
            return false;
        };
        match connection.arrivals.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok(Arrival {
                message: Err(fault),
                ..
            }) => {
                self.malformed = Some(fault);
                self.connection = None;
            }
            Ok(Arrival {
                message: Ok(message),
                ..
            }) => match message {
                ClientMessage::JoinPrepared(code)
                    if code == self.reservation && self.conduct.course != Course::Refused =>
                {
                    return true;
                }
                ClientMessage::Join { game_type }
                    if self.conduct.is_open && game_type == GAME_TYPE =>
                {
                    return true;
                }
                ClientMessage::JoinPrepared(_)
                | ClientMessage::Room { .. }
                | ClientMessage::CloseConnection => {
                    self.hang_up(true);
                    self.connection = None;
                    self.refused_at.get_or_insert_with(Instant::now);
                }
                ClientMessage::Join { .. } => self.wants_any_game = true,
                message => log::info!("ignored before the game: {message:?}"),
            },
            // It may come again.
            Err(RecvTimeoutError::Disconnected) => self.connection = None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        false
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
                    if self.conduct.course == Course::Lost && self.requests > 1 {
                        self.connection = None;
                    }
                    sent = sent.and_then(|()| self.send(&message));
                    sent = sent
                        .and_then(|()| self.connection.as_mut().map_or(Ok(()), Connection::flush));
                    self.asked = Instant::now();
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

    fn leave(&mut self, who: ClientId) {
        let effects = self.room.leave(who, Instant::now());
        self.perform(effects);
    }

    /// Waits for a message or the client's end and tells the room of it.
    fn receive(&mut self, patience: Duration) -> Received {
        let Some(connection) = &self.connection else {
            return Received::Nothing;
        };
        let Arrival { message, at } = match connection.arrivals.recv_timeout(patience) {
            Ok(arrival) => arrival,
            Err(RecvTimeoutError::Timeout) => {
                if self.wake_at.is_some_and(|at| at <= Instant::now()) {
                    let effects = self.room.wake(Instant::now());
                    self.perform(effects);
                }
                return Received::Nothing;
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.connection = None;
                self.leave(CLIENT);
                return Received::Something;
            }
        };
        let message = match message {
            Ok(message) => message,
            Err(fault) => {
                self.malformed = Some(fault);
                self.connection = None;
                self.leave(CLIENT);
                return Received::Something;
            }
        };
        match message {
            ClientMessage::Room { room, data } if room == self.id => {
                if let ClientData::Move(_) = &data {
                    self.took = at.saturating_duration_since(self.asked);
                }
                let received = match &data {
                    ClientData::Move(mv) => Received::Move(mv.clone(), at),
                    ClientData::Unknown(_) => Received::Something,
                };
                let effects = self.room.message(CLIENT, data, at, Instant::now());
                self.perform(effects);
                return received;
            }
            // As on the contest's server, a client that names another room is expelled.
            ClientMessage::Room { .. } => {
                self.hang_up(true);
                self.leave(CLIENT);
            }
            ClientMessage::CloseConnection => self.leave(CLIENT),
            message => {
                log::info!("ignored in the game: {message:?}");
                self.ignored += 1;
                let most = ResourceLimits::default().ignored_messages;
                if self.ignored > most {
                    self.malformed = Some(format!("sent {most} meaningless messages"));
                    self.hang_up(true);
                    self.leave(CLIENT);
                }
            }
        }
        Received::Something
    }

    /// Passes time in which the client is to say nothing.
    fn idle(&mut self, time: Duration, stop: &AtomicBool) -> Result<(), Failure> {
        let begun = Instant::now();
        while let Some(left) = time.checked_sub(begun.elapsed())
            && self.connection.is_some()
        {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            self.receive(left.min(STOP_CHECK_INTERVAL));
        }
        Ok(())
    }

    /// Pauses the game while it hears of the other side's last move.
    fn tell_in_a_pause<G: Game>(
        &mut self,
        task: &GameTask<'_, G>,
        record: &Record<G>,
        time: Duration,
    ) -> Result<(), Failure> {
        self.conduct.course = Course::Usual;
        let _nothing = self.room.pause(true, Instant::now());
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
        self.idle(time, task.stop)?;
        let effects = self.room.pause(false, Instant::now());
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
        let now = Instant::now();
        let data = ClientData::Move(WireMove::new(mv, self.color.opponent(), comment));
        let effects = self.room.message(ARENA, data, now, now);
        self.perform(effects);
    }

    /// The fault of the client by which the game is over.
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
            Cause::Left | Cause::Unknown => self.departure(),
        })
    }

    /// The fault of a client that is gone.
    fn departure(&mut self) -> Failure {
        if let Some(fault) = self.malformed.take() {
            return Failure::fault(GameEnd::Malformed, fault);
        }
        let ended = self.process.exits_within(DYING_TIME);
        let status = self.process.exit_status().ok().flatten().filter(|_| ended);
        let status = status.map(|status| format!("its program ended with {status}"));
        Failure::fault(GameEnd::Crash, status.unwrap_or_default())
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

/// An identifier that cannot be guessed.
fn random_identity() -> String {
    let bytes = rand::random();
    uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string()
}

impl<G: Game> Seat<G> for ClientSeat {
    fn begin(&mut self, task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        let patience = task.settings.programs.join_patience;
        let asked = Instant::now();
        while !self.has_come() {
            if task.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if let Some(fault) = self.malformed.take() {
                return Err(Failure::fault(GameEnd::Malformed, fault));
            }
            if self.wants_any_game {
                let detail = match self.conduct.is_open {
                    true => "asked for a game of another type",
                    false => "asked for any game in place of its reservation",
                };
                return Err(Failure::fault(GameEnd::NeverJoined, detail));
            }
            let refusal = self
                .refused_at
                .filter(|_| self.conduct.course == Course::Refused);
            if let Ok(Some(status)) = self.process.exit_status() {
                let detail = format!("ended before the game began, with {status}");
                let has_not_asked = self.conduct.course == Course::Refused && refusal.is_none();
                let end = match has_not_asked {
                    true => GameEnd::NeverJoined,
                    false => GameEnd::Crash,
                };
                return Err(Failure::fault(end, detail));
            }
            if refusal.is_some_and(|at| at.elapsed() > task.settings.programs.exit_patience) {
                let detail = "was still there when it should have exited";
                return Err(Failure::fault(GameEnd::NeverJoined, detail));
            }
            // A client that came while the other one was waited for has to be seen.
            if self.called.elapsed() > patience && asked.elapsed() > LEAST_JOIN_PATIENCE {
                let detail = format!("did not join the game within {} s", patience.as_secs_f64());
                return Err(Failure::fault(GameEnd::NeverJoined, detail));
            }
        }
        self.has_joined = true;
        match self.conduct.course {
            Course::Late(time) => self.idle(time, task.stop),
            _ => Ok(()),
        }
    }

    fn start(&mut self) {
        let now = Instant::now();
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
            if self.connection.is_none() {
                return Err(self.departure());
            }
            let wake_at = self
                .wake_at
                .map(|at| at.saturating_duration_since(Instant::now()));
            let patience = wake_at.unwrap_or(STOP_CHECK_INTERVAL);
            let asked = self.asked;
            let Received::Move(wire, at) = self.receive(patience.min(STOP_CHECK_INTERVAL)) else {
                continue;
            };
            if let Some(fault) = self.fault() {
                return Err(fault);
            }
            // The room has played it, so it is a move.
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
        // Messages from the other side's turn come first.
        while self.result.is_none() && !matches!(self.receive(Duration::ZERO), Received::Nothing) {}
        match self.conduct.course {
            Course::Paused(time) if self.requests > 0 && record.plies().len() > self.told => {
                self.tell_in_a_pause(task, record, time)?;
            }
            _ => self.tell(record, reply.comment()),
        }
        match self.fault() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn finish(&mut self, record: &Record<G>, winner: Option<Color>) {
        if !self.has_joined {
            return;
        }
        self.tell(record, None);
        if self.result.is_none() && winner == Some(self.color) {
            self.leave(ARENA);
        } else if self.result.is_none() {
            let effects = self.room.cancel();
            self.perform(effects);
        }
    }

    fn close(&mut self) -> Closing {
        let patience = if self.has_joined {
            self.exit_patience
        } else {
            Duration::ZERO
        };
        let was_killed = !self.process.exits_within(patience) && self.has_joined;
        self.process.kill();
        let output = self.read_output().unwrap_or_else(|error| {
            log::warn!("cannot read the output of a client: {error}");
            String::new()
        });
        Closing {
            output,
            dialogue: self
                .dialogue
                .as_ref()
                .map(Transcript::take)
                .unwrap_or_default(),
            was_killed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::engine::{EnginePlayer, EngineSpec};

    fn program(text: &str) -> ProgramSpec {
        match text.parse::<EngineSpec>().unwrap().player {
            EnginePlayer::Program(program) => *program,
            EnginePlayer::BuiltIn(_) => panic!("{text} is built in"),
        }
    }

    #[test]
    fn limits_take_the_places_of_placeholders_or_follow_as_options() {
        let told = |text: &str, by_options| told_limits(&program(text), by_options).join(" ");
        assert_eq!(
            told(
                "'wabe:./old --player greedy' time=100 memory=64 seed=9",
                true
            ),
            "--player greedy --move-time 100 --memory 64 --seed 9"
        );
        assert_eq!(told("'cmd:bot -x' time=100", false), "-x");
        assert_eq!(
            told("'cmd:bot --ms={time} -s {seed}' time=100 seed=9", false),
            "--ms=100 -s 9"
        );
    }

    #[test]
    fn the_address_follows_the_arguments_or_takes_its_places() {
        let server = SocketAddr::from(([127, 0, 0, 1], 13050));
        let told = |arguments: &[&str]| {
            let arguments = arguments.iter().map(ToString::to_string).collect();
            told_address(arguments, server, Some(&ReservationCode("r-1".to_owned()))).join(" ")
        };
        assert_eq!(
            told(&["--fast"]),
            "--fast --host 127.0.0.1 --port 13050 --reservation r-1"
        );
        assert_eq!(
            told(&["-a", "{host}:{port}", "-r={reservation}", "{seed}"]),
            "-a 127.0.0.1:13050 -r=r-1 {seed}"
        );
    }

    #[test]
    fn the_referee_waits_as_long_as_the_program_was_told_to_take() {
        let settings = GameSettings {
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        };
        let limits = |text: &str| {
            let limits = time_limits(&program(text), &settings);
            (limits.soft().as_millis(), limits.hard().as_millis())
        };
        assert_eq!(limits("cmd:bot"), (2_000, 10_000));
        assert_eq!(limits("cmd:bot time=300"), (350, 1_750));
        assert_eq!(limits("wabe:bot nodes=5"), (60_000, 60_000));
    }
}
