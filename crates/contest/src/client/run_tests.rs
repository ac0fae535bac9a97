//! Tests with faulty players and servers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::*;
use crate::protocol::{
    Frame, Framer, RoomId, STREAM_OPEN, ServerData, ServerMessage, WireMove, WireState,
};
use crate::room::{Decision, result_of};
use wabe_engine::search::{Choice, Player, RootMove, SearchControl};
use wabe_hive::contest::{Deal, Position};
use wabe_hive::{ByColor, Color};

type Choose = fn(&SearchControl<'_, Contest>) -> Option<Choice<Contest>>;

struct Faulty(Choose);

impl Player<Contest> for Faulty {
    fn choose(
        &mut self,
        _: &Record<Contest>,
        control: &SearchControl<'_, Contest>,
    ) -> Option<Choice<Contest>> {
        (self.0)(control)
    }

    fn new_game(&mut self) {}
}

fn panics(_: &SearchControl<'_, Contest>) -> Option<Choice<Contest>> {
    panic!("on purpose")
}

fn make_faulty(choose: Choose) -> PlayerFactory<Contest> {
    Box::new(move || Box::new(Faulty(choose)))
}

fn options(port: u16) -> Options {
    let host = "127.0.0.1".to_owned();
    Options {
        connect_timeout: Duration::from_secs(60),
        overrun: Duration::from_secs(600),
        close_timeout: Duration::from_secs(60),
        ..Options::new(Address { host, port }, search::Limits::Time(Duration::ZERO))
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Runs a client against a server. Returns the results of both.
fn run<T: Send + 'static>(
    change: impl FnOnce(&mut Options),
    make_player: PlayerFactory<Contest>,
    server: impl FnOnce(std::net::TcpStream) -> T + Send + 'static,
) -> (Result<GameOver, ClientError>, T) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = options(listener.local_addr().unwrap().port());
    change(&mut options);
    let server = thread::spawn(move || server(listener.accept().unwrap().0));
    let ending = block_on(play(&options, make_player, std::future::pending()));
    (ending, server.join().unwrap())
}

fn start() -> Position {
    Deal::Contest.start(Default::default())
}

fn room() -> RoomId {
    RoomId("7".to_owned())
}

fn in_room(data: ServerData) -> String {
    ServerMessage::Room { room: room(), data }.to_xml()
}

fn state(position: &Position) -> String {
    let state = WireState::new(position, ByColor::default(), None);
    in_room(ServerData::State(Box::new(state)))
}

fn joined() -> String {
    STREAM_OPEN.to_owned() + &ServerMessage::Joined(room()).to_xml()
}

fn read_move(stream: &mut impl Read, framer: &mut Framer) -> WireMove {
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

/// Requests two moves at the start of a game. Returns the client's answers.
fn request_moves(
    make_player: PlayerFactory<Contest>,
    change: impl FnOnce(&mut Options),
) -> Vec<Move> {
    let (ending, moves) = run(change, make_player, |mut stream| {
        let mut framer = Framer::default();
        let mut text = joined() + &state(&start());
        let mut moves = Vec::new();
        for _ in 0..2 {
            text += &in_room(ServerData::MoveRequest);
            stream.write_all(text.as_bytes()).unwrap();
            text.clear();
            let mv = read_move(&mut stream, &mut framer);
            moves.push(mv.to_move(Color::Red).unwrap());
        }
        moves
    });
    assert!(
        matches!(&ending, Err(ClientError::Session(_))),
        "{ending:?}"
    );
    moves
}

const REPORTED: &str = "set S 2,-1";

#[test]
fn panicking_players_send_their_reported_move() {
    let made = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&made);
    let make_player: PlayerFactory<Contest> = Box::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        Box::new(Faulty(|control| {
            control.observer.best(REPORTED.parse().unwrap());
            panic!("on purpose, after a report");
        }))
    });
    assert_eq!(
        request_moves(make_player, |_| {}),
        [REPORTED.parse().unwrap(); 2]
    );
    assert!(made.load(Ordering::SeqCst) >= 2, "no new player was made");
}

#[test]
fn faulty_players_send_legal_fallback_moves() {
    let faults: [(&str, Choose); 5] = [
        ("panics", panics),
        ("panics after an illegal report", |control| {
            control.observer.best(Move::Pass);
            panic!("on purpose, after a wrong report");
        }),
        ("chooses nothing", |_| None),
        ("chooses an illegal move", |_| {
            let best = RootMove::without_evaluation(Move::Pass);
            Some(Choice { best, nodes: 0 })
        }),
        ("never ends", |control| {
            while !control.stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            None
        }),
    ];
    for (name, choose) in faults {
        let is_endless = name == "never ends";
        let moves = request_moves(make_faulty(choose), |options| {
            if is_endless {
                options.overrun = Duration::ZERO;
            }
        });
        for mv in moves {
            assert_eq!(start().check(mv), Ok(()), "{name}");
        }
    }
}

