//! The contest's protocol: streams, messages, and the state machines of client and referee.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::games::check_live_games;
use wabe_board::{LiveGames, Rooms};
use wabe_contest::client::{Event, PlayerSession};
use wabe_contest::protocol::{
    ClientMessage, Frame, Framer, MessageTooLong, RoomId, ServerData, ServerMessage, WireMove,
    WireState,
};
use wabe_contest::room::{
    ClientId, Effect, FinishedGame, Origin, Room, RoomSetup, SeatSetup, TimeLimits, write_game,
};
use wabe_contest::server::lobby::Lobby;
use wabe_contest::server::{Config, ResourceLimits, StartSource};
use wabe_hive::contest::{Contest, Deal, Move, Position};
use wabe_hive::{ByColor, Color};

/// Messages do not depend on how a stream is divided into chunks, and respect the size limit.
pub fn framer(data: &[u8]) {
    let Some((&chunk, stream)) = data.split_first() else {
        return;
    };
    // The second limit is small, so that it is exceeded often.
    for limit in [16 << 20, 100] {
        let (messages, failure) = frames(stream, stream.len().max(1), Framer::new(limit));
        let (same, in_chunks) = frames(stream, usize::from(chunk) + 1, Framer::new(limit));
        assert_eq!(messages, same);
        assert_eq!(failure, in_chunks);
    }
}

