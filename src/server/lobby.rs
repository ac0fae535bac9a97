//! Who may go where: rooms, open and reserved seats, scores. No I/O; what happens in a room is the
//! [`Room`](super::room::Room)'s.

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand::rngs::StdRng;
use thiserror::Error;

use super::room::{FinishedGame, Origin, RoomSetup, SeatSetup};
use super::scores::ScoreBoard;
use super::{Config, Password, StartSource, TimeLimits};
use crate::hive::{ByColor, Color};
use crate::protocol::{GAME_TYPE, PlayerScore, ReservationCode, RoomId, Slot};

/// Why a client does not get what it asks for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Another game than the contest's.
    #[error("there is no game `{0}` here")]
    GameType(String),
    /// No such code, or one that has been used.
    #[error("there is no such reservation")]
    Reservation,
    /// Not the password.
    #[error("the password is wrong")]
    Password,
    /// The limit on rooms.
    #[error("there are {0} rooms already")]
    TooManyRooms(usize),
    /// A game is for two.
    #[error("a room with {0} seats was asked for; there are two")]
    Slots(usize),
}

/// A seat of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The room.
    pub room: RoomId,
    /// The side.
    pub color: Color,
}

/// A seat given to a client that joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The seat.
    pub seat: Seat,
    /// What to make the room from, if it is new.
    pub created: Option<RoomSetup>,
}

/// A room with reserved seats.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// What to make the room from.
    pub setup: RoomSetup,
    /// What lets players in.
    pub reservations: ByColor<ReservationCode>,
}

/// All rooms of a server, as far as newcomers are concerned.
#[derive(Debug)]
pub struct Lobby {
    password: Password,
    start: StartSource,
    seed: u64,
    paused: bool,
    time_limits: ByColor<Option<TimeLimits>>,
    max_rooms: usize,
    identities: StdRng,
    rooms_created: u64,
    rooms: HashMap<RoomId, RoomEntry>,
    reserved: HashMap<ReservationCode, Seat>,
    /// Seats that whoever joins may have, the oldest room's first.
    open: BTreeMap<OpenSeat, Seat>,
    keeps_scores: bool,
    scores: ScoreBoard,
}

#[derive(Debug)]
struct RoomEntry {
    number: u64,
    codes: Vec<ReservationCode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpenSeat {
    room_number: u64,
    color: u8,
}

impl Lobby {
    /// A lobby without rooms. `identities` decides the names of rooms and the reservation codes: nobody should be able to
    /// guess it.
    pub fn new(config: &Config, identities: StdRng) -> Lobby {
        Lobby {
            password: config.password.clone(),
            start: config.start.clone(),
            seed: config.seed,
            paused: config.paused,
            time_limits: ByColor::from_fn(|color| {
                config.side_time_limits[color].or(config.time_limits)
            }),
            max_rooms: config.limits.rooms,
            identities,
            rooms_created: 0,
            rooms: HashMap::new(),
            reserved: HashMap::new(),
            open: BTreeMap::new(),
            keeps_scores: false,
            scores: ScoreBoard::default(),
        }
    }

    /// Whether `password` makes an administrator.
    ///
    /// # Errors
    /// When it does not.
    pub fn authenticate(&self, password: &str) -> Result<(), Refusal> {
        if self.password.accepts(password) {
            Ok(())
        } else {
            Err(Refusal::Password)
        }
    }

    /// Gives an open seat, or the first one of a new room.
    ///
    /// # Errors
    /// Unknown games, too many rooms.
    pub fn join(&mut self, game_type: &str) -> Result<Joined, Refusal> {
        check_game_type(game_type)?;
        if let Some((_, seat)) = self.open.pop_first() {
            return Ok(Joined {
                seat,
                created: None,
            });
        }
        let seats = ByColor::from_fn(|_| SeatSetup::default());
        let setup = self.new_room(Origin::Joined, seats, self.paused)?;
        let seat = |color| Seat {
            room: setup.id.clone(),
            color,
        };
        self.reopen(seat(Color::Blue));
        Ok(Joined {
            seat: seat(Color::Red),
            created: Some(setup),
        })
    }

