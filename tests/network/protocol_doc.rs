//! The examples of `docs/protocol.md` are what the contest's server and its clients say.

use std::fs;
use std::path::Path;

use wabe_contest::protocol::{ClientMessage, ServerData, ServerMessage};

use crate::common::messages;

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
fn documented_server_messages_are_the_referees() {
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
