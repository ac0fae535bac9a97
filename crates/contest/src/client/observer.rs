//! An administrator's session over TCP that watches games.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::error::ClientError;
use super::run::{Address, connect};
use crate::protocol::{ClientMessage, Frame, Framer, RoomId, STREAM_OPEN, ServerMessage};

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Watches a room of a server, or, without one, every room that players open from now on.
/// `connected` is called once; `receive` gets each message until it breaks off.
///
/// # Errors
/// When there is no connection, the server speaks another protocol, or it refuses the password or
/// the room: in that case it closes the connection.
pub async fn observe(
    address: &Address,
    password: &str,
    room: Option<&str>,
    connected: impl FnOnce(),
    mut receive: impl FnMut(ServerMessage) -> ControlFlow<()>,
) -> Result<(), ClientError> {
    let mut stream = connect(address, CONNECT_TIMEOUT).await?;
    let mut greeting = STREAM_OPEN.to_owned();
    let password = password.to_owned();
    greeting += &ClientMessage::Authenticate { password }.to_xml();
    if let Some(room) = room {
        greeting += &ClientMessage::Observe(RoomId(room.to_owned())).to_xml();
    }
    stream.write_all(greeting.as_bytes()).await?;
    connected();
    let mut framer = Framer::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        while let Some(frame) = framer.next_frame()? {
            let Frame::Message(message) = frame else {
                return Ok(());
            };
            let message = match ServerMessage::read(message) {
                Ok(message) => message,
                Err(error) => {
                    log::warn!("ignored an unreadable message: {error}");
                    continue;
                }
            };
            if let ServerMessage::JoinedGameRoom { room: opened, .. } = &message
                && room.is_none()
            {
                let request = ClientMessage::Observe(opened.clone()).to_xml();
                stream.write_all(request.as_bytes()).await?;
            }
            if receive(message).is_break() {
                return Ok(());
            }
        }
        let length = stream.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        framer.feed(buffer.get(..length).unwrap_or_default());
    }
}
