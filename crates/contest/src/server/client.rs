//! Handles to connected clients, used by rooms and requests. Sending never blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::open_room::OpenRoom;
use crate::protocol::ServerMessage;
use crate::room::ClientId;

/// How the server closes a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// Sends only the end of the document.
    Silent,
    /// First sends the contest server's message for clients that violate the protocol.
    CloseConnection,
}

/// An item in the queue of the writing task.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// An encoded message. For a move request, also its room, which is notified once the request
    /// has been written.
    Text(Arc<str>, Option<Arc<OpenRoom>>),
    /// The end of the stream.
    End,
}

/// A connected client.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) id: ClientId,
    outbox: mpsc::UnboundedSender<Outgoing>,
    queued_bytes: AtomicUsize,
    /// Maximum size of the queue, in bytes.
    max_queued: usize,
    /// Number of seats that the client holds.
    seats: AtomicUsize,
    is_administrator: AtomicBool,
    /// Cancelled when no more messages of the client are read.
    pub(super) ending: CancellationToken,
    /// Cancelled when the connection is dropped.
    pub(super) lost: CancellationToken,
}

impl Client {
    /// Creates a client, and the queue for its writing task.
    pub(super) fn new(
        id: ClientId,
        max_queued: usize,
    ) -> (Arc<Client>, mpsc::UnboundedReceiver<Outgoing>) {
        let (outbox, outgoing) = mpsc::unbounded_channel();
        let client = Client {
            id,
            outbox,
            queued_bytes: AtomicUsize::new(0),
            max_queued,
            seats: AtomicUsize::new(0),
            is_administrator: AtomicBool::new(false),
            ending: CancellationToken::new(),
            lost: CancellationToken::new(),
        };
        (Arc::new(client), outgoing)
    }

    /// Queues a message.
    pub(super) fn send(&self, message: &ServerMessage) {
        self.send_text(message.to_xml().into(), None);
    }

    /// Queues an encoded message. `request_of` is the room of a move request.
    pub(super) fn send_text(&self, text: Arc<str>, request_of: Option<Arc<OpenRoom>>) {
        if self.ending.is_cancelled() {
            return;
        }
        let bytes = text.len();
        if self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > self.max_queued {
            log::info!("{}: dropped: too much queued output", self.id);
            self.lose();
        }
        // Fails only after the connection has closed.
        let _ = self.outbox.send(Outgoing::Text(text, request_of));
    }

    /// Subtracts written bytes from the queue's size.
    pub(super) fn bytes_written(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Closes the connection after the queue has been written. Later calls have no effect.
    pub(super) fn end(&self, reason: CloseReason) {
        if self.ending.is_cancelled() {
            return;
        }
        if reason == CloseReason::CloseConnection {
            self.send(&ServerMessage::CloseConnection);
        }
        self.ending.cancel();
        let _ = self.outbox.send(Outgoing::End);
    }

    /// Drops the connection and its queue.
    pub(super) fn lose(&self) {
        self.ending.cancel();
        self.lost.cancel();
    }

    pub(super) fn is_administrator(&self) -> bool {
        self.is_administrator.load(Ordering::Relaxed)
    }

    pub(super) fn make_administrator(&self) {
        self.is_administrator.store(true, Ordering::Relaxed);
    }

    pub(super) fn take_seat(&self) {
        self.seats.fetch_add(1, Ordering::Relaxed);
    }

    /// Releases one of the client's seats. A player is disconnected when it releases its last seat.
    pub(super) fn release_seat(&self) {
        let previous = self.seats.fetch_sub(1, Ordering::Relaxed);
        if previous <= 1 && !self.is_administrator() {
            self.end(CloseReason::Silent);
        }
    }
}
