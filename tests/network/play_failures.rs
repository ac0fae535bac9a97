//! `wabe play` without a result exits with 1 and prints one line on stderr.

use super::play::GREEDY;
use crate::common::fake_server::{FakeServer, check_failure, closing_messages, wait};
use crate::common::wabe::{self, fail};
use crate::common::{in_room, room, seated, start, state};
use wabe_contest::protocol::{ServerData, ServerMessage};

#[test]
fn invalid_options_are_usage_errors() {
    for options in [
        "--port 70000",
        "--bogus",
        "--player alphabeta",
        "--time soon",
        "--memory 0",
    ] {
        fail(&format!("play {options}"), 2);
    }
}

/// Sends `stream`, waits for the client to disconnect, and checks that it fails with one line that
/// contains `expected`.
fn expect_failure(stream: impl AsRef<[u8]> + Send + 'static, expected: &str) {
    let server = FakeServer::start(move |peer| {
        peer.receive_message();
        peer.send(stream);
        peer.receive_all()
    });
    let exited = server.run_client(GREEDY);
    // A client that closes the connection itself always sends its closing messages.
    let received = server.join();
    assert_eq!(
        received[received.len() - 2..],
        closing_messages(),
        "{expected}"
    );
    check_failure(&exited, expected);
}

#[test]
fn play_fails_without_a_result() {
    let left = ServerMessage::Left(room()).to_xml();
    let close = ServerMessage::CloseConnection.to_xml();
    let refused = in_room(ServerData::Error {
        message: "It's not\nyour turn yet.".to_owned(),
        original: None,
    });
    let started = seated() + &state(&start());
    let no_game = "the room was closed before the game began";
    let no_result = "ended the game without a result";
    for (stream, expected) in [
        (format!("<protocol>{left}"), no_game),
        (seated() + &left, no_game),
        (
            format!("<protocol>{close}\n</protocol>"),
            "assigned no seat",
        ),
        ("<protocol></protocol>".to_owned(), "assigned no seat"),
        (format!("{started}{left}"), no_result),
        (
            format!("{started}{refused}{close}"),
            "without a result; it had refused a request: It's not your turn yet.",
        ),
        (format!("{started}</protocol>"), no_result),
    ] {
        expect_failure(stream, expected);
    }
}

#[test]
fn play_fails_on_lost_connections() {
    let message = state(&start());
    let no_result = "cut off before the game had a result";
    for (stream, expected) in [
        ("", "cut off before the server sent anything"),
        ("<proto", "before the server sent anything"),
        (&*seated(), no_result),
        (&(seated() + &message[..1]), no_result),
        (&(seated() + &message[..100]), "in the middle of a message"),
        (
            &(seated() + &message[..message.len() - 1]),
            "in the middle of a message",
        ),
    ] {
        let stream = stream.to_owned();
        let server = FakeServer::start(move |peer| {
            peer.receive_message();
            peer.send(stream);
        });
        check_failure(&server.run_client(GREEDY), expected);
        server.join();
    }
}

#[test]
fn play_fails_without_a_server() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let client = wabe::start(&format!("play --port {port} --player greedy"));
    let expected = format!("cannot connect to 127.0.0.1:{port}");
    check_failure(&wait(client), &expected);
}
