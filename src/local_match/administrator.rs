//! The administrator's side of a session with the referee: prepares a room and observes it.

use std::net::SocketAddr;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::error::{ConnectionError, MatchError};
use crate::hive::{ByColor, Color};
use crate::protocol::{
    ClientMessage, Frame, Framer, GAME_TYPE, Limits, ReservationCode, RoomId, STREAM_OPEN,
    ServerMessage, Slot,
};

/// A message and when its bytes arrived.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) message: ServerMessage,
    pub(super) at: Instant,
}

/// A connection that observes a room with two reserved seats.
#[derive(Debug)]
pub(super) struct Administrator {
    requests: OwnedWriteHalf,
    arrivals: UnboundedReceiver<Result<Arrival, ConnectionError>>,
    pub(super) reservations: ByColor<ReservationCode>,
}

impl Administrator {
    /// Connects, prepares a room with these slots, red's first, and observes it.
    pub(super) async fn prepare(
        referee: SocketAddr,
        password: &str,
        slots: [Slot; 2],
    ) -> Result<Administrator, MatchError> {
        let stream = TcpStream::connect(referee)
            .await
            .map_err(ConnectionError::Io)?;
        stream.set_nodelay(true).map_err(ConnectionError::Io)?;
        let (incoming, requests) = stream.into_split();
        let (sender, arrivals) = unbounded_channel();
        // A task of its own, so that whatever is done with a message does not delay the time stamp of the next one.
        tokio::spawn(read(incoming, sender));
        let mut administrator = Administrator {
            requests,
            arrivals,
            reservations: ByColor::from_fn(|_| ReservationCode(String::new())),
        };
        administrator.open(password).await?;
        let (_, reservations) = administrator.reserve(slots).await?;
        administrator.reservations = reservations;
        Ok(administrator)
    }

    async fn open(&mut self, password: &str) -> Result<(), ConnectionError> {
        self.requests.write_all(STREAM_OPEN.as_bytes()).await?;
        self.request(&ClientMessage::Authenticate {
            password: password.to_owned(),
        })
        .await
    }

    async fn reserve(
        &mut self,
        slots: [Slot; 2],
    ) -> Result<(RoomId, ByColor<ReservationCode>), MatchError> {
        self.request(&ClientMessage::Prepare {
            game_type: GAME_TYPE.to_owned(),
            slots: slots.into(),
        })
        .await?;
        let (room, reservations) = loop {
            match self.next().await?.message {
                ServerMessage::Prepared { room, reservations } => break (room, reservations),
                ServerMessage::Error { message } => return Err(MatchError::Refused(message)),
                _ => {}
            }
        };
        let Ok([red, blue]) = <[ReservationCode; 2]>::try_from(reservations) else {
            return Err(MatchError::Refused("a room for two".to_owned()));
        };
        self.request(&ClientMessage::Observe(room.clone())).await?;
        loop {
            match self.next().await?.message {
                ServerMessage::Observed(_) => return Ok((room, ByColor { red, blue })),
                ServerMessage::Error { message } => return Err(MatchError::Refused(message)),
                _ => {}
            }
        }
    }

    /// The next message, whatever it is about.
    pub(super) async fn next(&mut self) -> Result<Arrival, ConnectionError> {
        let arrival = self.arrivals.recv().await;
        arrival.unwrap_or(Err(ConnectionError::Closed))
    }

    /// Which sides have not taken their seats. Nobody can take a seat by its reservation afterwards.
    pub(super) async fn absent(&mut self) -> Result<Vec<Color>, ConnectionError> {
        let mut absent = Vec::new();
        for color in Color::ALL {
            let code = self.reservations[color].clone();
            // A code that has been used cannot be freed. Otherwise there is no answer, except to the other request.
            self.request(&ClientMessage::FreeReservation(code)).await?;
            self.request(&ClientMessage::TestMode(false)).await?;
            let mut is_absent = true;
            loop {
                match self.next().await?.message {
                    ServerMessage::Error { .. } => is_absent = false,
                    ServerMessage::Testing(_) => break,
                    _ => {}
                }
            }
            if is_absent {
                absent.push(color);
            }
        }
        Ok(absent)
    }

    async fn request(&mut self, message: &ClientMessage) -> Result<(), ConnectionError> {
        self.requests.write_all(message.to_xml().as_bytes()).await?;
        Ok(())
    }
}

/// Passes on every message until the stream ends or nobody listens.
async fn read(
    mut stream: OwnedReadHalf,
    arrivals: UnboundedSender<Result<Arrival, ConnectionError>>,
) {
    if let Err(error) = read_all(&mut stream, &arrivals).await {
        let _ = arrivals.send(Err(error));
    }
}

async fn read_all(
    stream: &mut OwnedReadHalf,
    arrivals: &UnboundedSender<Result<Arrival, ConnectionError>>,
) -> Result<(), ConnectionError> {
    let mut framer = Framer::new(Limits::default());
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = stream.read(&mut buffer).await?;
        let at = Instant::now();
        if length == 0 {
            return Ok(());
        }
        framer.feed(buffer.get(..length).unwrap_or_default());
        while let Some(frame) = framer.next_frame()? {
            let Frame::Message(message) = frame else {
                return Ok(());
            };
            let message = ServerMessage::read(message)?;
            if arrivals.send(Ok(Arrival { message, at })).is_err() {
                return Ok(());
            }
        }
    }
}
