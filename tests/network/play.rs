//! `wabe play` against a scripted server, over real sockets.

use crate::common::fake_server::{Exited, FakeServer, Peer, closing_messages};
use crate::common::{
    in_room, messages, request, seated, start, state, transcripts, unplaceable_bee,
};
use wabe_contest::protocol::{
    ClientMessage, GAME_TYPE, Hint, ReservationCode, ServerData, ServerMessage, WireAction,
    WireMove,
};
use wabe_hive::contest::Position;

pub const GREEDY: &str = "--player greedy --seed 1";

/// The server's messages in a recorded game that ends early.
fn short_game() -> String {
    String::from_utf8(transcripts("opponent_left.red.received").remove(0).bytes).unwrap()
}

/// Receives a move. Panics on other messages.
fn receive_move(peer: &mut Peer) -> WireMove {
    match peer.receive_message() {
        ClientMessage::Move { mv, .. } => mv,
        other => panic!("expected a move, received {other:?}"),
    }
}

/// Replays a recorded session, waiting for an answer to each request. Returns the answers and their
/// positions.
fn replay(peer: &mut Peer, bytes: &[u8]) -> Vec<(Position, WireMove)> {
    let mut position = None;
    let mut answers = Vec::new();
    peer.send("<protocol>");
    for text in messages(bytes) {
        peer.send(&text);
        let ServerMessage::Room { data, .. } = ServerMessage::read(&text).unwrap() else {
            continue;
        };
        match data {
            ServerData::State(state) => position = Some(state.position().unwrap()),
            ServerData::MoveRequest => answers.push((position.unwrap(), receive_move(peer))),
            _ => {}
        }
    }
    peer.send("\n</protocol>");
    answers
}

/// Runs a client with these options against a recorded session.
fn play_recorded(name: &str, options: &str) -> (Exited, Vec<(Position, WireMove)>) {
    let transcript = transcripts(&format!("{name}.received")).remove(0);
    let server = FakeServer::start(move |peer| {
        let joined = matches!(peer.receive_message(), ClientMessage::Join { .. });
        assert!(joined);
        let answers = replay(peer, &transcript.bytes);
        assert_eq!(peer.receive_all(), closing_messages());
        answers
    });
    let exited = server.run_client(options);
    (exited, server.join())
}

fn check_legal(answers: &[(Position, WireMove)]) {
    for (position, answer) in answers {
        let mv = answer.to_move(position.side_to_move()).unwrap();
        position.check(mv).unwrap();
    }
}

#[test]
fn play_finishes_recorded_games() {
    for (name, first_line, requests) in [
        ("full_game_1.red", "drawn as red", 30),
        ("full_game_1.blue", "drawn as blue", 30),
        ("full_game_2.red", "lost as red", 27),
        ("full_game_2.blue", "won as blue", 27),
        ("lost_on_time_late.red", "lost as red", 20),
    ] {
        let (exited, answers) = play_recorded(name, GREEDY);
        assert_eq!(exited.code, Some(0), "{name}: {exited:?}");
        assert_eq!(exited.stdout.lines().next(), Some(first_line), "{name}");
        assert_eq!(exited.stdout.lines().count(), 3);
        assert_eq!(exited.stderr, "");
        assert!(answers.len() >= requests, "{name}: {}", answers.len());
        check_legal(&answers);
    }
}

#[test]
fn players_send_legal_moves_with_hints() {
    for player in [
        "--player random",
        "--player greedy",
        "--player mcts:nodes=30,memory=8",
        "--time 10 --memory 8 --ponder on",
        "--time 10 --memory 8 --ponder off",
    ] {
        let (exited, answers) = play_recorded("full_game_3.red", player);
        assert_eq!(exited.code, Some(0), "{player}: {exited:?}");
        check_legal(&answers);
        // With little time, a move may be chosen before any search.
        let is_timed = player.starts_with("--time");
        for (position, answer) in answers.into_iter().filter(|_| !is_timed) {
            let hint: Hint = answer.hint.as_deref().unwrap().parse().unwrap();
            let mv = answer.to_move(position.side_to_move()).unwrap();
            assert_eq!(hint.pv.first(), Some(&mv.to_string()));
            assert!(hint.score.is_some() || player.ends_with("random"));
        }
    }
}

