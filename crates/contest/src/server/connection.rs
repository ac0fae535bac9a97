//! Serves a connection, with a task for reading and one for writing.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::client::{Client, CloseReason, Outgoing};
use super::requests::RequestHandler;
use super::server_state::ServerState;
use crate::protocol::{ClientMessage, Frame, Framer, MALFORMED, STREAM_CLOSE, STREAM_OPEN};
use crate::room::ClientId;
use wabe_engine::clock;

/// Maximum number of bytes per read.
const READ_BYTES: usize = 16 << 10;

/// Maximum number of bytes drained from a client after the server closed the connection.
const MAX_LINGER_BYTES: usize = 128 << 10;

/// Size at which a write is sent without adding further messages.
const WRITE_BYTES: usize = 64 << 10;

/// Serves a connection until it is closed.
pub(super) async fn serve(
    stream: TcpStream,
    (id, from): (ClientId, IpAddr),
    server: Arc<ServerState>,
) {
    let limits = server.config.limits;
    let (client, outgoing) = Client::new(id, limits.queue_bytes);
    let (mut incoming, outgoing_half) = stream.into_split();
    let mut writing = tokio::spawn(write(
        Arc::clone(&client),
        outgoing_half,
        outgoing,
        limits.write_timeout,
    ));
    let mut requests = RequestHandler::new(Arc::clone(&server), Arc::clone(&client), from);
    let reason = receive(&mut incoming, &client, &mut requests, &server).await;
    requests.leave();
    client.end(reason);
    // Write the rest of the queue if the client still reads.
    if timeout(limits.write_timeout, &mut writing).await.is_err() {
        client.lose();
        writing.abort();
    } else if !client.lost.is_cancelled() {
        linger(&mut incoming, limits.linger).await;
    }
    log::debug!("{id}: closed");
}

/// Handles messages until either side closes the connection. Returns how to close it.
async fn receive(
    incoming: &mut OwnedReadHalf,
    client: &Client,
    requests: &mut RequestHandler,
    server: &ServerState,
) -> CloseReason {
    let id = client.id;
    let mut framer = Framer::new(server.config.limits.message_bytes);
    let mut buffer = vec![0; READ_BYTES];
    let greeting_timeout = tokio::time::sleep(server.config.limits.greeting_timeout);
    tokio::pin!(greeting_timeout);
    // Messages from others may contain a password.
    let is_player =
        |requests: &RequestHandler| requests.has_purpose() && !client.is_administrator();
    loop {
        let read = tokio::select! {
            biased;
            () = client.ending.cancelled() => {
                // The game may have ended because this message never did.
                if let Some(text) = framer.unfinished().filter(|_| is_player(requests)) {
                    log::warn!("{id} did not finish a message: `{text}`");
                }
                return CloseReason::Silent;
            }
            () = server.closing_connections.cancelled() => return CloseReason::CloseConnection,
            read = incoming.read(&mut buffer) => read,
            () = &mut greeting_timeout, if !requests.has_purpose() => {
                log::info!("{id}: neither joined nor authenticated in time");
                return CloseReason::CloseConnection;
            }
        };
        // A message counts as arrived with its last byte.
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
            let is_player = is_player(requests);
            let message = match framer.next_frame() {
                Ok(None) => break,
                Ok(Some(Frame::End)) => return CloseReason::Silent,
                Ok(Some(Frame::Message(text))) => {
                    let read = ClientMessage::read(text);
                    read.map_err(|error| {
                        if is_player {
                            framer.describe(&error)
                        } else {
                            error.to_string()
                        }
                    })
                }
                Err(error) => Err(error.to_string()),
            };
            let message = match message {
                Ok(message) => message,
                Err(fault) => {
                    requests.blame(&format!("{MALFORMED} ({fault})"));
                    return CloseReason::Silent;
                }
            };
            if client.ending.is_cancelled() {
                return CloseReason::Silent;
            }
            if let Err(reason) = requests.handle(message, arrived) {
                return reason;
            }
        }
    }
}

/// Drains up to [`MAX_LINGER_BYTES`] until the client closes its side. Closing with unread input
/// would send RST, which discards what the client has not read yet.
pub(super) async fn linger(incoming: &mut (impl AsyncRead + Unpin), limit: Duration) {
    let mut buffer = vec![0; READ_BYTES];
    let mut remaining = MAX_LINGER_BYTES;
    let drain = async {
        while let Ok(length @ 1..) = incoming.read(&mut buffer).await
            && length < remaining
        {
            remaining -= length;
        }
    };
    let _ = timeout(limit, drain).await;
}

/// Writes queued messages until the queue ends or writing fails.
async fn write(
    client: Arc<Client>,
    mut stream: OwnedWriteHalf,
    mut outgoing: UnboundedReceiver<Outgoing>,
    write_timeout: Duration,
) {
    let written = tokio::select! {
        biased;
        () = client.lost.cancelled() => return,
        written = write_all(&client, &mut stream, &mut outgoing, write_timeout) => written,
    };
    if let Err(error) = written {
        log::info!("{}: dropped: {error}", client.id);
        client.lose();
    }
}

async fn write_all(
    client: &Client,
    stream: &mut OwnedWriteHalf,
    outgoing: &mut UnboundedReceiver<Outgoing>,
    write_timeout: Duration,
) -> io::Result<()> {
    let mut text = STREAM_OPEN.to_owned();
    let mut next = None;
    loop {
        let mut queued_bytes = 0;
        let mut requests = Vec::new();
        let mut is_last = false;
        // Combine all queued messages in one write.
        while let Some(item) = next {
            match item {
                Outgoing::Text(part, request_of) => {
                    requests.extend(request_of);
                    text.push_str(&part);
                    queued_bytes += part.len();
                }
                Outgoing::End => {
                    text.push_str(STREAM_CLOSE);
                    is_last = true;
                }
            }
            let has_room = !is_last && text.len() < WRITE_BYTES;
            next = if has_room {
                outgoing.try_recv().ok()
            } else {
                None
            };
        }
        timeout(write_timeout, stream.write_all(text.as_bytes())).await??;
        let now = clock::now();
        for room in &requests {
            room.request_sent(client.id, now);
        }
        client.bytes_written(queued_bytes);
        if is_last {
            return stream.shutdown().await;
        }
        text.clear();
        next = outgoing.recv().await;
    }
}
