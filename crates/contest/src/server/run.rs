//! Accepts connections.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::config::Config;
use super::connection;
use super::server_state::ServerState;
use crate::protocol::{STREAM_CLOSE, STREAM_OPEN, ServerMessage};
use crate::room::ClientId;
use crate::socket::set_options;

/// Pause after a failure to accept a connection.
const BACK_OFF: Duration = Duration::from_millis(100);

/// Maximum number of concurrently refused connections. Further ones are dropped.
const MAX_REFUSALS: usize = 64;

/// Timeout for all rooms to close when the server stops, and then for all connections.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves connections until `shutdown` completes. Then closes all rooms, finishes replays being
/// written, and closes the connections.
///
/// # Errors
/// When the listener is unusable.
pub async fn run(
    listener: TcpListener,
    config: Config,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    log::info!("listening on {}", listener.local_addr()?);
    let server = ServerState::new(config);
    let connections = TaskTracker::new();
    tokio::select! {
        () = accept_all(&listener, &server, &connections) => {}
        () = shutdown => {}
    }
    drop(listener);
    server.closing_rooms.cancel();
    wait_for(&server.room_tasks, "rooms").await;
    server.closing_connections.cancel();
    wait_for(&connections, "connections").await;
    Ok(())
}

async fn wait_for(tasks: &TaskTracker, name: &str) {
    tasks.close();
    if timeout(STOP_TIMEOUT, tasks.wait()).await.is_err() {
        log::warn!("stopped with {} {name} still open", tasks.len());
    }
}

async fn accept_all(listener: &TcpListener, server: &Arc<ServerState>, connections: &TaskTracker) {
    let limits = server.config.limits;
    let permits = limits.connections.min(Semaphore::MAX_PERMITS);
    let permits = Arc::new(Semaphore::new(permits));
    let refusals = Arc::new(Semaphore::new(MAX_REFUSALS));
    let mut next_id = 0;
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(BACK_OFF).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            log::info!("{peer}: refused: too many connections");
            if let Ok(refusal) = Arc::clone(&refusals).try_acquire_owned() {
                connections.spawn(async move {
                    turn_away(stream, limits.linger).await;
                    drop(refusal);
                });
            }
            continue;
        };
        let id = ClientId(next_id);
        next_id += 1;
        log::info!("{id}: {peer}");
        for error in set_options(&stream).into_iter().filter_map(Result::err) {
            log::info!("{id}: {error}");
        }
        let server = Arc::clone(server);
        connections.spawn(async move {
            connection::serve(stream, (id, peer.ip().to_canonical()), server).await;
            drop(permit);
        });
    }
}

/// Refuses a connection. Drains its input first: closing with unread input sends RST, which
/// discards the refusal on the client's side.
async fn turn_away(mut stream: TcpStream, limit: Duration) {
    let text = STREAM_OPEN.to_owned() + &ServerMessage::CloseConnection.to_xml() + STREAM_CLOSE;
    let (mut incoming, mut outgoing) = stream.split();
    let refusal = async {
        outgoing.write_all(text.as_bytes()).await?;
        outgoing.shutdown().await
    };
    if let Ok(Ok(())) = timeout(limit, refusal).await {
        connection::linger(&mut incoming, limit).await;
    }
}
