//! A connection with minimal cost: after the first state it only scans for requests.

use std::net::SocketAddr;

use anyhow::{Context, bail};
use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use wabe::hive::contest::Position;
use wabe::protocol::{
    ClientMessage, Frame, Framer, GAME_TYPE, Limits, ReservationCode, RoomId, ServerData,
    ServerMessage, Slot,
};

const REQUEST: &[u8] = b"protocol.MoveRequest";
const RESULT: &[u8] = b"class=\"result\"";

/// The event that a player waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Its turn.
    Request,
    /// The end of the game.
    Result,
}

pub struct Client {
    stream: TcpStream,
    framer: Framer,
    buffer: Vec<u8>,
    filled: usize,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> anyhow::Result<Client> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut client = Client {
            stream,
            framer: Framer::new(Limits::default()),
            buffer: vec![0; 64 << 10],
            filled: 0,
        };
        client.send_text("<protocol>").await?;
        Ok(client)
    }

    pub async fn send(&mut self, message: &ClientMessage) -> anyhow::Result<()> {
        self.send_text(&message.to_xml()).await
    }

    pub async fn send_text(&mut self, text: &str) -> anyhow::Result<()> {
        Ok(self.stream.write_all(text.as_bytes()).await?)
    }

    pub async fn authenticate(&mut self, password: &str) -> anyhow::Result<()> {
        let password = password.to_owned();
        self.send(&ClientMessage::Authenticate { password }).await
    }

    /// A new room and the codes for its seats, red's first.
    pub async fn prepare(
        &mut self,
        names: [&str; 2],
    ) -> anyhow::Result<(RoomId, [ReservationCode; 2])> {
        let slots = names.map(|name| Slot {
            display_name: name.to_owned(),
            can_timeout: false,
            should_be_paused: false,
        });
        self.send(&ClientMessage::Prepare {
            game_type: GAME_TYPE.to_owned(),
            slots: slots.into(),
        })
        .await?;
        let prepared = self
            .read_until(|message| match message {
                ServerMessage::Prepared { room, reservations } => Some((room, reservations)),
                _ => None,
            })
            .await?;
        let (room, codes) = prepared;
        let codes = codes.try_into().ok().context("not two reservations")?;
        Ok((room, codes))
    }

    /// Reads up to the first state of the game.
    pub async fn first_position(&mut self) -> anyhow::Result<Position> {
        let state = self
            .read_until(|message| match message {
                ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                } => Some(state),
                _ => None,
            })
            .await?;
        Ok(state.position()?)
    }

    /// Reads messages until `wanted` returns a value. Bytes after that message are kept.
    async fn read_until<T>(
        &mut self,
        wanted: impl Fn(ServerMessage) -> Option<T>,
    ) -> anyhow::Result<T> {
        loop {
            let filled = std::mem::take(&mut self.filled);
            for at in 0..filled {
                self.framer.feed(&[self.buffer[at]]);
                if let Some(Frame::Message(text)) = self.framer.next_frame()?
                    && let Some(found) = wanted(ServerMessage::read(text)?)
                {
                    self.filled = filled;
                    self.forget(at + 1);
                    return Ok(found);
                }
            }
            self.fill().await?;
        }
    }

    /// Reads until it is the player's turn or the game is over.
    pub async fn next_call(&mut self) -> anyhow::Result<Call> {
        loop {
            let bytes = &self.buffer[..self.filled];
            if memmem::find(bytes, RESULT).is_some() {
                return Ok(Call::Result);
            }
            if let Some(at) = memmem::find(bytes, REQUEST) {
                self.forget(at + REQUEST.len());
                return Ok(Call::Request);
            }
            // The pattern may begin in these bytes.
            let keep = REQUEST.len().max(RESULT.len()) - 1;
            self.forget(self.filled.saturating_sub(keep));
            self.fill().await?;
        }
    }

    fn forget(&mut self, length: usize) {
        self.buffer.copy_within(length..self.filled, 0);
        self.filled -= length;
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        let length = self.stream.read(&mut self.buffer[self.filled..]).await?;
        if length == 0 {
            bail!("the server closed a connection");
        }
        self.filled += length;
        Ok(())
    }
}
