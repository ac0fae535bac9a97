//! Tests of rooms with a manual clock.

mod control;
mod faults;
mod seats;
mod time;

use std::time::{Duration, Instant};

use super::*;
use crate::protocol::{Cause, GameResult, RoomId, WireMove};
use wabe_hive::contest::{Deal, Move, Setup};
use wabe_hive::hex::CellSet;

const RED: ClientId = ClientId(1);
const BLUE: ClientId = ClientId(2);
const ADMIN: ClientId = ClientId(3);

/// A room, its clock, and its effects so far.
struct Table {
    room: Room,
    now: Instant,
    effects: Vec<Effect>,
}

impl Table {
    fn new(change: impl FnOnce(&mut RoomSetup)) -> Table {
        let seat = |name: &str| SeatSetup {
            name: name.to_owned(),
            can_timeout: true,
        };
        let mut setup = RoomSetup {
            id: RoomId("room".to_owned()),
            seats: ByColor {
                red: seat("R"),
                blue: seat("B"),
            },
            origin: Origin::Prepared,
            paused: false,
            start: Start {
                position: Deal::Contest.start(CellSet::EMPTY),
                last_move: None,
            },
            time_limits: ByColor::from_fn(|_| Some(TimeLimits::default())),
        };
        change(&mut setup);
        Table {
            room: Room::new(setup),
            now: Instant::now(),
            effects: Vec::new(),
        }
    }

    /// Starts a game with an observer and runs it up to the first request.
    fn start_game(change: impl FnOnce(&mut RoomSetup)) -> Table {
        let mut table = Table::new(change);
        table.act(|room, _| room.observe(ADMIN));
        table.join(RED, Color::Red);
        table.join(BLUE, Color::Blue);
        table.effects.clear();
        table
    }

    fn act(&mut self, action: impl FnOnce(&mut Room, Instant) -> Vec<Effect>) {
        let effects = action(&mut self.room, self.now);
        self.effects.extend(effects);
    }

    fn join(&mut self, client: ClientId, color: Color) {
        self.act(|room, now| room.join(client, color, now));
    }

    fn advance_clock(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    fn play(&mut self, from: ClientId, color: Color, text: &str) {
        let mv = WireMove::new(text.parse::<Move>().unwrap(), color, None);
        self.act(|room, now| room.play(from, mv, now, now));
    }

    /// Messages to a client among the recorded effects, abbreviated.
    fn received(&self, client: ClientId) -> Vec<String> {
        self.effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Send { to, message } if to.contains(&client) => Some(abbreviate(message)),
                Effect::Request { to, .. } if *to == client => Some("request".to_owned()),
                Effect::Expel(id) if *id == client => Some("expelled".to_owned()),
                Effect::Release(id) if *id == client => Some("released".to_owned()),
                _ => None,
            })
            .collect()
    }

    /// Messages among the recorded effects to any number of clients, abbreviated.
    fn sent(&self) -> Vec<String> {
        let sent = self.effects.iter().filter_map(|effect| match effect {
            Effect::Send { message, .. } => Some(abbreviate(message)),
            _ => None,
        });
        sent.collect()
    }

    fn result(&self) -> Option<&GameResult> {
        self.effects.iter().find_map(|effect| match effect {
            Effect::GameOver(game) => Some(&game.result),
            _ => None,
        })
    }

    fn reason(&self, color: Color) -> Option<&str> {
        self.result()?.scores[color].reason.as_deref()
    }

    fn causes(&self) -> Option<[Cause; 2]> {
        let scores = &self.result()?.scores;
        Some([scores.red.cause, scores.blue.cause])
    }

    fn match_points(&self) -> Option<[i64; 2]> {
        let scores = &self.result()?.scores;
        Some([scores.red.match_points, scores.blue.match_points])
    }

    /// The current wake-up time, if any.
    fn alarm(&self) -> Option<Instant> {
        let last = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::WakeAt(at) => Some(Some(*at)),
            Effect::Sleep => Some(None),
            _ => None,
        });
        last.flatten()
    }
}

fn abbreviate(message: &ServerMessage) -> String {
    match message {
        ServerMessage::Joined(_) => "joined".to_owned(),
        ServerMessage::Left(_) => "left".to_owned(),
        ServerMessage::Observed(_) => "observed".to_owned(),
        ServerMessage::Room { data, .. } => match data {
            ServerData::Welcome(color) => format!("welcome {color}"),
            ServerData::State(state) => format!("state {}", state.setup.turn),
            ServerData::Error { message, .. } => format!("error {message}"),
            ServerData::Result(_) => "result".to_owned(),
            other => format!("{other:?}"),
        },
        other => format!("{other:?}"),
    }
}
