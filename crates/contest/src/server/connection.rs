//! One connection: a task that reads and one that writes.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::client::{Client, CloseReason, Outgoing, SentAt, Share};
use super::requests::RequestHandler;
use super::server_state::ServerState;
use crate::protocol::{
    ClientMessage, Frame, Framer, Limits, STREAM_CLOSE, STREAM_OPEN, malformed_message,
    malformed_stream,
};
use crate::room::ClientId;
use wabe_engine::clock;

/// Most bytes per read.
const READ_BYTES: usize = 16 << 10;

/// Bytes drained from a client after the server has ended the connection.
const LINGER_BYTES: usize = 128 << 10;

/// Bytes in a write from which on no message is added to it.
const WRITE_BYTES: usize = 64 << 10;

/// Serves a connection until it has ended.
pub(super) async fn serve(
    stream: TcpStream,
    (id, from): (ClientId, IpAddr),
    server: Arc<ServerState>,
) {
    let limits = server.config.limits;
    let (client, outgoing) = Client::new(id, Arc::clone(&server.queues));
    let (mut incoming, outgoing_half) = stream.into_split();
    let writer = Writer {
        client: Arc::clone(&client),
        stream: outgoing_half,
        write_timeout: limits.write_timeout,
    };
    let mut writing = tokio::spawn(writer.run(outgoing));
    let mut requests = RequestHandler::new(Arc::clone(&server), Arc::clone(&client), from);
    let reason = receive(&mut incoming, &client, &mut requests, &server).await;
    requests.leave().await;
    client.end(reason);
    // The queue is still written if the client reads it.
    if timeout(limits.write_timeout, &mut writing).await.is_err() {
        client.lose();
        writing.abort();
    } else if !client.lost().is_cancelled() {
        linger(&mut incoming, limits.linger).await;
    }
    log::debug!("{id}: closed");
}

/// Handles messages until either side ends the connection. Returns how to end it.
async fn receive(
    incoming: &mut OwnedReadHalf,
    client: &Client,
    requests: &mut RequestHandler,
    server: &ServerState,
) -> CloseReason {
    let id = client.id();
    let mut framer = Framer::for_client(Limits {
        message_bytes: server.config.limits.message_bytes,
        ..Limits::default()
    });
    let mut buffer = vec![0; READ_BYTES];
    let greeting = tokio::time::sleep(server.config.limits.greeting_timeout);
    tokio::pin!(greeting);
    let (mut before, mut number) = (0, 0);
    let mut unread = Share::new(&server.inputs);
    loop {
        let read = tokio::select! {
            biased;
            () = client.ending().cancelled() => return CloseReason::Silent,
            () = server.closing_connections.cancelled() => return CloseReason::CloseConnection,
            read = incoming.read(&mut buffer) => read,
            () = &mut greeting, if !requests.has_purpose() => {
                log::info!("{id}: neither joined nor authenticated in time");
                return CloseReason::CloseConnection;
            }
        };
        // The arrival of a message is that of its last byte.
        let arrived = clock::now();
        let bytes = match read {
            Ok(0) => return CloseReason::Silent,
            Ok(length) => buffer.get(..length).unwrap_or_default(),
            Err(error) => {
                log::info!("{id}: {error}");
                return CloseReason::Silent;
            }
        };
        framer.feed(bytes);
        loop {
            let from = framer.completed_bytes();
            number += 1;
            // Other clients' text may contain a password.
            let is_player = requests.has_purpose() && !client.is_administrator();
            let message = match framer.next_frame() {
                Ok(None) => break,
                Ok(Some(Frame::End)) => return CloseReason::Silent,
                Ok(Some(Frame::Message(text))) => ClientMessage::read(text).map_err(|error| {
                    malformed_message(number, from, &error, if is_player { text } else { "" })
                }),
                Err(error) => {
                    let quoted = if is_player { bytes } else { &[] };
                    let fault = malformed_stream(number, &error, before, quoted);
                    requests.blame(fault).await;
                    return CloseReason::Silent;
                }
            };
            let message = match message {
                Ok(message) => message,
                Err(fault) => {
                    requests.blame(fault).await;
                    return CloseReason::Silent;
                }
            };
            if client.ending().is_cancelled() {
                return CloseReason::Silent;
            }
            if let Err(reason) = requests.handle(message, arrived).await {
                return reason;
            }
        }
        number -= 1;
        before += bytes.len() as u64;
        let held = before.saturating_sub(framer.completed_bytes());
        if !unread.set(usize::try_from(held).unwrap_or(usize::MAX)) {
            log::info!("{id}: dropped: too many bytes of incomplete messages");
            return CloseReason::Silent;
        }
    }
}

/// Drains up to [`LINGER_BYTES`] until the client closes its side: closing with unread input sends RST, and the client would lose what it
/// has not read yet.
pub(super) async fn linger(incoming: &mut (impl AsyncRead + Unpin), limit: Duration) {
    let mut buffer = vec![0; READ_BYTES];
    let mut left = LINGER_BYTES;
    let drain = async {
        while let Ok(length @ 1..) = incoming.read(&mut buffer).await
            && length < left
        {
            left -= length;
        }
    };
    let _ = timeout(limit, drain).await;
}

struct Writer {
    client: Arc<Client>,
    stream: OwnedWriteHalf,
    write_timeout: Duration,
}

/// Messages written with one call.
#[derive(Default)]
struct Batch {
    text: String,
    queued_bytes: usize,
    stamps: Vec<SentAt>,
    is_last: bool,
}

impl Batch {
    fn add(&mut self, outgoing: Outgoing) {
        match outgoing {
            Outgoing::Text(text, stamp) => {
                self.stamps.extend(stamp);
                self.text.push_str(&text);
                self.queued_bytes += text.len();
            }
            Outgoing::End => {
                self.text.push_str(STREAM_CLOSE);
                self.is_last = true;
            }
        }
    }

    fn has_room(&self) -> bool {
        !self.is_last && self.text.len() < WRITE_BYTES
    }
}

impl Writer {
    /// Writes the queue until it ends or writing fails.
    async fn run(mut self, mut outgoing: UnboundedReceiver<Outgoing>) {
        let client = Arc::clone(&self.client);
        tokio::select! {
            biased;
            () = client.lost().cancelled() => {}
            written = self.write_all(&mut outgoing) => if let Err(error) = written {
                log::info!("{}: dropped: {error}", client.id());
                client.lose();
            }
        }
    }

    async fn write_all(&mut self, outgoing: &mut UnboundedReceiver<Outgoing>) -> io::Result<()> {
        let mut batch = Batch::default();
        batch.text.push_str(STREAM_OPEN);
        loop {
            while batch.has_room()
                && let Ok(next) = outgoing.try_recv()
            {
                batch.add(next);
            }
            timeout(
                self.write_timeout,
                self.stream.write_all(batch.text.as_bytes()),
            )
            .await??;
            let now = clock::now();
            for stamp in &batch.stamps {
                // Only this task sets it.
                let _ = stamp.set(now);
            }
            self.client.written(batch.queued_bytes);
            if batch.is_last {
                return self.stream.shutdown().await;
            }
            let mut text = std::mem::take(&mut batch.text);
            text.clear();
            batch = Batch {
                text,
                ..Batch::default()
            };
            match outgoing.recv().await {
                Some(next) => batch.add(next),
                None => return Ok(()),
            }
        }
    }
}
