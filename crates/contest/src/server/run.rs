//! Accepts connections.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use super::config::{Config, ResourceLimits};
use super::connection::{self, Admission};
use super::hub::Hub;
use crate::protocol::{STREAM_CLOSE, STREAM_OPEN, ServerMessage};
use crate::room::ClientId;

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

/// That many permits, or as many as are possible.
fn permits(most: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

async fn accept_all(listener: &TcpListener, hub: &Arc<Hub>, connections: &TaskTracker) {
    let limits = hub.config.limits;
    let [places, kept_places, rejections] =
        [limits.connections, limits.administrators, REJECTIONS].map(permits);
    let [mut addresses, mut at_kept_places] = [(); 2].map(|()| Addresses::default());
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
        let address = network(peer.ip());
        let place = |addresses: &mut Addresses, most, places: &Arc<Semaphore>| {
            let of_address = addresses.place(address, most)?;
            Some((of_address, Arc::clone(places).try_acquire_owned().ok()?))
        };
        let kept_share = limits.administrators.div_ceil(2);
        let (place, admission) = match place(&mut addresses, most_of(address, &limits), &places) {
            Some((of_address, place)) => ((Some(of_address), place), Admission::Anybody),
            None => match place(&mut at_kept_places, kept_share, &kept_places) {
                Some((_share, place)) => ((None, place), Admission::Administrator { _share }),
                None => {
                    log::info!("{peer}: refused: too many connections");
                    if let Ok(turn) = Arc::clone(&rejections).try_acquire_owned() {
                        connections.spawn(async move {
                            turn_away(stream, limits.linger).await;
                            drop(turn);
                        });
                    }
                    continue;
                }
            },
        };
        let id = ClientId(next_id);
        next_id += 1;
        log::info!("{id}: {peer}");
        for error in set_options(&stream).into_iter().filter_map(Result::err) {
            log::info!("{id}: {error}");
        }
        let hub = Arc::clone(hub);
        connections.spawn(async move {
            connection::serve(stream, (id, address), admission, hub).await;
            drop(place);
        });
    }
}

/// Time without acknowledgement after which a peer counts as gone.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PEER_TIMEOUT: Duration = Duration::from_secs(60);

/// Disables Nagle's algorithm, and enables the detection of vanished peers. Each option is set on its own, since not every system has all
/// of them.
fn set_options(stream: &TcpStream) -> impl IntoIterator<Item = io::Result<()>> {
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new();
    // Windows takes both times together, and forgets them at a call without them.
    let retries = keepalive.clone().with_retries(3);
    let times = keepalive
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10));
    [
        stream.set_nodelay(true),
        // Keep-alive does not cover unacknowledged data, which the system would otherwise retransmit for a quarter of an hour.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        socket.set_tcp_user_timeout(Some(PEER_TIMEOUT)),
        socket.set_tcp_keepalive(&retries),
        socket.set_tcp_keepalive(&times),
    ]
}

/// Refuses a connection. What the client has sent is read: closing with unread input sends RST, and the client would not see the refusal.
async fn turn_away(mut stream: TcpStream, patience: Duration) {
    let text = STREAM_OPEN.to_owned() + &ServerMessage::CloseConnection.to_xml() + STREAM_CLOSE;
    let (mut incoming, mut outgoing) = stream.split();
    let refusal = async {
        outgoing.write_all(text.as_bytes()).await?;
        outgoing.shutdown().await
    };
    if let Ok(Ok(())) = timeout(patience, refusal).await {
        connection::linger(&mut incoming, patience).await;
    }
}

/// Most refusals carried out at the same time. Beyond that, connections are dropped.
const REJECTIONS: usize = 64;

/// The places of each address that has connections.
#[derive(Debug, Default)]
struct Addresses(HashMap<IpAddr, Arc<Semaphore>>);

impl Addresses {
    /// A place for a connection; `None` if the address has reached its limit.
    fn place(&mut self, address: IpAddr, most: usize) -> Option<OwnedSemaphorePermit> {
        // A permit in use holds its semaphore.
        self.0.retain(|_, places| Arc::strong_count(places) > 1);
        let places = self.0.entry(address);
        let places = places.or_insert_with(|| permits(most));
        Arc::clone(places).try_acquire_owned().ok()
    }
}

/// Most connections at once from an address.
fn most_of(address: IpAddr, limits: &ResourceLimits) -> usize {
    limits.connections_per_address.unwrap_or_else(|| {
        if address.is_loopback() {
            limits.connections
        } else {
            limits.connections.div_ceil(2)
        }
    })
}

/// The address, or the 64 bits of an IPv6 address that one customer has.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_at_once() {
        let mut addresses = Addresses::default();
        let mut taken = |peer: &str, connections_per_address| {
            let limits = ResourceLimits {
                connections: 5,
                connections_per_address,
                ..ResourceLimits::default()
            };
            let address = network(peer.parse().unwrap());
            let most = most_of(address, &limits);
            let places = (0..10).map_while(|_| addresses.place(address, most));
            places.collect::<Vec<_>>()
        };
        assert_eq!(taken("127.0.0.1", None).len(), 5);
        assert_eq!(taken("127.0.0.1", Some(2)).len(), 2);
        let places = taken("2001:db8::1", None);
        assert_eq!(places.len(), 3);
        assert_eq!(taken("2001:db8::2", None).len(), 0);
        assert_eq!(taken("2001:db8:0:1::2", None).len(), 3);
        drop(places);
        assert_eq!(taken("2001:db8::2", None).len(), 3);
        assert_eq!(taken("127.0.0.1", Some(0)).len(), 0);
        assert_eq!(addresses.0.len(), 1);
    }
}
