//! Tests of the lobby.

use rand::SeedableRng;

use super::*;

fn lobby() -> Lobby {
    Lobby::new(&Config::default(), StdRng::seed_from_u64(0))
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

#[test]
fn two_joining_players_share_a_room() {
    let mut lobby = lobby();
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
fn oldest_open_seat_is_assigned_first() {
    let mut lobby = lobby();
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
    let mut lobby = lobby();
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
    assert!(lobby.prepare(GAME_TYPE, &three).is_err());
}

#[test]
fn reservations_are_valid_once() {
    let mut lobby = lobby();
    let (setup, reservations) = prepare(&mut lobby);
    for color in Color::ALL {
        let code = &reservations[color];
        let room = setup.id.clone();
        assert_eq!(lobby.redeem(code), Ok(Seat { room, color }));
        assert_eq!(lobby.redeem(code), Err(LobbyError::no_reservation()));
        assert_eq!(lobby.free(code), Err(LobbyError::no_reservation()));
    }
}

#[test]
fn reservations_of_removed_rooms_are_void() {
    let mut lobby = lobby();
    let (setup, reservations) = prepare(&mut lobby);
    lobby.free(&reservations.red).unwrap();
    lobby.remove(&setup.id);
    let code = &reservations.blue;
    assert_eq!(lobby.redeem(code), Err(LobbyError::no_reservation()));
    assert_ne!(join(&mut lobby).0.room, setup.id);
}

#[test]
fn rooms_with_a_taken_seat_are_kept() {
    let mut lobby = lobby();
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
