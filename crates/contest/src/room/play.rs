//! Plays a game: sends states and requests, and handles replies.

use std::time::{Duration, Instant};

use super::move_check::{MoveRejection, to_legal_move};
use super::setup::{ClientId, Effect, TimeLimits};
use super::termination::Termination;
use super::{Occupant, Room, Stage};
use crate::protocol::{Cause, MALFORMED, ServerData, WireAction, WireMove, WireState};
use wabe_hive::Color;

/// Time for a reply to travel from the connection to the room, if soft and hard limit are equal.
const PROCESSING_GRACE: Duration = Duration::from_millis(100);

/// A pending move request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) sent_at: Instant,
    limits: Option<TimeLimits>,
}

impl Request {
    fn wake_at(self) -> Option<Instant> {
        let limits = self.limits?;
        let wait = limits.hard.max(limits.soft + PROCESSING_GRACE);
        self.sent_at.checked_add(wait)
    }
}

impl Room {
    /// Continues after the start or a ply: sends the state, then a move request or the result.
    pub(super) fn advance(&mut self, now: Instant) {
        if let Some(outcome) = self.position.outcome() {
            self.send_state();
            self.finish(Termination::Regular(outcome));
        } else if self.has_mover_left() {
            self.send_state();
            self.finish(self.left_players());
        } else if !self.setup.paused {
            self.send_state();
            self.send_request(now);
        }
    }

    /// Resumes a game that is paused between two plies.
    pub(super) fn resume(&mut self, now: Instant) {
        if self.stage == Stage::Playing && self.request.is_none() {
            self.send_state();
            self.send_request(now);
        }
    }

    pub(super) fn send_state(&mut self) {
        let last_move = self.moves.last().or(self.setup.start.last_move.as_ref());
        let state = WireState::new(&self.position, self.names(), last_move.cloned());
        self.send(
            self.everyone(),
            self.in_room(ServerData::State(Box::new(state))),
        );
    }

    fn send_request(&mut self, now: Instant) {
        let message = self.in_room(ServerData::MoveRequest);
        let color = self.position.side_to_move();
        let limits = self.setup.time_limits[color];
        let request = Request {
            sent_at: now,
            limits: if self.setup.seats[color].can_timeout {
                limits
            } else {
                None
            },
        };
        self.request = Some(request);
        if let Some(to) = self.client(color) {
            self.effects.push(Effect::Request { to, message });
            let alarm = request.wake_at().map(Effect::WakeAt);
            self.effects.push(alarm.unwrap_or(Effect::Sleep));
        }
    }

    pub(super) fn check_hard_limit(&mut self, now: Instant) {
        let Some(request) = self.request else { return };
        let (Some(limits), Some(wake_at)) = (request.limits, request.wake_at()) else {
            return;
        };
        if now < wake_at {
            self.effects.push(Effect::WakeAt(wake_at));
        } else {
            let side = self.position.side_to_move();
            self.finish(Termination::too_late(side, Cause::HardTimeout, limits.hard));
        }
    }

    /// Handles a player's move.
    pub(super) fn reply(
        &mut self,
        from: ClientId,
        color: Color,
        wire: Option<WireMove>,
        arrived: Instant,
        now: Instant,
    ) {
        if color != self.position.side_to_move() {
            return self.reject_unrequested(from, color, "It's not your turn yet.", wire, now);
        }
        let Some(request) = self.request.take() else {
            let why = "We didn't request a data from you yet.";
            return self.reject_unrequested(from, color, why, wire, now);
        };
        self.effects.push(Effect::Sleep);
        let time = arrived.saturating_duration_since(request.sent_at);
        if let Some(limits) = request.limits
            && time > limits.soft
        {
            let late = Termination::too_late(color, Cause::SoftTimeout, limits.soft);
            return self.finish(late);
        }
        let Some(wire) = wire else {
            let name = &self.setup.seats[color].name;
            let reason = format!("{name} hat kein Zug-Objekt gesendet.");
            return self.reject_illegal(from, color, reason, None);
        };
        match to_legal_move(&self.position, &wire) {
            Ok(mv) => {
                self.position.play(mv);
                self.times.push(time);
                self.moves.push(wire);
                self.advance(now);
            }
            Err(MoveRejection::Violation(reason)) => {
                // As on the contest's server.
                let original = Some(wire).filter(|wire| wire.action != WireAction::Skip);
                self.reject_illegal(from, color, reason, original);
            }
            Err(MoveRejection::Unreadable(fault)) => self.drop_player(from, &fault, now),
        }
    }

    /// Disconnects a player whose move the contest's server cannot read. Counts as leaving the
    /// game.
    fn drop_player(&mut self, from: ClientId, fault: &str, now: Instant) {
        self.blame(from, &format!("{MALFORMED} ({fault})"));
        for color in Color::ALL {
            if self.client(color) == Some(from) {
                self.effects.push(Effect::Release(from));
            }
        }
        self.vacate(from, now);
    }

    /// Rejects an illegal move, and ends the game with a loss of its player.
    fn reject_illegal(
        &mut self,
        from: ClientId,
        color: Color,
        reason: String,
        original: Option<WireMove>,
    ) {
        let name = &self.setup.seats[color].name;
        let to_culprit = format!("Ungueltiger Zug von '{name}'.\n{reason}");
        self.send_error(vec![from], to_culprit, original.clone());
        let mut observers = self.observers.clone();
        observers.retain(|&observer| observer != from);
        self.send_error(observers, reason.clone(), original);
        self.finish(Termination::Fault(color, Cause::RuleViolation, reason));
    }

    /// Expels a player for a move that was not requested. The player loses once its turn comes.
    fn reject_unrequested(
        &mut self,
        from: ClientId,
        color: Color,
        why: &str,
        wire: Option<WireMove>,
        now: Instant,
    ) {
        self.send_error(vec![from], why.to_owned(), wire);
        self.blame(from, "sent a move without a request");
        self.occupants[color] = Occupant::Gone;
        self.effects.push(Effect::Expel(from));
        if self.has_mover_left() {
            self.advance(now);
        }
    }

    /// True if the side to move has left.
    fn has_mover_left(&self) -> bool {
        self.occupants[self.position.side_to_move()] == Occupant::Gone
    }

    fn send_error(&mut self, to: Vec<ClientId>, message: String, original: Option<WireMove>) {
        let error = ServerData::Error { message, original };
        self.send(to, self.in_room(error));
    }
}
