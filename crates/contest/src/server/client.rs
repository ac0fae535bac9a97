//! A connected client as rooms and the lobby see it. Sending to it never blocks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::protocol::ServerMessage;
use crate::room::ClientId;

/// The way in which the server ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CloseReason {
    /// With the end of the document only.
    Silent,
    /// With the contest server's message for clients that break the protocol.
    CloseConnection,
}

/// The time at which a message was handed to the operating system; unset before that.
pub(super) type SentAt = Arc<OnceLock<Instant>>;

/// Work for the writing task.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// A text, and where to stamp its departure.
    Text(Arc<str>, Option<SentAt>),
    /// The end of the stream.
    End,
}

/// Counts the bytes that all connections of a server hold in one direction: queued output, or the
/// beginnings of messages.
#[derive(Debug)]
pub(super) struct Queues {
    /// Limit for each connection.
    max_of_one: usize,
    /// Limit for all connections together. Beyond it, each is limited to [`FAIR_SHARE`].
    max_of_all: usize,
    queued_bytes: AtomicUsize,
}

/// Bytes that may always be queued for a connection, however many are queued for others.
const FAIR_SHARE: usize = 64 << 10;

/// The part of a connection in the bytes of a direction.
#[derive(Debug)]
pub(super) struct Share<'q> {
    queues: &'q Queues,
    bytes: usize,
}

impl Share<'_> {
    pub(super) fn new(queues: &Queues) -> Share<'_> {
        Share { queues, bytes: 0 }
    }

    /// Changes the number of bytes. Returns whether that is within the limits.
    pub(super) fn set(&mut self, bytes: usize) -> bool {
        self.queues.remove(self.bytes);
        self.bytes = bytes;
        self.queues.add(bytes, bytes)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.queues.remove(self.bytes);
    }
}

impl Queues {
    pub(super) fn new(max_of_one: usize, max_of_all: usize) -> Queues {
        Queues {
            max_of_one,
            max_of_all,
            queued_bytes: AtomicUsize::new(0),
        }
    }

    /// Counts bytes queued for a connection that now has `of_one` bytes queued. Returns whether that is within the limits.
    fn add(&self, bytes: usize, of_one: usize) -> bool {
        let of_all = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        of_one <= self.max_of_one && (of_all <= self.max_of_all || of_one <= FAIR_SHARE)
    }

    fn remove(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A connected client.
#[derive(Debug)]
pub(super) struct Client {
    id: ClientId,
    outbox: mpsc::UnboundedSender<Outgoing>,
    queued_bytes: AtomicUsize,
    queues: Arc<Queues>,
    seats: AtomicUsize,
    is_administrator: AtomicBool,
    has_ended: AtomicBool,
    ending: CancellationToken,
    lost: CancellationToken,
}

impl Client {
    /// A client, and the queue that its writing task drains.
    pub(super) fn new(
        id: ClientId,
        queues: Arc<Queues>,
    ) -> (Arc<Client>, mpsc::UnboundedReceiver<Outgoing>) {
        let (outbox, outgoing) = mpsc::unbounded_channel();
        let client = Client {
            id,
            outbox,
            queued_bytes: AtomicUsize::new(0),
            queues,
            seats: AtomicUsize::new(0),
            is_administrator: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            ending: CancellationToken::new(),
            lost: CancellationToken::new(),
        };
        (Arc::new(client), outgoing)
    }

    pub(super) fn id(&self) -> ClientId {
        self.id
    }

    /// Queues a message.
    pub(super) fn send(&self, message: &ServerMessage) {
        self.send_text(message.to_xml().into(), None);
    }

    /// Queues a message in its written form. Its departure is stamped on `sent_at`.
    pub(super) fn send_text(&self, text: Arc<str>, sent_at: Option<SentAt>) {
        if !self.has_ended.load(Ordering::Acquire) {
            self.queue(text, sent_at);
        }
    }

    fn queue(&self, text: Arc<str>, sent_at: Option<SentAt>) {
        let bytes = text.len();
        let queued = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.queues.add(bytes, queued) {
            // Fails only when the connection has ended.
            let _ = self.outbox.send(Outgoing::Text(text, sent_at));
        } else {
            log::info!("{}: dropped: too much output is queued", self.id);
            self.lose();
        }
    }

    /// Notes that queued bytes have been written.
    pub(super) fn written(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.queues.remove(bytes);
    }

    /// Ends the connection once the queue is written. Only the first call counts.
    pub(super) fn end(&self, reason: CloseReason) {
        if self.has_ended.swap(true, Ordering::AcqRel) {
            return;
        }
        if reason == CloseReason::CloseConnection {
            self.queue(ServerMessage::CloseConnection.to_xml().into(), None);
        }
        let _ = self.outbox.send(Outgoing::End);
        self.ending.cancel();
    }

    /// Drops the connection with its queue.
    pub(super) fn lose(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.ending.cancel();
        self.lost.cancel();
    }

    /// Cancelled when the client's messages are no longer read.
    pub(super) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Cancelled when the connection is dropped.
    pub(super) fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    pub(super) fn is_administrator(&self) -> bool {
        self.is_administrator.load(Ordering::Relaxed)
    }

    pub(super) fn make_administrator(&self) {
        self.is_administrator.store(true, Ordering::Relaxed);
    }

    /// Seats held by the client.
    pub(super) fn seats(&self) -> usize {
        self.seats.load(Ordering::Relaxed)
    }

    pub(super) fn take_seat(&self) {
        self.seats.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a seat from the client. A player's connection ends with its last seat.
    pub(super) fn release_seat(&self) {
        let held = self.seats.fetch_sub(1, Ordering::Relaxed);
        if held <= 1 && !self.is_administrator() {
            self.end(CloseReason::Silent);
        }
    }
}

impl Drop for Client {
    /// Uncounts the bytes that will never be written.
    fn drop(&mut self) {
        self.queues.remove(*self.queued_bytes.get_mut());
    }
}
