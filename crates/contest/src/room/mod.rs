//! The referee of a contest game, as a state machine without I/O or clock. A room has two seats, a
//! game and observers. Inputs carry timestamps and return effects for the caller to carry out.

mod finished_game;
mod move_check;
mod play;
mod setup;
mod termination;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crate::protocol::{Cause, GameResult, ServerData, ServerMessage, WireMove};
pub use finished_game::{Decision, FinishedGame, result_of, states_of, write_game, write_states};
use play::Request;
pub use setup::{ClientId, Effect, Origin, RoomSetup, SeatSetup, Start, TimeLimits};
use termination::Termination;
use wabe_hive::contest::Position;
use wabe_hive::{ByColor, Color};

/// The occupant of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Occupant {
    /// The seat is open.
    Empty,
    Client(ClientId),
    /// The client left or was expelled. The seat cannot be taken again.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waiting for players.
    Waiting,
    Playing,
    Over,
}

/// A room; see the [module](self).
#[derive(Clone, Debug)]
pub struct Room {
    /// The initial configuration, including later changes to pausing and time limits.
    setup: RoomSetup,
    occupants: ByColor<Occupant>,
    observers: Vec<ClientId>,
    /// The fault for which a side was disconnected, as a predicate.
    faults: ByColor<Option<String>>,
    stage: Stage,
    position: Position,
    moves: Vec<WireMove>,
    times: Vec<Duration>,
    request: Option<Request>,
    effects: Vec<Effect>,
}

impl Room {
    /// Creates an empty room.
    pub fn new(setup: RoomSetup) -> Room {
        Room {
            position: setup.start.position,
            setup,
            occupants: ByColor::from_fn(|_| Occupant::Empty),
            observers: Vec::new(),
            faults: ByColor::default(),
            stage: Stage::Waiting,
            moves: Vec::new(),
            times: Vec::new(),
            request: None,
            effects: Vec::new(),
        }
    }

    /// Seats a client. The game starts once both seats are taken.
    pub fn join(&mut self, client: ClientId, color: Color, now: Instant) -> Vec<Effect> {
        self.occupants[color] = Occupant::Client(client);
        self.faults[color] = None;
        if self.setup.origin == Origin::Joined {
            self.send([client], ServerMessage::Joined(self.setup.id.clone()));
        }
        self.start_if_complete(now);
        self.take_effects()
    }

    /// Removes a client that disconnected.
    pub fn leave(&mut self, client: ClientId, now: Instant) -> Vec<Effect> {
        self.observers.retain(|&observer| observer != client);
        self.vacate(client, now);
        self.take_effects()
    }

    /// Records why a client is disconnected, before it leaves: a predicate such as `sent a
    /// malformed message`. The finished game contains it.
    pub fn blame(&mut self, client: ClientId, fault: &str) {
        for color in Color::ALL {
            if self.client(color) == Some(client) {
                self.faults[color] = Some(fault.to_owned());
            }
        }
    }

    /// Adds an observer.
    pub fn observe(&mut self, client: ClientId) -> Vec<Effect> {
        if !self.observers.contains(&client) {
            self.observers.push(client);
        }
        self.send([client], ServerMessage::Observed(self.setup.id.clone()));
        self.take_effects()
    }

    /// Handles a client's move whose last byte arrived at `arrived`. `None` is a message without a
    /// move.
    pub fn play(
        &mut self,
        from: ClientId,
        mv: impl Into<Option<WireMove>>,
        arrived: Instant,
        now: Instant,
    ) -> Vec<Effect> {
        let mv = mv.into();
        match self.color_played_by(from) {
            Some(color) if self.stage == Stage::Playing => {
                self.reply(from, color, mv, arrived, now);
            }
            // Not a player, or the game has not started.
            _ => {
                self.vacate(from, now);
                self.effects.push(Effect::Expel(from));
            }
        }
        self.take_effects()
    }

    /// Pauses the game after the pending request is answered, or resumes it.
    pub fn pause(&mut self, pause: bool, now: Instant) -> Vec<Effect> {
        self.setup.paused = pause;
        if !pause {
            self.resume(now);
        }
        self.take_effects()
    }

    /// Requests one move in a paused game. If players are missing and `forced` is set, the game
    /// starts without them and ends immediately.
    pub fn step(&mut self, forced: bool, now: Instant) -> Vec<Effect> {
        match self.stage {
            Stage::Playing if self.setup.paused => self.resume(now),
            Stage::Waiting if forced => {
                for color in Color::ALL {
                    if self.occupants[color] == Occupant::Empty {
                        self.occupants[color] = Occupant::Gone;
                    }
                }
                self.start_if_complete(now);
            }
            _ => log::info!("room {}: nothing to step", self.setup.id),
        }
        self.take_effects()
    }

    /// Switches a player's time limits on or off, starting with its next request.
    pub fn set_timeout(&mut self, color: Color, activate: bool) {
        self.setup.seats[color].can_timeout = activate;
    }

    /// Ends the game without a result.
    pub fn cancel(&mut self) -> Vec<Effect> {
        if !self.is_over() {
            self.close(None);
        }
        self.take_effects()
    }

    /// Starts the player's time once the pending request has been written. Ignores an old request
    /// to the other player.
    pub fn request_sent(&mut self, to: ClientId, sent_at: Instant) {
        let mover = self.position.side_to_move();
        if let Some(request) = &mut self.request
            && self.occupants[mover] == Occupant::Client(to)
        {
            request.sent_at = request.sent_at.max(sent_at);
        }
    }

