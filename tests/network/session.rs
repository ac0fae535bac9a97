//! The client's session without sockets, on recorded and invalid input.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::common::{
    Transcript, in_room, messages, request, seated, start, state, transcripts, wire_state,
};
use wabe_contest::client::{Event, PlayerSession, ReplyError, SessionError};
use wabe_contest::protocol::{ClientMessage, RoomId, ServerData, ServerMessage};
use wabe_hive::contest::{Contest, Position};
use wabe_hive::{Color, IllegalMove, Move};

type Ending = Result<wabe_contest::client::GameOver, SessionError>;

/// Feeds chunks of a stream to a session, and answers every request with the last legal move.
/// Returns the events and how the session ended.
fn replay<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Ending) {
    let mut session = PlayerSession::new();
    let mut events = Vec::new();
    for chunk in chunks {
        session.receive(chunk);
        while let Some(event) = session.next_event() {
            match &event {
                Event::MoveRequested(request) => {
                    let moves = request.position.legal_moves();
                    let mv = *moves.last().unwrap();
                    let reply = session.reply(request.id, mv, None).unwrap();
                    check_reply(&reply, &request.position);
                }
                Event::MoveRequestedInInvalidState { id, mv } => {
                    session.reply(*id, *mv, None).unwrap();
                }
                _ => {}
            }
            events.push(event);
        }
    }
    (events, session.conclude())
}

fn check_reply(reply: &str, position: &Position) {
    let ClientMessage::Move { mv, .. } = ClientMessage::read(reply.trim_start()).unwrap() else {
        panic!("not a move: {reply}");
    };
    let mv = mv.to_move(position.side_to_move()).unwrap();
    position.check(mv).unwrap();
}

fn random_chunks<'a>(rng: &mut Xoshiro256PlusPlus, bytes: &'a [u8]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let longest = *[3, 300, 30_000].choose(rng).unwrap();
        let (chunk, tail) = rest.split_at(rng.random_range(1..=longest).min(rest.len()));
        chunks.push(chunk);
        rest = tail;
    }
    chunks
}

#[test]
fn events_do_not_depend_on_chunks() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut answered = 0;
    for Transcript { name, bytes } in transcripts("received") {
        let whole = replay([&bytes[..]]);
        assert!(whole == replay(bytes.chunks(1)), "{name}");
        for _ in 0..3 {
            assert!(whole == replay(random_chunks(&mut rng, &bytes)), "{name}");
        }
        if !name.contains("admin") {
            let is_request = |event: &&Event| matches!(event, Event::MoveRequested(_));
            let requested = whole.0.iter().filter(is_request).count();
            let messages = messages(&bytes).into_iter();
            let sent = messages.filter(|message| message.contains("MoveRequest"));
            assert_eq!(requested, sent.count(), "{name}");
            answered += requested;
        }
    }
    assert!(answered > 200);
}

#[test]
fn conclude_reports_recorded_endings() {
    let ending = |wanted: &str| {
        let found = transcripts("received")
            .into_iter()
            .find(|t| t.name == format!("{wanted}.received"));
        replay([&found.unwrap().bytes[..]]).1
    };
    for (name, color, first_line) in [
        ("full_game_1.red", Color::Red, "drawn as red"),
        ("full_game_2.blue", Color::Blue, "won as blue"),
        ("full_game_2.red", Color::Red, "lost as red"),
        ("lost_on_time_late.red", Color::Red, "lost as red"),
        ("illegal_move.blue", Color::Blue, "lost as blue"),
        ("opponent_left.red", Color::Red, "won as red"),
        ("soft_timeout.red", Color::Red, "lost as red"),
        ("hard_timeout.blue", Color::Blue, "won as blue"),
    ] {
        let game_over = ending(name).unwrap();
        assert_eq!(game_over.color, Some(color), "{name}");
        assert_eq!(game_over.to_string().lines().next(), Some(first_line));
    }
    let text = ending("full_game_2.blue").unwrap().to_string();
    assert_eq!(text.lines().count(), 3);
    assert!(text.contains("blue  2 points, 4 free fields, REGULAR (red's bee is surrounded)"));
    let no_result = |refusal| SessionError::NoResult { refusal };
    let refused = Some("It's not your turn yet.".to_owned());
    let not_admitted = SessionError::NotAdmitted { refusal: None };
    for (name, error) in [
        ("bad_reservation.red", not_admitted.clone()),
        ("bad_game_type.red", not_admitted),
        ("garbage.red", no_result(None)),
        ("pause_step_cancel.red", no_result(None)),
        ("not_your_turn.blue", no_result(refused)),
    ] {
        assert_eq!(ending(name), Err(error), "{name}");
    }
}

