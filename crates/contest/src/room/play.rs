//! The game in a room: states, requests and replies.

use std::time::{Duration, Instant};

use super::finished_game::FinishedGame;
use super::setup::{ClientId, Effect, Start, TimeLimits};
use super::verdict::{Complaint, Fault, Verdict, legal_move};
use super::{Occupant, Room, Stage};
use crate::protocol::{RoomId, ServerData, WireAction, WireMove, WireState};
use wabe_hive::contest::{Move, Position};
use wabe_hive::{ByColor, Color, Outcome};

/// Most bytes of hints in a game; later hints are left out.
const HINT_BYTES: usize = 32 << 10;

/// Time for a reply to get from the wire to the room, for equal soft and hard limits.
const PROCESSING_GRACE: Duration = Duration::from_millis(100);

/// A running game.
#[derive(Clone, Debug)]
pub(super) struct Game {
    start: Start,
    position: Position,
    moves: Vec<WireMove>,
    times: Vec<Duration>,
    /// Length of the kept hints, in bytes.
    hint_bytes: usize,
    request: Option<Request>,
}

/// An unanswered move request.
#[derive(Clone, Copy, Debug)]
struct Request {
    since: Instant,
    limits: Option<TimeLimits>,
}

impl Game {
    pub(super) fn new(start: Start) -> Game {
        Game {
            position: start.position,
            start,
            moves: Vec::new(),
            times: Vec::new(),
            hint_bytes: 0,
            request: None,
        }
    }

