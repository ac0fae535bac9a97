//! Tests requests and answers without sockets.

mod exports;
mod games;
mod positions;
mod problems;
mod searches;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use wabe_arena::{Format, GameSettings, Games, Openings, RunSettings, Shard, Standings, Tally};
use wabe_hive::standard::{GameType, Standard};

use crate::protocol::{ReplyMessage, RequestMessage};
use crate::{Budget, PageSession};

/// Generous time limit for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The standings of a run of standard Hive before its first game.
pub(crate) fn standings(engines: [&str; 2]) -> Standings {
    let engines = engines.map(|text| text.parse().unwrap());
    let games = Games::<Standard> {
        variant: GameType::default(),
        openings: Openings::Listed(Vec::new()),
        max_plies: None,
    };
    let settings = GameSettings::default();
    let format = Format::default();
    let settings = RunSettings::new(&engines, format, &settings, &games, Shard::WHOLE);
    let game = games.variant.to_string();
    Standings::new(game, &settings, &Tally::default(), None, Some(2))
}

struct Page {
    session: PageSession,
    replies: Receiver<ReplyMessage>,
}

impl Page {
    fn open() -> Page {
        let (sender, replies) = channel();
        let sink = move |reply| drop(sender.send(reply));
        let budget = Budget::new(2, 64);
        Page {
            session: PageSession::new(budget, Arc::default(), Arc::new(sink)),
            replies,
        }
    }

    fn send(&mut self, request: Value) {
        let message = RequestMessage::from_json(&request.to_string()).unwrap();
        self.session.take(message);
    }

    fn next(&self) -> Value {
        let reply = self.replies.recv_timeout(TIMEOUT).unwrap();
        serde_json::to_value(reply).unwrap()
    }

    fn ask(&mut self, request: Value) -> Value {
        self.send(request);
        self.next()
    }

    fn next_of_kind(&self, kind: &str) -> Value {
        loop {
            let reply = self.next();
            if reply["is"] == kind {
                return reply;
            }
        }
    }
}

fn line(game: &str, moves: &[&str]) -> Value {
    json!({ "game": game, "moves": moves })
}