#[test]
fn conclude_fails_before_the_result() {
    let transcript = transcripts("opponent_left.red.received").remove(0);
    let bytes = &transcript.bytes[..];
    let text = std::str::from_utf8(bytes).unwrap();
    let result_at = text.find("class=\"result\"").unwrap();
    let result_end = result_at + text[result_at..].find("</room>").unwrap() + "</room>".len();
    // Every length around the end of the result, and every 13th elsewhere.
    let is_near = |length: usize| length.abs_diff(result_end) < 20;
    for length in (0..bytes.len()).filter(|&length| length % 13 == 0 || is_near(length)) {
        let (_, ending) = replay([&bytes[..length]]);
        let is_cut = matches!(ending, Err(SessionError::Cut { .. }));
        let expected = (length < result_end, length >= result_end);
        assert_eq!((is_cut, ending.is_ok()), expected, "{length}");
    }
}

/// The events of a stream that follows red's seat.
fn events(stream: &str) -> Vec<Event> {
    replay([(seated() + stream).as_bytes()]).0
}

/// The position of the move request at the end of a stream that follows red's seat.
fn requested_position(stream: &str) -> Position {
    match events(stream).pop() {
        Some(Event::MoveRequested(request)) => request.position,
        last => panic!("{last:?}"),
    }
}

#[test]
fn requests_without_a_game_are_ignored() {
    assert_eq!(events(&request()).len(), 2);
    let elsewhere = format!("<protocol>{}{}", state(&start()), request());
    assert_eq!(replay([elsewhere.as_bytes()]).0, []);
}

#[test]
fn irregular_requests_are_answered() {
    let blue_to_move: Position = "1 - 0,0:rA AAQBBGGSSS/AAAQBBGGSSS".parse().unwrap();
    let over: Position = "60 - 0,0:rQ;1,0:bQ A/-".parse().unwrap();
    for position in [blue_to_move, over] {
        let events = events(&(state(&position) + &request()));
        let Some(Event::MoveRequestedInInvalidState { mv, .. }) = events.last() else {
            panic!("{events:?}");
        };
        assert_ne!(*mv, Move::Pass);
    }
}

#[test]
fn irregular_states_are_answered() {
    let game: Position = "8 - 0,0:rQ;1,0:bQ;-1,0:rA;2,0:bA AG/AG".parse().unwrap();
    let ant = "<piece owner=\"RED\" type=\"ANT\"/>";
    let far = "<field x=\"5\" y=\"-5\" z=\"0\" isObstructed=\"false\"";
    for (from, to) in [
        // A split hive, too many pieces, a high stack, and wrong turns.
        (format!("{far}/>"), format!("{far}>{ant}</field>")),
        (ant.to_owned(), ant.repeat(9)),
        (ant.to_owned(), ant.repeat(300)),
        ("turn=\"8\"".to_owned(), "turn=\"9\"".to_owned()),
        ("turn=\"8\"".to_owned(), "turn=\"-2147483648\"".to_owned()),
        (
            "turn=\"8\"".to_owned(),
            "turn=\"99999999999999\"".to_owned(),
        ),
        ("\"RED\">".to_owned(), "\"BLUE\">".to_owned()),
    ] {
        let regular = state(&game);
        assert!(regular.contains(&from), "{from}");
        let irregular = regular.replacen(&from, &to, 1);
        let events = events(&(irregular + &request() + &regular + &request()));
        let [
            ..,
            Event::InvalidState(_),
            Event::MoveRequestedInInvalidState { mv, .. },
            _,
            last,
        ] = &events[..]
        else {
            panic!("{to}: {events:?}");
        };
        assert_ne!(mv.to_string(), "skip");
        // The next regular state is searched normally.
        assert!(matches!(last, Event::MoveRequested(_)), "{last:?}");
    }
}

