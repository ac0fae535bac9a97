//! Players that misbehave.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::*;
use crate::protocol::{
    Frame, Framer, Limits, RoomId, STREAM_OPEN, ServerData, ServerMessage, WireMove, WireState,
};
use crate::room::{Decision, result_of};
use wabe_engine::search::{Choice, Line, Player, SearchControl};
use wabe_hive::contest::{Deal, MoveList, Position};
use wabe_hive::{ByColor, Color};

/// A player's fault.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Panics,
    PanicsAfterReporting(&'static str),
    ReportsNonsenseAndPanics,
    NeverEnds,
    ChoosesNothing,
    ChoosesNonsense,
}

struct Faulty(Fault);

impl Player<Contest> for Faulty {
    fn choose(
        &mut self,
        _: &Record<Contest>,
        control: &SearchControl<'_, Contest>,
    ) -> Option<Choice<Contest>> {
        match self.0 {
            Fault::Panics => panic!("on purpose"),
            Fault::PanicsAfterReporting(mv) => {
                control.watch.best(mv.parse().unwrap());
                panic!("on purpose, after a report");
            }
            Fault::ReportsNonsenseAndPanics => {
                control.watch.best(Move::Pass);
                panic!("on purpose, after a wrong report");
            }
            Fault::NeverEnds => {
                while !control.stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                None
            }
            Fault::ChoosesNothing => None,
            Fault::ChoosesNonsense => Some(Choice {
                best: Line::unjudged(Move::Pass),
                nodes: 0,
            }),
        }
    }

    fn new_game(&mut self) {}
}

#[test]
fn the_port_of_an_ipv6_address_stands_apart() {
    let text = |host: &str| {
        let host = host.to_owned();
        Address { host, port: 13050 }.to_string()
    };
    assert_eq!(text("localhost"), "localhost:13050");
    assert_eq!(text("::1"), "[::1]:13050");
}

fn options(port: u16) -> Options {
    Options {
        address: Address {
            host: "127.0.0.1".to_owned(),
            port,
        },
        reservation: None,
        limits: search::Limits::Time(Duration::ZERO),
        margin: None,
        ponder: false,
        send_hints: true,
        connect_timeout: Duration::from_secs(60),
        idle_timeout: Duration::from_secs(60),
        overrun: Duration::from_secs(600),
        farewell: Duration::from_secs(60),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

fn start() -> Position {
    Deal::Server.start(Default::default())
}

/// Requests `count` moves at the start of a game, and returns them.
fn serve(listener: TcpListener, count: usize) -> Vec<WireMove> {
    let (mut stream, _) = listener.accept().unwrap();
    let room = RoomId("7".to_owned());
    let in_room = |data| {
        let room = room.clone();
        ServerMessage::Room { room, data }.to_xml()
    };
    let state = WireState::new(&start(), ByColor::default(), None);
    let mut text = STREAM_OPEN.to_owned();
    text += &ServerMessage::Joined(room.clone()).to_xml();
    text += &in_room(ServerData::State(Box::new(state)));
    let mut framer = Framer::new(Limits::default());
    let mut moves = Vec::new();
    for _ in 0..count {
        text += &in_room(ServerData::MoveRequest);
        stream.write_all(text.as_bytes()).unwrap();
        text.clear();
        moves.push(hear_move(&mut stream, &mut framer));
    }
    moves
}

fn hear_move(stream: &mut impl Read, framer: &mut Framer) -> WireMove {
    let mut buffer = [0; 4096];
    loop {
        while let Some(Frame::Message(text)) = framer.next_frame().unwrap() {
            if let ClientMessage::Move { mv, .. } = ClientMessage::read(text).unwrap() {
                return mv;
            }
        }
        let length = stream.read(&mut buffer).unwrap();
        assert!(length > 0, "the client closed the connection");
        framer.feed(&buffer[..length]);
    }
}

/// The client's answers to two requests, and the number of players it made.
fn answers_of(fault: Fault, change: impl FnOnce(&mut Options)) -> (Vec<Move>, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(listener.local_addr().unwrap().port());
    change(&mut options);
    let server = thread::spawn(move || serve(listener, 2));
    let made = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&made);
    let make_player: PlayerFactory<Contest> = Box::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        Box::new(Faulty(fault))
    });
    let ending = block_on(play(&options, make_player, std::future::pending()));
    assert!(
        matches!(&ending, Err(ClientError::Session(_))),
        "{fault:?}: {ending:?}"
    );
    let moves = server.join().unwrap();
    let moves = moves
        .iter()
        .map(|mv| mv.to_move(Color::Red).unwrap())
        .collect();
    (moves, made.load(Ordering::SeqCst))
}

