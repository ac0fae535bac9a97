//! Handles to connected clients, for rooms and requests. Sending never blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::open_room::OpenRoom;
use crate::protocol::ServerMessage;
use crate::room::ClientId;

/// How the server ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// Sends only the end of the document.
    Silent,
    /// Sends the contest server's message for clients that violate the protocol.
    CloseConnection,
}

/// An item in the queue of the writing task.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// An encoded message. A move request has its room, which is notified once the request has been
    /// written.
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
    /// Maximum number of queued bytes.
    max_queued: usize,
    /// Seats held by the client.
    seats: AtomicUsize,
    is_administrator: AtomicBool,
    /// Cancelled when the client's messages are no longer read.
    pub(super) ending: CancellationToken,
    /// Cancelled when the connection is dropped.
    pub(super) lost: CancellationToken,
}

impl Client {
    /// Creates a client and the queue for its writing task.
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

    /// Queues an encoded message. For a move request, `request_of` is its room.
    pub(super) fn send_text(&self, text: Arc<str>, request_of: Option<Arc<OpenRoom>>) {
        if self.ending.is_cancelled() {
            return;
        }
        let bytes = text.len();
        if self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > self.max_queued {
            log::info!("{}: dropped: too much queued output", self.id);
            self.lose();
        }
        // Fails only when the connection has ended.
        let _ = self.outbox.send(Outgoing::Text(text, request_of));
    }

    /// Subtracts written bytes from the size of the queue.
    pub(super) fn bytes_written(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Ends the connection once the queue has been written. Only the first call has an effect.
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

    /// Drops the connection with its queue.
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

    /// Number of seats that the client holds.
    pub(super) fn seats(&self) -> usize {
        self.seats.load(Ordering::Relaxed)
    }

    /// Releases one of the client's seats. A player's connection ends with its last seat.
    pub(super) fn release_seat(&self) {
        let previous = self.seats.fetch_sub(1, Ordering::Relaxed);
        if previous <= 1 && !self.is_administrator() {
            self.end(CloseReason::Silent);
        }
    }
}
