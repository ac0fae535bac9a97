//! Handles one client's requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use super::client::{Client, CloseReason};
use super::lobby::LobbyError;
use super::mailbox::Mailbox;
use super::room_task::{self, RoomTask};
use super::server_state::{Admission, ServerState};
use crate::protocol::{ClientMessage, RoomId, ServerMessage, WireMove};
use crate::room::Effect;
use wabe_engine::clock;
use wabe_files::text::{NAME, printable};
use wabe_hive::Color;

/// Carries out one client's requests.
pub(super) struct RequestHandler {
    server: Arc<ServerState>,
    client: Arc<Client>,
    /// For the log.
    from: IpAddr,
    /// The client's rooms, including closed ones.
    rooms: HashMap<RoomId, Mailbox>,
    ignored_messages: usize,
    /// The number of rooms at which closed ones are removed.
    clear_out_at: usize,
}

const FIRST_CLEAR_OUT: usize = 16;

impl RequestHandler {
    pub(super) fn new(
        server: Arc<ServerState>,
        client: Arc<Client>,
        from: IpAddr,
    ) -> RequestHandler {
        RequestHandler {
            server,
            client,
            from,
            rooms: HashMap::new(),
            ignored_messages: 0,
            clear_out_at: FIRST_CLEAR_OUT,
        }
    }

    /// True if the client has joined, or authenticated as an administrator.
    pub(super) fn has_purpose(&self) -> bool {
        self.client.is_administrator() || !self.rooms.is_empty()
    }

    /// Carries out a request whose last byte arrived at `arrived`.
    ///
    /// # Errors
    /// When the connection has to end.
    pub(super) async fn handle(
        &mut self,
        message: ClientMessage,
        arrived: Instant,
    ) -> Result<(), CloseReason> {
        match message {
            ClientMessage::Join { game_type } => {
                self.check_seats()?;
                let admission = self.server.join(&game_type).map(|(admission, new_room)| {
                    if let Some(room) = new_room {
                        room_task::spawn(&self.server, room, None);
                    }
                    admission
                });
                self.enter(admission).await
            }
            ClientMessage::JoinPrepared(code) => {
                self.check_seats()?;
                let admission = self.server.redeem(&code);
                self.enter(admission).await
            }
            ClientMessage::Move { room, mv } => self.play(&room, Some(mv), arrived).await,
            ClientMessage::NoMove(room) => self.play(&room, None, arrived).await,
            ClientMessage::CloseConnection => Err(CloseReason::Silent),
            ClientMessage::Authenticate { password } => self.authenticate(&password),
            request if self.client.is_administrator() => {
                self.administer(request).await;
                Ok(())
            }
            _ => self.ignore("for administrators only").await,
        }
    }

    async fn play(
        &mut self,
        room: &RoomId,
        mv: Option<WireMove>,
        arrived: Instant,
    ) -> Result<(), CloseReason> {
        let Some(mailbox) = self.rooms.get(room) else {
            let room = printable(&room.0, NAME);
            self.blame(format!("about the room `{room}`, which is not its own"))
                .await;
            return Err(CloseReason::CloseConnection);
        };
        let from = self.client.id();
        let command = move |task: &mut RoomTask| task.room.play(from, mv, arrived, clock::now());
        match mailbox.post(command).await {
            Ok(()) => Ok(()),
            // A reply that crosses the end of the game is no fault.
            Err(_) => self.ignore("the game is over").await,
        }
    }

    /// Tells the client's rooms that it has left.
    pub(super) async fn leave(mut self) {
        let id = self.client.id();
        self.server.forget(id);
        for (_, mailbox) in self.rooms.drain() {
            // A closed room need not be told.
            let _ = mailbox.post_and_wait(move |task| task.leave(id)).await;
        }
    }

    fn authenticate(&self, password: &str) -> Result<(), CloseReason> {
        let (id, from) = (self.client.id(), self.from);
        if !self.server.config.password.accepts(password) {
            log::warn!("{id}, from {from}: the password is wrong");
            return Err(CloseReason::CloseConnection);
        }
        log::info!("{id}: is an administrator");
        self.client.make_administrator();
        self.server.add_administrator(&self.client);
        Ok(())
    }

    /// Notes the fault in a message that ends the connection, so that its rooms can report it.
    pub(super) async fn blame(&self, fault: String) {
        let id = self.client.id();
        log::info!("{id}: malformed: {fault}");
        for mailbox in self.rooms.values() {
            let fault = fault.clone();
            let command = move |task: &mut RoomTask| {
                task.room.blame(id, &fault);
                Vec::new()
            };
            // A closed room need not be told.
            let _ = mailbox.post(command).await;
        }
    }

    /// Ignores a message, up to the limit on such messages.
    async fn ignore(&mut self, why: &str) -> Result<(), CloseReason> {
        let id = self.client.id();
        log::debug!("{id}: ignored a message: {why}");
        self.ignored_messages += 1;
        let limit = self.server.config.limits.ignored_messages;
        if self.ignored_messages > limit && !self.client.is_administrator() {
            self.blame(format!("more than {limit} that mean nothing"))
                .await;
            return Err(CloseReason::CloseConnection);
        }
        Ok(())
    }

