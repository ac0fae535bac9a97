//! `wabe` as a client when the game comes to no result: exit code 1 and one clear line.

use crate::common::fake_server::{Client, FakeServer, check_failure, farewell};
use crate::common::{in_room, room, seated, start, state};
use wabe_contest::protocol::{ServerData, ServerMessage};

const GREEDY: &[&str] = &["--player", "greedy", "--seed", "1"];

#[test]
fn senseless_command_lines_are_usage_errors() {
    for arguments in [
        &["--port", "70000"][..],
        &["--bogus"],
        &["--player", "alphabeta"],
        &["--connect-timeout", "0"],
        &["--idle-timeout", "soon"],
        &["--memory", "0"],
    ] {
        let arguments = [&["play"], arguments].concat();
        let client = Client::start(env!("CARGO_BIN_EXE_wabe").as_ref(), &arguments);
        let exited = client.wait();
        assert_eq!(exited.code, Some(2), "{arguments:?}: {exited:?}");
        assert_eq!(exited.stdout, "");
    }
}

/// Sends `stream`, waits for the client to close, and expects a failure with one line that has `expected` in it.
fn expect_failure(stream: impl AsRef<[u8]> + Send + 'static, expected: &str) {
    let server = FakeServer::start(move |peer| {
        peer.hear_message();
        peer.send(stream);
        peer.hear_out()
    });
    let exited = server.run_client(GREEDY);
    // Whatever the server does, a client that ends the connection says so.
    let said = server.join();
    assert_eq!(said[said.len() - 2..], farewell(), "{expected}");
    check_failure(&exited, expected);
}

#[test]
fn room_closed_before_the_game_is_a_failure() {
    let left = ServerMessage::Left(room()).to_xml();
    for stream in [format!("<protocol>{left}"), seated() + &left] {
        expect_failure(stream, "the room was closed before the game began");
    }
}

#[test]
fn games_without_a_result_are_failures() {
    let left = ServerMessage::Left(room()).to_xml();
    let close = ServerMessage::CloseConnection.to_xml();
    let refused = in_room(ServerData::Error {
        message: "It's not\nyour turn yet.".to_owned(),
        original: None,
    });
    expect_failure(format!("<protocol>{close}\n</protocol>"), "gave no seat");
    expect_failure("<protocol></protocol>", "gave no seat");
    expect_failure(
        seated() + &state(&start()) + &left,
        "ended the game without a result",
    );
    expect_failure(
        seated() + &state(&start()) + &refused + &close,
        "without a result; it had refused a request: It's not your turn yet.",
    );
    expect_failure(
        seated() + &state(&start()) + "</protocol>",
        "ended the game without a result",
    );
}

/// Sends `stream`, closes the connection, and expects a failure with one line that has `expected` in it.
fn expect_failure_when_cut(stream: String, expected: &str) {
    let server = FakeServer::start(move |peer| {
        peer.hear_message();
        peer.send(stream);
    });
    check_failure(&server.run_client(GREEDY), expected);
    server.join();
}

#[test]
fn connections_cut_off_are_failures() {
    expect_failure_when_cut(String::new(), "cut off before the server sent anything");
    expect_failure_when_cut("<proto".to_owned(), "before the server sent anything");
    expect_failure_when_cut(seated(), "cut off before the game had a result");
    let message = state(&start());
    for length in [1, 100, message.len() / 2, message.len() - 1] {
        let cut = message[..length].to_owned();
        let place = if cut.trim().is_empty() {
            "before the game had a result"
        } else {
            "in the middle of a message"
        };
        expect_failure_when_cut(seated() + &cut, place);
    }
}

#[test]
fn a_server_that_never_answers_is_a_failure() {
    for stream in [String::new(), seated(), seated() + "<room"] {
        let server = FakeServer::start(move |peer| {
            peer.hear_message();
            peer.send(stream);
            peer.hear_out()
        });
        let exited = server.run_client(&[GREEDY, &["--idle-timeout", "0.05"]].concat());
        assert_eq!(server.join(), farewell());
        check_failure(
            &exited,
            "the server has sent nothing about the game for 0.05 s",
        );
    }
}

#[test]
fn a_server_that_is_not_there_is_a_failure() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let client = Client::start(
        env!("CARGO_BIN_EXE_wabe").as_ref(),
        &["play", "--port", &port, "--player", "greedy"],
    );
    check_failure(
        &client.wait(),
        &format!("cannot connect to 127.0.0.1:{port}"),
    );
}
