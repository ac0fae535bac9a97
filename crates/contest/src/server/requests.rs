//! Handles one client's requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::client::{Client, CloseReason};
use super::config::DEFAULT_PASSWORD;
use super::lobby::LobbyError;
use super::open_room::OpenRoom;
use super::server_state::{SeatInRoom, ServerState};
use crate::protocol::{ClientMessage, RoomId, ServerMessage, WireMove};
use crate::room::{Effect, Room};
use wabe_engine::clock;
use wabe_files::text::{MAX_NAME, printable};
use wabe_hive::Color;

/// Number of a client's rooms at which closed rooms are removed from its list.
const MAX_ROOMS: usize = 1_024;

/// Handles the requests of one client.
pub(super) struct RequestHandler {
    server: Arc<ServerState>,
    client: Arc<Client>,
    /// Address for the log.
    from: IpAddr,
    /// The client's rooms, including closed ones.
    rooms: HashMap<RoomId, Weak<OpenRoom>>,
}

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
        }
    }

    /// True if the client has joined or authenticated.
    pub(super) fn has_purpose(&self) -> bool {
        self.client.is_administrator() || !self.rooms.is_empty()
    }

    /// Handles a request whose last byte arrived at `arrived`.
    ///
    /// # Errors
    /// When the connection must be closed.
    pub(super) fn handle(
        &mut self,
        message: ClientMessage,
        arrived: Instant,
    ) -> Result<(), CloseReason> {
        match message {
            ClientMessage::Join { game_type } => self.enter(self.server.join(&game_type)),
            ClientMessage::JoinPrepared(code) => self.enter(self.server.redeem(&code)),
            ClientMessage::Move { room, mv } => self.play(&room, Some(mv), arrived),
            ClientMessage::NoMove(room) => self.play(&room, None, arrived),
            ClientMessage::CloseConnection => Err(CloseReason::Silent),
            ClientMessage::Authenticate { password } => self.authenticate(&password),
            request if self.client.is_administrator() => {
                if let Err(message) = self.administer(request) {
                    self.client.send(&ServerMessage::Error { message });
                }
                Ok(())
            }
            _ => {
                log::debug!(
                    "{}: ignored a message for administrators only",
                    self.client.id
                );
                Ok(())
            }
        }
    }

    fn play(
        &mut self,
        room: &RoomId,
        mv: Option<WireMove>,
        arrived: Instant,
    ) -> Result<(), CloseReason> {
        let Some(room) = self.rooms.get(room) else {
            let room = printable(&room.0, MAX_NAME);
            self.blame(&format!("sent a move for another room (`{room}`)"));
            return Err(CloseReason::CloseConnection);
        };
        let id = self.client.id;
        if let Some(room) = room.upgrade() {
            // A reply may cross the end of the game, which is not a fault.
            room.act(|room| room.play(id, mv, arrived, clock::now()));
        }
        Ok(())
    }

    fn remember(&mut self, id: RoomId, room: &Arc<OpenRoom>) {
        if self.rooms.len() >= MAX_ROOMS {
            self.rooms.retain(|_, room| room.strong_count() > 0);
        }
        self.rooms.insert(id, Arc::downgrade(room));
    }

    fn open_rooms(&self) -> impl Iterator<Item = Arc<OpenRoom>> {
        self.rooms.values().filter_map(Weak::upgrade)
    }

    /// Leaves all of the client's rooms.
    pub(super) fn leave(self) {
        self.server.forget(self.client.id);
        self.open_rooms()
            .for_each(|room| room.leave(self.client.id));
    }

    fn authenticate(&self, password: &str) -> Result<(), CloseReason> {
        let (id, from) = (self.client.id, self.from);
        let expected = self.server.config.password.as_deref();
        if password != expected.unwrap_or(DEFAULT_PASSWORD) {
            log::warn!("{id}, from {from}: wrong password");
            self.blame("sent a wrong password");
            return Err(CloseReason::CloseConnection);
        }
        log::info!("{id}: authenticated as administrator");
        self.client.make_administrator();
        self.server.add_administrator(&self.client);
        Ok(())
    }

    /// Records why the client is disconnected in its rooms, which report it.
    pub(super) fn blame(&self, fault: &str) {
        let id = self.client.id;
        log::info!("{id} {fault}");
        for room in self.open_rooms() {
            room.act(|room| {
                room.blame(id, fault);
                Vec::new()
            });
        }
    }

    fn enter(&mut self, admission: Result<SeatInRoom, LobbyError>) -> Result<(), CloseReason> {
        let entered = admission.and_then(|(seat, room)| {
            self.client.take_seat();
            self.remember(seat.room, &room);
            let id = self.client.id;
            let joined = room.admit(&self.client, |room| room.join(id, seat.color, clock::now()));
            joined.then_some(()).ok_or_else(LobbyError::no_reservation)
        });
        entered.map_err(|error| {
            self.blame(&format!("requested an unavailable seat ({error})"));
            CloseReason::CloseConnection
        })
    }

    /// Handles an administrator's request. Errors are sent back.
    fn administer(&mut self, request: ClientMessage) -> Result<(), String> {
        let (server, client) = (&self.server, &self.client);
        match request {
            ClientMessage::Prepare { game_type, slots } => {
                let prepared = server.prepare(&game_type, &slots);
                client.send(&prepared.map_err(|error| error.to_string())?);
            }
            ClientMessage::Observe(id) => {
                let room = server.room(&id).ok_or_else(|| no_such_room(&id))?;
                let observed = room.admit(client, |room| room.observe(client.id));
                self.remember(id.clone(), &room);
                observed.then_some(()).ok_or_else(|| no_such_room(&id))?;
            }
            ClientMessage::Pause { room, pause } => {
                self.command(&room, |room| room.pause(pause, clock::now()))?;
            }
            ClientMessage::Step { room, forced } => {
                self.command(&room, |room| room.step(forced, clock::now()))?;
            }
            ClientMessage::Cancel(room) => self.command(&room, Room::cancel)?,
            ClientMessage::Timeout {
                room,
                activate,
                slot,
            } => {
                let color = usize::try_from(slot).ok().and_then(|it| Color::ALL.get(it));
                let color = *color.ok_or_else(|| format!("slot {slot}: expected 0 or 1"))?;
                self.command(&room, |room| {
                    room.set_timeout(color, activate);
                    Vec::new()
                })?;
            }
            ClientMessage::TestMode(test_mode) => {
                server.with_lobby(|lobby| lobby.set_test_mode(test_mode));
                client.send(&ServerMessage::Testing(test_mode));
            }
            ClientMessage::ScoreForPlayer { display_name } => {
                let score = server.with_lobby(|lobby| lobby.score(&display_name));
                let score = score.ok_or_else(|| format!("no scores of `{display_name}`"))?;
                client.send(&ServerMessage::PlayerScore(score));
            }
            ClientMessage::FreeReservation(code) => {
                let freed = server.with_lobby(|lobby| lobby.free(&code));
                freed.map_err(|error| error.to_string())?;
            }
            // Already handled by `handle`.
            _ => {}
        }
        Ok(())
    }

    fn command(
        &self,
        id: &RoomId,
        command: impl FnOnce(&mut Room) -> Vec<Effect>,
    ) -> Result<(), String> {
        let room = self.server.room(id);
        let done = room.is_some_and(|room| room.act(command));
        done.then_some(()).ok_or_else(|| no_such_room(id))
    }
}

/// Error for a request about an unknown or closed room.
fn no_such_room(room: &RoomId) -> String {
    format!("unknown room {room}")
}
