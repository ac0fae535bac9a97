//! Recordings of the contest's server are read whole, and damaged ones as far as they go.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use wabe::replay::{Replay, ReplayError, read};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/transcripts")
        .join(name)
}

fn packed(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

fn unpacked(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(&packed(name)[..])
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn whole(name: &str) -> Replay {
    let replay = read(&packed(name)[..]).unwrap();
    assert_eq!(replay.damage, None, "{name}");
    assert_eq!(replay.inconsistencies(), [0u16; 0], "{name}");
    replay
}

#[test]
fn an_official_replay_is_read_packed_and_unpacked() {
    let replay = whole("replay_1.xml.gz");
    assert_eq!(replay.plies.len(), 43);
    assert_eq!(replay.names.red, "Unknown");
    assert_eq!(replay.result.as_ref().unwrap().scores.blue.match_points, 2);
    assert!(replay.last().position.outcome().is_some());
    assert_eq!(replay.at_turn(7).unwrap().position.turn(), 7);
    assert_eq!(read(&unpacked("replay_1.xml.gz")[..]).unwrap(), replay);
}

#[test]
fn what_a_client_or_an_observer_received_is_a_recording_too() {
    for name in ["full_game_1.red", "full_game_2.blue", "full_game_3.red"] {
        let replay = whole(&format!("{name}.received.xml.gz"));
        assert!(replay.result.is_some() && replay.plies.len() > 40, "{name}");
    }
    // The administrator's connection was still open when this was saved.
    assert!(whole("illegal_move.admin.received.xml.gz").result.is_some());
    let hinted = read(&packed("hint_text.admin.received.xml.gz")[..]).unwrap();
    assert_eq!(hinted.last().hint.as_deref(), Some("hello"));
}

#[test]
fn a_recording_cut_off_anywhere_gives_what_was_whole() {
    let bytes = unpacked("replay_1.xml.gz");
    let all = whole("replay_1.xml.gz");
    let mut lengths = Vec::new();
    for length in (0..bytes.len() - 1).step_by(4_999) {
        match read(&bytes[..length]) {
            Ok(replay) => {
                assert_eq!(replay.plies[..], all.plies[..replay.plies.len()]);
                assert!(replay.damage.is_some() || replay.result.is_some());
                lengths.push(replay.plies.len());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(lengths.is_sorted() && lengths.last() > Some(&40));
}

#[test]
fn a_torn_gzip_file_gives_what_could_be_unpacked() {
    let packed = packed("replay_1.xml.gz");
    let replay = read(&packed[..packed.len() / 2]).unwrap();
    assert!(replay.damage.is_some() && replay.plies.len() > 5);
}

#[test]
fn damage_in_the_middle_is_located() {
    let text = String::from_utf8(unpacked("replay_1.xml.gz")).unwrap();
    let broken = text.replacen("turn=\"9\"", "turn=\"nine\"", 1);
    let replay = read(broken.as_bytes()).unwrap();
    assert_eq!(replay.plies.len(), 9);
    let damage = replay.damage.unwrap();
    assert_eq!(damage.message, 10);
    assert!(damage.problem.contains("nine"), "{}", damage.problem);
}

#[test]
fn a_file_without_positions_is_an_error() {
    assert!(matches!(
        read(&b"<protocol></protocol>"[..]),
        Err(ReplayError::Empty)
    ));
    for bytes in [&b""[..], b"hello", b"\x1f\x8bgarbage", b"<html/>"] {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains("no"), "{error}");
    }
}
