//! Clients that misbehave, over and over again.

use std::fmt;
use std::io::{Read, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Ways to misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Sends messages that mean nothing, as fast as the server takes them
    Flood,
    /// Sends white space, which no limit on messages ends
    Talk,
    /// Sends one message that never ends
    Endless,
    /// Joins and says nothing more
    Silent,
    /// Sends half a message and nothing more, like a client whose machine has gone
    HalfOpen,
    /// Asks for much as an administrator and reads nothing of it
    NeverRead,
    /// Asks for much as an administrator and reads a few bytes now and then
    SlowRead,
    /// Connects and leaves
    Reconnect,
    /// Leaves the server alone and keeps a processor busy: what the machine itself costs
    Busy,
}

/// Pause between two connections of one client.
const PAUSE: Duration = Duration::from_millis(20);

/// What misbehaving clients have done.
#[derive(Default)]
pub struct Deeds {
    connections: AtomicU64,
    sent_bytes: AtomicU64,
}

impl fmt::Display for Deeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "connections {}",
            self.connections.load(Ordering::Relaxed)
        )?;
        write!(
            f,
            "sent        {} KiB",
            self.sent_bytes.load(Ordering::Relaxed) >> 10
        )
    }
}

/// Starts so many clients of a kind; they go on until the program ends.
pub fn start(kind: Kind, count: usize, address: SocketAddr, password: &str) -> Arc<Deeds> {
    let deeds = Arc::new(Deeds::default());
    for _ in 0..count {
        let client = Client {
            kind,
            address,
            login: format!("<authenticate password=\"{password}\"/>"),
            deeds: Arc::clone(&deeds),
        };
        std::thread::spawn(move || {
            loop {
                // Every kind ends with the server closing the connection, and then begins again.
                let _ = client.misbehave();
                std::thread::sleep(PAUSE);
            }
        });
    }
    deeds
}

struct Client {
    kind: Kind,
    address: SocketAddr,
    login: String,
    deeds: Arc<Deeds>,
}

impl Client {
    fn misbehave(&self) -> Result<()> {
        if self.kind == Kind::Busy {
            loop {
                std::hint::spin_loop();
            }
        }
        let mut stream = TcpStream::connect(self.address)?;
        self.deeds.connections.fetch_add(1, Ordering::Relaxed);
        self.send(&mut stream, b"<protocol>")?;
        match self.kind {
            Kind::Flood => self.send_for_ever(&mut stream, &"<cancel a=\"b\"/>".repeat(1000)),
            Kind::Talk => self.send_for_ever(&mut stream, &" ".repeat(16 << 10)),
            Kind::Endless => {
                self.send(&mut stream, b"<x a=\"")?;
                self.send_for_ever(&mut stream, &"a".repeat(10_000))
            }
            Kind::Silent => {
                self.send(&mut stream, b"<join gameType=\"swc_2020_hive\"/>")?;
                read_to_end(&mut stream)
            }
            Kind::HalfOpen => {
                self.send(&mut stream, b"<join gameType=\"swc_")?;
                read_to_end(&mut stream)
            }
            Kind::NeverRead | Kind::SlowRead => {
                if self.kind == Kind::SlowRead {
                    let mut stream = stream.try_clone()?;
                    std::thread::spawn(move || read_slowly(&mut stream));
                }
                self.send(&mut stream, self.login.as_bytes())?;
                let name = "x".repeat(20_000);
                let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
                self.send_for_ever(&mut stream, &request)
            }
            Kind::Reconnect | Kind::Busy => Ok(()),
        }
    }

    fn send(&self, stream: &mut TcpStream, bytes: &[u8]) -> Result<()> {
        stream.write_all(bytes)?;
        let length = bytes.len() as u64;
        self.deeds.sent_bytes.fetch_add(length, Ordering::Relaxed);
        Ok(())
    }

    fn send_for_ever(&self, stream: &mut TcpStream, text: &str) -> Result<()> {
        loop {
            self.send(stream, text.as_bytes())?;
        }
    }
}

fn read_to_end(stream: &mut TcpStream) -> Result<()> {
    let mut buffer = [0; 1000];
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}

fn read_slowly(stream: &mut TcpStream) -> Result<()> {
    let mut buffer = [0; 100];
    while stream.read(&mut buffer)? > 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
