//! The protocol layer on recorded messages of the contest's server and its SimpleClient.

use crate::common::{frames, messages, transcripts};
use wabe_contest::protocol::{ClientMessage, STREAM_CLOSE, STREAM_OPEN, ServerData, ServerMessage};
use wabe_hive::contest::Position;

fn server_messages(bytes: &[u8]) -> Vec<ServerMessage> {
    messages(bytes)
        .iter()
        .map(|message| ServerMessage::read(message).unwrap())
        .collect()
}

#[test]
fn server_messages_round_trip_exactly() {
    let replays = transcripts("replay_1").into_iter().map(|file| (file, 0));
    let sessions = transcripts("received").into_iter().map(|file| (file, 1));
    for (file, indentation) in replays.chain(sessions) {
        let mut written = STREAM_OPEN.to_owned();
        for message in server_messages(&file.bytes) {
            assert!(!matches!(message, ServerMessage::Unknown(_)), "{message:?}");
            message.write_at(&mut written, indentation);
        }
        if frames(&file.bytes).contains(&None) {
            written.push_str(STREAM_CLOSE);
        }
        assert!(written.as_bytes() == file.bytes, "{}", file.name);
    }
}

#[test]
fn client_messages_round_trip() {
    for transcript in transcripts("sent") {
        if transcript.name == "garbage.red.sent" {
            continue;
        }
        for message in messages(&transcript.bytes) {
            let read = ClientMessage::read(&message).unwrap();
            let written = read.to_xml();
            assert_eq!(ClientMessage::read(&written).as_ref(), Ok(&read));
            if transcript.name.starts_with("full_game") {
                assert_eq!(written.trim_start(), message, "{}", transcript.name);
            }
        }
    }
}

#[test]
fn last_moves_connect_states() {
    for file in transcripts("received")
        .into_iter()
        .chain(transcripts("replay_1"))
    {
        let mut before: Option<Position> = None;
        for message in server_messages(&file.bytes) {
            let ServerMessage::Room {
                data: ServerData::State(state),
                ..
            } = message
            else {
                continue;
            };
            let position = state.position().unwrap();
            let last_move = state.last_move.as_ref();
            let mv = last_move.map(|mv| mv.to_move(state.player.opponent()).unwrap());
            // Only the first state in a file has no move before it.
            assert_eq!(before.is_some(), mv.is_some(), "{}", file.name);
            if let (Some(mut before), Some(mv)) = (before, mv) {
                before.check(mv).unwrap();
                before.play(mv);
                assert_eq!(before, position, "{}", file.name);
            }
            before = Some(position);
        }
    }
}