#[test]
fn a_panic_is_answered_with_the_best_move_reported() {
    let mv = "set S 2,-1";
    let (moves, made) = answers_of(Fault::PanicsAfterReporting(mv), |_| {});
    assert_eq!(moves, [mv.parse().unwrap(); 2]);
    assert!(made >= 2, "the player is made anew");
}

#[test]
fn faults_of_the_player_are_answered_with_legal_moves() {
    for fault in [
        Fault::Panics,
        Fault::ReportsNonsenseAndPanics,
        Fault::ChoosesNothing,
        Fault::ChoosesNonsense,
    ] {
        let (moves, _) = answers_of(fault, |_| {});
        for mv in moves {
            assert_eq!(start().check(mv), Ok(()), "{fault:?}");
        }
    }
}

#[test]
fn a_search_that_does_not_end_is_answered_for() {
    let (moves, _) = answers_of(Fault::NeverEnds, |options| options.overrun = Duration::ZERO);
    for mv in moves {
        assert_eq!(start().check(mv), Ok(()));
    }
}

/// Plays the first legal move. Reports each position that it ponders, and may panic when stopped.
struct Ponderer {
    begun: Sender<Position>,
    panics: bool,
}

impl Player<Contest> for Ponderer {
    fn choose(
        &mut self,
        record: &Record<Contest>,
        _: &SearchControl<'_, Contest>,
    ) -> Option<Choice<Contest>> {
        Some(Choice {
            best: Line::unjudged(*record.legal_moves().first()?),
            nodes: 0,
        })
    }

    fn ponder(&mut self, record: &Record<Contest>, control: &SearchControl<'_, Contest>) {
        // The receiver may be gone.
        let _ = self.begun.send(*record.position());
        while !control.stop.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert!(!self.panics, "on purpose");
    }

    fn new_game(&mut self) {}
}

/// Has red play two moves, waits for `reports` pondered positions between them, and returns all pondered positions.
fn two_rounds(change: impl FnOnce(&mut Options), panics: bool, reports: usize) -> Vec<Position> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(listener.local_addr().unwrap().port());
    change(&mut options);
    let (begun, heard) = channel();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let room = RoomId("7".to_owned());
        let in_room = |data| {
            let room = room.clone();
            ServerMessage::Room { room, data }.to_xml()
        };
        let state = |position: &Position| {
            in_room(ServerData::State(Box::new(WireState::new(
                position,
                ByColor::default(),
                None,
            ))))
        };
        let mut framer = Framer::new(Limits::default());
        let mut position = start();
        let mut text = STREAM_OPEN.to_owned() + &ServerMessage::Joined(room.clone()).to_xml();
        text += &in_room(ServerData::Welcome(Color::Red));
        text += &(state(&position) + &in_room(ServerData::MoveRequest));
        stream.write_all(text.as_bytes()).unwrap();
        let mv = hear_move(&mut stream, &mut framer);
        position.play(mv.to_move(Color::Red).unwrap());
        stream.write_all(state(&position).as_bytes()).unwrap();
        let mut heard_of: Vec<Position> = heard.iter().take(reports).collect();
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        position.play(moves[0]);
        let text = state(&position) + &in_room(ServerData::MoveRequest);
        stream.write_all(text.as_bytes()).unwrap();
        let mv = hear_move(&mut stream, &mut framer);
        assert_eq!(position.check(mv.to_move(Color::Red).unwrap()), Ok(()));
        heard_of.extend(heard.try_iter());
        heard_of
    });
    let make_player: PlayerFactory<Contest> = Box::new(move || {
        let begun = begun.clone();
        Box::new(Ponderer { begun, panics })
    });
    let ending = block_on(play(&options, make_player, std::future::pending()));
    assert!(
        matches!(&ending, Err(ClientError::Session(_))),
        "{ending:?}"
    );
    server.join().unwrap()
}

