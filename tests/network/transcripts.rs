//! The protocol layer against what the contest's server and its SimpleClient sent.

use crate::common::{frames, messages, transcripts};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use wabe_contest::protocol::{
    ClientMessage, FramingError, STREAM_CLOSE, STREAM_OPEN, ServerData, ServerMessage, WireState,
};
use wabe_hive::contest::Position;

fn server_messages(bytes: &[u8]) -> Vec<ServerMessage> {
    messages(bytes)
        .iter()
        .map(|message| ServerMessage::read(message).unwrap())
        .collect()
}

fn states(bytes: &[u8]) -> Vec<WireState> {
    server_messages(bytes)
        .into_iter()
        .filter_map(|message| match message {
            ServerMessage::Room {
                data: ServerData::State(state),
                ..
            } => Some(*state),
            _ => None,
        })
        .collect()
}

#[test]
fn chunking_makes_no_difference() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2020);
    for transcript in transcripts("") {
        if transcript.name == "garbage.red.sent" {
            continue;
        }
        let whole = frames([&transcript.bytes[..]]).unwrap();
        assert!(!whole.is_empty(), "{}", transcript.name);
        assert_eq!(frames(transcript.bytes.chunks(1)).unwrap(), whole);
        for longest in [7, 100, 5_000] {
            let mut rest = &transcript.bytes[..];
            let mut chunks = Vec::new();
            while !rest.is_empty() {
                let (chunk, tail) = rest.split_at(rng.random_range(0..=longest).min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            assert_eq!(frames(chunks).unwrap(), whole, "{}", transcript.name);
        }
    }
}

#[test]
fn every_server_message_is_known_and_written_back_byte_by_byte() {
    for transcript in transcripts("received") {
        let mut written = STREAM_OPEN.to_owned();
        for message in server_messages(&transcript.bytes) {
            assert!(!matches!(message, ServerMessage::Unknown(_)), "{message:?}");
            message.write_at(&mut written, 1);
        }
        if frames([&transcript.bytes[..]]).unwrap().contains(&None) {
            written.push_str(STREAM_CLOSE);
        }
        assert!(
            written.as_bytes() == transcript.bytes,
            "{}",
            transcript.name
        );
    }
}

#[test]
fn official_replay_is_written_back_byte_by_byte() {
    for transcript in transcripts("replay_1") {
        let mut written = STREAM_OPEN.to_owned();
        for message in server_messages(&transcript.bytes) {
            message.write_at(&mut written, 0);
        }
        written.push_str(STREAM_CLOSE);
        assert!(written.as_bytes() == transcript.bytes);
    }
}

#[test]
fn every_client_message_is_known_and_survives_a_round_trip() {
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
fn garbage_is_malformed_and_not_just_incomplete() {
    for transcript in transcripts("garbage.red.sent") {
        let FramingError::Malformed { fault, .. } = frames([&transcript.bytes[..]]).unwrap_err()
        else {
            panic!("not malformed");
        };
        assert_eq!(fault, "`</data>` ends <foo>");
    }
}

#[test]
fn last_moves_lead_from_state_to_state() {
    for transcript in transcripts("received")
        .into_iter()
        .chain(transcripts("replay_1"))
    {
        let mut before: Option<Position> = None;
        for state in states(&transcript.bytes) {
            let position = state.position().unwrap();
            let last_move = state.last_move.as_ref();
            match (
                before,
                last_move.map(|mv| mv.to_move(state.player.opponent()).unwrap()),
            ) {
                (None, None) => {}
                (Some(mut before), Some(mv)) => {
                    before.try_play(mv).unwrap();
                    assert_eq!(before, position, "{}", transcript.name);
                }
                // A replay may begin anywhere; a session begins at the beginning.
                (before, mv) => panic!("{}: {mv:?} after {before:?}", transcript.name),
            }
            before = Some(position);
        }
    }
}
