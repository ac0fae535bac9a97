//! Runs one room: takes what it is told, keeps its time, and does what it wants done.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Sleep;

use super::GameReport;
use super::client::{Client, Farewell, SentAt};
use super::hub::Hub;
use super::lobby::Seat;
use super::replay::write_replay;
use super::room::{ClientId, Effect, FinishedGame, Room, RoomSetup};
use crate::hive::Color;
use crate::protocol::{ClientData, RoomId};

/// What a room is told.
#[derive(Debug)]
pub(super) enum Command {
    Join {
        client: Arc<Client>,
        color: Color,
    },
    Observe(Arc<Client>),
    Message {
        from: ClientId,
        data: ClientData,
        /// When its last byte arrived.
        arrived: Instant,
    },
    Leave(ClientId),
    Pause(bool),
    Step {
        forced: bool,
    },
    SetTimeout {
        color: Color,
        activate: bool,
    },
    Cancel,
}

/// A way to tell a room something.
#[derive(Clone, Debug)]
pub(super) struct Mailbox(mpsc::Sender<Letter>);

/// What arrives through a mailbox.
#[derive(Debug)]
pub(super) struct Letter {
    command: Command,
    /// Dropped unused if the room does not live to obey.
    obeyed: Option<oneshot::Sender<()>>,
}

/// The room is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoomClosed;

/// How many commands may wait for a room; who has more to say to it waits too.
const MAILBOX_CAPACITY: usize = 64;

impl Mailbox {
    /// A mailbox and the room's side of it.
    pub(super) fn new() -> (Mailbox, mpsc::Receiver<Letter>) {
        let (sender, letters) = mpsc::channel(MAILBOX_CAPACITY);
        (Mailbox(sender), letters)
    }

    /// Tells the room something.
    pub(super) async fn post(&self, command: Command) -> Result<(), RoomClosed> {
        let letter = Letter {
            command,
            obeyed: None,
        };
        self.0.send(letter).await.map_err(|_| RoomClosed)
    }

    /// Tells the room something and waits until it has done what follows.
    pub(super) async fn post_and_wait(&self, command: Command) -> Result<(), RoomClosed> {
        let (obeyed, done) = oneshot::channel();
        let letter = Letter {
            command,
            obeyed: Some(obeyed),
        };
        self.0.send(letter).await.map_err(|_| RoomClosed)?;
        done.await.map_err(|_| RoomClosed)
    }

    /// Whether the room is no more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// Runs a room until nothing will come from it any more.
pub(super) async fn run(hub: Arc<Hub>, setup: RoomSetup, mut letters: mpsc::Receiver<Letter>) {
    let mut task = RoomTask {
        hub: Arc::clone(&hub),
        id: setup.id.clone(),
        room: Room::new(setup),
        clients: HashMap::new(),
        request_sent_at: None,
        is_done: false,
    };
    let mut alarm = Alarm::new();
    let mut patience = pin!(tokio::time::sleep(hub.config.limits.reservation_timeout));
    while !task.is_done {
        let mut obeyed = None;
        let effects = tokio::select! {
            biased;
            letter = letters.recv() => match letter {
                Some(letter) => {
                    obeyed = letter.obeyed;
                    task.obey(letter.command)
                }
                // The hub has forgotten the room.
                None => task.room.cancel(),
            },
            () = alarm.ring() => task.wake(),
            () = &mut patience, if task.room.is_forlorn() => {
                log::info!("room {}: nobody came", task.id);
                task.room.cancel()
            }
            () = hub.closing_rooms.cancelled() => task.room.cancel(),
        };
        task.perform(effects, &mut alarm);
        if task.is_done {
            hub.remove_room(&task.id);
        }
        if let Some(obeyed) = obeyed {
            // Who asked may be gone.
            let _ = obeyed.send(());
        }
    }
}

struct RoomTask {
    hub: Arc<Hub>,
    id: RoomId,
    room: Room,
    /// Players and observers.
    clients: HashMap<ClientId, Arc<Client>>,
    /// When the latest move request went out.
    request_sent_at: Option<SentAt>,
    is_done: bool,
}

/// An alarm clock.
struct Alarm {
    sleep: Pin<Box<Sleep>>,
    is_set: bool,
}

impl Alarm {
    fn new() -> Alarm {
        Alarm {
            sleep: Box::pin(tokio::time::sleep_until(tokio::time::Instant::now())),
            is_set: false,
        }
    }

