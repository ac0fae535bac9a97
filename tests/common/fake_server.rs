//! A scripted server for testing clients.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::wabe;
use wabe_contest::protocol::{ClientMessage, Frame, Framer};

/// Timeout after which a test is considered hung.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The server's end of a connection.
pub struct Peer {
    stream: TcpStream,
    framer: Framer,
}

/// Something received from a client.
#[derive(Debug, PartialEq)]
pub enum Received {
    Message(ClientMessage),
    /// `</protocol>`
    End,
    /// The connection was closed.
    Closed,
}

impl Peer {
    pub fn send(&mut self, text: impl AsRef<[u8]>) {
        // The client may have exited, which the test checks itself.
        let _ = self.stream.write_all(text.as_ref());
    }

    pub fn receive(&mut self) -> Received {
        let mut buffer = [0; 4096];
        loop {
            match self.framer.next_frame().unwrap() {
                Some(Frame::Message(text)) => {
                    return Received::Message(ClientMessage::read(text).unwrap());
                }
                Some(Frame::End) => return Received::End,
                None => {}
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Received::Closed,
                Ok(length) => self.framer.feed(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    return Received::Closed;
                }
                Err(error) => panic!("the server cannot read: {error}"),
            }
        }
    }

    /// Receives a message. Panics at the end of the stream.
    pub fn receive_message(&mut self) -> ClientMessage {
        match self.receive() {
            Received::Message(message) => message,
            other => panic!("expected a message, received {other:?}"),
        }
    }

    /// Receives everything until the connection is closed.
    pub fn receive_all(&mut self) -> Vec<Received> {
        let mut all = Vec::new();
        loop {
            let received = self.receive();
            if received == Received::Closed {
                return all;
            }
            all.push(received);
        }
    }
}

/// The last messages of a client that closes its connection properly.
pub fn closing_messages() -> Vec<Received> {
    vec![
        Received::Message(ClientMessage::CloseConnection),
        Received::End,
    ]
}

/// A server for one client.
pub struct FakeServer<T> {
    pub address: SocketAddr,
    script: JoinHandle<T>,
}

impl<T: Send + 'static> FakeServer<T> {
    /// Runs `script` with the first connection, then closes it.
    pub fn start(script: impl FnOnce(&mut Peer) -> T + Send + 'static) -> FakeServer<T> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let script = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(TIMEOUT)).unwrap();
            stream.set_write_timeout(Some(TIMEOUT)).unwrap();
            script(&mut Peer {
                stream,
                framer: Framer::default(),
            })
        });
        FakeServer { address, script }
    }

    /// Waits for the script to end, and returns its result.
    pub fn join(self) -> T {
        match self.script.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Runs `wabe play` with these options on this server until it exits.
    pub fn run_client(&self, options: &str) -> Exited {
        wait(self.start_client(options))
    }

    pub fn start_client(&self, options: &str) -> Child {
        wabe::start(&format!("play {options} --port {}", self.address.port()))
    }
}

/// Exit code and output of a program.
#[derive(Debug)]
pub struct Exited {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Waits for the program to exit. Panics after the timeout.
pub fn wait(child: Child) -> Exited {
    let process = child.id();
    let (sender, output) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = output.recv_timeout(TIMEOUT) else {
        wabe::kill("TERM", process);
        panic!("the program hangs");
    };
    let output = output.unwrap();
    Exited {
        code: output.status.code(),
        stdout: wabe::stdout(&output),
        stderr: wabe::stderr(&output),
    }
}

/// Checks for exit code 1, no output, and one line on stderr that contains `expected`.
pub fn check_failure(exited: &Exited, expected: &str) {
    assert_eq!(exited.code, Some(1), "{exited:?}");
    assert_eq!(exited.stdout, "");
    assert_eq!(exited.stderr.lines().count(), 1, "{exited:?}");
    assert!(exited.stderr.starts_with("wabe: "), "{exited:?}");
    assert!(exited.stderr.contains(expected), "{exited:?}");
}