    /// Makes a room with two reserved seats, red's first. Slots that are not given are of the default kind.
    ///
    /// # Errors
    /// Unknown games, too many seats, too many rooms.
    pub fn prepare(&mut self, game_type: &str, slots: &[Slot]) -> Result<Preparation, Refusal> {
        check_game_type(game_type)?;
        let (red, blue) = match slots {
            [] => (None, None),
            [red] => (Some(red), None),
            [red, blue] => (Some(red), Some(blue)),
            _ => return Err(Refusal::Slots(slots.len())),
        };
        let seat = |slot: Option<&Slot>| match slot {
            None => SeatSetup::default(),
            Some(slot) => SeatSetup {
                name: slot.display_name.clone(),
                can_timeout: slot.can_timeout,
            },
        };
        let seats = ByColor {
            red: seat(red),
            blue: seat(blue),
        };
        let paused = slots.iter().any(|slot| slot.should_be_paused);
        let setup = self.new_room(Origin::Prepared, seats, paused)?;
        let reservations = ByColor::from_fn(|color| {
            let code = ReservationCode(self.new_identity());
            let seat = Seat {
                room: setup.id.clone(),
                color,
            };
            self.reserved.insert(code.clone(), seat);
            code
        });
        if let Some(entry) = self.rooms.get_mut(&setup.id) {
            entry.codes = Color::ALL.map(|color| reservations[color].clone()).into();
        }
        Ok(Preparation {
            setup,
            reservations,
        })
    }

    /// Gives a reserved seat; its code is used up.
    ///
    /// # Errors
    /// Unknown codes.
    pub fn redeem(&mut self, code: &ReservationCode) -> Result<Seat, Refusal> {
        self.reserved.remove(code).ok_or(Refusal::Reservation)
    }

    /// Makes a reserved seat one that anybody may have.
    ///
    /// # Errors
    /// Unknown codes.
    pub fn free(&mut self, code: &ReservationCode) -> Result<(), Refusal> {
        let seat = self.redeem(code)?;
        self.reopen(seat);
        Ok(())
    }

    /// Lets whoever joins have this seat.
    pub fn reopen(&mut self, seat: Seat) {
        if let Some(entry) = self.rooms.get(&seat.room) {
            self.open.insert(entry.key(seat.color), seat);
        }
    }

    /// Forgets a room if nobody has been given one of its seats; whether it did so.
    pub fn remove_if_unused(&mut self, room: &RoomId) -> bool {
        let is_unused = self.rooms.get(room).is_some_and(|entry| {
            Color::ALL
                .into_iter()
                .all(|color| self.open.contains_key(&entry.key(color)))
        });
        if is_unused {
            self.remove(room);
        }
        is_unused
    }

    /// Forgets a room, its reservations and open seats.
    pub fn remove(&mut self, room: &RoomId) {
        let Some(entry) = self.rooms.remove(room) else {
            return;
        };
        for color in Color::ALL {
            self.open.remove(&entry.key(color));
        }
        for code in &entry.codes {
            self.reserved.remove(code);
        }
    }

    /// Switches the keeping of scores.
    pub fn set_test_mode(&mut self, test_mode: bool) {
        self.keeps_scores = test_mode;
    }

    /// Counts a game, if scores are kept.
    pub fn count(&mut self, game: &FinishedGame) {
        if self.keeps_scores {
            self.scores.add(&game.names, &game.result);
        }
    }

    /// The scores of a player; `None` if no game of it has been counted.
    pub fn score(&self, display_name: &str) -> Option<PlayerScore> {
        self.scores.of(display_name)
    }

    fn new_room(
        &mut self,
        origin: Origin,
        seats: ByColor<SeatSetup>,
        paused: bool,
    ) -> Result<RoomSetup, Refusal> {
        if self.rooms.len() >= self.max_rooms {
            return Err(Refusal::TooManyRooms(self.rooms.len()));
        }
        let number = self.rooms_created;
        self.rooms_created += 1;
        let id = RoomId(self.new_identity());
        let entry = RoomEntry {
            number,
            codes: Vec::new(),
        };
        self.rooms.insert(id.clone(), entry);
        Ok(RoomSetup {
            id,
            seats,
            origin,
            paused,
            start: self.start.start(self.seed, number),
            time_limits: self.time_limits,
        })
    }

    fn new_identity(&mut self) -> String {
        uuid::Builder::from_random_bytes(self.identities.random())
            .into_uuid()
            .to_string()
    }
}

impl RoomEntry {
    fn key(&self, color: Color) -> OpenSeat {
        OpenSeat {
            room_number: self.number,
            color: color as u8,
        }
    }
}

fn check_game_type(game_type: &str) -> Result<(), Refusal> {
    if game_type == GAME_TYPE {
        Ok(())
    } else {
        Err(Refusal::GameType(game_type.to_owned()))
    }
}

#[cfg(test)]
#[path = "lobby_tests.rs"]
mod tests;
