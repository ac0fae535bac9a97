//! The examples of `docs/protocol.md` are what the contest's server and its clients say.

use std::fs;
use std::path::Path;
use std::process::Command;

use wabe_contest::protocol::{ClientMessage, ServerData, ServerMessage};

use crate::common::messages;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn doc(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of this kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("\n```xml {kind}\n");
    let blocks = text.split(&fence).skip(1);
    let found: Vec<&str> = blocks
        .filter_map(|rest| Some(rest.split_once("\n```")?.0))
        .collect();
    assert!(!found.is_empty(), "no example of {kind}");
    found
}

/// The lines of an XML text without their indentation.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

/// The messages of a block.
fn messages_of(block: &str) -> Vec<String> {
    let inside = block.replace("<protocol>", "").replace("</protocol>", "");
    messages(format!("<protocol>{inside}</protocol>").as_bytes())
}

#[test]
fn the_servers_messages_are_those_that_the_referee_writes() {
    let text = doc("protocol.md");
    let mut seen = Vec::new();
    for message in blocks(&text, "server").into_iter().flat_map(messages_of) {
        let read =
            ServerMessage::read(&message).unwrap_or_else(|error| panic!("{error}: {message}"));
        assert_eq!(lines(&read.to_xml()), lines(&message));
        seen.push(match read {
            ServerMessage::Room { data, .. } => match data {
                ServerData::Welcome(_) => "welcome",
                ServerData::State(_) => "state",
                ServerData::MoveRequest => "request",
                ServerData::Error { .. } => "error",
                ServerData::Result(_) => "result",
                ServerData::Paused => "paused",
                ServerData::Unknown(class) => panic!("nobody sends {class}"),
            },
            ServerMessage::Joined(_) => "joined",
            ServerMessage::Left(_) => "left",
            ServerMessage::CloseConnection => "close",
            other => panic!("no player gets {other:?}"),
        });
    }
    seen.sort_unstable();
    seen.dedup();
    let all = [
        "close", "error", "joined", "left", "paused", "request", "result", "state", "welcome",
    ];
    assert_eq!(seen, all, "every message of a player is there");
}

#[test]
fn the_clients_messages_can_be_read() {
    for message in blocks(&doc("protocol.md"), "client")
        .into_iter()
        .flat_map(messages_of)
    {
        let read =
            ClientMessage::read(&message).unwrap_or_else(|error| panic!("{error}: {message}"));
        let is_known = matches!(
            read,
            ClientMessage::Move { .. }
                | ClientMessage::Join { .. }
                | ClientMessage::JoinPrepared(_)
        );
        assert!(is_known, "{message}");
    }
}

#[test]
fn parts_of_the_state_are_parts_of_a_state() {
    let text = doc("protocol.md");
    let state = blocks(&text, "server")
        .into_iter()
        .find(|block| block.contains("<state "));
    let state = lines(state.unwrap());
    for part in blocks(&text, "part") {
        let part = lines(part);
        assert!(
            state.windows(part.len()).any(|lines| lines == part),
            "{part:?}"
        );
    }
    for last_move in blocks(&text, "lastMove") {
        let received = crate::common::transcripts("full_game_1.red.received");
        let received = String::from_utf8_lossy(&received[0].bytes).into_owned();
        let (received, last_move) = (lines(&received), lines(last_move));
        assert!(
            received
                .windows(last_move.len())
                .any(|lines| lines == last_move)
        );
    }
}

#[test]
fn the_picture_shows_the_state_of_the_example() {
    let text = doc("protocol.md");
    let states = blocks(&text, "server").into_iter().flat_map(messages_of);
    let positions = states.filter_map(|message| match ServerMessage::read(&message) {
        Ok(ServerMessage::Room {
            data: ServerData::State(state),
            ..
        }) => Some(state.position().unwrap()),
        _ => None,
    });
    for position in positions {
        assert_eq!(
            position.to_string(),
            "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS"
        );
    }
    let game = "11 -4,0;3,1;5,0 1,1:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS moves drag 1,1 1,2";
    let output = Command::new(WABE)
        .args(["replay", game, "--export", "svg"])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        doc("coordinates.svg")
    );
}