/// Plays the first legal move. Reports each position that it ponders on, and can panic when
/// stopped.
struct Ponderer {
    pondered: Sender<Position>,
    panics: bool,
}

impl Player<Contest> for Ponderer {
    fn choose(
        &mut self,
        record: &Record<Contest>,
        _: &SearchControl<'_, Contest>,
    ) -> Option<Choice<Contest>> {
        Some(Choice {
            best: RootMove::without_evaluation(*record.legal_moves().first()?),
            nodes: 0,
        })
    }

    fn ponder(&mut self, record: &Record<Contest>, control: &SearchControl<'_, Contest>) {
        // The receiver may have been dropped.
        let _ = self.pondered.send(*record.position());
        while !control.stop.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert!(!self.panics, "on purpose");
    }

    fn new_game(&mut self) {}
}

#[test]
fn ponders_until_the_next_message() {
    for panics in [false, true] {
        let (pondered, positions) = channel();
        let make_player: PlayerFactory<Contest> = Box::new(move || {
            let pondered = pondered.clone();
            Box::new(Ponderer { pondered, panics })
        });
        let ponder = |options: &mut Options| options.ponder = true;
        let (_, turns) = run(ponder, make_player, move |mut stream| {
            let mut framer = Framer::default();
            let mut position = start();
            let welcome = in_room(ServerData::Welcome(Color::Red));
            let request = in_room(ServerData::MoveRequest);
            let text = joined() + &welcome + &state(&position) + &request;
            stream.write_all(text.as_bytes()).unwrap();
            let mv = read_move(&mut stream, &mut framer);
            position.play(mv.to_move(Color::Red).unwrap());
            stream.write_all(state(&position).as_bytes()).unwrap();
            let mut turns = vec![positions.recv().unwrap().turn()];
            let moves = position.legal_moves();
            position.play(moves[0]);
            let text = state(&position) + &request;
            stream.write_all(text.as_bytes()).unwrap();
            let mv = read_move(&mut stream, &mut framer);
            assert_eq!(position.check(mv.to_move(Color::Red).unwrap()), Ok(()));
            turns.extend(positions.try_iter().map(|position| position.turn()));
            turns
        });
        assert_eq!(turns, [1], "panics: {panics}");
    }
}

#[test]
fn failures_before_the_connection_are_errors() {
    let make_player: PlayerFactory<Contest> = Box::new(|| panic!("on purpose, without a player"));
    let ending = block_on(play(&options(1), make_player, std::future::pending()));
    assert!(matches!(ending, Err(ClientError::Search(_))), "{ending:?}");
    let signal = Interruption::Terminate;
    let interrupted = std::future::ready(signal);
    let ending = block_on(play(&options(1), make_faulty(panics), interrupted));
    assert!(
        matches!(ending, Err(ClientError::Interrupted(s)) if s == signal),
        "{ending:?}"
    );
}

/// Connects to a listener with a full backlog. On Linux, such connections wait.
#[cfg(target_os = "linux")]
#[test]
fn connecting_times_out() {
    let ending = block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let connect = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(100));
        let _waiting: Vec<_> = std::iter::from_fn(|| connect().ok()).collect();
        let mut options = options(address.port());
        options.connect_timeout = Duration::from_millis(50);
        play(&options, make_faulty(panics), std::future::pending()).await
    });
    assert!(
        matches!(&ending, Err(ClientError::Connect { source, .. }) if source.kind() == io::ErrorKind::TimedOut),
        "{ending:?}"
    );
}

#[test]
fn result_ends_sessions_of_flooding_servers() {
    let close_timeout = |options: &mut Options| options.close_timeout = Duration::from_millis(30);
    let (ending, ()) = run(close_timeout, make_faulty(panics), |mut stream| {
        let decision = Decision {
            loser: None,
            reason: "agreed".to_owned(),
        };
        let result = result_of(&start(), &ByColor::default(), Some(decision)).unwrap();
        let text = joined() + &in_room(ServerData::Result(Box::new(result)));
        stream.write_all(text.as_bytes()).unwrap();
        while stream.write_all(b"<x/>").is_ok() {}
    });
    assert_eq!(ending.unwrap().result.winner, None);
}