    pub(super) fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }

    pub(super) fn request_sent(&mut self, at: Instant) {
        if let Some(request) = &mut self.request {
            request.since = request.since.max(at);
        }
    }

    pub(super) fn finish(
        self,
        room: RoomId,
        names: ByColor<String>,
        verdict: &Verdict,
    ) -> FinishedGame {
        FinishedGame {
            room,
            result: verdict.result(&self.position, &names),
            names,
            start: self.start,
            moves: self.moves,
            times: self.times,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn state(&self, names: ByColor<String>) -> WireState {
        let last_move = self.moves.last().or(self.start.last_move.as_ref());
        WireState::new(&self.position, names, last_move.cloned())
    }

    fn play(&mut self, mv: Move, mut wire: WireMove, time: Duration) {
        self.position.play(mv);
        let hint_bytes = wire.hint.as_ref().map_or(0, String::len);
        if self.hint_bytes + hint_bytes > HINT_BYTES {
            wire.hint = None;
        } else {
            self.hint_bytes += hint_bytes;
        }
        self.moves.push(wire);
        self.times.push(time);
    }
}

impl Request {
    fn wake_at(self) -> Option<Instant> {
        let limits = self.limits?;
        let wait = limits.hard().max(limits.soft() + PROCESSING_GRACE);
        self.since.checked_add(wait)
    }
}

impl Room {
    /// Continues after a ply or the start: sends the state, then a request or the result.
    pub(super) fn advance(&mut self, now: Instant) {
        let Stage::Playing(game) = &self.stage else {
            return;
        };
        if let Some(outcome) = game.outcome() {
            self.send_state();
            self.finish(Verdict::Regular(outcome));
        } else if self.is_deserted() {
            self.send_state();
            self.finish(self.desertion());
        } else if !self.setup.paused {
            self.send_state();
            self.send_request(now);
        }
    }

    /// Resumes a game that is paused between two plies.
    pub(super) fn resume(&mut self, now: Instant) {
        if let Stage::Playing(game) = &self.stage
            && game.request.is_none()
        {
            self.send_state();
            self.send_request(now);
        }
    }

    pub(super) fn send_state(&mut self) {
        if let Stage::Playing(game) = &self.stage {
            let state = Box::new(game.state(self.names()));
            self.send(self.everybody(), self.in_room(ServerData::State(state)));
        }
    }

    fn send_request(&mut self, now: Instant) {
        let message = self.in_room(ServerData::MoveRequest);
        let Stage::Playing(game) = &mut self.stage else {
            return;
        };
        let color = game.side_to_move();
        let can_timeout = self.setup.seats[color].can_timeout;
        let request = Request {
            since: now,
            limits: self.setup.time_limits[color].filter(|_| can_timeout),
        };
        game.request = Some(request);
        let Occupant::Client(to) = self.occupants[color] else {
            return;
        };
        self.effects.push(Effect::Request { to, message });
        self.effects.push(match request.wake_at() {
            Some(at) => Effect::WakeAt(at),
            None => Effect::Sleep,
        });
    }

    pub(super) fn check_hard_limit(&mut self, now: Instant) {
        let Stage::Playing(game) = &self.stage else {
            return;
        };
        let Some(request) = game.request else { return };
        let (Some(limits), Some(wake_at)) = (request.limits, request.wake_at()) else {
            return;
        };
        if now < wake_at {
            self.effects.push(Effect::WakeAt(wake_at));
        } else {
            let by = game.side_to_move();
            let fault = Fault::HardTimeout(limits.hard());
            self.finish(Verdict::Fault { by, fault });
        }
    }

    /// Takes a player's move.
    pub(super) fn reply(
        &mut self,
        from: ClientId,
        color: Color,
        wire: Option<WireMove>,
        arrived: Instant,
        now: Instant,
    ) {
        let Stage::Playing(game) = &mut self.stage else {
            return;
        };
        if color != game.side_to_move() {
            return self.reject(from, color, "It's not your turn yet.", wire, now);
        }
        let Some(request) = game.request.take() else {
            let why = "We didn't request a data from you yet.";
            return self.reject(from, color, why, wire, now);
        };
        self.effects.push(Effect::Sleep);
        let time = arrived.saturating_duration_since(request.since);
        if let Some(limits) = request.limits
            && time > limits.soft()
        {
            let fault = Fault::SoftTimeout(limits.soft());
            return self.finish(Verdict::Fault { by: color, fault });
        }
        let Some(wire) = wire else {
            let name = &self.setup.seats[color].name;
            let complaint = format!("{name} hat kein Zug-Objekt gesendet.");
            return self.refuse(from, color, complaint, None);
        };
        match legal_move(&game.position, &wire) {
            Ok(mv) => {
                game.play(mv, wire, time);
                self.advance(now);
            }
            Err(Complaint::Violation(complaint)) => {
                // As on the contest's server.
                let original = Some(wire).filter(|wire| wire.action != WireAction::Skip);
                self.refuse(from, color, complaint, original);
            }
            Err(Complaint::Unreadable(fault)) => self.drop_player(from, &fault, now),
        }
    }

    /// Disconnects a player whose move the contest's server cannot read. It has left the game.
    fn drop_player(&mut self, from: ClientId, fault: &str, now: Instant) {
        self.blame(from, fault);
        for color in Color::ALL {
            if self.client(color) == Some(from) {
                self.effects.push(Effect::Release(from));
            }
        }
        self.vacate(from, now);
    }

    /// Refuses an illegal move, which loses the game.
    fn refuse(
        &mut self,
        from: ClientId,
        color: Color,
        complaint: String,
        original: Option<WireMove>,
    ) {
        let name = &self.setup.seats[color].name;
        let to_culprit = format!("Ungueltiger Zug von '{name}'.\n{complaint}");
        self.send_error(vec![from], to_culprit, original.clone());
        let mut observers = self.observers.clone();
        observers.retain(|&observer| observer != from);
        self.send_error(observers, complaint.clone(), original);
        self.finish(Verdict::Fault {
            by: color,
            fault: Fault::RuleViolation(complaint),
        });
    }

    /// Expels a player for an unrequested move. It loses when its turn comes.
    fn reject(
        &mut self,
        from: ClientId,
        color: Color,
        why: &str,
        wire: Option<WireMove>,
        now: Instant,
    ) {
        self.send_error(vec![from], why.to_owned(), wire);
        self.occupants[color] = Occupant::Gone;
        self.effects.push(Effect::Expel(from));
        if self.is_deserted() {
            self.advance(now);
        }
    }

    /// True if the side to move has left.
    fn is_deserted(&self) -> bool {
        match &self.stage {
            Stage::Playing(game) => self.occupants[game.side_to_move()] == Occupant::Gone,
            Stage::Gathering | Stage::Over => false,
        }
    }

    fn send_error(&mut self, to: Vec<ClientId>, message: String, original: Option<WireMove>) {
        let error = ServerData::Error { message, original };
        self.send(to, self.in_room(error));
    }
}
