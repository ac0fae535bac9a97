//! A referee in this process.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use wabe_contest::protocol::{ReservationCode, RoomId, Slot};
use wabe_contest::server::{Config, GameReport};

use super::peer::Peer;

/// A running referee; it stops when this is dropped.
pub struct Referee {
    pub address: SocketAddr,
    pub reports: UnboundedReceiver<GameReport>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A room as an administrator has prepared it.
pub struct Prepared {
    pub room: RoomId,
    pub codes: Vec<ReservationCode>,
}

impl Referee {
    /// A referee whose players may think as long as they like, unless `change` says otherwise.
    pub fn start(change: impl FnOnce(&mut Config)) -> Referee {
        let (sender, reports) = unbounded_channel();
        let mut config = Config {
            reports: Some(sender),
            ..Config::default()
        };
        change(&mut config);
        let (tell_address, address) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell_address.send(listener.local_addr().unwrap()).unwrap();
                let stopped = async {
                    let _ = stopped.await;
                };
                wabe_contest::server::run(listener, config, stopped)
                    .await
                    .unwrap();
            });
        });
        Referee {
            address: address.recv().unwrap(),
            reports,
            stop: Some(stop),
            thread: Some(thread),
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

    /// Both players of a game without reservations, up to red's first request.
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

    /// An administrator that observes a prepared room, and both players up to red's first request.
    pub fn prepared_players(&self) -> [Peer; 3] {
        let mut admin = self.administrator();
        let prepared = admin.prepare(&[slot("Rot"), slot("Blau")]);
        admin.observe(&prepared.room);
        admin.skip_to("observed");
        let [mut red, mut blue] = [self.connect(), self.connect()];
        red.join_prepared(&prepared.codes[0]);
        blue.join_prepared(&prepared.codes[1]);
        red.skip_to("request");
        blue.skip_to("state 0");
        admin.skip_to("state 0");
        [admin, red, blue]
    }

    /// The next game that ends.
    pub fn report(&mut self) -> GameReport {
        self.reports.blocking_recv().expect("the referee is gone")
    }
}

impl Drop for Referee {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap();
            }
        }
    }
}

/// A slot whose player can time out.
pub fn slot(name: &str) -> Slot {
    Slot {
        display_name: name.to_owned(),
        can_timeout: true,
        should_be_paused: false,
    }
}
