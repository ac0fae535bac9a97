//! Commands to rooms, and the queues that carry them.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot};

use super::client::Client;
use crate::hive::Color;
use crate::protocol::ClientData;
use crate::room::ClientId;

/// A command to a room.
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
        /// The arrival of its last byte.
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

/// Sends commands to a room.
#[derive(Clone, Debug)]
pub(super) struct Mailbox(mpsc::Sender<Letter>);

/// A command in a mailbox.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) command: Command,
    /// Dropped unused if the room closes first.
    pub(super) obeyed: Option<oneshot::Sender<()>>,
}

/// The room has closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoomClosed;

/// Commands that may be queued for a room. Senders of more have to wait.
const MAILBOX_CAPACITY: usize = 64;

impl Mailbox {
    /// A mailbox and its receiving end.
    pub(super) fn new() -> (Mailbox, mpsc::Receiver<Letter>) {
        let (sender, letters) = mpsc::channel(MAILBOX_CAPACITY);
        (Mailbox(sender), letters)
    }

    /// Queues a command.
    pub(super) async fn post(&self, command: Command) -> Result<(), RoomClosed> {
        let letter = Letter {
            command,
            obeyed: None,
        };
        self.0.send(letter).await.map_err(|_| RoomClosed)
    }

    /// Queues a command and waits until it has been carried out.
    pub(super) async fn post_and_wait(&self, command: Command) -> Result<(), RoomClosed> {
        let (obeyed, done) = oneshot::channel();
        let letter = Letter {
            command,
            obeyed: Some(obeyed),
        };
        self.0.send(letter).await.map_err(|_| RoomClosed)?;
        done.await.map_err(|_| RoomClosed)
    }

    /// True if the room has closed.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
