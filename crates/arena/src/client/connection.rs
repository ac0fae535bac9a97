//! The connection to a client.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::transcript::{Speaker, Transcript};
use wabe_contest::protocol::{
    ClientMessage, Frame, Framer, STREAM_CLOSE, STREAM_OPEN, ServerMessage,
};
use wabe_contest::server::ResourceLimits;
use wabe_engine::clock;

/// Pause between the pieces of a message, so that they are received separately.
const PIECE_INTERVAL: Duration = Duration::from_micros(300);

/// Encodes a message in pieces that are written separately.
pub(crate) type Encoding = fn(&ServerMessage) -> Vec<Vec<u8>>;

/// Encodes a message in one piece, as the contest's server does.
pub(crate) fn encode_whole(message: &ServerMessage) -> Vec<Vec<u8>> {
    vec![message.to_xml().into_bytes()]
}

/// Maximum number of queued messages. Reading pauses while the queue is full.
const MAX_QUEUED_MESSAGES: usize = 64;

/// Size of the read buffer in bytes.
const READ_BYTES: usize = 16 << 10;

/// The stream to a client, and the queue of its messages.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    pub(super) arrivals: Receiver<Arrival>,
    dialogue: Option<Transcript>,
    encoding: Encoding,
}

#[derive(Debug)]
pub(super) struct Arrival {
    /// The message, or why it is malformed. An error is always the last arrival.
    pub(super) message: Result<ClientMessage, String>,
    /// When the last byte arrived.
    pub(super) arrived_at: Instant,
}

impl Connection {
    /// Opens the stream to a client and starts to read.
    pub(super) fn open(
        mut stream: TcpStream,
        dialogue: Option<Transcript>,
        encoding: Encoding,
    ) -> io::Result<Connection> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(ResourceLimits::default().write_timeout))?;
        stream.write_all(STREAM_OPEN.as_bytes())?;
        let (sender, arrivals) = mpsc::sync_channel(MAX_QUEUED_MESSAGES);
        let incoming = stream.try_clone()?;
        let reader_dialogue = dialogue.clone();
        thread::Builder::new().spawn(move || read(incoming, reader_dialogue.as_ref(), &sender))?;
        Ok(Connection {
            stream,
            arrivals,
            dialogue,
            encoding,
        })
    }

    pub(super) fn send(&mut self, message: &ServerMessage) -> io::Result<()> {
        let pieces = (self.encoding)(message);
        if let Some(dialogue) = &self.dialogue {
            dialogue.add(Speaker::Referee, &String::from_utf8_lossy(&pieces.concat()));
        }
        for (number, piece) in pieces.iter().enumerate() {
            if number > 0 {
                thread::sleep(PIECE_INTERVAL);
            }
            self.stream.write_all(piece)?;
        }
        Ok(())
    }

    /// Closes our side of the stream. The client may still send.
    pub(super) fn end(&mut self, is_expelled: bool) -> io::Result<()> {
        if is_expelled {
            self.send(&ServerMessage::CloseConnection)?;
        }
        self.stream.write_all(STREAM_CLOSE.as_bytes())?;
        self.stream.shutdown(Shutdown::Write)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Queues messages until the stream ends, a message is malformed, or the receiver is dropped.
fn read(mut stream: TcpStream, dialogue: Option<&Transcript>, arrivals: &SyncSender<Arrival>) {
    let mut framer = Framer::new(ResourceLimits::default().message_bytes);
    let note = |text: &str| {
        if let Some(dialogue) = dialogue {
            dialogue.add(Speaker::Engine, text);
        }
    };
    let mut buffer = vec![0; READ_BYTES];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let arrived_at = clock::now();
        let chunk = buffer.get(..length).unwrap_or_default();
        framer.feed(chunk);
        loop {
            let message = match framer.next_frame() {
                Ok(None) => break,
                Ok(Some(Frame::End)) => return,
                Ok(Some(Frame::Message(text))) => {
                    note(text);
                    ClientMessage::read(text).map_err(|error| framer.describe(&error))
                }
                Err(error) => {
                    let fault = error.to_string();
                    note(&fault);
                    Err(fault)
                }
            };
            let is_last = message.is_err();
            if arrivals
                .send(Arrival {
                    message,
                    arrived_at,
                })
                .is_err()
                || is_last
            {
                return;
            }
        }
    }
}
