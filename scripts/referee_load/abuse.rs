//! Clients that misbehave, over and over again.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The kinds of misbehaviour.
const KINDS: [fn(&mut TcpStream, &str) -> std::io::Result<()>; 4] =
    [flood, endless_message, silence, never_read];

/// Pause between two connections of one client: to connect as often as one can is another attack.
const PAUSE: Duration = Duration::from_millis(20);

/// Running misbehaviour.
pub struct Abuse {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// Starts this many clients of each kind.
pub fn start(address: SocketAddr, password: &str, each: usize) -> Abuse {
    let stop = Arc::new(AtomicBool::new(false));
    let threads = (0..each)
        .flat_map(|_| KINDS)
        .map(|misbehave| {
            let stop = Arc::clone(&stop);
            let password = password.to_owned();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    if let Ok(mut stream) = TcpStream::connect(address) {
                        let patience = Some(Duration::from_secs(1));
                        let _ = stream.set_write_timeout(patience);
                        let _ = stream.set_read_timeout(patience);
                        // Every kind ends with the server closing the connection.
                        let _ = misbehave(&mut stream, &password);
                    }
                    std::thread::sleep(PAUSE);
                }
            })
        })
        .collect();
    Abuse { stop, threads }
}

impl Abuse {
    pub fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

/// Messages that mean nothing, as fast as the server takes them.
fn flood(stream: &mut TcpStream, _: &str) -> std::io::Result<()> {
    stream.write_all(b"<protocol>")?;
    let text = "<x a=\"b\"/>".repeat(1000);
    loop {
        stream.write_all(text.as_bytes())?;
    }
}

/// One message that never ends.
fn endless_message(stream: &mut TcpStream, _: &str) -> std::io::Result<()> {
    stream.write_all(b"<protocol><x a=\"")?;
    loop {
        stream.write_all(&[b'a'; 10_000])?;
    }
}

/// Joins and says nothing.
fn silence(stream: &mut TcpStream, _: &str) -> std::io::Result<()> {
    stream.write_all(b"<protocol><join gameType=\"swc_2020_hive\"/>")?;
    let mut answer = [0; 1000];
    while stream.read(&mut answer)? > 0 {}
    Ok(())
}

/// Asks for much and reads nothing of it.
fn never_read(stream: &mut TcpStream, password: &str) -> std::io::Result<()> {
    let login = format!("<protocol><authenticate password=\"{password}\"/>");
    stream.write_all(login.as_bytes())?;
    let name = "x".repeat(20_000);
    let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
    loop {
        stream.write_all(request.as_bytes())?;
    }
}
