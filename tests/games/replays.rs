//! Reads recordings of the contest's server, complete and damaged.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use wabe_hive::contest::{Contest, Position};
use wabe_hive::standard::Standard;
use wabe_records::{Fault, Place, ReplayError};

type Replay = wabe_records::Replay<Contest>;

/// Reads a recording of one game.
fn read(source: impl Read) -> Result<Replay, ReplayError> {
    let mut replays = wabe_records::read(source)?;
    assert_eq!(replays.len(), 1);
    Ok(replays.swap_remove(0))
}

/// All positions of the game.
fn positions(replay: &Replay) -> Vec<Position> {
    replay.record.positions().collect()
}

fn read_gzip(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/transcripts");
    std::fs::read(format!("{folder}/{name}")).unwrap()
}

fn read_xml(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(&read_gzip(name)[..])
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn read_undamaged(name: &str) -> Replay {
    let replay = read(&read_gzip(name)[..]).unwrap();
    assert_eq!(replay.damage, None, "{name}");
    replay
}

#[test]
fn read_accepts_recordings_of_all_roles() {
    let replay = read_undamaged("replay_1.xml.gz");
    assert_eq!(replay.positions(), 43);
    assert_eq!(replay.names.red, "Unknown");
    assert!(replay.record.is_over());
    assert_eq!(replay.at_turn(7).unwrap().position().turn(), 7);
    assert_eq!(read(&read_xml("replay_1.xml.gz")[..]).unwrap(), replay);
    for name in ["full_game_1.red", "full_game_2.blue", "full_game_3.red"] {
        let replay = read_undamaged(&format!("{name}.received.xml.gz"));
        assert!(replay.stated.is_some() && replay.positions() > 40, "{name}");
    }
    // Saved while the administrator was still connected.
    assert!(
        read_undamaged("illegal_move.admin.received.xml.gz")
            .stated
            .is_some()
    );
    let hinted = read(&read_gzip("hint_text.admin.received.xml.gz")[..]).unwrap();
    assert!(hinted.remarks.values().any(|hint| hint == "hello"));
}

#[test]
fn read_keeps_positions_before_truncation() {
    let bytes = read_xml("replay_1.xml.gz");
    let all = read_undamaged("replay_1.xml.gz");
    let mut lengths = Vec::new();
    for length in (0..bytes.len() - 1).step_by(4_999) {
        let Ok(replay) = read(&bytes[..length]) else {
            continue;
        };
        assert_eq!(positions(&replay), positions(&all)[..replay.positions()]);
        let is_truncated = replay.damage.is_some_and(|damage| {
            let number = replay.record.plies().len() + 2;
            matches!(damage.place, Place::Message { number: n, .. } if n == number)
                && damage.fault == Fault::UnexpectedEnd
        });
        assert!(is_truncated || replay.stated.is_some(), "{length}");
        lengths.push(replay.record.plies().len());
    }
    assert!(lengths.is_sorted() && lengths.last() > Some(&39));

    let compressed = read_gzip("replay_1.xml.gz");
    // The checksum comes after the end of the recording.
    assert_eq!(
        read(&compressed[..compressed.len() - 4]).unwrap().damage,
        None
    );
    let truncated = read(&compressed[..12]).unwrap_err();
    assert!(matches!(truncated, ReplayError::Damaged(_)), "{truncated}");
    let replay = read(&compressed[..compressed.len() / 2]).unwrap();
    assert!(replay.damage.is_some() && replay.positions() > 5);
    // A second recording in the same file is an error.
    for bytes in [compressed, bytes] {
        let replay = read(&bytes.repeat(2)[..]).unwrap();
        assert_eq!(positions(&replay), positions(&all));
        assert_eq!(replay.damage.unwrap().fault, Fault::SecondRecording);
    }
}

/// How to damage a message.
type Change = &'static dyn Fn(&str) -> String;

/// Damages the message with ply 9 of a recording. Returns the damaged and the original replay.
fn read_with_damaged_ply_9(change: impl Fn(&str) -> String) -> (Replay, Replay) {
    let text = String::from_utf8(read_xml("replay_1.xml.gz")).unwrap();
    let starts: Vec<usize> = text
        .match_indices("<room")
        .map(|(start, _)| start)
        .collect();
    let damaged = change(&text[starts[9]..starts[10]]);
    assert_ne!(damaged, text[starts[9]..starts[10]]);
    let text = format!("{}{damaged}{}", &text[..starts[9]], &text[starts[10]..]);
    (
        read(text.as_bytes()).unwrap(),
        read_undamaged("replay_1.xml.gz"),
    )
}

#[test]
fn read_stops_at_damaged_messages() {
    let changes: [(&str, Change); 9] = [
        ("malformed XML", &|s| s.replacen("<board>", "<<&board>", 1)),
        ("</data>", &|s| s.replacen("</data>", "</dat>", 1)),
        ("</room>", &|s| s.replacen("</room>", "", 1)),
        ("</state>", &|s| s.replacen("</state>", "", 1)),
        ("", &|s| s[..s.len() / 2].to_owned()),
        ("outside of a message", &|s| {
            format!("\0\u{1}garbage & more {}", &s[40..])
        }),
        ("</board>", &|s| {
            s.replacen("<board>", &"<board>".repeat(100), 1)
        }),
        ("nine", &|s| s.replacen("turn=\"9\"", "turn=\"nine\"", 1)),
        ("no move leads to the position after 10 plies", &|_| {
            String::new()
        }),
    ];
    for (problem, change) in changes {
        let (replay, all) = read_with_damaged_ply_9(change);
        assert_eq!(positions(&replay), positions(&all)[..9], "{problem}");
        assert_eq!(replay.stated, None);
        let damage = replay.damage.unwrap();
        let (number, after) = (10, Some(8));
        assert_eq!(damage.place, Place::Message { number, after }, "{problem}");
        assert!(
            damage.fault.to_string().contains(problem),
            "{}",
            damage.fault
        );
    }
}

/// The contest's server used the system's encoding, with or without an XML declaration.
#[test]
fn read_accepts_windows_1252() {
    let text = String::from_utf8(read_xml("replay_1.xml.gz")).unwrap();
    let all = read_undamaged("replay_1.xml.gz");
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
fn read_keeps_positions_before_damaged_bytes() {
    let bytes = read_xml("replay_1.xml.gz");
    for place in (0..bytes.len()).step_by(11_987) {
        let complete = bytes[..place].windows(7).filter(|w| w == b"</room>");
        let whole = complete.count();
        for byte in [0, b'<', b'>', b'"', b'a', 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = byte;
            let read = read(&damaged[..]).map_or(0, |replay| replay.positions());
            assert!(read >= whole, "{byte} at {place}: {read}");
        }
    }
}

#[test]
fn read_rejects_files_without_positions() {
    let empty = read(&b"<protocol></protocol>"[..]);
    assert!(matches!(empty, Err(ReplayError::NoPositions)));
    assert!(matches!(read(&b""[..]), Err(ReplayError::Empty)));
    for bytes in [&b"hello"[..], b"\x1f\x8bgarbage", b"<html/>"] {
        read(bytes).unwrap_err();
    }
    let endless = read(std::io::repeat(b'x'));
    assert!(matches!(endless, Err(ReplayError::NotARecording)));
}

#[test]
fn read_limits_expanded_size() {
    for beginning in ["Base;InProgress;White[1];", "[White \"A\"]", "(;GM[27]"] {
        let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
        compressed.write_all(beginning.as_bytes()).unwrap();
        compressed.write_all(&vec![b' '; 300 << 16]).unwrap();
        let error = wabe_records::read::<Standard>(&compressed.finish().unwrap()[..]).unwrap_err();
        assert!(error.to_string().contains("16 MiB"), "{error}");
    }
    let dance = "wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;".repeat(2500);
    let long = format!("Base;InProgress;White[1];wS1;bS1 wS1-;{dance}");
    let replays = wabe_records::read::<Standard>(long.as_bytes()).unwrap();
    let damage = replays[0].damage.as_ref().unwrap().to_string();
    assert!(damage.contains("10000 plies"), "{damage}");
    let hint = format!("<hint>{}</hint></lastMove>", "x".repeat(200_000));
    let text = String::from_utf8(read_xml("replay_1.xml.gz")).unwrap();
    let hinted = text.replacen("</lastMove>", &hint, 10);
    let remarks = read(hinted.as_bytes()).unwrap().remarks;
    assert_eq!(remarks.len(), 10);
    assert!(remarks.values().all(|hint| hint.len() == 4096));
}