    /// Checks the time limit. Call it at the time of [`Effect::WakeAt`] or later.
    pub fn wake(&mut self, now: Instant) -> Vec<Effect> {
        self.check_hard_limit(now);
        self.take_effects()
    }

    /// True if the room has closed.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// True before the game starts, without observers: the room may expire.
    pub fn can_expire(&self) -> bool {
        self.stage == Stage::Waiting && self.observers.is_empty()
    }

    fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn client(&self, color: Color) -> Option<ClientId> {
        match self.occupants[color] {
            Occupant::Client(client) => Some(client),
            Occupant::Empty | Occupant::Gone => None,
        }
    }

    /// The side that a client plays. If it plays both, the side to move.
    fn color_played_by(&self, client: ClientId) -> Option<Color> {
        let mover = self.position.side_to_move();
        [mover, mover.opponent()]
            .into_iter()
            .find(|&color| self.client(color) == Some(client))
    }

    fn players(&self) -> Vec<ClientId> {
        Color::ALL
            .into_iter()
            .filter_map(|color| self.client(color))
            .collect()
    }

    /// Observers, then players. Observers come first so that they receive the result before the
    /// players disconnect.
    fn everyone(&self) -> Vec<ClientId> {
        let mut everyone = self.observers.clone();
        for player in self.players() {
            // A client may play both sides, or observe its own game.
            if !everyone.contains(&player) {
                everyone.push(player);
            }
        }
        everyone
    }

    fn send(&mut self, to: impl Into<Vec<ClientId>>, message: ServerMessage) {
        let to = to.into();
        self.effects.push(Effect::Send { to, message });
    }

    fn in_room(&self, data: ServerData) -> ServerMessage {
        ServerMessage::Room {
            room: self.setup.id.clone(),
            data,
        }
    }

    fn names(&self) -> ByColor<String> {
        ByColor::from_fn(|color| self.setup.seats[color].name.clone())
    }

    fn start_if_complete(&mut self, now: Instant) {
        let occupants = [self.occupants.red, self.occupants.blue];
        if self.stage != Stage::Waiting || occupants.contains(&Occupant::Empty) {
            return;
        }
        self.stage = Stage::Playing;
        if self.setup.origin == Origin::Prepared {
            for client in self.players() {
                self.send([client], ServerMessage::Joined(self.setup.id.clone()));
            }
        }
        for color in Color::ALL {
            if let Some(client) = self.client(color) {
                self.send([client], self.in_room(ServerData::Welcome(color)));
            }
        }
        if self.players().len() < Color::ALL.len() {
            self.send_state();
            self.finish(self.left_players());
        } else {
            self.advance(now);
        }
    }

    /// Removes a client from its seats. This may start or end the game.
    fn vacate(&mut self, client: ClientId, now: Instant) {
        let seats: Vec<Color> = Color::ALL
            .into_iter()
            .filter(|&color| self.client(color) == Some(client))
            .collect();
        if self.is_over() || seats.is_empty() {
            return;
        }
        if self.stage == Stage::Waiting && self.setup.origin == Origin::Joined {
            for &color in &seats {
                self.occupants[color] = Occupant::Empty;
                self.effects.push(Effect::SeatOpened(color));
            }
            if self.players().is_empty() {
                self.effects.push(Effect::Unused);
            }
            return;
        }
        for &color in &seats {
            self.occupants[color] = Occupant::Gone;
        }
        match self.stage {
            Stage::Playing => self.finish(self.left_players()),
            _ => self.start_if_complete(now),
        }
    }

    /// How a game ends if at least one player has left.
    fn left_players(&self) -> Termination {
        match (self.client(Color::Red), self.client(Color::Blue)) {
            (None, None) => Termination::BothLeft,
            (None, Some(_)) => Termination::left(Color::Red),
            (Some(_), _) => Termination::left(Color::Blue),
        }
    }

    /// Announces the result and closes the room.
    fn finish(&mut self, termination: Termination) {
        let names = self.names();
        let result = Box::new(termination.result(&self.position, &names));
        // Only the stored game contains the fault. Players receive the contest server's reason.
        let mut finished = FinishedGame {
            room: self.setup.id.clone(),
            names,
            start: self.setup.start.clone(),
            moves: std::mem::take(&mut self.moves),
            times: std::mem::take(&mut self.times),
            result: GameResult::clone(&result),
        };
        for color in Color::ALL {
            let score = &mut finished.result.scores[color];
            if let (Cause::Left, Some(fault)) = (score.cause, self.faults[color].take()) {
                score.reason = Some(format!("{color} {fault}"));
            }
        }
        self.effects.push(Effect::GameOver(Box::new(finished)));
        self.send(self.everyone(), self.in_room(ServerData::Result(result)));
        let culprit = match termination {
            Termination::Fault(side, Cause::RuleViolation, _) => self.client(side),
            _ => None,
        };
        self.close(culprit);
    }

    fn close(&mut self, culprit: Option<ClientId>) {
        self.stage = Stage::Over;
        self.request = None;
        self.effects.push(Effect::Sleep);
        self.send(self.everyone(), ServerMessage::Left(self.setup.id.clone()));
        for client in self.players() {
            self.effects.push(if Some(client) == culprit {
                Effect::Expel(client)
            } else {
                Effect::Release(client)
            });
        }
        self.effects.push(Effect::Closed);
    }
}
