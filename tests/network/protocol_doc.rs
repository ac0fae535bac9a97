//! Checks that the examples in `docs/protocol.md` are messages of the contest's server and clients.

use crate::common::messages;
use wabe_contest::protocol::{ClientMessage, ServerData, ServerMessage};

const PAGE: &str = include_str!("../../docs/protocol.md");

/// The messages in all `xml` blocks of this kind.
fn documented(kind: &str) -> Vec<String> {
    let fence = format!("\n```xml {kind}\n");
    let blocks = PAGE.split(&fence).skip(1);
    let blocks = blocks.filter_map(|rest| Some(rest.split_once("\n```")?.0));
    let found: Vec<String> = blocks.flat_map(messages_of).collect();
    assert!(!found.is_empty(), "no example of {kind}");
    found
}

/// The lines of an XML text, without indentation.
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
fn documented_server_messages_round_trip() {
    let mut seen = Vec::new();
    for message in documented("server") {
        let read = ServerMessage::read(&message).unwrap();
        assert_eq!(lines(&read.to_xml()), lines(&message));
        seen.push(match read {
            ServerMessage::Room { data, .. } => match data {
                ServerData::Welcome(_) => "welcome",
                ServerData::State(_) => "state",
                ServerData::MoveRequest => "request",
                ServerData::Error { .. } => "error",
                ServerData::Result(_) => "result",
                ServerData::Paused => "paused",
                ServerData::Unknown(class) => panic!("unknown class {class}"),
            },
            ServerMessage::Joined(_) => "joined",
            ServerMessage::Left(_) => "left",
            ServerMessage::CloseConnection => "close",
            other => panic!("not sent to players: {other:?}"),
        });
    }
    seen.sort_unstable();
    seen.dedup();
    let all = [
        "close", "error", "joined", "left", "paused", "request", "result", "state", "welcome",
    ];
    assert_eq!(seen, all, "all messages to players");
}

#[test]
fn documented_client_messages_are_readable() {
    for message in documented("client") {
        let is_known = matches!(
            ClientMessage::read(&message).unwrap(),
            ClientMessage::Move { .. }
                | ClientMessage::Join { .. }
                | ClientMessage::JoinPrepared(_)
        );
        assert!(is_known, "{message}");
    }
}