#[test]
fn play_is_reproducible_under_node_limits() {
    let play = || play_recorded("full_game_3.blue", "--nodes 40 --seed 9 --memory 8").1;
    assert_eq!(play(), play());
}

#[test]
fn play_options_select_the_seat() {
    let join = || ClientMessage::Join {
        game_type: GAME_TYPE.to_owned(),
    };
    let seat = || ClientMessage::JoinPrepared(ReservationCode("a&1".to_owned()));
    for (options, expected) in [
        ("", join()),
        ("--host 127.0.0.1 --reservation ''", join()),
        ("-r '' --host localhost", join()),
        ("-r", join()),
        ("--reservation 'a&1' --host 127.0.0.1", seat()),
        ("--reservation='a&1'", seat()),
    ] {
        let server = FakeServer::start(|peer| {
            let opening = peer.receive_message();
            peer.send(short_game());
            opening
        });
        let exited = server.run_client(&format!("{GREEDY} {options}"));
        assert_eq!(server.join(), expected, "{options}");
        assert_eq!(exited.code, Some(0), "{options}: {exited:?}");
    }
}

#[test]
fn result_survives_later_errors() {
    let game = short_game();
    let end = game.find("<left").unwrap();
    for (tail, stays_open) in [
        // The client closes the connection itself.
        ("", true),
        ("", false),
        ("garbage", false),
        ("<room roomId='other'/>", false),
        ("<left roomId='other'/>", false),
    ] {
        let stream = game[..end].to_owned() + tail;
        let server = FakeServer::start(move |peer| {
            peer.receive_message();
            peer.send(stream);
            if stays_open {
                // The client may also have answered recorded requests.
                let received = peer.receive_all();
                assert_eq!(received[received.len() - 2..], closing_messages());
            }
        });
        let exited = server.run_client(GREEDY);
        server.join();
        assert_eq!(exited.code, Some(0), "{tail}: {exited:?}");
        assert!(exited.stdout.starts_with("won as red\n"), "{exited:?}");
    }
}

#[test]
fn new_states_cancel_pending_requests() {
    let server = FakeServer::start(|peer| {
        peer.receive_message();
        let next = start().after("set A 0,0".parse().unwrap());
        let next = next.after("set A 1,0".parse().unwrap());
        // The first search would take ten minutes. The second request cancels it.
        peer.send(seated() + &state(&start()) + &request());
        peer.send(state(&next) + &request() + &in_room(ServerData::Paused));
        peer.send(state(&unplaceable_bee()) + &request());
        receive_move(peer)
    });
    server.run_client("--time 600000 --memory 8");
    assert_eq!(server.join().action, WireAction::Skip);
}

#[cfg(unix)]
#[test]
fn signals_close_the_connection() {
    use crate::common::{fake_server::wait, wabe::kill};

    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        for stream in [
            String::new(),
            seated(),
            // During a search of ten minutes.
            seated() + &state(&start()) + &request(),
        ] {
            let (connected, is_connected) = std::sync::mpsc::channel();
            let server = FakeServer::start(move |peer| {
                peer.receive_message();
                peer.send(stream);
                connected.send(()).unwrap();
                peer.receive_all()
            });
            let options = "--time 600000 --memory 8";
            let client = server.start_client(options);
            is_connected.recv().unwrap();
            assert!(kill(signal, client.id()));
            let exited = wait(client);
            assert_eq!(server.join(), closing_messages());
            assert_eq!(exited.code, Some(code), "{exited:?}");
            assert_eq!(exited.stderr.lines().count(), 1, "{exited:?}");
        }
    }
}
