//! Runs a referee in this process.

use std::net::SocketAddr;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::peer::Peer;
use crate::background::Background;
use wabe_contest::protocol::{ReservationCode, RoomId, Slot};
use wabe_contest::room::Start;
use wabe_contest::server::{Config, GameReport, StartSource};
use wabe_hive::contest::Deal;
use wabe_hive::hex::BoardSet;

/// A running referee. Dropping it stops the server.
pub struct Referee {
    /// Dropped first, because it sends to `reports`.
    _server: Background,
    pub address: SocketAddr,
    reports: UnboundedReceiver<GameReport>,
}

/// A prepared room with its reservation codes.
pub struct Prepared {
    pub room: RoomId,
    pub codes: Vec<ReservationCode>,
}

/// The first state of games with these brambles.
pub fn start_with(brambles: BoardSet) -> StartSource {
    StartSource::Loaded(Box::new(Start {
        position: Deal::default().start(brambles),
        last_move: None,
    }))
}

impl Referee {
    /// Starts a referee without time limits, unless `change` sets some.
    pub fn start(change: impl FnOnce(&mut Config)) -> Referee {
        let (sender, reports) = unbounded_channel();
        let mut config = Config {
            reports: Some(sender),
            ..Config::default()
        };
        change(&mut config);
        let server = Background::start("127.0.0.1:0", move |listener, stopped| async move {
            let stopped = async {
                let _ = stopped.await;
            };
            let served = wabe_contest::server::run(listener, config, stopped);
            served.await.unwrap();
        });
        Referee {
            address: server.address,
            _server: server,
            reports,
        }
    }

    pub fn connect(&self) -> Peer {
        Peer::connect(self.address)
    }

    pub fn administrator(&self) -> Peer {
        let mut admin = self.connect();
        admin.authenticate("examplepassword");
        admin
    }

    /// Connects both players without reservations, and receives up to red's first request.
    pub fn joined_players(&self) -> [Peer; 2] {
        let mut red = self.connect();
        red.join();
        red.skip_to("joined");
        let mut blue = self.connect();
        blue.join();
        red.skip_to("request");
        blue.skip_to("state 0");
        [red, blue]
    }

    /// Waits for the next finished game.
    pub fn report(&mut self) -> GameReport {
        self.reports
            .blocking_recv()
            .expect("the referee has stopped")
    }
}

/// A slot for a player who can time out.
pub fn slot(name: &str) -> Slot {
    Slot {
        display_name: name.to_owned(),
        can_timeout: true,
        should_be_paused: false,
    }
}
