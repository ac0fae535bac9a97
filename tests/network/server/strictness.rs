//! Outcomes of a client's bytes, as measured on the contest's server, release 20.3.4.
//!
//! `tests/data/strictness.jsonl` has a row for each: the kind of the bytes, the bytes, the outcome.
//! The kind is a class of moves, whose data the bytes are; or `message`, sent instead of a move; or
//! `join`, sent to open the connection. `@` stands for the room.

use super::peer::Peer;
use super::referee::Referee;
use wabe_contest::protocol::{Cause, ServerData, ServerMessage};
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;

const BEES: &str = "2 - 0,0:rQ;1,-1:bQ AAABBGGSSS/AAABBGGSSS";

fn referee() -> Referee {
    Referee::start(|config| {
        config.start = StartSource::Loaded(Box::new(Start {
            position: BEES.parse().unwrap(),
            last_move: None,
        }));
    })
}

/// Lets red send bytes instead of its move. The outcome: the contents of `lastMove` as blue gets
/// them, or the cause for which red has lost, with the reason if it broke a rule.
fn outcome(referee: &Referee, sent: &[u8]) -> String {
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
                    let heard = red.rest();
                    let reason = score.reason.clone().unwrap();
                    let error = format!("error: Ungueltiger Zug von 'Unknown'.\n{reason}");
                    assert_eq!(heard, [&error, "result", "left", "close"]);
                    reason
                }
                cause => {
                    assert_eq!(red.rest(), [""; 0], "dropped players get no result");
                    format!("{cause:?}").to_uppercase()
                }
            }
        }
        other => panic!("{other:?}"),
    }
}

/// `{P}` and `{D}` stand for the usual piece and destination.
fn expand(text: &str) -> String {
    text.replace("{P}", r#"<piece owner="RED" type="ANT"/>"#)
        .replace("{D}", r#"<destination x="-1" y="1" z="0"/>"#)
}

/// The expected outcome and the bytes of every row that `select` takes, which gets its kind and its
/// bytes.
fn rows(select: impl Fn(&str, String) -> Option<String>) -> Vec<(String, String)> {
    let lines = include_str!("../../data/strictness.jsonl").lines();
    let rows = lines.filter_map(|line| {
        let [kind, sent, expected]: [String; 3] = serde_json::from_str(line).unwrap();
        Some((expand(&expected), expand(&select(&kind, sent)?)))
    });
    rows.collect()
}

#[test]
fn messages_are_judged_like_the_contest() {
    let referee = referee();
    let rows = rows(|kind, sent| match kind {
        "join" => None,
        "message" => Some(sent),
        class => Some(format!(
            "<room roomId='@'><data class='{class}'>{sent}</data></room>"
        )),
    });
    let outcomes = rows.iter().map(|(expected, sent)| {
        let outcome = outcome(&referee, sent.as_bytes());
        (outcome != *expected).then(|| format!("{sent}\n    {outcome}\n    not {expected}\n"))
    });
    let wrong: String = outcomes.flatten().collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn long_or_undecodable_texts_do_not_cost_the_move() {
    let referee = referee();
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
        // No byte of UTF-8.
        for byte in bytes.iter_mut().filter(|byte| **byte == b'~') {
            *byte = 0xff;
        }
        let expected = expand(&format!("{hint}{{P}}{{D}}"));
        assert!(outcome(&referee, &bytes) == expected, "{hint}");
    }
}

/// Messages to a connection that sends these bytes.
fn answer(referee: &Referee, bytes: &[u8]) -> Vec<String> {
    let mut peer = Peer::connect_silently(referee.address);
    peer.send_bytes(bytes);
    peer.close_writing();
    peer.rest()
}

#[test]
fn joins_are_judged_like_the_contest() {
    for (expected, sent) in rows(|kind, sent| (kind == "join").then_some(sent)) {
        let answer = answer(&referee(), sent.as_bytes()).concat();
        assert_eq!(answer, expected, "{sent}");
    }
    let referee = referee();
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
