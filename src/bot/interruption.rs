//! Signals that end a run.

use std::future::Future;
use std::io;

use crate::client::Interruption;

/// Completes at the first signal to end the process.
pub(crate) fn interruption() -> io::Result<impl Future<Output = Interruption>> {
    let mut interruptions = Interruptions::listen()?;
    Ok(async move { interruptions.next().await })
}

/// The signals to end the process, one after another. A signal that comes before somebody waits for it is kept.
pub(crate) struct Interruptions {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Interruptions {
    /// Listens from now on.
    pub(crate) fn listen() -> io::Result<Interruptions> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Interruptions {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Interruptions {})
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Interruption {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::Interrupt,
            _ = self.terminate.recv() => Interruption::Terminate,
        }
        #[cfg(not(unix))]
        match tokio::signal::ctrl_c().await {
            Ok(()) => Interruption::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}
