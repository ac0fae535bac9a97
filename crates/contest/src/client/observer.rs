//! Observes games over TCP, as an administrator.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::error::ClientError;
use super::run::{Address, connect};
use crate::protocol::{ClientMessage, Frame, Framer, RoomId, STREAM_OPEN, ServerMessage};

/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Observes a room or, if `room` is `None`, every room that players open from now on. Calls
/// `connected` once, and `receive` for each message until it returns `Break`. A server that rejects
/// the password or the room closes the connection.
///
/// # Errors
/// When connecting fails, the connection breaks, or a message is too long.
pub async fn observe(
    address: &Address,
    password: &str,
    room: Option<&str>,
    connected: impl FnOnce(),
    mut receive: impl FnMut(ServerMessage) -> ControlFlow<()>,
) -> Result<(), ClientError> {
    let mut stream = connect(address, CONNECT_TIMEOUT).await?;
    let mut opening = STREAM_OPEN.to_owned();
    let password = password.to_owned();
    opening += &ClientMessage::Authenticate { password }.to_xml();
    if let Some(room) = room {
        opening += &ClientMessage::Observe(RoomId(room.to_owned())).to_xml();
    }
    stream.write_all(opening.as_bytes()).await?;
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