#[test]
fn ponders_until_the_next_message() {
    for panics in [false, true] {
        let thought_of = two_rounds(|options| options.ponder = true, panics, 1);
        let turns: Vec<u16> = thought_of.iter().map(Position::turn).collect();
        assert_eq!(turns, [1], "panics: {panics}");
    }
}

#[test]
fn a_player_that_cannot_be_made_is_an_error() {
    let make_player: PlayerFactory<Contest> = Box::new(|| panic!("on purpose, without a player"));
    let ending = block_on(play(&options(1), make_player, std::future::pending()));
    assert!(matches!(ending, Err(ClientError::Search(_))), "{ending:?}");
}

/// A listener whose backlog is full, with the connections that fill it. Linux lets further ones wait.
#[cfg(target_os = "linux")]
fn deaf_listener() -> (tokio::net::TcpListener, Vec<std::net::TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(100));
    let waiting = std::iter::from_fn(|| connect().ok()).collect();
    (listener, waiting)
}

#[cfg(target_os = "linux")]
#[test]
fn connecting_has_a_time_limit() {
    let make_player: PlayerFactory<Contest> = Box::new(|| Box::new(Faulty(Fault::Panics)));
    let ending = block_on(async {
        let (listener, _waiting) = deaf_listener();
        let mut options = options(listener.local_addr().unwrap().port());
        options.connect_timeout = Duration::from_millis(50);
        play(&options, make_player, std::future::pending()).await
    });
    assert!(
        matches!(ending, Err(ClientError::ConnectTimeout { .. })),
        "{ending:?}"
    );
}

#[test]
fn an_interruption_before_connecting_ends_the_run() {
    let make_player: PlayerFactory<Contest> = Box::new(|| Box::new(Faulty(Fault::Panics)));
    let interrupted = std::future::ready(Interruption::Terminate);
    let ending = block_on(play(&options(1), make_player, interrupted));
    assert!(
        matches!(
            ending,
            Err(ClientError::Interrupted(Interruption::Terminate))
        ),
        "{ending:?}"
    );
}

/// The error of a session with a server that gives a seat and then sends this again and again, or
/// as fast as it can.
fn error_of(repeated: &str, is_flood: bool) -> ClientError {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(listener.local_addr().unwrap().port());
    options.idle_timeout = Duration::from_millis(30);
    options.farewell = Duration::from_millis(1);
    let repeated = repeated.repeat(if is_flood { 1 << 10 } else { 1 });
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"<protocol><joined roomId='1'/>").unwrap();
        while stream.write_all(repeated.as_bytes()).is_ok() {
            if !is_flood {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    let make_player: PlayerFactory<Contest> =
        Box::new(|| Box::new(wabe_engine::search::RandomPlayer::new(1)));
    block_on(play(&options, make_player, std::future::pending())).unwrap_err()
}

#[test]
fn only_messages_of_the_game_break_silence() {
    let other = RoomId("2".to_owned());
    let state = WireState::new(&start(), ByColor::default(), None);
    let data = ServerData::State(Box::new(state));
    let elsewhere = ServerMessage::Room { room: other, data }.to_xml();
    for repeated in [
        " \n",
        "<news/>",
        "<room roomId='1'><data class='news'/></room>",
        &elsewhere,
    ] {
        for is_flood in [false, true] {
            let error = error_of(repeated, is_flood);
            assert!(matches!(error, ClientError::Idle(_)), "{repeated}: {error}");
        }
    }
}

#[test]
fn result_ends_sessions_of_flooding_servers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(listener.local_addr().unwrap().port());
    options.farewell = Duration::from_millis(30);
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let room = RoomId("7".to_owned());
        let decision = Decision {
            loser: None,
            reason: "agreed".to_owned(),
        };
        let result = result_of(&start(), &ByColor::default(), Some(decision)).unwrap();
        let mut text = STREAM_OPEN.to_owned() + &ServerMessage::Joined(room.clone()).to_xml();
        let data = ServerData::Result(Box::new(result));
        text += &ServerMessage::Room { room, data }.to_xml();
        stream.write_all(text.as_bytes()).unwrap();
        while stream.write_all(b"<x/>").is_ok() {}
    });
    let make_player: PlayerFactory<Contest> = Box::new(|| Box::new(Faulty(Fault::Panics)));
    let ending = block_on(play(&options, make_player, std::future::pending()));
    assert_eq!(ending.unwrap().result.winner, None);
    server.join().unwrap();
}
