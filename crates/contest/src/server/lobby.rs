//! Assigns open and reserved seats, and counts scores over several games. Does no I/O.

use std::collections::{BTreeMap, HashMap};

use rand::RngExt;
use rand::rngs::StdRng;
use thiserror::Error;

use super::config::Config;
use super::scores::ScoreBoard;
use crate::protocol::{GAME_TYPE, PlayerScore, ReservationCode, RoomId, Slot};
use crate::room::{FinishedGame, Origin, RoomSetup, SeatSetup};
use wabe_files::text::{MAX_NAME, printable};
use wabe_hive::{ByColor, Color};

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct LobbyError(String);

impl LobbyError {
    /// The code is unknown or already used.
    pub(super) fn no_reservation() -> LobbyError {
        LobbyError("unknown reservation code".to_owned())
    }
}

/// A seat of a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The seat's room.
    pub room: RoomId,
    /// The side that the seat plays.
    pub color: Color,
}

/// The seats of all rooms of a server.
#[derive(Debug)]
pub struct Lobby {
    config: Config,
    identities: StdRng,
    rooms_created: u64,
    /// The number of each room, from 0.
    rooms: HashMap<RoomId, u64>,
    reserved: HashMap<ReservationCode, Seat>,
    /// Open seats, ordered by room number so that the oldest room comes first.
    open: BTreeMap<(u64, Color), Seat>,
    keeps_scores: bool,
    scores: ScoreBoard,
}

impl Lobby {
    /// Creates a lobby without rooms. `identities` generates room identifiers and reservation
    /// codes, so it must be unpredictable.
    pub fn new(config: &Config, identities: StdRng) -> Lobby {
        Lobby {
            config: config.clone(),
            identities,
            rooms_created: 0,
            rooms: HashMap::new(),
            reserved: HashMap::new(),
            open: BTreeMap::new(),
            keeps_scores: false,
            scores: ScoreBoard::default(),
        }
    }

    /// Assigns an open seat. If all seats are taken, creates a room, assigns its red seat, and also
    /// returns its configuration.
    ///
    /// # Errors
    /// For an unknown game type or too many rooms.
    pub fn join(&mut self, game_type: &str) -> Result<(Seat, Option<RoomSetup>), LobbyError> {
        check_game_type(game_type)?;
        if let Some((_, seat)) = self.open.pop_first() {
            return Ok((seat, None));
        }
        let seats = ByColor::from_fn(|_| SeatSetup::default());
        let setup = self.new_room(Origin::Joined, seats, self.config.paused)?;
        let seat = |color| Seat {
            room: setup.id.clone(),
            color,
        };
        self.reopen(seat(Color::Blue));
        Ok((seat(Color::Red), Some(setup)))
    }

    /// Creates a room with two reserved seats. Returns its configuration and the codes, red's
    /// first. Missing slots get the defaults.
    ///
    /// # Errors
    /// For an unknown game type, more than two slots or too many rooms.
    pub fn prepare(
        &mut self,
        game_type: &str,
        slots: &[Slot],
    ) -> Result<(RoomSetup, ByColor<ReservationCode>), LobbyError> {
        check_game_type(game_type)?;
        if slots.len() > Color::ALL.len() {
            let problem = format!("too many slots: {} (max 2)", slots.len());
            return Err(LobbyError(problem));
        }
        let seat = |index: usize| match slots.get(index) {
            None => SeatSetup::default(),
            Some(slot) => SeatSetup {
                name: slot.display_name.clone(),
                can_timeout: slot.can_timeout,
            },
        };
        let seats = ByColor {
            red: seat(0),
            blue: seat(1),
        };
        let paused = slots.iter().any(|slot| slot.should_be_paused);
        let setup = self.new_room(Origin::Prepared, seats, paused)?;
        let reservations = ByColor::from_fn(|color| {
            let code = ReservationCode(identity(self.identities.random()));
            let seat = Seat {
                room: setup.id.clone(),
                color,
            };
            self.reserved.insert(code.clone(), seat);
            code
        });
        Ok((setup, reservations))
    }

    /// Assigns a reserved seat. Its code cannot be used again.
    ///
    /// # Errors
    /// For an unknown or used code.
    pub fn redeem(&mut self, code: &ReservationCode) -> Result<Seat, LobbyError> {
        let seat = self.reserved.remove(code);
        seat.ok_or_else(LobbyError::no_reservation)
    }

    /// Opens a reserved seat to everyone.
    ///
    /// # Errors
    /// For an unknown or used code.
    pub fn free(&mut self, code: &ReservationCode) -> Result<(), LobbyError> {
        let seat = self.redeem(code)?;
        self.reopen(seat);
        Ok(())
    }

    /// Opens a seat to everyone.
    pub fn reopen(&mut self, seat: Seat) {
        if let Some(&number) = self.rooms.get(&seat.room) {
            self.open.insert((number, seat.color), seat);
        }
    }

    /// Removes a room if both of its seats are open. Returns whether it did.
    pub fn remove_if_unused(&mut self, room: &RoomId) -> bool {
        let open = self.open.values().filter(|seat| seat.room == *room);
        let is_unused = open.count() == Color::ALL.len();
        if is_unused {
            self.remove(room);
        }
        is_unused
    }

    /// Removes a room with its reservations and open seats.
    pub fn remove(&mut self, room: &RoomId) {
        if let Some(number) = self.rooms.remove(room) {
            for color in Color::ALL {
                self.open.remove(&(number, color));
            }
        }
        self.reserved.retain(|_, seat| seat.room != *room);
    }

    /// Switches scoring on or off.
    pub fn set_test_mode(&mut self, test_mode: bool) {
        self.keeps_scores = test_mode;
    }

    /// Adds a game to the scores, if they are kept.
    pub fn count(&mut self, game: &FinishedGame) {
        if self.keeps_scores {
            self.scores.add(&game.names, &game.result);
        }
    }

    /// A player's scores; `None` if no games of the player were counted.
    pub fn score(&self, display_name: &str) -> Option<PlayerScore> {
        self.scores.score(display_name)
    }

    fn new_room(
        &mut self,
        origin: Origin,
        seats: ByColor<SeatSetup>,
        paused: bool,
    ) -> Result<RoomSetup, LobbyError> {
        let rooms = self.rooms.len();
        if rooms >= self.config.limits.rooms {
            return Err(LobbyError(format!("too many rooms (max {rooms})")));
        }
        let number = self.rooms_created;
        self.rooms_created += 1;
        let id = RoomId(identity(self.identities.random()));
        self.rooms.insert(id.clone(), number);
        Ok(RoomSetup {
            id,
            seats,
            origin,
            paused,
            start: self.config.start.start(self.config.seed, number),
            time_limits: ByColor::from_fn(|_| self.config.time_limits),
        })
    }
}

/// Formats random bytes as an identifier. They must be unpredictable.
pub fn identity(bytes: [u8; 16]) -> String {
    let identity = uuid::Builder::from_random_bytes(bytes).into_uuid();
    identity.to_string()
}

fn check_game_type(game_type: &str) -> Result<(), LobbyError> {
    if game_type == GAME_TYPE {
        Ok(())
    } else {
        let name = printable(game_type, MAX_NAME);
        Err(LobbyError(format!("unknown game type `{name}`")))
    }
}

#[cfg(test)]
#[path = "lobby_tests.rs"]
mod tests;
