//! Games and positions as text: records, recordings, UHP, and the board's messages.

use std::io::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::round_trip;
use wabe_arena::ArenaGame;
use wabe_arena::Games;
use wabe_board::protocol::{OpenedGame, Reply, ReplyMessage, Request, RequestMessage, Source};
use wabe_board::{Budget, LiveGames, PageSession};
use wabe_files::is_gzip;
use wabe_hive::Position;
use wabe_hive::game::Record;
use wabe_records::games::{self, GameName};
use wabe_records::with_game;
use wabe_records::{Recorded, read};
use wabe_uhp::{Event, Options};

/// Positions and records round-trip, also after every legal move.
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

fn gzip(file: &[u8]) -> Vec<u8> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::fast());
    compressed.write_all(file).unwrap();
    compressed.finish().unwrap()
}

/// The games of a file can be shown, and all exports round-trip. A gzipped file gives the same
/// games.
pub fn replay<G: Recorded>(data: &[u8]) {
    let read_games = |file: &[u8]| read::<G>(file).map_err(|error| error.to_string());
    let replays = read_games(data);
    // Gzipped empty files get a different error.
    if !is_gzip(data) && !data.is_empty() {
        let compressed = gzip(data);
        assert_eq!(read_games(&compressed), replays);
        let _ = read::<G>(&compressed[..compressed.len() / 2]);
    }
    let Ok(replays) = replays else {
        return;
    };
    for replay in &replays {
        let mut positions = 0;
        replay.for_each_position(|_| positions += 1);
        assert_eq!(positions, replay.positions());
        let _ = (replay.json(), replay.result_line(), replay.timing());
        for form in G::FORMATS {
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

/// Every line gets one answer that ends with `ok`, without control characters. Skips commands that
/// search or count.
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

/// Every request from a page is answered, and games that are shown or exported can be opened again.
/// Skips requests that search or start programs.
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
            Reply::Shown { record, .. } => assert_opens(record),
            Reply::Exported { name, text, .. } if !name.ends_with("html") => assert_opens(text),
            _ => {}
        }
    }
}

/// Handles a request, with these live games. Returns all answers.
fn replies(message: RequestMessage, live: &Arc<LiveGames>) -> Vec<ReplyMessage> {
    let replies = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let replies = Arc::clone(&replies);
        Arc::new(move |reply| replies.lock().unwrap().push(reply))
    };
    let mut session = PageSession::new(Budget::new(1, 16), Arc::clone(live), sink);
    session.take(message);
    session.report_live();
    drop(session);
    std::mem::take(&mut *replies.lock().unwrap())
}

/// Handles a request that must have exactly one answer.
fn reply(request: Request, live: &Arc<LiveGames>) -> Reply {
    let id = Some(1);
    let mut replies = replies(RequestMessage { id, request }, live);
    assert_eq!(replies.len(), 1, "{replies:?}");
    serde_json::to_string(&replies[0]).unwrap();
    replies.swap_remove(0).reply
}

fn open_source(source: Source) -> Reply {
    reply(Request::Open { source }, &Arc::default())
}

fn assert_opens(text: String) {
    let reply = open_source(Source::Text(text.clone()));
    assert!(matches!(reply, Reply::Opened { .. }), "{text}: {reply:?}");
}

/// Checks that an opened game can be opened again from its line.
fn assert_opens_again(game: &OpenedGame) {
    let Reply::Opened { games, .. } = open_source(Source::Line(game.line.clone())) else {
        panic!("{game:?}");
    };
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].line, game.line);
}

/// Number of bytes that determine which game a file contains.
const BEGINNING: usize = games::BEGINNING as usize;

/// Games opened from a file can be opened again. A gzipped file gives the same result.
pub fn open(data: &[u8]) {
    let open = |file: &[u8]| open_source(Source::Base64(STANDARD.encode(file)));
    let reply = open(data);
    // Gzipped empty files get a different error, and gzipped archives are not unpacked.
    if !is_gzip(data) && !data.is_empty() && !data.starts_with(b"PK") {
        let compressed = gzip(data);
        assert_eq!(open(&compressed), reply);
        if compressed.len() <= BEGINNING {
            let beginning = &data[..data.len().min(BEGINNING)];
            let game = GameName::from_recording(beginning);
            assert_eq!(GameName::from_recording(&compressed), game);
        }
    }
    if let Reply::Opened { games, .. } = reply {
        games.iter().take(5).for_each(assert_opens_again);
    }
}

/// Size of the repeated part of a file, in bytes. The whole file stays just below the size limit.
/// `scripts/fuzz.sh` limits the memory.
const REPEATED_BYTES: usize = (16 << 20) - (1 << 16);

/// Reads a gzipped file that consists of a beginning, a repeated part and an end. Zero bytes in
/// `data` separate the three.
pub fn repetitive(data: &[u8]) {
    let parts: Vec<&[u8]> = data.splitn(3, |&byte| byte == 0).collect();
    let &[beginning, part, end] = &parts[..] else {
        return;
    };
    if part.is_empty() {
        return;
    }
    let file = [beginning, &part.repeat(REPEATED_BYTES / part.len()), end].concat();
    let game = GameName::from_recording(&file[..BEGINNING]).unwrap_or_default();
    let compressed = gzip(&file);
    drop(file);
    with_game!(game, |G, _variant| drop(read::<G>(&compressed[..])));
}

/// Checks that all live games can be listed, followed and opened.
pub fn check_live_games(live: &Arc<LiveGames>) {
    let Reply::Live { games, .. } = reply(Request::Watch {}, live) else {
        panic!("no list");
    };
    for game in games {
        let number = Some(game.number);
        let Reply::Following { game, .. } = reply(Request::Follow { number }, live) else {
            panic!("no game");
        };
        assert_opens_again(&game);
    }
}
