//! Recordings of the contest's server are read whole, and damaged ones as far as they go.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use wabe_hive::contest::{Contest, Position};
use wabe_records::{Place, ReplayError};

type Replay = wabe_records::Replay<Contest>;

/// The only game of a recording.
fn read(source: impl Read) -> Result<Replay, ReplayError> {
    let mut replays = wabe_records::read(source)?;
    assert_eq!(replays.len(), 1);
    Ok(replays.swap_remove(0))
}

/// Its positions.
fn positions(replay: &Replay) -> Vec<Position> {
    replay.record.positions().collect()
}

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
    replay
}

#[test]
fn an_official_replay_is_read_packed_and_unpacked() {
    let replay = whole("replay_1.xml.gz");
    assert_eq!(replay.positions(), 43);
    assert_eq!(replay.names.red, "Unknown");
    assert_eq!(
        replay
            .stated
            .as_ref()
            .unwrap()
            .verdict
            .as_ref()
            .unwrap()
            .scores
            .blue
            .match_points,
        2
    );
    assert!(replay.record.is_over());
    assert_eq!(replay.at_turn(7).unwrap().position().turn(), 7);
    assert_eq!(read(&unpacked("replay_1.xml.gz")[..]).unwrap(), replay);
}

#[test]
fn what_a_client_or_an_observer_received_is_a_recording_too() {
    for name in ["full_game_1.red", "full_game_2.blue", "full_game_3.red"] {
        let replay = whole(&format!("{name}.received.xml.gz"));
        assert!(replay.stated.is_some() && replay.positions() > 40, "{name}");
    }
    // The administrator's connection was still open when this was saved.
    assert!(whole("illegal_move.admin.received.xml.gz").stated.is_some());
    let hinted = read(&packed("hint_text.admin.received.xml.gz")[..]).unwrap();
    assert_eq!(
        hinted.remarks.values().last().map(String::as_str),
        Some("hello")
    );
}

