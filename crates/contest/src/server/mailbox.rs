//! Commands to rooms, and the queues that carry them.

use tokio::sync::{mpsc, oneshot};

use super::room_task::RoomTask;
use crate::room::Effect;

/// Acts on a room's task and returns the effects.
type Action = Box<dyn FnOnce(&mut RoomTask) -> Vec<Effect> + Send>;

/// Sends commands to a room.
#[derive(Clone, Debug)]
pub(super) struct Mailbox(mpsc::Sender<Command>);

/// A command in a mailbox.
pub(super) struct Command {
    pub(super) action: Action,
    /// Dropped unused if the room closes first.
    pub(super) ack: Option<oneshot::Sender<()>>,
}

/// The room has closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoomClosed;

/// Maximum number of commands queued for a room. Further senders wait.
const MAILBOX_CAPACITY: usize = 64;

impl Mailbox {
    /// A mailbox and its receiving end.
    pub(super) fn new() -> (Mailbox, mpsc::Receiver<Command>) {
        let (sender, commands) = mpsc::channel(MAILBOX_CAPACITY);
        (Mailbox(sender), commands)
    }

    /// Queues a command.
    pub(super) async fn post(
        &self,
        action: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), RoomClosed> {
        self.send(Box::new(action), None).await
    }

    /// Queues a command and waits until it has been carried out.
    pub(super) async fn post_and_wait(
        &self,
        action: impl FnOnce(&mut RoomTask) -> Vec<Effect> + Send + 'static,
    ) -> Result<(), RoomClosed> {
        let (ack, done) = oneshot::channel();
        self.send(Box::new(action), Some(ack)).await?;
        done.await.map_err(|_| RoomClosed)
    }

    async fn send(
        &self,
        action: Action,
        ack: Option<oneshot::Sender<()>>,
    ) -> Result<(), RoomClosed> {
        self.0
            .send(Command { action, ack })
            .await
            .map_err(|_| RoomClosed)
    }

    /// True if the room has closed.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}
