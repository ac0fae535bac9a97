//! Games and positions as text: records, replays, the dialogues with viewers and pages, vectors.

use std::io::Cursor;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use wabe::arena::Games;
use wabe::board::protocol::{Answer, Asked, Reply, Request, Source};
use wabe::board::{Budget, Session};
use wabe::game::{Game, Record};
use wabe::games::{ForGame, GameName};
use wabe::hive::Position;
use wabe::replay::{Recorded, read};
use wabe::uhp::{Event, IdleInterrupt, Options};

use crate::round_trip;

/// Positions and records read back as they were written, and each legal move leads to a position that does so too.
pub fn record<G: Game>(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    round_trip::<Position<G>>(&text);
    let Ok(record) = text.parse::<Record<G>>() else {
        return;
    };
    round_trip::<Record<G>>(&text);
    let _ = Games::<G>::read_openings(&text, record.variant());
    if record.is_over() {
        return;
    }
    for &mv in record.legal_moves().iter() {
        let written = record.write(mv);
        assert_eq!(record.read(&written).ok(), Some(mv), "{written}");
        let mut next = *record.position();
        assert!(next.check(mv).is_ok());
        next.play(mv);
        round_trip::<Position<G>>(&next.to_string());
    }
}

/// The games of a file can be shown, and each form that they are written in reads back as the same text.
pub fn replay<G: Recorded>(data: &[u8]) {
    let Ok(replays) = read::<G>(data) else {
        return;
    };
    for replay in &replays {
        let mut positions = 0;
        replay.for_each_position(|_| positions += 1);
        assert_eq!(positions, replay.positions());
        let _ = (replay.json(), replay.result_line(), replay.timing());
        for form in G::FORMS {
            let Some(text) = (form.write)(replay) else {
                continue;
            };
            let again = read::<G>(text.as_bytes())
                .unwrap_or_else(|error| panic!("{}: {error}: {text}", form.name));
            let rewritten: Option<String> = again.iter().map(form.write).collect();
            assert_eq!(rewritten.as_ref(), Some(&text), "{}", form.name);
        }
    }
}

/// A viewer gets one `ok` for each line, and nothing that a terminal obeys. Searches and counts are left to the tests.
pub fn uhp(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let lines = text.lines().filter(|line| {
        let line = line.to_lowercase();
        let slow = ["bestmove", "perft", "pondering", "evaluationfile"];
        !slow.iter().any(|word| line.contains(word))
    });
    let (sender, events) = channel();
    let mut answers = 1;
    for line in lines.chain(["exit"]) {
        let Some(word) = line.split_whitespace().next() else {
            continue;
        };
        answers += 1;
        sender.send(Event::Line(line.to_owned())).unwrap();
        if ["exit", "quit"].contains(&word.to_lowercase().as_str()) {
            break;
        }
    }
    let (options, interrupt) = (Options::default(), IdleInterrupt::Ends);
    let mut out = Vec::new();
    let log = None::<Vec<u8>>;
    let session = wabe::uhp::Session::new(events, sender, options, interrupt, &mut out, log);
    session.run().unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.lines().filter(|line| *line == "ok").count(), answers);
    assert!(out.ends_with("ok\n"));
    let is_harmless = |c: char| c == '\n' || !c.is_control();
    assert!(out.chars().all(is_harmless), "{out:?}");
}

/// Every request of a page is answered, and what is shown or exported opens again. Searches and programs are left to the tests.
pub fn board(data: &[u8]) {
    let Ok(asked) = serde_json::from_slice::<Asked>(data) else {
        return;
    };
    if matches!(
        asked.request,
        Request::Search { .. }
            | Request::Review { .. }
            | Request::Consult { .. }
            | Request::Observe { .. }
    ) {
        return;
    }
    for answer in replies(asked) {
        serde_json::to_string(&answer).unwrap();
        match answer.reply {
            Reply::Shown { record, .. } => opens(record),
            Reply::Exported { name, text, .. } if !name.ends_with("html") => opens(text),
            _ => {}
        }
    }
}

fn replies(asked: Asked) -> Vec<Answer> {
    let replies = Arc::new(Mutex::new(Vec::new()));
    let outlet = {
        let replies = Arc::clone(&replies);
        Arc::new(move |reply| replies.lock().unwrap().push(reply))
    };
    let mut session = Session::new(Budget::new(1, 16), Arc::default(), outlet);
    session.take(asked);
    session.report_live();
    drop(session);
    std::mem::take(&mut *replies.lock().unwrap())
}

fn opens(text: String) {
    let source = Source::Text(text.clone());
    let replies = replies(Asked {
        id: Some(1),
        request: Request::Open { source },
    });
    assert!(
        matches!(
            replies[..],
            [Answer {
                reply: Reply::Opened { .. },
                ..
            }]
        ),
        "{text}: {replies:?}"
    );
}

/// Vectors are checked or refused; deep counts, which take as long as they take, are left out.
pub fn vectors<G: Game>(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let is_deep = |line: &str| {
        let row = serde_json::from_str::<Value>(line).unwrap_or_default();
        row["perft"]
            .as_array()
            .is_some_and(|counts| counts.len() > 1)
    };
    if !text.lines().any(is_deep) {
        let _ = wabe::verify::verify::<G>(Cursor::new(data.to_vec()));
        let _ = wabe::verify::record_text(&text);
    }
}

/// A game named by the first word of a text.
pub fn dispatch<T: ForGame>(word: &str, task: T) -> Option<T::Output> {
    Some(word.parse::<GameName>().ok()?.dispatch(task))
}
