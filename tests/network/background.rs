//! Runs a server on a thread of this process.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use tokio::net::TcpListener;
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// A running server. Dropping it stops the server.
pub struct Background {
    pub address: SocketAddr,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Runs `serve`, which must return when it receives the stop signal.
    pub fn start<F: Future<Output = ()> + 'static>(
        address: &'static str,
        serve: impl FnOnce(TcpListener, Receiver<()>) -> F + Send + 'static,
    ) -> Background {
        let (address_sender, bound_address) = std::sync::mpsc::channel();
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind(address).await.unwrap();
                address_sender.send(listener.local_addr().unwrap()).unwrap();
                serve(listener, stopped).await;
            });
        });
        Background {
            address: bound_address.recv().unwrap(),
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
