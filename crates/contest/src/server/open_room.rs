//! Runs open rooms: carries out their effects and watches their time limits.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::client::{Client, CloseReason};
use super::config::GameReport;
use super::lobby::Seat;
use super::replay::write_replay;
use super::server_state::ServerState;
use crate::protocol::RoomId;
use crate::room::{ClientId, Effect, FinishedGame, Room, RoomSetup};
use wabe_engine::clock;
use wabe_hive::Color;

/// A room and its clients.
#[derive(Debug)]
pub(super) struct OpenRoom {
    server: Arc<ServerState>,
    id: RoomId,
    /// Locked during an action. Actions never block.
    state: Mutex<State>,
    /// Notifies the room's task after each action.
    acted: Notify,
}

#[derive(Debug)]
struct State {
    room: Room,
    /// Players and observers.
    clients: HashMap<ClientId, Arc<Client>>,
    /// When to wake the room, if at all.
    alarm: Option<Instant>,
    is_done: bool,
}

impl OpenRoom {
    pub(super) fn open(server: &Arc<ServerState>, setup: RoomSetup) -> Arc<OpenRoom> {
        let room = Arc::new(OpenRoom {
            server: Arc::clone(server),
            id: setup.id.clone(),
            state: Mutex::new(State {
                room: Room::new(setup),
                clients: HashMap::new(),
                alarm: None,
                is_done: false,
            }),
            acted: Notify::new(),
        });
        server.room_tasks.spawn(Arc::clone(&room).keep_time());
        room
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic during an action closes the room.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs an action and carries out its effects. Returns false if the room has closed.
    pub(super) fn act(self: &Arc<Self>, action: impl FnOnce(&mut Room) -> Vec<Effect>) -> bool {
        self.act_on(&mut self.lock(), action)
    }

    fn act_on(
        self: &Arc<Self>,
        state: &mut State,
        action: impl FnOnce(&mut Room) -> Vec<Effect>,
    ) -> bool {
        if state.is_done {
            return false;
        }
        let acted = catch_unwind(AssertUnwindSafe(|| {
            for effect in action(&mut state.room) {
                self.perform(state, effect);
            }
        }));
        if acted.is_err() {
            // The game's state is unknown, so players must not wait for it.
            log::error!("room {} closed: internal error", self.id);
            state.is_done = true;
            for client in state.clients.values() {
                client.end(CloseReason::CloseConnection);
            }
        }
        if state.is_done {
            self.server.remove_room(&self.id);
        }
        self.acted.notify_one();
        true
    }

    /// Like [`act`](OpenRoom::act), for a client that is new to the room.
    pub(super) fn admit(
        self: &Arc<Self>,
        client: &Arc<Client>,
        action: impl FnOnce(&mut Room) -> Vec<Effect>,
    ) -> bool {
        let mut state = self.lock();
        state.clients.insert(client.id, Arc::clone(client));
        self.act_on(&mut state, action)
    }

    /// Removes a client that disconnected.
    pub(super) fn leave(self: &Arc<Self>, client: ClientId) {
        let mut state = self.lock();
        self.act_on(&mut state, |room| room.leave(client, clock::now()));
        state.clients.remove(&client);
    }

    /// Starts the player's time once the pending request has been written.
    pub(super) fn request_sent(self: &Arc<Self>, to: ClientId, sent_at: Instant) {
        self.act(|room| {
            room.request_sent(to, sent_at);
            Vec::new()
        });
    }

    /// Wakes the room when its alarm is due, and closes it if players do not join in time.
    async fn keep_time(self: Arc<Self>) {
        let waiting_timeout = self.server.config.limits.waiting_timeout;
        let mut waiting = pin!(tokio::time::sleep(waiting_timeout));
        loop {
            let (alarm, can_expire) = {
                let state = self.lock();
                if state.is_done {
                    return;
                }
                (state.alarm, state.room.can_expire())
            };
            // The next iteration checks whether the room has closed.
            tokio::select! {
                biased;
                () = self.acted.notified() => continue,
                () = ring(alarm) => {
                    let mut state = self.lock();
                    state.alarm = None;
                    self.act_on(&mut state, |room| room.wake(clock::now()))
                }
                () = &mut waiting, if can_expire => {
                    log::info!("room {} closed: no players joined in time", self.id);
                    self.act(Room::cancel)
                }
                () = self.server.closing_rooms.cancelled() => self.act(Room::cancel),
            };
        }
    }

    fn perform(self: &Arc<Self>, state: &mut State, effect: Effect) {
        match effect {
            Effect::Send { to, message } => {
                if let Some(spectator) = &self.server.config.spectator {
                    // The receiver may have been dropped.
                    let _ = spectator.send(message.clone());
                }
                let text: Arc<str> = message.to_xml().into();
                for client in to.iter().filter_map(|id| state.clients.get(id)) {
                    client.send_text(Arc::clone(&text), None);
                }
            }
            Effect::Request { to, message } => {
                if let Some(client) = state.clients.get(&to) {
                    client.send_text(message.to_xml().into(), Some(Arc::clone(self)));
                }
            }
            Effect::WakeAt(at) => state.alarm = Some(at),
            Effect::Sleep => state.alarm = None,
            Effect::SeatOpened(color) => {
                let room = self.id.clone();
                self.server
                    .with_lobby(|lobby| lobby.reopen(Seat { room, color }));
            }
            Effect::Unused => {
                let id = &self.id;
                state.is_done = self.server.with_lobby(|lobby| lobby.remove_if_unused(id));
            }
            Effect::Release(client) => {
                if let Some(client) = state.clients.get(&client) {
                    client.release_seat();
                }
            }
            Effect::Expel(client) => {
                if let Some(client) = state.clients.get(&client) {
                    client.end(CloseReason::CloseConnection);
                }
            }
            Effect::GameOver(game) => self.finish_game(*game),
            Effect::Closed => state.is_done = true,
        }
    }

    /// Counts a game, then writes its replay and reports it in the background.
    fn finish_game(&self, game: FinishedGame) {
        self.server.with_lobby(|lobby| lobby.count(&game));
        for color in Color::ALL {
            if let Some(sentence) = game.result.sentence(color) {
                log::warn!("room {}: {sentence}", self.id);
            }
        }
        let directory = self.server.config.replays.clone();
        let reports = self.server.config.reports.clone();
        if directory.is_none() && reports.is_none() {
            return;
        }
        self.server.room_tasks.spawn_blocking(move || {
            let replay = directory.and_then(|directory| {
                let now = jiff::Zoned::now().datetime();
                write_replay(&directory, &game, now)
                    .inspect_err(|error| {
                        let directory = directory.display();
                        log::error!("cannot write a replay into {directory}: {error}");
                    })
                    .ok()
            });
            if let Some(path) = &replay {
                log::info!("room {}: replay {}", game.room, path.display());
            }
            if let Some(reports) = reports {
                // The receiver may have been dropped.
                let _ = reports.send(GameReport { game, replay });
            }
        });
    }
}

/// Waits for an alarm, or forever without one. May return early if the process was paused; the room
/// then sets the alarm again.
async fn ring(alarm: Option<Instant>) {
    match alarm {
        Some(at) => tokio::time::sleep(clock::until(at)).await,
        None => std::future::pending().await,
    }
}
