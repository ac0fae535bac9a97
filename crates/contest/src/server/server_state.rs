//! State shared by all tasks of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::Client;
use super::config::Config;
use super::lobby::{Lobby, LobbyError, Seat};
use super::open_room::OpenRoom;
use crate::protocol::{ReservationCode, RoomId, ServerMessage, Slot};
use crate::room::ClientId;
use wabe_hive::ByColor;

/// State shared by all tasks of a server.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) config: Config,
    /// Cancelled to close all rooms.
    pub(super) closing_rooms: CancellationToken,
    /// Cancelled to close all connections.
    pub(super) closing_connections: CancellationToken,
    /// Tasks of rooms, including those that write replays.
    pub(super) room_tasks: TaskTracker,
    /// Lock order: a room's state first, then this.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    lobby: Lobby,
    rooms: HashMap<RoomId, Arc<OpenRoom>>,
    administrators: HashMap<ClientId, Arc<Client>>,
}

/// A seat and its room.
pub(super) type SeatInRoom = (Seat, Arc<OpenRoom>);

impl ServerState {
    pub(super) fn new(config: Config) -> Arc<ServerState> {
        let identities = StdRng::from_rng(&mut rand::rng());
        Arc::new(ServerState {
            state: Mutex::new(State {
                lobby: Lobby::new(&config, identities),
                rooms: HashMap::new(),
                administrators: HashMap::new(),
            }),
            config,
            closing_rooms: CancellationToken::new(),
            closing_connections: CancellationToken::new(),
            room_tasks: TaskTracker::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave this state inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `body` with the lobby locked. `body` must not block.
    pub(super) fn with_lobby<T>(&self, body: impl FnOnce(&mut Lobby) -> T) -> T {
        body(&mut self.state().lobby)
    }

    /// Assigns a seat to a client that joins, in a new room if necessary, and notifies the
    /// administrators.
    pub(super) fn join(self: &Arc<Self>, game_type: &str) -> Result<SeatInRoom, LobbyError> {
        let mut state = self.state();
        let (seat, created) = state.lobby.join(game_type)?;
        let existing = created.is_none();
        if let Some(setup) = created {
            let room = OpenRoom::open(self, setup);
            state.rooms.insert(seat.room.clone(), room);
        }
        let message = ServerMessage::JoinedGameRoom {
            room: seat.room.clone(),
            existing,
        };
        for administrator in state.administrators.values() {
            administrator.send(&message);
        }
        state.admission(seat)
    }

    /// Exchanges a reservation for its seat.
    pub(super) fn redeem(&self, code: &ReservationCode) -> Result<SeatInRoom, LobbyError> {
        let mut state = self.state();
        let seat = state.lobby.redeem(code)?;
        state.admission(seat)
    }

    /// Creates a room with reserved seats. Returns the message to announce them.
    pub(super) fn prepare(
        self: &Arc<Self>,
        game_type: &str,
        slots: &[Slot],
    ) -> Result<ServerMessage, LobbyError> {
        let mut state = self.state();
        let (setup, ByColor { red, blue }) = state.lobby.prepare(game_type, slots)?;
        let id = setup.id.clone();
        let room = OpenRoom::open(self, setup);
        state.rooms.insert(id.clone(), room);
        Ok(ServerMessage::Prepared {
            room: id,
            reservations: vec![red, blue],
        })
    }

    pub(super) fn room(&self, id: &RoomId) -> Option<Arc<OpenRoom>> {
        self.state().rooms.get(id).cloned()
    }

    /// Removes a room, with its reservations and open seats.
    pub(super) fn remove_room(&self, id: &RoomId) {
        let mut state = self.state();
        state.lobby.remove(id);
        state.rooms.remove(id);
    }

    /// Subscribes an administrator to messages about clients that join.
    pub(super) fn add_administrator(&self, client: &Arc<Client>) {
        let mut state = self.state();
        state.administrators.insert(client.id, Arc::clone(client));
    }

    /// Removes a client that disconnected.
    pub(super) fn forget(&self, client: ClientId) {
        self.state().administrators.remove(&client);
    }
}

impl State {
    fn admission(&self, seat: Seat) -> Result<SeatInRoom, LobbyError> {
        // Always found: both maps contain the same rooms.
        let room = self.rooms.get(&seat.room).cloned();
        let room = room.ok_or_else(LobbyError::no_reservation)?;
        Ok((seat, room))
    }
}
