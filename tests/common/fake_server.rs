//! A server with a script, and the client that is started against it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::wabe;
use wabe_contest::protocol::{ClientMessage, Frame, Framer};

/// After this long a test is taken to hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server's end of a connection.
pub struct Peer {
    stream: TcpStream,
    framer: Framer,
}

/// What a client says.
#[derive(Debug, PartialEq)]
pub enum Said {
    Message(ClientMessage),
    /// `</protocol>`
    End,
    /// Nothing more: the connection is closed.
    Closed,
}

impl Peer {
    pub fn send(&mut self, text: impl AsRef<[u8]>) {
        // The client may have given up already; that is for the test to notice.
        let _ = self.stream.write_all(text.as_ref());
    }

    pub fn hear(&mut self) -> Said {
        let mut buffer = [0; 4096];
        loop {
            match self.framer.next_frame().unwrap() {
                Some(Frame::Message(text)) => {
                    return Said::Message(ClientMessage::read(text).unwrap());
                }
                Some(Frame::End) => return Said::End,
                None => {}
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Said::Closed,
                Ok(length) => self.framer.feed(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Said::Closed,
                Err(error) => panic!("the server cannot read: {error}"),
            }
        }
    }

    /// Hears one message, which must come.
    pub fn hear_message(&mut self) -> ClientMessage {
        match self.hear() {
            Said::Message(message) => message,
            other => panic!("expected a message, heard {other:?}"),
        }
    }

    /// Everything that the client says from now on.
    pub fn hear_out(&mut self) -> Vec<Said> {
        let mut all = Vec::new();
        loop {
            let said = self.hear();
            if said == Said::Closed {
                return all;
            }
            all.push(said);
        }
    }
}

/// What a properly closing client says last.
pub fn farewell() -> Vec<Said> {
    vec![Said::Message(ClientMessage::CloseConnection), Said::End]
}

/// A server for one client.
pub struct FakeServer<T> {
    pub address: SocketAddr,
    script: JoinHandle<T>,
}

impl<T: Send + 'static> FakeServer<T> {
    /// Runs `script` with the first connection, and closes it when the script is through.
    pub fn start(script: impl FnOnce(&mut Peer) -> T + Send + 'static) -> FakeServer<T> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let script = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.set_write_timeout(Some(PATIENCE)).unwrap();
            script(&mut Peer {
                stream,
                framer: Framer::default(),
            })
        });
        FakeServer { address, script }
    }

    /// What the script came to.
    pub fn join(self) -> T {
        match self.script.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Runs `wabe play` with these options and this server's address until it exits.
    pub fn run_client(&self, options: &str) -> Exited {
        wait(self.start_client(options))
    }

    pub fn start_client(&self, options: &str) -> Child {
        wabe::start(&format!("play {options} --port {}", self.address.port()))
    }
}

/// How a program ended.
#[derive(Debug)]
pub struct Exited {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Waits until the program exits by itself.
pub fn wait(child: Child) -> Exited {
    let process = child.id();
    let (sender, output) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = output.recv_timeout(PATIENCE) else {
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

/// A run that failed as it should: code 1, nothing on standard output, one line with `expected` in
/// it on standard error.
pub fn check_failure(exited: &Exited, expected: &str) {
    assert_eq!(exited.code, Some(1), "{exited:?}");
    assert_eq!(exited.stdout, "");
    assert_eq!(exited.stderr.lines().count(), 1, "{exited:?}");
    assert!(exited.stderr.starts_with("wabe: "), "{exited:?}");
    assert!(exited.stderr.contains(expected), "{exited:?}");
}
