//! What all tasks of a server share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Config;
use super::client::{Client, Queues};
use super::lobby::{Lobby, Refusal, Seat};
use super::room::{ClientId, RoomSetup};
use super::room_task::{self, Mailbox};
use crate::protocol::{ReservationCode, RoomId, ServerMessage, Slot};

/// What all tasks of a server share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) config: Config,
    pub(super) queues: Arc<Queues>,
    /// Cancelled when the rooms have to close.
    pub(super) closing_rooms: CancellationToken,
    /// Cancelled when the connections have to end.
    pub(super) closing_connections: CancellationToken,
    /// The rooms' tasks and what they leave to be done.
    pub(super) room_tasks: TaskTracker,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    lobby: Lobby,
    mailboxes: HashMap<RoomId, Mailbox>,
    administrators: HashMap<ClientId, Arc<Client>>,
}

/// A seat and the way to its room.
#[derive(Debug)]
pub(super) struct Admission {
    pub(super) seat: Seat,
    pub(super) mailbox: Mailbox,
}

impl Hub {
    pub(super) fn new(config: Config) -> Arc<Hub> {
        let identities = StdRng::from_rng(&mut rand::rng());
        Arc::new(Hub {
            state: Mutex::new(State {
                lobby: Lobby::new(&config, identities),
                mailboxes: HashMap::new(),
                administrators: HashMap::new(),
            }),
            queues: Arc::new(Queues::new(&config.limits)),
            config,
            closing_rooms: CancellationToken::new(),
            closing_connections: CancellationToken::new(),
            room_tasks: TaskTracker::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic leaves the state half changed.
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Runs `body` with the lobby, which must not be kept waiting.
    pub(super) fn with_lobby<T>(&self, body: impl FnOnce(&mut Lobby) -> T) -> T {
        body(&mut self.state().lobby)
    }

    /// Finds a seat for a client that joins, and tells the administrators.
    pub(super) fn join(self: &Arc<Self>, game_type: &str) -> Result<Admission, Refusal> {
        let (admission, existing, administrators) = {
            let mut state = self.state();
            let joined = state.lobby.join(game_type)?;
            let existing = joined.created.is_none();
            if let Some(setup) = joined.created {
                self.open_room(&mut state, setup);
            }
            let administrators: Vec<Arc<Client>> = state.administrators.values().cloned().collect();
            let admission = state.admission(joined.seat)?;
            (admission, existing, administrators)
        };
        let news = ServerMessage::JoinedGameRoom {
            room: admission.seat.room.clone(),
            existing,
        };
        for administrator in administrators {
            administrator.send(&news);
        }
        Ok(admission)
    }

    /// The seat that a reservation stands for.
    pub(super) fn redeem(&self, code: &ReservationCode) -> Result<Admission, Refusal> {
        let mut state = self.state();
        let seat = state.lobby.redeem(code)?;
        state.admission(seat)
    }

    /// Opens a room with reserved seats; the message tells about it.
    pub(super) fn prepare(
        self: &Arc<Self>,
        game_type: &str,
        slots: &[Slot],
    ) -> Result<ServerMessage, Refusal> {
        let mut state = self.state();
        let preparation = state.lobby.prepare(game_type, slots)?;
        let message = ServerMessage::Prepared {
            room: preparation.setup.id.clone(),
            reservations: vec![preparation.reservations.red, preparation.reservations.blue],
        };
        self.open_room(&mut state, preparation.setup);
        Ok(message)
    }

    fn open_room(self: &Arc<Self>, state: &mut State, setup: RoomSetup) {
        let (mailbox, letters) = Mailbox::new();
        state.mailboxes.insert(setup.id.clone(), mailbox);
        self.room_tasks
            .spawn(room_task::run(Arc::clone(self), setup, letters));
    }

    /// The way to a room.
    pub(super) fn mailbox(&self, room: &RoomId) -> Option<Mailbox> {
        self.state().mailboxes.get(room).cloned()
    }

    /// Forgets a room.
    pub(super) fn remove_room(&self, room: &RoomId) {
        let mut state = self.state();
        state.lobby.remove(room);
        state.mailboxes.remove(room);
    }

    /// Forgets a room that nobody is in or on the way to; whether it did so.
    pub(super) fn remove_unused_room(&self, room: &RoomId) -> bool {
        let mut state = self.state();
        let removed = state.lobby.remove_if_unused(room);
        if removed {
            state.mailboxes.remove(room);
        }
        removed
    }

    /// Lets an administrator hear of players that join.
    pub(super) fn add_administrator(&self, client: &Arc<Client>) {
        let mut state = self.state();
        state.administrators.insert(client.id(), Arc::clone(client));
    }

    /// Forgets a client whose connection has ended.
    pub(super) fn forget(&self, client: ClientId) {
        self.state().administrators.remove(&client);
    }
}

impl State {
    fn admission(&self, seat: Seat) -> Result<Admission, Refusal> {
        // The lobby knows a room exactly as long as it has a mailbox.
        let mailbox = self.mailboxes.get(&seat.room).cloned();
        let mailbox = mailbox.ok_or(Refusal::Reservation)?;
        Ok(Admission { seat, mailbox })
    }
}