#[test]
fn a_recording_cut_off_anywhere_gives_what_was_whole() {
    let bytes = unpacked("replay_1.xml.gz");
    let all = whole("replay_1.xml.gz");
    let mut lengths = Vec::new();
    for length in (0..bytes.len() - 1).step_by(4_999) {
        match read(&bytes[..length]) {
            Ok(replay) => {
                assert_eq!(positions(&replay), positions(&all)[..replay.positions()]);
                let place = |damage: &wabe_records::Damage| match damage.place {
                    Place::Message { number, .. } => number,
                    Place::Line { line, .. } => line,
                };
                let damage = replay
                    .damage
                    .as_ref()
                    .map(|damage| (place(damage), damage.problem.clone()));
                let cut_off = (
                    replay.positions() + 1,
                    "the recording is cut off here".to_owned(),
                );
                assert!(
                    damage == Some(cut_off) || replay.stated.is_some(),
                    "{damage:?}"
                );
                lengths.push(replay.positions());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(lengths.is_sorted() && lengths.last() > Some(&40));
}

#[test]
fn a_second_recording_in_a_file_is_told() {
    for bytes in [packed("replay_1.xml.gz"), unpacked("replay_1.xml.gz")] {
        let replay = read(&bytes.repeat(2)[..]).unwrap();
        assert_eq!(positions(&replay), positions(&whole("replay_1.xml.gz")));
        let problem = replay.damage.unwrap().problem;
        assert_eq!(problem, "another recording follows, which is not read");
    }
}

#[test]
fn a_torn_gzip_file_gives_what_could_be_unpacked() {
    let packed = packed("replay_1.xml.gz");
    // The checksum comes after the end of the recording.
    let whole = read(&packed[..packed.len() - 4]).unwrap();
    assert_eq!(whole.damage, None);
    let torn = read(&packed[..12]).unwrap_err();
    assert!(matches!(torn, ReplayError::Damaged(_)), "{torn}");
    let replay = read(&packed[..packed.len() / 2]).unwrap();
    assert!(replay.damage.is_some() && replay.positions() > 5);
}

/// A way to damage a message.
type Change = &'static dyn Fn(&str) -> String;

/// A recording in which ply 9 cannot be read, because of this change to what lies between the end of ply 8 and that of ply 9.
fn with_damaged_ply_9(change: impl Fn(&str) -> String) -> (Replay, Replay) {
    let text = String::from_utf8(unpacked("replay_1.xml.gz")).unwrap();
    let starts: Vec<usize> = text
        .match_indices("<room")
        .map(|(start, _)| start)
        .collect();
    let damaged = change(&text[starts[9]..starts[10]]);
    assert_ne!(damaged, text[starts[9]..starts[10]]);
    let text = format!("{}{damaged}{}", &text[..starts[9]], &text[starts[10]..]);
    (read(text.as_bytes()).unwrap(), whole("replay_1.xml.gz"))
}

#[test]
fn recordings_are_read_up_to_damage() {
    let changes: [(&str, Change); 9] = [
        ("before the next `<`", &|s| {
            s.replacen("<board>", "<<&board>", 1)
        }),
        ("ends <data>", &|s| s.replacen("</data>", "</dat>", 1)),
        ("ends <room>", &|s| s.replacen("</room>", "", 1)),
        ("ends <state>", &|s| s.replacen("</state>", "", 1)),
        ("", &|s| s[..s.len() / 2].to_owned()),
        ("outside of any message", &|s| {
            format!("\0\u{1}garbage & more {}", &s[40..])
        }),
        ("deep", &|s| {
            s.replacen("<board>", &"<board>".repeat(100), 1)
        }),
        ("nine", &|s| s.replacen("turn=\"9\"", "turn=\"nine\"", 1)),
        ("no move leads to the position after 10 plies", &|_| {
            String::new()
        }),
    ];
    for (problem, change) in changes {
        let (replay, all) = with_damaged_ply_9(change);
        assert_eq!(positions(&replay), positions(&all)[..9], "{problem}");
        assert_eq!(replay.stated, None);
        let damage = replay.damage.unwrap();
        let (number, after) = (10, Some(8));
        assert_eq!(damage.place, Place::Message { number, after }, "{problem}");
        assert!(damage.problem.contains(problem), "{}", damage.problem);
    }
}

/// The contest's server wrote the encoding of its system, with a declaration or without.
#[test]
fn recordings_in_windows_1252_are_read() {
    let text = String::from_utf8(unpacked("replay_1.xml.gz")).unwrap();
    let all = whole("replay_1.xml.gz");
    let named = text.replace(&format!("\"{}\"", all.names.red), "\"S\u{1}hne\"");
    let bytes: Vec<u8> = (named.bytes())
        .map(|byte| if byte == 1 { 0xf6 } else { byte })
        .collect();
    for declaration in ["", "<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n"] {
        let bytes = [declaration.as_bytes(), &bytes].concat();
        let replay = read(&bytes[..]).unwrap();
        assert_eq!(replay.names.red, "Söhne");
        assert_eq!(replay.positions(), all.positions());
        assert_eq!(replay.damage, None);
    }
}

#[test]
fn damaged_bytes_cost_nothing_before_them() {
    let bytes = unpacked("replay_1.xml.gz");
    for place in (0..bytes.len()).step_by(3_989) {
        for byte in [0, b'<', b'>', b'"', b'a', 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = byte;
            let whole = bytes[..place]
                .windows(7)
                .filter(|w| w == b"</room>")
                .count();
            let read = read(&damaged[..]).map_or(0, |replay| replay.positions());
            assert!(read >= whole, "{byte} at {place}: {read}");
        }
    }
}

#[test]
fn nothing_is_looked_for_without_end() {
    let endless = std::io::repeat(b'x');
    let error = read(endless).unwrap_err();
    assert!(matches!(error, ReplayError::NotARecording), "{error}");
}

#[test]
fn our_own_replays_know_how_long_each_move_took() {
    let text = String::from_utf8(unpacked("replay_1.xml.gz")).unwrap();
    let timed = text
        .replacen("turn=\"1\"", "turn=\"1\" lastMoveMillis=\"83.25\"", 1)
        .replacen("turn=\"2\"", "turn=\"2\" lastMoveMillis=\"-1\"", 1)
        .replacen("turn=\"3\"", "turn=\"3\" lastMoveMillis=\"116.75\"", 1);
    let replay = read(timed.as_bytes()).unwrap();
    assert_eq!(replay.damage, None);
    let times: Vec<_> = (0..4).map(|ply| replay.times.get(&ply).copied()).collect();
    let micros = |micros| Some(std::time::Duration::from_micros(micros));
    assert_eq!(times, [None, micros(83_250), None, micros(116_750)]);
    assert_eq!(
        replay.timing().of(wabe_hive::Color::Red).to_string(),
        "2 moves of 0.100 s on average, 0.117 s at most"
    );
}

#[test]
fn a_file_without_positions_is_an_error() {
    assert!(matches!(
        read(&b"<protocol></protocol>"[..]),
        Err(ReplayError::NoPositions)
    ));
    assert!(matches!(read(&b""[..]), Err(ReplayError::Empty)));
    for bytes in [&b"hello"[..], b"\x1f\x8bgarbage", b"<html/>"] {
        let error = read(bytes).unwrap_err().to_string();
        assert!(error.contains("no"), "{error}");
    }
}