#[test]
fn unreadable_parts_are_skipped() {
    let before: Position = "7 - 0,0:rQ;1,0:bQ;-1,0:rA AAG/AAG".parse().unwrap();
    let now: Position = "8 - 0,0:rQ;1,0:bQ;-1,0:rA;2,0:bA AAG/AG".parse().unwrap();
    let far = "<field x=\"5\" y=\"-5\" z=\"0\" isObstructed=\"false\"";
    let forged = format!("{far}><piece owner=\"BLUE\"/><piece/></field>");
    let forged = state(&now).replacen(&format!("{far}/>"), &forged, 1);
    assert_eq!(
        requested_position(&(state(&before) + &forged + &request())),
        now
    );
    // Unreadable states are skipped.
    let game = state(&start());
    for unreadable in [
        game.replacen("<board>", "<board><fields/>", 1),
        game.replacen("turn=\"0\"", "turn=\"x\"", 1),
        game.replacen("roomId", "id", 1),
        game.replacen("<board>", "<board><", 1),
    ] {
        let stream = format!("{game}{unreadable}{}", request());
        assert_eq!(requested_position(&stream), start());
    }
    // Messages that are not for players are skipped.
    let extra = "<news/><room roomId='7'><data class='weather'/></room><testing testMode='true'/>";
    let paused = in_room(ServerData::Paused);
    let stream = format!("{extra}{paused}{game}{extra}{}", request());
    assert_eq!(events(&stream).len(), 4);
}

#[test]
fn messages_for_other_rooms_are_ignored() {
    let room = || RoomId("8".to_owned());
    let other = |data| ServerMessage::Room { room: room(), data }.to_xml();
    for message in [
        other(ServerData::MoveRequest),
        other(ServerData::State(Box::new(wire_state(&start())))),
        ServerMessage::Left(room()).to_xml(),
        ServerMessage::Joined(room()).to_xml(),
    ] {
        let (events, ending) = replay([(seated() + &message).as_bytes()]);
        assert_eq!(events.len(), 2, "{message}");
        assert!(matches!(ending, Err(SessionError::Cut { .. })));
    }
}

#[test]
fn invalid_last_moves_are_ignored() {
    let long = "x".repeat(9 << 20);
    let blank = " ".repeat(9 << 20);
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    for contents in [
        "<lastMove class='setmove'><hint>&#0;</hint></lastMove>",
        "<lastMove class='setmove'><hint>&#x0;&foo;&#xD800;&#99999999999;</hint></lastMove>",
        "<lastMove class='setmove'><hint>\0\u{1}\u{ffff}</hint></lastMove>",
        "<lastMove class='setmove'><destination class='field'><piece/></destination></lastMove>",
        "<lastMove class='dragmove'><start x='99999999999999999999' y='' z='0x0'/></lastMove>",
        "<lastMove class='jump'/><lastMove/><lastMove x=y></lastMove>",
        "<lastMove><state turn='x'><board/></state><<<\"></lastMove>",
        // `~` is replaced by a byte that is invalid in UTF-8.
        "<lastMove>~~~</lastMove>",
        &format!("<lastMove class='setmove'><hint>{long}</hint></lastMove>"),
        &format!("<lastMove class='setmove'><hint>{blank}</hint></lastMove>"),
        &format!("<lastMove class='setmove' hint='{long}'/>"),
        &format!("<lastMove>{deep}</lastMove><unknown>{deep}</unknown>{long}"),
    ] {
        let stream = state(&start()).replace("</state>", &format!("{contents}</state>"));
        let mut bytes = (seated() + &stream + &request()).into_bytes();
        for byte in bytes.iter_mut().filter(|byte| **byte == b'~') {
            *byte = 0xff;
        }
        let last = replay([&bytes[..]]).0.pop();
        let shown = &contents[..contents.len().min(80)];
        assert!(matches!(last, Some(Event::MoveRequested(_))), "{shown}");
    }
}

/// Starts a session that has a move request in the first position.
fn start_request() -> (PlayerSession, wabe_contest::client::Request) {
    let mut session = PlayerSession::new();
    let request = request();
    session.receive(format!("{}{}{request}", seated(), state(&start())).as_bytes());
    loop {
        if let Event::MoveRequested(request) = session.next_event().unwrap() {
            return (session, request);
        }
    }
}

#[test]
fn reply_rejects_stale_requests() {
    let mv: Move<Contest> = "set Q 0,0".parse().unwrap();
    let (mut session, request) = start_request();
    let refused = session.reply(request.id, Move::Pass, None);
    assert_eq!(refused, Err(ReplyError::Illegal(IllegalMove::Pass)));
    assert!(session.reply(request.id, mv, None).is_ok());
    assert_eq!(session.reply(request.id, mv, None), Err(ReplyError::Stale));
    let (mut session, request) = start_request();
    session.receive(in_room(ServerData::MoveRequest).repeat(100).as_bytes());
    assert_eq!(session.next_event(), None, "repeated requests are ignored");
    assert!(session.reply(request.id, mv, None).is_ok());
    let (mut session, request) = start_request();
    session.receive(state(&start().after(mv)).as_bytes());
    assert!(session.next_event().is_some());
    assert_eq!(session.reply(request.id, mv, None), Err(ReplyError::Stale));
}