    fn check_seats(&self) -> Result<(), CloseReason> {
        let limit = self.server.config.limits.seats_per_connection;
        if self.client.seats() < limit {
            return Ok(());
        }
        log::info!("{}: already holds {limit} seats", self.client.id());
        Err(CloseReason::CloseConnection)
    }

    async fn enter(&mut self, admission: Result<Admission, LobbyError>) -> Result<(), CloseReason> {
        let Admission { seat, mailbox } =
            admission.map_err(|error| refused(&self.client, &error))?;
        self.client.take_seat();
        self.remember(seat.room.clone(), mailbox.clone());
        let client = Arc::clone(&self.client);
        let entered = mailbox.post_and_wait(move |task| task.join(client, seat.color));
        let entered = entered.await;
        entered.map_err(|_| refused(&self.client, &LobbyError::Reservation))
    }

    fn remember(&mut self, room: RoomId, mailbox: Mailbox) {
        if self.rooms.len() >= self.clear_out_at {
            self.rooms.retain(|_, mailbox| !mailbox.is_closed());
            self.clear_out_at = FIRST_CLEAR_OUT.max(2 * self.rooms.len());
        }
        self.rooms.insert(room, mailbox);
    }

    /// Carries out an administrator's request.
    async fn administer(&mut self, request: ClientMessage) {
        let client = &self.client;
        let done = match request {
            ClientMessage::Prepare { game_type, slots } => {
                match self.server.prepare(&game_type, &slots) {
                    Ok((prepared, room)) => {
                        room_task::spawn(&self.server, room, Some(Arc::clone(client)));
                        client.send(&prepared);
                        Ok(())
                    }
                    Err(refusal) => Err(error(refusal.to_string())),
                }
            }
            ClientMessage::Observe(room) => {
                let observer = Arc::clone(client);
                let mailbox = self.server.mailbox(&room);
                if let Some(mailbox) = &mailbox {
                    self.remember(room.clone(), mailbox.clone());
                }
                tell(mailbox, &room, move |task| task.observe(observer)).await
            }
            ClientMessage::Pause { room, pause } => {
                let pause = move |task: &mut RoomTask| task.room.pause(pause, clock::now());
                self.command(&room, pause).await
            }
            ClientMessage::Step { room, forced } => {
                let step = move |task: &mut RoomTask| task.room.step(forced, clock::now());
                self.command(&room, step).await
            }
            ClientMessage::Cancel(room) => self.command(&room, |task| task.room.cancel()).await,
            ClientMessage::Timeout {
                room,
                activate,
                slot,
            } => match color_of_slot(slot) {
                Some(color) => {
                    let set = move |task: &mut RoomTask| {
                        task.room.set_timeout(color, activate);
                        Vec::new()
                    };
                    self.command(&room, set).await
                }
                None => Err(error(format!("there is no slot {slot}"))),
            },
            ClientMessage::TestMode(test_mode) => {
                self.server
                    .with_lobby(|lobby| lobby.set_test_mode(test_mode));
                client.send(&ServerMessage::Testing(test_mode));
                Ok(())
            }
            ClientMessage::ScoreForPlayer { display_name } => {
                match self.server.with_lobby(|lobby| lobby.score(&display_name)) {
                    Some(score) => {
                        client.send(&ServerMessage::PlayerScore(score));
                        Ok(())
                    }
                    None => Err(error(format!("there is no score of `{display_name}`"))),
                }
            }
            ClientMessage::FreeReservation(code) => self
                .server
                .with_lobby(|lobby| lobby.free(&code))
                .map_err(|refusal| error(refusal.to_string())),
            // Handled by `handle`.
            _ => Ok(()),
        };
        if let Err(error) = done {
            self.client.send(&error);
        }
    }

    async fn command(
        &self,
        room: &RoomId,
        command: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), ServerMessage> {
        tell(self.server.mailbox(room), room, command).await
    }
}

impl Drop for RequestHandler {
    /// After a panic in the connection's task, makes the rooms stop waiting for its client.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let id = self.client.id();
        self.server.forget(id);
        self.client.lose();
        for (_, mailbox) in self.rooms.drain() {
            tokio::spawn(async move { mailbox.post(move |task| task.leave(id)).await });
        }
    }
}

async fn tell(
    mailbox: Option<Mailbox>,
    room: &RoomId,
    command: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
) -> Result<(), ServerMessage> {
    let mailbox = mailbox.ok_or_else(|| no_such_room(room))?;
    let done = mailbox.post_and_wait(command).await;
    done.map_err(|_| no_such_room(room))
}

/// The answer to a request about an unknown or closed room.
fn no_such_room(room: &RoomId) -> ServerMessage {
    error(format!("there is no room {room}"))
}

fn error(message: String) -> ServerMessage {
    ServerMessage::Error { message }
}

fn color_of_slot(slot: i64) -> Option<Color> {
    let slot = usize::try_from(slot).ok()?;
    Color::ALL.get(slot).copied()
}

fn refused(client: &Client, error: &LobbyError) -> CloseReason {
    log::info!("{}: {error}", client.id());
    CloseReason::CloseConnection
}
