//! The server's end of a connection, as rooms and the lobby see it: something to send to that never makes them wait.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::ResourceLimits;
use super::room::ClientId;
use crate::protocol::ServerMessage;

/// How the server ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// With nothing but the end of the document.
    Silent,
    /// With the message that the contest's server sends where a client did something wrong.
    CloseConnection,
}

/// When a message had been handed to the operating system.
pub(super) type SentAt = Arc<OnceLock<Instant>>;

/// What the writing task is given.
#[derive(Debug)]
pub(super) enum Outgoing {
    Text(Arc<str>),
    /// A text whose departure somebody wants to know.
    Stamped(Arc<str>, SentAt),
    /// The end of the stream.
    End,
}

/// What waits for all connections of a server together.
#[derive(Debug)]
pub(super) struct Queues {
    /// Most bytes that wait for one connection.
    max_of_one: usize,
    /// Bytes that wait for all of them; beyond, every connection is held to [`FAIR_SHARE`].
    max_of_all: usize,
    queued_bytes: AtomicUsize,
}

/// Bytes that may wait for a connection however much waits for others.
const FAIR_SHARE: usize = 64 << 10;

impl Queues {
    pub(super) fn new(limits: &ResourceLimits) -> Queues {
        Queues {
            max_of_one: limits.queue_bytes,
            max_of_all: limits.total_queue_bytes,
            queued_bytes: AtomicUsize::new(0),
        }
    }

    /// Adds to what waits; whether it may, for a connection for which `of_one` bytes wait then.
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
    /// A client and what its connection has to write.
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
        self.send_text(message.to_xml().into());
    }

    /// Queues a message that is written out already.
    pub(super) fn send_text(&self, text: Arc<str>) {
        self.queue(text.len(), Outgoing::Text(text));
    }

    /// Queues a message; `sent_at` will tell when it went out.
    pub(super) fn send_stamped(&self, text: Arc<str>, sent_at: SentAt) {
        self.queue(text.len(), Outgoing::Stamped(text, sent_at));
    }

    fn queue(&self, bytes: usize, outgoing: Outgoing) {
        if !self.has_ended.load(Ordering::Acquire) {
            self.queue_always(bytes, outgoing);
        }
    }

    fn queue_always(&self, bytes: usize, outgoing: Outgoing) {
        let queued = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.queues.add(bytes, queued) {
            // The receiver is gone only when the connection is.
            let _ = self.outbox.send(outgoing);
        } else {
            log::info!("{}: lost: it does not read what it is sent", self.id);
            self.lose();
        }
    }

    /// To be called for what has been written.
    pub(super) fn written(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.queues.remove(bytes);
    }

    /// Ends the connection after what is queued. Only the first call counts.
    pub(super) fn end(&self, farewell: Farewell) {
        if self.has_ended.swap(true, Ordering::AcqRel) {
            return;
        }
        if farewell == Farewell::CloseConnection {
            let text: Arc<str> = ServerMessage::CloseConnection.to_xml().into();
            self.queue_always(text.len(), Outgoing::Text(text));
        }
        let _ = self.outbox.send(Outgoing::End);
        self.ending.cancel();
    }

    /// Ends the connection at once, whatever is queued.
    pub(super) fn lose(&self) {
        self.has_ended.store(true, Ordering::Release);
        self.ending.cancel();
        self.lost.cancel();
    }

    /// Cancelled when nothing that the client sends counts any more.
    pub(super) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Cancelled when nothing can be sent to the client any more.
    pub(super) fn lost(&self) -> &CancellationToken {
        &self.lost
    }

    pub(super) fn is_administrator(&self) -> bool {
        self.is_administrator.load(Ordering::Relaxed)
    }

    pub(super) fn make_administrator(&self) {
        self.is_administrator.store(true, Ordering::Relaxed);
    }

    /// How many seats the client holds.
    pub(super) fn seats(&self) -> usize {
        self.seats.load(Ordering::Relaxed)
    }

    pub(super) fn take_seat(&self) {
        self.seats.fetch_add(1, Ordering::Relaxed);
    }

    /// The client has lost a seat. Players without a seat have no business here.
    pub(super) fn release_seat(&self) {
        let held = self.seats.fetch_sub(1, Ordering::Relaxed);
        if held <= 1 && !self.is_administrator() {
            self.end(Farewell::Silent);
        }
    }
}

impl Drop for Client {
    /// What has not been written never will be.
    fn drop(&mut self) {
        self.queues.remove(*self.queued_bytes.get_mut());
    }
}
