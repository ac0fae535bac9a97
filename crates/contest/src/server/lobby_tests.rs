//! The lobby.

use rand::SeedableRng;

use super::*;
use crate::server::config::ResourceLimits;
use wabe_hive::contest::{BRAMBLE_COUNT, Position};
use wabe_hive::hex::CellSet;

fn lobby(change: impl FnOnce(&mut Config)) -> Lobby {
    let mut config = Config::default();
    change(&mut config);
    Lobby::new(&config, StdRng::seed_from_u64(0))
}

fn slot(name: &str) -> Slot {
    Slot {
        display_name: name.to_owned(),
        can_timeout: false,
        should_be_paused: false,
    }
}

fn join(lobby: &mut Lobby) -> (Seat, Option<RoomSetup>) {
    lobby.join(GAME_TYPE).unwrap()
}

fn prepare(lobby: &mut Lobby) -> (RoomSetup, ByColor<ReservationCode>) {
    lobby.prepare(GAME_TYPE, &[slot("A"), slot("B")]).unwrap()
}

fn start((_, created): (Seat, Option<RoomSetup>)) -> Position {
    created.unwrap().start.position
}

#[test]
fn two_players_that_join_get_the_seats_of_one_room() {
    let mut lobby = lobby(|_| {});
    let (red, _) = join(&mut lobby);
    let blue = join(&mut lobby);
    let (next, _) = join(&mut lobby);
    assert_eq!(red.color, Color::Red);
    let expected = Seat {
        room: red.room.clone(),
        color: Color::Blue,
    };
    assert_eq!(blue, (expected, None));
    assert_ne!(next.room, red.room);
}

#[test]
fn the_oldest_open_seat_goes_first() {
    let mut lobby = lobby(|_| {});
    let (prepared, reservations) = prepare(&mut lobby);
    let (waiting, _) = join(&mut lobby);
    lobby.free(&reservations.blue).unwrap();
    lobby.free(&reservations.red).unwrap();
    let seats = [(); 3].map(|()| join(&mut lobby).0);
    let seat = |room: &RoomId, color| Seat {
        room: room.clone(),
        color,
    };
    let prepared = &prepared.id;
    assert_eq!(
        seats,
        [
            seat(prepared, Color::Red),
            seat(prepared, Color::Blue),
            seat(&waiting.room, Color::Blue)
        ]
    );
}

#[test]
fn slots_become_seats_in_their_order() {
    let mut lobby = lobby(|_| {});
    let (setup, _) = prepare(&mut lobby);
    let seats = [&setup.seats.red, &setup.seats.blue];
    assert_eq!(seats.map(|seat| seat.name.as_str()), ["A", "B"]);
    assert_eq!(seats.map(|seat| seat.can_timeout), [false, false]);
    assert!(!setup.paused);
    let paused = Slot {
        should_be_paused: true,
        ..slot("C")
    };
    let (setup, _) = lobby.prepare(GAME_TYPE, &[paused]).unwrap();
    assert_eq!(setup.seats.blue, SeatSetup::default());
    assert!(setup.paused);
    let three = [slot("A"), slot("B"), slot("C")];
    assert_eq!(lobby.prepare(GAME_TYPE, &three), Err(LobbyError::Slots(3)));
}

#[test]
fn reservations_are_good_for_one_seat_once() {
    let mut lobby = lobby(|_| {});
    let (setup, reservations) = prepare(&mut lobby);
    for color in Color::ALL {
        let code = &reservations[color];
        let room = setup.id.clone();
        assert_eq!(lobby.redeem(code), Ok(Seat { room, color }));
        assert_eq!(lobby.redeem(code), Err(LobbyError::Reservation));
        assert_eq!(lobby.free(code), Err(LobbyError::Reservation));
    }
}

#[test]
fn reservations_of_removed_rooms_are_void() {
    let mut lobby = lobby(|_| {});
    let (setup, reservations) = prepare(&mut lobby);
    lobby.free(&reservations.red).unwrap();
    lobby.remove(&setup.id);
    let code = &reservations.blue;
    assert_eq!(lobby.redeem(code), Err(LobbyError::Reservation));
    assert_ne!(join(&mut lobby).0.room, setup.id);
}

#[test]
fn a_room_on_the_way_to_which_somebody_is_stays() {
    let mut lobby = lobby(|_| {});
    let red = join(&mut lobby).0;
    let room = red.room.clone();
    let blue = join(&mut lobby).0;
    lobby.reopen(red.clone());
    assert!(!lobby.remove_if_unused(&room));
    lobby.reopen(blue);
    assert!(lobby.remove_if_unused(&room));
    lobby.reopen(red);
    assert_ne!(join(&mut lobby).0.room, room);
}

#[test]
fn rooms_are_limited_in_number() {
    let mut lobby = lobby(|config| {
        config.limits = ResourceLimits {
            rooms: 2,
            ..ResourceLimits::default()
        };
    });
    let first = join(&mut lobby).0.room;
    prepare(&mut lobby);
    let error = lobby.prepare(GAME_TYPE, &[]);
    assert_eq!(error, Err(LobbyError::TooManyRooms(2)));
    assert_eq!(join(&mut lobby).0.room, first);
    assert_eq!(lobby.join(GAME_TYPE), Err(LobbyError::TooManyRooms(2)));
    lobby.remove(&first);
    join(&mut lobby);
}

#[test]
fn other_games_are_refused() {
    let mut lobby = lobby(|_| {});
    let error = LobbyError::GameType("ludo".to_owned());
    assert_eq!(lobby.join("ludo"), Err(error.clone()));
    assert_eq!(lobby.prepare("ludo", &[]), Err(error));
}

#[test]
fn brambles_depend_on_seed_with_room_number() {
    let brambles = |seed| {
        let mut lobby = lobby(|config| config.seed = seed);
        [(); 3].map(|()| {
            let joined = join(&mut lobby);
            join(&mut lobby);
            start(joined).obstacles()
        })
    };
    let first = brambles(1);
    assert_eq!(brambles(1), first);
    assert!(first.iter().all(|set| set.count_cells() == BRAMBLE_COUNT));
    assert!(first[0] != first[1] && first[1] != first[2]);
    assert_ne!(brambles(2), first);
}
