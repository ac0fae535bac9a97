//! One connection: a task that reads and one that writes.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::client::{Client, Farewell, Outgoing, SentAt};
use super::hub::Hub;
use super::room::ClientId;
use super::session::Session;
use super::throttle::Throttle;
use crate::protocol::{ClientMessage, Frame, Framer, Limits, STREAM_CLOSE, STREAM_OPEN};

/// Bytes taken from the network at once.
const READ_BYTES: usize = 16 << 10;

/// Bytes that a client may still send when the server has ended the connection.
const LINGER_BYTES: usize = 128 << 10;

/// Bytes above which no further message joins those that are written together.
const WRITE_BYTES: usize = 64 << 10;

/// Serves a connection until it has ended.
pub(super) async fn serve(stream: TcpStream, id: ClientId, hub: Arc<Hub>) {
    let limits = hub.config.limits;
    let (client, outgoing) = Client::new(id, Arc::clone(&hub.queues));
    let (mut incoming, outgoing_half) = stream.into_split();
    let writer = Writer {
        client: Arc::clone(&client),
        stream: outgoing_half,
        write_timeout: limits.write_timeout,
    };
    let mut writing = tokio::spawn(writer.run(outgoing));
    let mut session = Session::new(Arc::clone(&hub), Arc::clone(&client));
    let farewell = receive(&mut incoming, &client, &mut session, &hub).await;
    session.leave().await;
    client.end(farewell);
    // What is queued still goes out, if the client takes it.
    if timeout(limits.write_timeout, &mut writing).await.is_err() {
        client.lose();
        writing.abort();
    } else if !client.lost().is_cancelled() {
        linger(&mut incoming, limits.linger).await;
    }
    log::debug!("{id}: closed");
}

/// Takes messages until either side has had enough; how the connection is to end.
async fn receive(
    incoming: &mut OwnedReadHalf,
    client: &Client,
    session: &mut Session,
    hub: &Hub,
) -> Farewell {
    let id = client.id();
    let mut framer = Framer::new(Limits {
        message_bytes: hub.config.limits.message_bytes,
        ..Limits::default()
    });
    let mut buffer = vec![0; READ_BYTES];
    let mut throttle = Throttle::new(hub.config.limits.bytes_per_second, Instant::now());
    let greeting = tokio::time::sleep(hub.config.limits.greeting_timeout);
    tokio::pin!(greeting);
    loop {
        let read = tokio::select! {
            biased;
            () = client.ending().cancelled() => return Farewell::Silent,
            () = hub.closing_connections.cancelled() => return Farewell::CloseConnection,
            read = async {
                throttle.wait().await;
                incoming.read(&mut buffer).await
            } => read,
            () = &mut greeting, if !session.has_purpose() => {
                log::info!("{id}: has not said what it wants");
                return Farewell::CloseConnection;
            }
        };
        // A message has arrived with its last byte: this is the time that counts for all that these bytes complete.
        let arrived = Instant::now();
        let bytes = match read {
            Ok(0) => return Farewell::Silent,
            Ok(length) => buffer.get(..length).unwrap_or_default(),
            Err(error) => {
                log::info!("{id}: {error}");
                return Farewell::Silent;
            }
        };
        throttle.count(bytes.len(), arrived);
        framer.feed(bytes);
        loop {
            let message = match framer.next_frame() {
                Ok(None) => break,
                Ok(Some(Frame::End)) => return Farewell::Silent,
                Ok(Some(Frame::Message(text))) => ClientMessage::read(text),
                Err(error) => {
                    log::info!("{id}: {error}");
                    return Farewell::Silent;
                }
            };
            let message = match message {
                Ok(message) => message,
                Err(error) => {
                    log::info!("{id}: {error}");
                    return Farewell::Silent;
                }
            };
            if client.ending().is_cancelled() {
                return Farewell::Silent;
            }
            if let Err(farewell) = session.handle(message, arrived).await {
                return farewell;
            }
        }
    }
}

/// Waits for the client to close its side as well. Closing with unread bytes would make the system throw away what the client
/// has not read yet; but who goes on talking at length does not listen either.
async fn linger(incoming: &mut OwnedReadHalf, patience: Duration) {
    let mut buffer = vec![0; READ_BYTES];
    let mut left = LINGER_BYTES;
    let drain = async {
        while let Ok(length @ 1..) = incoming.read(&mut buffer).await
            && length < left
        {
            left -= length;
        }
    };
    let _ = timeout(patience, drain).await;
}

struct Writer {
    client: Arc<Client>,
    stream: OwnedWriteHalf,
    write_timeout: Duration,
}

/// What is written together.
#[derive(Default)]
struct Batch {
    text: String,
    queued_bytes: usize,
    stamps: Vec<SentAt>,
    is_last: bool,
}

impl Batch {
    fn add(&mut self, outgoing: Outgoing) {
        let text = match outgoing {
            Outgoing::Text(text) => text,
            Outgoing::Stamped(text, stamp) => {
                self.stamps.push(stamp);
                text
            }
            Outgoing::End => {
                self.text.push_str(STREAM_CLOSE);
                self.is_last = true;
                return;
            }
        };
        self.text.push_str(&text);
        self.queued_bytes += text.len();
    }

    fn has_room(&self) -> bool {
        !self.is_last && self.text.len() < WRITE_BYTES
    }
}

impl Writer {
    /// Writes what comes until it is told to end or the client does not take it.
    async fn run(mut self, mut outgoing: UnboundedReceiver<Outgoing>) {
        let client = Arc::clone(&self.client);
        tokio::select! {
            biased;
            () = client.lost().cancelled() => {}
            written = self.write_all(&mut outgoing) => if let Err(error) = written {
                log::info!("{}: lost: {error}", client.id());
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
            let now = Instant::now();
            for stamp in &batch.stamps {
                // Nobody else sets it.
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