    fn set(&mut self, at: Instant) {
        self.sleep.as_mut().reset(at.into());
        self.is_set = true;
    }

    fn stop(&mut self) {
        self.is_set = false;
    }

    /// Waits for the time that the alarm is set to, for ever if it is set to none.
    async fn ring(&mut self) {
        if self.is_set {
            self.sleep.as_mut().await;
            self.is_set = false;
        } else {
            std::future::pending().await
        }
    }
}

impl RoomTask {
    fn obey(&mut self, command: Command) -> Vec<Effect> {
        self.pass_on_departure();
        match command {
            Command::Join { client, color } => {
                let id = client.id();
                self.clients.insert(id, client);
                self.room.join(id, color, Instant::now())
            }
            Command::Observe(client) => {
                let id = client.id();
                self.clients.insert(id, client);
                self.room.observe(id)
            }
            Command::Message {
                from,
                data,
                arrived,
            } => self.room.message(from, data, arrived, Instant::now()),
            Command::Leave(client) => {
                let effects = self.room.leave(client, Instant::now());
                self.clients.remove(&client);
                effects
            }
            Command::Pause(pause) => self.room.pause(pause, Instant::now()),
            Command::Step { forced } => self.room.step(forced, Instant::now()),
            Command::SetTimeout { color, activate } => {
                self.room.set_timeout(color, activate);
                Vec::new()
            }
            Command::Cancel => self.room.cancel(),
        }
    }

    fn wake(&mut self) -> Vec<Effect> {
        self.pass_on_departure();
        self.room.wake(Instant::now())
    }

    /// Tells the room when its request went out, if it has.
    fn pass_on_departure(&mut self) {
        let sent_at = self.request_sent_at.as_ref().and_then(|at| at.get());
        if let Some(&sent_at) = sent_at {
            self.room.request_sent(sent_at);
            self.request_sent_at = None;
        }
    }

    fn perform(&mut self, effects: Vec<Effect>, alarm: &mut Alarm) {
        for effect in effects {
            match effect {
                Effect::Send { to, message } => {
                    let text: Arc<str> = message.to_xml().into();
                    for client in to.iter().filter_map(|id| self.clients.get(id)) {
                        client.send_text(Arc::clone(&text));
                    }
                }
                Effect::Request { to, message } => {
                    let sent_at = Arc::new(OnceLock::new());
                    self.request_sent_at = Some(Arc::clone(&sent_at));
                    if let Some(client) = self.clients.get(&to) {
                        client.send_stamped(message.to_xml().into(), sent_at);
                    }
                }
                Effect::WakeAt(at) => alarm.set(at),
                Effect::Sleep => alarm.stop(),
                Effect::SeatOpened(color) => {
                    let room = self.id.clone();
                    self.hub
                        .with_lobby(|lobby| lobby.reopen(Seat { room, color }));
                }
                Effect::Unused => self.is_done = self.hub.remove_unused_room(&self.id),
                Effect::Release(client) => {
                    if let Some(client) = self.clients.get(&client) {
                        client.release_seat();
                    }
                }
                Effect::Expel(client) => {
                    if let Some(client) = self.clients.get(&client) {
                        client.end(Farewell::CloseConnection);
                    }
                }
                Effect::GameOver(game) => self.keep(*game),
                Effect::Closed => self.is_done = true,
            }
        }
    }

    /// Counts a game at once; writes its replay and reports it in a while.
    fn keep(&self, game: FinishedGame) {
        self.hub.with_lobby(|lobby| lobby.count(&game));
        let directory = self.hub.config.replays.clone();
        let reports = self.hub.config.reports.clone();
        if directory.is_none() && reports.is_none() {
            return;
        }
        self.hub.room_tasks.spawn_blocking(move || {
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
                // Nobody has to listen.
                let _ = reports.send(GameReport { game, replay });
            }
        });
    }
}

impl Drop for RoomTask {
    /// Also runs when a fault in the room's own code ends the task: its players must not wait for ever.
    fn drop(&mut self) {
        if !self.is_done {
            log::error!("room {}: ended by a fault of the server", self.id);
            self.hub.remove_room(&self.id);
            for client in self.clients.values().filter(|c| !c.is_administrator()) {
                client.end(Farewell::CloseConnection);
            }
        }
    }
}
