//! Accepts connections.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::config::Config;
use super::connection;
use super::hub::Hub;
use super::room::setup::ClientId;
use crate::protocol::{STREAM_CLOSE, STREAM_OPEN, ServerMessage};

/// Wait after a failure to accept a connection. Doubles with each consecutive failure.
const FIRST_BACK_OFF: Duration = Duration::from_millis(5);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(1);

/// Time for the rooms, and then for the connections, to close when the server stops.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// Serves connections to `listener` until `shutdown` completes. Then closes the rooms, finishes the replays being written, and
/// ends the connections.
///
/// # Errors
/// When the listener is unusable.
pub async fn run(
    listener: TcpListener,
    config: Config,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    log::info!("listening on {}", listener.local_addr()?);
    let hub = Hub::new(config);
    let connections = TaskTracker::new();
    tokio::select! {
        () = accept_all(&listener, &hub, &connections) => {}
        () = shutdown => {}
    }
    drop(listener);
    hub.closing_rooms.cancel();
    wait_for(&hub.room_tasks, "rooms").await;
    hub.closing_connections.cancel();
    wait_for(&connections, "connections").await;
    Ok(())
}

async fn wait_for(tasks: &TaskTracker, what: &str) {
    tasks.close();
    if timeout(STOP_PATIENCE, tasks.wait()).await.is_err() {
        log::warn!("stopped with {} {what} still open", tasks.len());
    }
}

async fn accept_all(listener: &TcpListener, hub: &Arc<Hub>, connections: &TaskTracker) {
    let places = Arc::new(Semaphore::new(hub.config.limits.connections));
    let mut back_off = FIRST_BACK_OFF;
    let mut next_id = 0;
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(back_off).await;
                back_off = LONGEST_BACK_OFF.min(2 * back_off);
                continue;
            }
        };
        back_off = FIRST_BACK_OFF;
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            log::info!("{peer}: refused: too many connections");
            turn_away(stream);
            continue;
        };
        let id = ClientId(next_id);
        next_id += 1;
        log::info!("{id}: {peer}");
        if let Err(error) = set_options(&stream) {
            log::warn!("{id}: {error}");
        }
        let hub = Arc::clone(hub);
        connections.spawn(async move {
            connection::serve(stream, id, hub).await;
            drop(place);
        });
    }
}

/// Time without acknowledgement after which a peer counts as gone.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PEER_TIMEOUT: Duration = Duration::from_secs(60);

/// Disables Nagle's algorithm, and enables the detection of vanished peers.
fn set_options(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10))
        .with_retries(3);
    let socket = socket2::SockRef::from(stream);
    // Keep-alive does not cover unacknowledged data, which the system would retransmit for a quarter of an hour.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(PEER_TIMEOUT))?;
    socket.set_tcp_keepalive(&keepalive)
}

/// Refuses a connection without waiting for the client.
fn turn_away(stream: TcpStream) {
    let mut text = STREAM_OPEN.to_owned();
    ServerMessage::CloseConnection.write(&mut text);
    text.push_str(STREAM_CLOSE);
    // The stream is non-blocking with an empty send buffer, so this fails only if the client is gone.
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write_all(text.as_bytes());
    }
}
