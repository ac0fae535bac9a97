//! Admission to rooms: open and reserved seats. Also keeps scores over several games. No I/O.

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand::rngs::StdRng;
use thiserror::Error;

use super::config::{Config, Password, StartSource};
use super::scores::ScoreBoard;
use crate::hive::{ByColor, Color};
use crate::protocol::{GAME_TYPE, PlayerScore, ReservationCode, RoomId, Slot};
use crate::room::FinishedGame;
use crate::room::{Origin, RoomSetup, SeatSetup, TimeLimits};

/// A refused request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// An unknown game type.
    #[error("there is no game `{0}` here")]
    GameType(String),
    /// An unknown or used reservation code.
    #[error("there is no such reservation")]
    Reservation,
    /// A wrong password.
    #[error("the password is wrong")]
    Password,
    /// The limit on rooms is reached.
    #[error("there are already {0} rooms")]
    TooManyRooms(usize),
    /// A room has two seats.
    #[error("a room has two seats, not {0}")]
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

/// A seat for a client that joins.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The seat.
    pub seat: Seat,
    /// The configuration of the room, if it is new.
    pub created: Option<RoomSetup>,
}

/// A room with reserved seats.
#[derive(Clone, Debug, PartialEq)]
pub struct Preparation {
    /// The configuration of the room.
    pub setup: RoomSetup,
    /// The reservation code of each seat.
    pub reservations: ByColor<ReservationCode>,
}

/// The seats of all rooms of a server.
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
    /// Seats open to anybody, the oldest room's first.
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
    /// A lobby without rooms. `identities` generates room identifiers and reservation codes, so its seed must be unpredictable.
    pub fn new(config: &Config, identities: StdRng) -> Lobby {
        Lobby {
            password: config.password.clone(),
            start: config.start.clone(),
            seed: config.seed,
            paused: config.paused,
            time_limits: ByColor::from_fn(|_| config.time_limits),
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

    /// Checks the password of an administrator.
    ///
    /// # Errors
    /// When it is wrong.
    pub fn authenticate(&self, password: &str) -> Result<(), Refusal> {
        if self.password.accepts(password) {
            Ok(())
        } else {
            Err(Refusal::Password)
        }
    }

    /// Assigns an open seat, or red's seat of a new room.
    ///
    /// # Errors
    /// For an unknown game type or too many rooms.
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

    /// Makes a room with two reserved seats, red's first. Missing slots get the defaults.
    ///
    /// # Errors
    /// For an unknown game type, more than two slots or too many rooms.
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

    /// Assigns a reserved seat and uses up its code.
    ///
    /// # Errors
    /// For an unknown or used code.
    pub fn redeem(&mut self, code: &ReservationCode) -> Result<Seat, Refusal> {
        self.reserved.remove(code).ok_or(Refusal::Reservation)
    }

    /// Opens a reserved seat to anybody.
    ///
    /// # Errors
    /// For an unknown or used code.
    pub fn free(&mut self, code: &ReservationCode) -> Result<(), Refusal> {
        let seat = self.redeem(code)?;
        self.reopen(seat);
        Ok(())
    }

    /// Opens a seat to anybody.
    pub fn reopen(&mut self, seat: Seat) {
        if let Some(entry) = self.rooms.get(&seat.room) {
            self.open.insert(entry.key(seat.color), seat);
        }
    }

    /// Removes a room if both of its seats are open. Returns whether it did.
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

    /// Removes a room with its reservations and open seats.
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

    /// Switches the keeping of scores on or off.
    pub fn set_test_mode(&mut self, test_mode: bool) {
        self.keeps_scores = test_mode;
    }

    /// Counts a game, if scores are kept.
    pub fn count(&mut self, game: &FinishedGame) {
        if self.keeps_scores {
            self.scores.add(&game.names, &game.result);
        }
    }

    /// A player's scores; `None` if none of its games was counted.
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
