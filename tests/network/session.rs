//! The client's session without sockets, fed with what the contest's server sent, and with worse.

use crate::common::{
    Transcript, in_room, messages, request, seated, start, state, transcripts, unplaceable_bee,
    wire_state,
};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use wabe_contest::client::{Event, PlayerSession, ReplyError, SessionError};
use wabe_contest::protocol::{
    ClientMessage, GAME_TYPE, ReservationCode, RoomId, ServerData, ServerMessage,
};
use wabe_hive::contest::{Contest, MoveList, Position};
use wabe_hive::{Color, IllegalMove, Move};

type Ending = Result<wabe_contest::client::GameOver, SessionError>;

/// What a session makes of a stream that comes in these chunks, every request answered with the last legal move.
fn replay<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Ending) {
    let mut session = PlayerSession::new();
    let mut events = Vec::new();
    for chunk in chunks {
        session.receive(chunk);
        while let Some(event) = session.next_event() {
            match &event {
                Event::MoveRequested(request) => {
                    let mut moves = MoveList::new();
                    request.position.legal_moves(&mut moves);
                    let mv = *moves.last().unwrap();
                    let reply = session.reply(request.id, mv, None).unwrap();
                    check_reply(&reply, &request.position);
                }
                Event::IrregularMoveRequested { id, mv } => {
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
fn recorded_sessions_give_the_same_events_however_the_bytes_arrive() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for Transcript { name, bytes } in transcripts("received") {
        let whole = replay([&bytes[..]]);
        assert!(whole == replay(bytes.chunks(1)), "{name}");
        for _ in 0..3 {
            assert!(whole == replay(random_chunks(&mut rng, &bytes)), "{name}");
        }
    }
}

#[test]
fn recorded_games_are_answered_move_for_move() {
    let mut answered = 0;
    for Transcript { name, bytes } in transcripts("received") {
        if name.contains("admin") {
            continue;
        }
        let (events, _) = replay([&bytes[..]]);
        let requested = events
            .iter()
            .filter(|event| matches!(event, Event::MoveRequested(_)))
            .count();
        let sent_by_the_server = messages(&bytes)
            .iter()
            .filter(|message| message.contains("MoveRequest"))
            .count();
        assert_eq!(requested, sent_by_the_server, "{name}");
        answered += requested;
    }
    assert!(answered > 200);
}

#[test]
fn recorded_endings_are_understood() {
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
    let refused = Some("It's not your turn yet.".to_owned());
    for (name, error) in [
        (
            "bad_reservation.red",
            SessionError::NotAdmitted { refusal: None },
        ),
        (
            "bad_game_type.red",
            SessionError::NotAdmitted { refusal: None },
        ),
        ("garbage.red", SessionError::NoResult { refusal: None }),
        (
            "pause_step_cancel.red",
            SessionError::NoResult { refusal: None },
        ),
        (
            "not_your_turn.blue",
            SessionError::NoResult { refusal: refused },
        ),
    ] {
        assert_eq!(ending(name), Err(error), "{name}");
    }
}

#[test]
fn result_is_told_in_three_lines() {
    let transcript = transcripts("full_game_2.blue.received").remove(0);
    let game_over = replay([&transcript.bytes[..]]).1.unwrap();
    let reason = "red's bee is surrounded";
    assert_eq!(
        game_over.to_string(),
        format!(
            "won as blue\n\
             red   0 points, 0 free fields, REGULAR ({reason}): Unknown\n\
             blue  2 points, 4 free fields, REGULAR ({reason}): Unknown"
        )
    );
}

#[test]
fn a_stream_cut_anywhere_ends_with_an_error_or_the_result() {
    let transcript = transcripts("opponent_left.red.received").remove(0);
    let bytes = &transcript.bytes[..];
    let text = std::str::from_utf8(bytes).unwrap();
    let result_at = text.find("class=\"result\"").unwrap();
    let result_end = result_at + text[result_at..].find("</room>").unwrap() + "</room>".len();
    for length in 0..bytes.len() {
        let (_, ending) = replay([&bytes[..length]]);
        if length < result_end {
            assert!(
                matches!(ending, Err(SessionError::Cut { .. })),
                "{length}: {ending:?}"
            );
        } else {
            assert!(ending.is_ok(), "{length}");
        }
    }
}

/// The events of a stream that begins with red's seat.
fn events(stream: &str) -> Vec<Event> {
    replay([(seated() + stream).as_bytes()]).0
}

#[test]
fn early_or_late_requests_are_ignored() {
    assert_eq!(events(&request()).len(), 2);
    let elsewhere = format!("<protocol>{}{}", state(&start()), request());
    assert_eq!(replay([elsewhere.as_bytes()]).0, []);
}

#[test]
fn requests_against_the_rules_are_answered() {
    let blue_to_move: Position = "1 - 0,0:rA AAQBBGGSSS/AAAQBBGGSSS".parse().unwrap();
    let over: Position = "60 - 0,0:rQ;1,0:bQ A/-".parse().unwrap();
    for position in [blue_to_move, over] {
        let events = events(&(state(&position) + &request()));
        let Some(Event::IrregularMoveRequested { mv, .. }) = events.last() else {
            panic!("{events:?}");
        };
        assert_ne!(*mv, Move::Pass);
    }
}

#[test]
fn impossible_states_are_answered() {
    let game: Position = "8 - 0,0:rQ;1,0:bQ;-1,0:rA;2,0:bA AG/AG".parse().unwrap();
    let ant = "<piece owner=\"RED\" type=\"ANT\"/>";
    let far = "<field x=\"5\" y=\"-5\" z=\"0\" isObstructed=\"false\"";
    for (from, to) in [
        // A torn hive, too many pieces, a pile of them, and wrong turns.
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
            Event::IrregularState(_),
            Event::IrregularMoveRequested { mv, .. },
            _,
            last,
        ] = &events[..]
        else {
            panic!("{to}: {events:?}");
        };
        assert_ne!(mv.to_string(), "skip");
        // The search resumes with the next normal state.
        assert!(matches!(last, Event::MoveRequested(_)), "{last:?}");
    }
}

#[test]
fn unreadable_pieces_do_not_cost_the_state() {
    let before: Position = "7 - 0,0:rQ;1,0:bQ;-1,0:rA AAG/AAG".parse().unwrap();
    let now: Position = "8 - 0,0:rQ;1,0:bQ;-1,0:rA;2,0:bA AAG/AG".parse().unwrap();
    let far = "<field x=\"5\" y=\"-5\" z=\"0\" isObstructed=\"false\"";
    let forged = format!("{far}><piece owner=\"BLUE\"/><piece/></field>");
    let forged = state(&now).replacen(&format!("{far}/>"), &forged, 1);
    let events = events(&(state(&before) + &forged + &request()));
    let Some(Event::MoveRequested(request)) = events.last() else {
        panic!("{events:?}");
    };
    assert_eq!(request.position, now);
}

#[test]
fn unreadable_states_leave_the_last_one() {
    let game = state(&start());
    for unreadable in [
        game.replacen("<board>", "<board><fields/>", 1),
        game.replacen("turn=\"0\"", "turn=\"x\"", 1),
        game.replacen("roomId", "id", 1),
        game.replacen("<board>", "<board><", 1),
    ] {
        let events = events(&format!("{game}{unreadable}{}", request()));
        assert!(
            matches!(events.last(), Some(Event::MoveRequested(_))),
            "{events:?}"
        );
    }
}

#[test]
fn other_rooms_are_ignored() {
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
        assert!(
            matches!(ending, Err(SessionError::Cut { .. })),
            "{ending:?}"
        );
    }
}

#[test]
fn any_last_move_is_survived() {
    let long = "x".repeat(9 << 20);
    let deep = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
    for contents in [
        "<lastMove class='setmove'><hint>&#0;</hint></lastMove>",
        "<lastMove class='setmove'><hint>&#x0;&foo;&#xD800;&#99999999999;</hint></lastMove>",
        "<lastMove class='setmove'><hint>\0\u{1}\u{ffff}</hint></lastMove>",
        "<lastMove class='setmove'><destination class='field'><piece/></destination></lastMove>",
        "<lastMove class='dragmove'><start x='99999999999999999999' y='' z='0x0'/></lastMove>",
        "<lastMove class='jump'/><lastMove/><lastMove x=y></lastMove>",
        "<lastMove><state turn='x'><board/></state><<<\"></lastMove>",
        &format!("<lastMove class='setmove'><hint>{long}</hint></lastMove>"),
        &format!("<lastMove class='setmove' hint='{long}'/>"),
        &format!("<lastMove>{deep}</lastMove><unknown>{deep}</unknown>{long}"),
    ] {
        let stream = state(&start()).replace("</state>", &format!("{contents}</state>"));
        let events = events(&(stream + &request()));
        let shown = &contents[..contents.len().min(80)];
        assert!(
            matches!(events.last(), Some(Event::MoveRequested(_))),
            "{shown}: {events:?}"
        );
    }
    let invalid = [
        seated().as_bytes(),
        state(&start())
            .replace("</state>", "<lastMove>")
            .as_bytes()
            .trim_ascii_end(),
    ]
    .concat();
    let end = invalid.len() - "\n      </data>\n    </room>".len();
    let stream = [
        &invalid[..end.min(invalid.len())],
        b"\xff\xfe\xc0",
        b"</lastMove></state></data></room>",
        request().as_bytes(),
    ]
    .concat();
    let events = replay([&stream[..]]).0;
    assert!(
        matches!(events.last(), Some(Event::MoveRequested(_))),
        "{events:?}"
    );
}

#[test]
fn what_means_nothing_to_a_player_is_skipped() {
    let extra = "<news/><room roomId='7'><data class='weather'/></room><testing testMode='true'/>";
    let paused = in_room(ServerData::Paused);
    let request = request();
    let stream = format!(
        "{}{extra}{paused}{}{extra}{request}",
        seated(),
        state(&start())
    );
    let (events, _) = replay([stream.as_bytes()]);
    assert_eq!(events.len(), 4);
}

/// A session with a request for a move in the start position.
fn asked() -> (PlayerSession, wabe_contest::client::Request) {
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
fn illegal_moves_are_never_sent() {
    let (mut session, request) = asked();
    let refused = session.reply(request.id, Move::Pass, None);
    assert_eq!(refused, Err(ReplyError::Illegal(IllegalMove::Pass)));
    let mv: Move<Contest> = "set Q 0,0".parse().unwrap();
    assert!(session.reply(request.id, mv, None).is_ok());
}

#[test]
fn each_request_is_answered_once_and_only_while_it_matters() {
    let mv: Move<Contest> = "set Q 0,0".parse().unwrap();
    let (mut session, request) = asked();
    assert!(session.reply(request.id, mv, None).is_ok());
    assert_eq!(session.reply(request.id, mv, None), Err(ReplyError::Stale));
    let (mut session, request) = asked();
    session.receive(in_room(ServerData::MoveRequest).repeat(100).as_bytes());
    assert_eq!(session.next_event(), None, "it is the same request");
    assert!(session.reply(request.id, mv, None).is_ok());
    let (mut session, request) = asked();
    session.receive(state(&start().after(mv)).as_bytes());
    assert!(session.next_event().is_some());
    assert_eq!(session.reply(request.id, mv, None), Err(ReplyError::Stale));
}

#[test]
fn opening_asks_for_the_reserved_seat_or_any() {
    let read = |opening: String| ClientMessage::read(&messages(opening.as_bytes())[0]).unwrap();
    let code = ReservationCode("a&b".to_owned());
    assert_eq!(
        read(PlayerSession::opening(Some(&code))),
        ClientMessage::JoinPrepared(code)
    );
    assert_eq!(
        read(PlayerSession::opening(None)),
        ClientMessage::Join {
            game_type: GAME_TYPE.to_owned()
        }
    );
}

#[test]
fn a_bee_that_cannot_be_placed_leaves_nothing_but_a_skip() {
    let request = request();
    let stream = format!("{}{}{request}", seated(), state(&unplaceable_bee()));
    let (events, _) = replay([stream.as_bytes()]);
    let Some(Event::MoveRequested(request)) = events.last() else {
        panic!("{events:?}");
    };
    let mut moves = MoveList::new();
    request.position.legal_moves(&mut moves);
    assert_eq!(*moves, [Move::Pass]);
}
