//! Commands to rooms, and the queues that carry them.

use tokio::sync::{mpsc, oneshot};

use super::room_task::RoomTask;
use crate::room::Effect;

/// A command to a room: it acts on the room's task and returns the effects.
type Command = Box<dyn FnOnce(&mut RoomTask) -> Vec<Effect> + Send>;

/// Sends commands to a room.
#[derive(Clone, Debug)]
pub(super) struct Mailbox(mpsc::Sender<Letter>);

/// A command in a mailbox.
pub(super) struct Letter {
    pub(super) command: Command,
    /// Dropped unused if the room closes first.
    pub(super) obeyed: Option<oneshot::Sender<()>>,
}

/// The room has closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoomClosed;

/// Most commands that may be queued for a room. Further senders have to wait.
const MAILBOX_CAPACITY: usize = 64;

impl Mailbox {
    /// A mailbox and its receiving end.
    pub(super) fn new() -> (Mailbox, mpsc::Receiver<Letter>) {
        let (sender, letters) = mpsc::channel(MAILBOX_CAPACITY);
        (Mailbox(sender), letters)
    }

    /// Queues a command.
    pub(super) async fn post(
        &self,
        command: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), RoomClosed> {
        self.send(Box::new(command), None).await
    }

    /// Queues a command and waits until it has been carried out.
    pub(super) async fn post_and_wait(
        &self,
        command: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), RoomClosed> {
        let (obeyed, done) = oneshot::channel();
        self.send(Box::new(command), Some(obeyed)).await?;
        done.await.map_err(|_| RoomClosed)
    }

    async fn send(
        &self,
        command: Command,
        obeyed: Option<oneshot::Sender<()>>,
    ) -> Result<(), RoomClosed> {
        let letter = Letter { command, obeyed };
        self.0.send(letter).await.map_err(|_| RoomClosed)
    }

    /// True if the room has closed.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
