//! The state shared by all tasks of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::{Client, Queues};
use super::config::Config;
use super::lobby::{Lobby, LobbyError, Seat};
use super::mailbox::{Command, Mailbox};
use crate::protocol::{ReservationCode, RoomId, ServerMessage, Slot};
use crate::room::{ClientId, RoomSetup};
use wabe_hive::ByColor;

/// The state shared by all tasks of a server.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) config: Config,
    pub(super) queues: Arc<Queues>,
    /// The bytes of incomplete messages.
    pub(super) inputs: Queues,
    /// Cancelled to close all rooms.
    pub(super) closing_rooms: CancellationToken,
    /// Cancelled to end all connections.
    pub(super) closing_connections: CancellationToken,
    /// The tasks of rooms, and of the replays that they write.
    pub(super) room_tasks: TaskTracker,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    lobby: Lobby,
    mailboxes: HashMap<RoomId, Mailbox>,
    administrators: HashMap<ClientId, Arc<Client>>,
}

/// A seat and the mailbox of its room.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) seat: Seat,
    pub(super) mailbox: Mailbox,
}

/// A room that is registered but not running yet.
#[derive(Debug)]
pub(super) struct NewRoom {
    pub(super) setup: RoomSetup,
    pub(super) commands: mpsc::Receiver<Command>,
}

impl ServerState {
    pub(super) fn new(config: Config) -> Arc<ServerState> {
        let identities = StdRng::from_rng(&mut rand::rng());
        let limits = config.limits;
        let total = limits.total_queue_bytes;
        Arc::new(ServerState {
            state: Mutex::new(State {
                lobby: Lobby::new(&config, identities),
                mailboxes: HashMap::new(),
                administrators: HashMap::new(),
            }),
            queues: Arc::new(Queues::new(limits.queue_bytes, total)),
            // The framer limits the bytes of each connection.
            inputs: Queues::new(usize::MAX, total),
            config,
            closing_rooms: CancellationToken::new(),
            closing_connections: CancellationToken::new(),
            room_tasks: TaskTracker::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state half changed.
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs `body` with the lobby locked, so it must not block.
    pub(super) fn with_lobby<T>(&self, body: impl FnOnce(&mut Lobby) -> T) -> T {
        body(&mut self.state().lobby)
    }

    /// Finds a seat for a client that joins, in a new room if necessary, and tells the administrators.
    pub(super) fn join(&self, game_type: &str) -> Result<(Admission, Option<NewRoom>), LobbyError> {
        let (admission, new_room, administrators) = {
            let mut state = self.state();
            let (seat, created) = state.lobby.join(game_type)?;
            let new_room = created.map(|setup| state.register(setup));
            let administrators: Vec<Arc<Client>> = state.administrators.values().cloned().collect();
            let admission = state.admission(seat)?;
            (admission, new_room, administrators)
        };
        let news = ServerMessage::JoinedGameRoom {
            room: admission.seat.room.clone(),
            existing: new_room.is_none(),
        };
        for administrator in administrators {
            administrator.send(&news);
        }
        Ok((admission, new_room))
    }

    /// Redeems a reservation for its seat.
    pub(super) fn redeem(&self, code: &ReservationCode) -> Result<Admission, LobbyError> {
        let mut state = self.state();
        let seat = state.lobby.redeem(code)?;
        state.admission(seat)
    }

    /// Creates a room with reserved seats. The message announces them.
    pub(super) fn prepare(
        &self,
        game_type: &str,
        slots: &[Slot],
    ) -> Result<(ServerMessage, NewRoom), LobbyError> {
        let mut state = self.state();
        let (setup, ByColor { red, blue }) = state.lobby.prepare(game_type, slots)?;
        let message = ServerMessage::Prepared {
            room: setup.id.clone(),
            reservations: vec![red, blue],
        };
        Ok((message, state.register(setup)))
    }

    /// The mailbox of a room.
    pub(super) fn mailbox(&self, room: &RoomId) -> Option<Mailbox> {
        self.state().mailboxes.get(room).cloned()
    }

    /// Removes a room.
    pub(super) fn remove_room(&self, room: &RoomId) {
        let mut state = self.state();
        state.lobby.remove(room);
        state.mailboxes.remove(room);
    }

    /// Removes a room unless one of its seats is taken. Returns whether it was removed.
    pub(super) fn remove_unused_room(&self, room: &RoomId) -> bool {
        let mut state = self.state();
        let removed = state.lobby.remove_if_unused(room);
        if removed {
            state.mailboxes.remove(room);
        }
        removed
    }

    /// Subscribes an administrator to news of joining players.
    pub(super) fn add_administrator(&self, client: &Arc<Client>) {
        let mut state = self.state();
        state.administrators.insert(client.id(), Arc::clone(client));
    }

    /// Removes a client whose connection has ended.
    pub(super) fn forget(&self, client: ClientId) {
        self.state().administrators.remove(&client);
    }
}

impl State {
    fn register(&mut self, setup: RoomSetup) -> NewRoom {
        let (mailbox, commands) = Mailbox::new();
        self.mailboxes.insert(setup.id.clone(), mailbox);
        NewRoom { setup, commands }
    }

    fn admission(&self, seat: Seat) -> Result<Admission, LobbyError> {
        // The lobby's rooms are exactly those with a mailbox.
        let mailbox = self.mailboxes.get(&seat.room).cloned();
        let mailbox = mailbox.ok_or(LobbyError::Reservation)?;
        Ok(Admission { seat, mailbox })
    }
}
