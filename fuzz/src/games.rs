//! Games and positions as text: records, replays, the dialogues with viewers, engines and pages.

use std::io::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use wabe_arena::ArenaGame;
use wabe_arena::Games;
use wabe_board::protocol::{Answer, OpenedGame, Reply, Request, RequestMessage, Source};
use wabe_board::{Budget, LiveGames, PageSession};
use wabe_hive::Position;
use wabe_hive::game::Record;
use wabe_records::games::{self, GameName};
use wabe_records::with_game;
use wabe_records::{Recorded, is_gzip, read};
use wabe_uhp::{Event, Options};
use crate::round_trip;

/// Positions and records read back as they were written, and each legal move leads to a position
/// that does so too.
pub fn record<G: ArenaGame>(data: &[u8]) {
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

/// A file as it is packed.
fn gzip(file: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(file).unwrap();
    packed.finish().unwrap()
}

/// The games of a file can be shown, and each form that they are written in reads back as the same
/// text. Packed they are the same games.
pub fn replay<G: Recorded>(data: &[u8]) {
    let in_words = |file: &[u8]| read::<G>(file).map_err(|error| error.to_string());
    let replays = in_words(data);
    // Nothing, packed, is a file without games.
    if !is_gzip(data) && !data.is_empty() {
        let packed = gzip(data);
        assert_eq!(in_words(&packed), replays);
        let _ = read::<G>(&packed[..packed.len() / 2]);
    }
    let Ok(replays) = replays else {
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

/// A viewer gets one `ok` for each line, and nothing that a terminal obeys. Searches and counts are
/// left to the tests.
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
    let mut out = Vec::new();
    let log = None::<Vec<u8>>;
    let session = wabe_uhp::Session::new(events, sender, Options::default(), &mut out, log);
    session.run().unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.lines().filter(|line| *line == "ok").count(), answers);
    assert!(out.ends_with("ok\n"));
    let is_harmless = |c: char| c == '\n' || !c.is_control();
    assert!(out.chars().all(is_harmless), "{out:?}");
}

/// Every request of a page is answered, and what is shown or exported opens again. Searches and
/// programs are left to the tests.
pub fn board(data: &[u8]) {
    let Ok(message) = RequestMessage::from_json(&String::from_utf8_lossy(data)) else {
        return;
    };
    if matches!(
        message.request,
        Request::Search { .. }
            | Request::Review { .. }
            | Request::Consult { .. }
            | Request::Observe { .. }
    ) {
        return;
    }
    for answer in replies(message, &Arc::default()) {
        serde_json::to_string(&answer).unwrap();
        match answer.reply {
            Reply::Shown { record, .. } => opens(record),
            Reply::Exported { name, text, .. } if !name.ends_with("html") => opens(text),
            _ => {}
        }
    }
}

/// The answers to a request among these live games.
fn replies(message: RequestMessage, live: &Arc<LiveGames>) -> Vec<Answer> {
    let replies = Arc::new(Mutex::new(Vec::new()));
    let outlet = {
        let replies = Arc::clone(&replies);
        Arc::new(move |reply| replies.lock().unwrap().push(reply))
    };
    let mut session = PageSession::new(Budget::new(1, 16), Arc::clone(live), outlet);
    session.take(message);
    session.report_live();
    drop(session);
    std::mem::take(&mut *replies.lock().unwrap())
}

/// The answer to a request that has one.
fn reply(request: Request, live: &Arc<LiveGames>) -> Reply {
    let id = Some(1);
    let mut replies = replies(RequestMessage { id, request }, live);
    assert_eq!(replies.len(), 1, "{replies:?}");
    serde_json::to_string(&replies[0]).unwrap();
    replies.swap_remove(0).reply
}

fn opened(source: Source) -> Reply {
    reply(Request::Open { source }, &Arc::default())
}

fn opens(text: String) {
    let reply = opened(Source::Text(text.clone()));
    assert!(matches!(reply, Reply::Opened { .. }), "{text}: {reply:?}");
}

/// A game that is shown opens again by its moves.
fn opens_again(game: &OpenedGame) {
    let Reply::Opened { games, .. } = opened(Source::Line(game.line.clone())) else {
        panic!("{game:?}");
    };
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].line, game.line);
}

/// As many bytes of a file tell its game.
const BEGINNING: usize = games::BEGINNING as usize;

/// A page opens a file and what it shows of it; packed, the file is of the same game and shows the
/// same.
pub fn open(data: &[u8]) {
    let open = |file: &[u8]| opened(Source::Base64(STANDARD.encode(file)));
    let reply = open(data);
    // An empty file gets another error than a packed one, and a packed archive is not unpacked.
    if !is_gzip(data) && !data.is_empty() && !data.starts_with(b"PK") {
        let packed = gzip(data);
        assert_eq!(open(&packed), reply);
        if packed.len() <= BEGINNING {
            let beginning = &data[..data.len().min(BEGINNING)];
            let game = GameName::from_recording(beginning);
            assert_eq!(GameName::from_recording(&packed), game);
        }
    }
    if let Reply::Opened { games, .. } = reply {
        games.iter().take(5).for_each(opens_again);
    }
}

/// Length of a repetitive file, in bytes: with a beginning and an end about as long as one may be.
/// What it may cost is the limit on memory of `scripts/fuzz.sh`.
const REPETITIVE: usize = (16 << 20) - (1 << 16);

/// A packed file in which a part is repeated, between a beginning and an end: zero bytes are
/// between the three.
pub fn repetitive(data: &[u8]) {
    let parts: Vec<&[u8]> = data.splitn(3, |&byte| byte == 0).collect();
    let &[beginning, part, end] = &parts[..] else {
        return;
    };
    if part.is_empty() {
        return;
    }
    let file = [beginning, &part.repeat(REPETITIVE / part.len()), end].concat();
    let game = GameName::from_recording(&file[..BEGINNING]).unwrap_or_default();
    let packed = gzip(&file);
    drop(file);
    with_game!(game, |G, _variant| drop(read::<G>(&packed[..])));
}

/// Games that are watched are listed, can be followed, and open by what is shown of them.
pub fn watched(live: &Arc<LiveGames>) {
    let Reply::Live { games, .. } = reply(Request::Watch {}, live) else {
        panic!("no list");
    };
    for game in games {
        let number = Some(game.number);
        let Reply::Following { game, .. } = reply(Request::Follow { number }, live) else {
            panic!("no game");
        };
        opens_again(&game);
    }
}
