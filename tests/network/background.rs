//! A server in a thread of this process.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use tokio::net::TcpListener;
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// A running server; it stops when this is dropped.
pub struct Background {
    pub address: SocketAddr,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Runs `serve` until it has received that it has to stop.
    pub fn start<F: Future<Output = ()> + 'static>(
        address: &'static str,
        serve: impl FnOnce(TcpListener, Receiver<()>) -> F + Send + 'static,
    ) -> Background {
        let (send_address, address_of_server) = std::sync::mpsc::channel();
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.unwrap();
                send_address.send(listener.local_addr().unwrap()).unwrap();
                serve(listener, stopped).await;
            });
        });
        Background {
            address: address_of_server.recv().unwrap(),
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}
