//! Options of the sockets of client and referee.

use std::io;
use std::time::Duration;

use tokio::net::TcpStream;

/// Time without acknowledgement after which a peer is considered gone.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PEER_TIMEOUT: Duration = Duration::from_secs(60);

/// Disables Nagle's algorithm, which would delay moves, and detects vanished peers by keep-alive.
/// The options are set one by one, because some systems lack some of them.
pub(crate) fn set_options(stream: &TcpStream) -> impl IntoIterator<Item = io::Result<()>> {
    let socket = socket2::SockRef::from(stream);
    let keepalive = socket2::TcpKeepalive::new();
    // Windows sets both times together, and resets them in a call without them.
    let retries = keepalive.clone().with_retries(3);
    let times = keepalive
        .with_time(Duration::from_secs(30))
        .with_interval(Duration::from_secs(10));
    [
        stream.set_nodelay(true),
        // Keep-alive does not cover unacknowledged data, which would otherwise be retransmitted for
        // a quarter of an hour.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        socket.set_tcp_user_timeout(Some(PEER_TIMEOUT)),
        socket.set_tcp_keepalive(&retries),
        socket.set_tcp_keepalive(&times),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn options_are_set() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stream = TcpStream::connect(address).await.unwrap();
        assert!(set_options(&stream).into_iter().all(|set| set.is_ok()));
        assert!(stream.nodelay().unwrap());
        assert!(socket2::SockRef::from(&stream).keepalive().unwrap());
    }
}
