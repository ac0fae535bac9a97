//! The task of one room: feeds it commands and alarms, and carries out its effects.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::client::{Client, CloseReason, SentAt};
use super::config::GameReport;
use super::lobby::Seat;
use super::replay::write_replay;
use super::server_state::{NewRoom, ServerState};
use crate::protocol::RoomId;
use crate::room::{ClientId, Effect, FinishedGame, Room};
use wabe_engine::clock;
use wabe_hive::Color;

/// Starts the task of a new room, prepared by that administrator.
pub(super) fn spawn(server: &Arc<ServerState>, room: NewRoom, preparer: Option<Arc<Client>>) {
    server
        .room_tasks
        .spawn(run(Arc::clone(server), room, preparer));
}

async fn run(server: Arc<ServerState>, room: NewRoom, preparer: Option<Arc<Client>>) {
    let NewRoom {
        setup,
        mut commands,
    } = room;
    let mut task = RoomTask {
        server: Arc::clone(&server),
        id: setup.id.clone(),
        room: Room::new(setup),
        clients: HashMap::new(),
        request_sent_at: None,
        alarm: None,
        is_done: false,
    };
    let limits = server.config.limits;
    let mut reservation = pin!(tokio::time::sleep(limits.reservation_timeout));
    let mut abandoned = pin!(async move {
        match preparer {
            Some(administrator) => administrator.ending().cancelled().await,
            None => std::future::pending().await,
        }
        tokio::time::sleep(limits.abandoned_timeout).await;
    });
    let mut waiting = pin!(tokio::time::sleep(limits.waiting_timeout));
    while !task.is_done {
        let mut ack = None;
        let effects = tokio::select! {
            biased;
            command = commands.recv() => match command {
                Some(command) => {
                    ack = command.ack;
                    task.pass_on_departure();
                    (command.action)(&mut task)
                }
                // The server has forgotten the room.
                None => task.room.cancel(),
            },
            () = ring(task.alarm) => {
                task.alarm = None;
                task.wake()
            }
            () = &mut reservation, if task.room.is_abandoned() => {
                log::info!("room {} closed: no player joined in time", task.id);
                task.room.cancel()
            }
            () = &mut abandoned, if task.room.is_abandoned() => {
                log::info!("room {} closed: its administrator disconnected", task.id);
                task.room.cancel()
            }
            () = &mut waiting, if task.room.waits_for_opponent() => {
                log::info!("room {} closed: no opponent joined in time", task.id);
                task.room.cancel()
            }
            () = server.closing_rooms.cancelled() => task.room.cancel(),
        };
        task.perform(effects);
        if task.is_done {
            server.remove_room(&task.id);
        }
        if let Some(ack) = ack {
            // The sender may have stopped waiting.
            let _ = ack.send(());
        }
    }
}

/// A running room.
pub(super) struct RoomTask {
    server: Arc<ServerState>,
    id: RoomId,
    pub(super) room: Room,
    /// Players and observers.
    clients: HashMap<ClientId, Arc<Client>>,
    /// The departure of the latest move request.
    request_sent_at: Option<SentAt>,
    /// When the room wants to be woken.
    alarm: Option<Instant>,
    is_done: bool,
}

/// Waits for the time of an alarm; forever without one. After a pause of the process the time is
/// still ahead, and the room sets the alarm again.
async fn ring(alarm: Option<Instant>) {
    match alarm {
        Some(at) => tokio::time::sleep(clock::until(at)).await,
        None => std::future::pending().await,
    }
}

impl RoomTask {
    /// Seats a client.
    pub(super) fn join(&mut self, client: Arc<Client>, color: Color) -> Vec<Effect> {
        let id = client.id();
        self.clients.insert(id, client);
        self.room.join(id, color, clock::now())
    }

    /// Adds an observer.
    pub(super) fn observe(&mut self, client: Arc<Client>) -> Vec<Effect> {
        let id = client.id();
        self.clients.insert(id, client);
        self.room.observe(id)
    }

    /// Removes a client whose connection has ended.
    pub(super) fn leave(&mut self, client: ClientId) -> Vec<Effect> {
        let effects = self.room.leave(client, clock::now());
        self.clients.remove(&client);
        effects
    }

    fn wake(&mut self) -> Vec<Effect> {
        self.pass_on_departure();
        self.room.wake(clock::now())
    }

    /// Tells the room that its request has gone out, if so.
    fn pass_on_departure(&mut self) {
        let sent_at = self.request_sent_at.as_ref().and_then(|at| at.get());
        if let Some(&sent_at) = sent_at {
            self.room.request_sent(sent_at);
            self.request_sent_at = None;
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { to, message } => {
                    if let Some(spectator) = &self.server.config.spectator {
                        // The spectator may have gone.
                        let _ = spectator.send(message.clone());
                    }
                    let text: Arc<str> = message.to_xml().into();
                    for client in to.iter().filter_map(|id| self.clients.get(id)) {
                        client.send_text(Arc::clone(&text), None);
                    }
                }
                Effect::Request { to, message } => {
                    let sent_at = Arc::new(OnceLock::new());
                    self.request_sent_at = Some(Arc::clone(&sent_at));
                    if let Some(client) = self.clients.get(&to) {
                        client.send_text(message.to_xml().into(), Some(sent_at));
                    }
                }
                Effect::WakeAt(at) => self.alarm = Some(at),
                Effect::Sleep => self.alarm = None,
                Effect::SeatOpened(color) => {
                    let room = self.id.clone();
                    self.server
                        .with_lobby(|lobby| lobby.reopen(Seat { room, color }));
                }
                Effect::Unused => self.is_done = self.server.remove_unused_room(&self.id),
                Effect::Release(client) => {
                    if let Some(client) = self.clients.get(&client) {
                        client.release_seat();
                    }
                }
                Effect::Expel(client) => {
                    if let Some(client) = self.clients.get(&client) {
                        client.end(CloseReason::CloseConnection);
                    }
                }
                Effect::GameOver(game) => self.keep(*game),
                Effect::Closed => self.is_done = true,
            }
        }
    }

    /// Counts a game, then writes its replay and reports it in the background.
    fn keep(&self, game: FinishedGame) {
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
                // The receiver may be gone.
                let _ = reports.send(GameReport { game, replay });
            }
        });
    }
}

impl Drop for RoomTask {
    /// After a panic in the task, dismisses the players, which would otherwise wait forever.
    fn drop(&mut self) {
        if !self.is_done {
            log::error!("room {}: closed after an internal error", self.id);
            self.server.remove_room(&self.id);
            for client in self.clients.values().filter(|c| !c.is_administrator()) {
                client.end(CloseReason::CloseConnection);
            }
        }
    }
}
