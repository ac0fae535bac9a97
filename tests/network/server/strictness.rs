//! Valid and invalid client messages, with outcomes recorded from the contest's server 20.3.4.
//!
//! Each row of `tests/data/strictness.jsonl` contains a kind, bytes and the outcome. The kind is
//! the class of a move whose data are the bytes, `message` for bytes sent instead of a move, or
//! `join` for bytes that open the connection. `@` is replaced by the room.

use super::peer::Peer;
use super::referee::Referee;
use wabe_contest::protocol::{Cause, ServerData, ServerMessage};
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;

const BEES: &str = "2 - 0,0:rQ;1,-1:bQ AAABBGGSSS/AAABBGGSSS";

fn start_referee() -> Referee {
    Referee::start(|config| {
        config.start = StartSource::Loaded(Box::new(Start {
            position: BEES.parse().unwrap(),
            last_move: None,
        }));
    })
}

/// Sends bytes instead of red's move. Returns the contents of `lastMove` that blue receives, or why
/// red lost: the reason for a rule violation, otherwise the cause.
fn send_as_move(referee: &Referee, sent: &[u8]) -> String {
    let mut red = referee.connect();
    red.join();
    red.skip_to("joined");
    let mut blue = referee.connect();
    blue.join();
    red.skip_to("request");
    blue.skip_to("state 2");
    let room = red.room.clone().unwrap().0;
    let pieces = sent.split(|&byte| byte == b'@');
    red.send_bytes(&pieces.collect::<Vec<_>>().join(room.as_bytes()));
    let text = blue.next_text().unwrap();
    let ServerMessage::Room { data, .. } = ServerMessage::read(&text).unwrap() else {
        panic!("{text}");
    };
    match data {
        ServerData::State(_) => {
            let (_, last) = text.split_once("<lastMove class=").unwrap();
            let (last, _) = last.split_once("</lastMove>").unwrap();
            let (_, last) = last.split_once('>').unwrap();
            last.split("\n  ").map(str::trim_start).collect()
        }
        ServerData::Result(result) => {
            let score = &result.scores.red;
            match score.cause {
                Cause::RuleViolation => {
                    let received = red.rest();
                    let reason = score.reason.clone().unwrap();
                    let error = format!("error: Ungueltiger Zug von 'Unknown'.\n{reason}");
                    assert_eq!(received, [&error, "result", "left", "close"]);
                    reason
                }
                cause => {
                    assert_eq!(red.rest(), [""; 0], "sent a result to a dropped player");
                    format!("{cause:?}").to_uppercase()
                }
            }
        }
        other => panic!("{other:?}"),
    }
}

/// Replaces `{P}` and `{D}` with the default piece and destination.
fn expand(text: &str) -> String {
    text.replace("{P}", r#"<piece owner="RED" type="ANT"/>"#)
        .replace("{D}", r#"<destination x="-1" y="1" z="0"/>"#)
}

/// Expected outcome and bytes of each row. `select` takes kind and bytes. It returns the bytes to
/// send, or `None` to skip the row.
fn rows(select: impl Fn(&str, String) -> Option<String>) -> Vec<(String, String)> {
    let lines = include_str!("../../data/strictness.jsonl").lines();
    let rows = lines.filter_map(|line| {
        let [kind, sent, expected]: [String; 3] = serde_json::from_str(line).unwrap();
        Some((expand(&expected), expand(&select(&kind, sent)?)))
    });
    rows.collect()
}

#[test]
fn answers_to_moves_match_the_contest_server() {
    let referee = start_referee();
    let rows = rows(|kind, sent| match kind {
        "join" => None,
        "message" => Some(sent),
        class => Some(format!(
            "<room roomId='@'><data class='{class}'>{sent}</data></room>"
        )),
    });
    let outcomes = rows.iter().map(|(expected, sent)| {
        let outcome = send_as_move(&referee, sent.as_bytes());
        (outcome != *expected).then(|| format!("{sent}\n    {outcome}\n    not {expected}\n"))
    });
    let wrong: String = outcomes.flatten().collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn long_or_invalid_texts_do_not_lose() {
    let referee = start_referee();
    let long = "x".repeat(1_100_000);
    let kept = format!("<hint>{}</hint>", "x".repeat(4096));
    for (sent, hint) in [
        (format!("{{P}}{{D}}<hint>{long}</hint>"), &*kept),
        (format!("{{P}}{{D}}<!--{long}-->"), ""),
        (format!("{{P}}{long}{{D}}"), ""),
        (
            "{P}{D}<hint>a~b</hint>".to_owned(),
            "<hint>a\u{fffd}b</hint>",
        ),
    ] {
        let data = format!("<room roomId='@'><data class='setmove'>{sent}</data></room>");
        let mut bytes = expand(&data).into_bytes();
        // Invalid UTF-8.
        for byte in bytes.iter_mut().filter(|byte| **byte == b'~') {
            *byte = 0xff;
        }
        let expected = expand(&format!("{hint}{{P}}{{D}}"));
        assert!(send_as_move(&referee, &bytes) == expected, "{hint}");
    }
}

/// Sends bytes on a new connection. Returns descriptions of the answers.
fn answer(referee: &Referee, bytes: &[u8]) -> Vec<String> {
    let mut peer = Peer::connect_silently(referee.address);
    peer.send_bytes(bytes);
    peer.close_writing();
    peer.rest()
}

#[test]
fn answers_to_joins_match_the_contest_server() {
    for (expected, sent) in rows(|kind, sent| (kind == "join").then_some(sent)) {
        let answer = answer(&start_referee(), sent.as_bytes()).concat();
        assert_eq!(answer, expected, "{sent}");
    }
    let referee = start_referee();
    for form in [
        "<joinPrepared><reservationCode>@</reservationCode></joinPrepared>",
        "<sc.protocol.requests.JoinPreparedRoomRequest reservationCode='@' a='1'/>",
    ] {
        let mut admin = referee.administrator();
        let prepared = admin.prepare(&[]);
        let mut players = prepared.codes.iter().map(|code| {
            let mut peer = referee.connect();
            peer.send_text(&form.replace('@', &code.0));
            peer
        });
        let (mut red, _blue) = (players.next().unwrap(), players.next().unwrap());
        red.skip_to("request");
    }
}