/// The messages of a stream, and the error that ended it, if any.
fn frames(
    stream: &[u8],
    chunk: usize,
    mut framer: Framer,
) -> (Vec<String>, Option<MessageTooLong>) {
    let mut messages = Vec::new();
    for bytes in stream.chunks(chunk) {
        framer.feed(bytes);
        loop {
            match framer.next_frame() {
                Ok(Some(Frame::Message(message))) => messages.push(message.to_owned()),
                Ok(Some(Frame::End)) => {}
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fn assert_one_message(message: &str) {
    let stream = format!("<protocol>{message}");
    let (messages, failure) = frames(stream.as_bytes(), stream.len(), Framer::default());
    assert_eq!((messages, failure), (vec![message.to_owned()], None));
}

/// A readable message is written as one message, whose text round-trips. It may differ from the
/// input, because writing replaces characters that XML forbids.
pub fn client_message(data: &[u8]) {
    let Ok(message) = ClientMessage::read(&String::from_utf8_lossy(data)) else {
        return;
    };
    let written = message.to_xml();
    assert_one_message(written.trim());
    let again = ClientMessage::read(&written).map(|message| message.to_xml());
    assert_eq!(again, Ok(written));
}

/// Like [`client_message`].
pub fn server_message(data: &[u8]) {
    let Ok(message) = ServerMessage::read(&String::from_utf8_lossy(data)) else {
        return;
    };
    if let ServerMessage::Unknown(_)
    | ServerMessage::Room {
        data: ServerData::Unknown(_),
        ..
    } = message
    {
        return;
    }
    let written = message.to_xml();
    assert_one_message(written.trim());
    let again = ServerMessage::read(&written).map(|message| message.to_xml());
    assert_eq!(again, Ok(written));
}

/// A client's events do not depend on chunks. Every move request has a legal move and can be
/// answered once.
pub fn session(data: &[u8]) {
    let Some((&chunk, stream)) = data.split_first() else {
        return;
    };
    let events = events(stream, stream.len().max(1));
    assert_eq!(events, self::events(stream, usize::from(chunk) + 1));
}

fn events(stream: &[u8], chunk: usize) -> Vec<Event> {
    let mut session = PlayerSession::new();
    let mut events = Vec::new();
    for bytes in stream.chunks(chunk) {
        session.receive(bytes);
        while let Some(event) = session.next_event() {
            let answer = match &event {
                Event::MoveRequested(request) => {
                    Some((request.id, request.position.legal_moves()[0]))
                }
                Event::MoveRequestedInInvalidState { id, mv } => Some((*id, *mv)),
                _ => None,
            };
            if let Some((id, mv)) = answer {
                let reply = session.reply(id, mv, None).unwrap();
                ClientMessage::read(&reply).unwrap();
                assert!(session.reply(id, mv, None).is_err());
            }
            events.push(event);
        }
    }
    let _ = session.conclude();
    events
}

/// The client answers the request after a state, whatever `lastMove` contains. The contents cannot
/// close the element, because the server writes it.
pub fn last_move(data: &[u8]) {
    let Some((&seed, contents)) = data.split_first() else {
        return;
    };
    let mut position = Deal::Contest.start(Default::default());
    for _ in 0..seed % 32 {
        let moves = position.legal_moves();
        let Some(&mv) = moves.get(usize::from(seed) % moves.len().max(1)) else {
            break;
        };
        position.play(mv);
    }
    let state = WireState::new(&position, ByColor::default(), None);
    let room = RoomId("7".to_owned());
    let in_room = |data| {
        let room = room.clone();
        ServerMessage::Room { room, data }.to_xml()
    };
    let state = in_room(ServerData::State(Box::new(state)));
    let (before, after) = state.split_at(state.rfind("</state>").unwrap_or_default());
    let mut contents = contents.to_vec();
    while let Some(at) = contents
        .windows(10)
        .position(|bytes| bytes == b"</lastMove")
    {
        contents.remove(at);
    }
    let joined = ServerMessage::Joined(room.clone()).to_xml();
    let stream = [
        format!("<protocol>{joined}{before}<lastMove>").as_bytes(),
        &contents,
        format!("</lastMove>{after}{}", in_room(ServerData::MoveRequest)).as_bytes(),
    ]
    .concat();
    let last = events(&stream, stream.len()).pop();
    let searched = matches!(&last, Some(Event::MoveRequested(r)) if r.position == position);
    let is_over = position.outcome().is_some();
    assert!(searched || is_over && matches!(last, Some(Event::MoveRequestedInInvalidState { .. })));
}

/// Rooms can be watched from the messages that an observer receives.
pub fn observer(data: &[u8]) {
    let live = Arc::new(LiveGames::default());
    let mut rooms = Rooms::new(Arc::clone(&live), "referee".to_owned());
    for message in frames(data, data.len().max(1), Framer::default()).0 {
        let Ok(message) = ServerMessage::read(&message) else {
            break;
        };
        rooms.receive(message);
    }
    check_live_games(&live);
}

/// A seat is assigned to one client only, and the room limit holds.
pub fn lobby(data: &[u8]) {
    let limits = ResourceLimits {
        rooms: 4,
        ..ResourceLimits::default()
    };
    let config = Config {
        limits,
        ..Config::default()
    };
    let mut lobby = Lobby::new(&config, StdRng::seed_from_u64(1));
    let mut rooms: Vec<RoomId> = Vec::new();
    let mut taken = Vec::new();
    for message in frames(data, data.len().max(1), Framer::default()).0 {
        let seat = match ClientMessage::read(&message) {
            Ok(ClientMessage::Join { game_type }) => lobby.join(&game_type).ok(),
            Ok(ClientMessage::Prepare { game_type, slots }) => lobby
                .prepare(&game_type, &slots)
                .ok()
                .map(|(setup, codes)| {
                    let code = &codes.red;
                    let seat = lobby.redeem(code).unwrap();
                    assert!(lobby.redeem(code).is_err());
                    lobby.free(&codes.blue).unwrap();
                    (seat, Some(setup))
                }),
            Ok(ClientMessage::JoinPrepared(code)) => lobby.redeem(&code).ok().map(|s| (s, None)),
            Ok(ClientMessage::Cancel(_)) => {
                let room = rooms.pop();
                taken.retain(|seat: &wabe_contest::server::lobby::Seat| {
                    Some(&seat.room) != room.as_ref()
                });
                room.iter().for_each(|room| lobby.remove(room));
                None
            }
            _ => None,
        };
        if let Some((seat, created)) = seat {
            assert!(!taken.contains(&seat));
            taken.push(seat);
            rooms.extend(created.map(|setup| setup.id));
        }
        assert!(rooms.len() <= limits.rooms);
    }
}

/// A room follows the protocol, whatever its clients do. Every two bytes are an action.
pub fn room(data: &[u8]) {
    let mut now = Instant::now();
    let mut actions = data.iter().copied();
    let mut next = || actions.next();
    let origin = match next() {
        Some(0..128) => Origin::Joined,
        _ => Origin::Prepared,
    };
    let seat = SeatSetup::default();
    let mut room = Room::new(RoomSetup {
        id: RoomId("room".to_owned()),
        seats: ByColor {
            red: seat.clone(),
            blue: seat,
        },
        origin,
        paused: false,
        start: StartSource::default().start(1, 0),
        time_limits: ByColor::from_fn(|_| Some(TimeLimits::default())),
    });
    let mut seats: ByColor<Option<ClientId>> = ByColor::from_fn(|_| None);
    let mut position = None;
    let mut finished: Option<Box<FinishedGame>> = None;
    while let (Some(action), Some(detail)) = (next(), next()) {
        let client = ClientId(u64::from(detail % 3));
        let color = Color::ALL[usize::from(detail / 3 % 2)];
        let was_over = room.is_over();
        let effects = match action % 16 {
            0 if seats[color].is_none() && !was_over => {
                seats[color] = Some(client);
                room.join(client, color, now)
            }
            1 => room.leave(client, now),
            2 => room.observe(client),
            3 => room.pause(detail % 2 == 0, now),
            4 => room.step(detail % 2 == 0, now),
            5 if detail > 200 => room.cancel(),
            6 => {
                room.set_timeout(color, detail % 4 == 0);
                Vec::new()
            }
            7 => {
                now += Duration::from_millis(u64::from(detail) * 50);
                room.wake(now)
            }
            8 => {
                room.request_sent(client, now);
                Vec::new()
            }
            _ => {
                let Some(position) = &position else {
                    continue;
                };
                let (mv, mover) = some_move(position, detail);
                let from = seats[mover].unwrap_or(client);
                let mv = WireMove::new(mv, mover, Some("a hint".to_owned()));
                room.play(from, mv, now, now)
            }
        };
        assert!(!was_over || !effects.iter().any(|e| matches!(e, Effect::Request { .. })));
        for effect in effects {
            match effect {
                Effect::SeatOpened(color) => seats[color] = None,
                Effect::GameOver(game) => assert!(finished.replace(game).is_none()),
                Effect::Send {
                    message:
                        ServerMessage::Room {
                            data: ServerData::State(state),
                            ..
                        },
                    ..
                } => position = state.position().ok(),
                _ => {}
            }
        }
    }
    if let Some(game) = finished {
        check_recording(&game);
    }
}

/// A legal move, and sometimes a move of the other side.
fn some_move(position: &Position, detail: u8) -> (Move, Color) {
    let moves = position.legal_moves();
    let mv = moves.get(usize::from(detail) % moves.len().max(1));
    let mover = position.side_to_move();
    match (mv, detail) {
        (Some(&mv), 0..250) => (mv, mover),
        (mv, _) => (mv.copied().unwrap_or(Move::Pass), mover.opponent()),
    }
}

/// Checks that a game's recording contains all positions.
fn check_recording(game: &FinishedGame) {
    let mut replay = Vec::new();
    write_game(&mut replay, game).unwrap();
    let replays = wabe_records::read::<Contest>(&replay[..]).unwrap();
    assert_eq!(replays[0].damage, None);
    assert_eq!(replays[0].positions(), game.moves.len() + 1);
}
