//! Signals that end a run.

use std::future::Future;

use anyhow::Context;

use crate::client::Interruption;

/// Completes at the first signal to end the process.
pub(super) fn interruption() -> anyhow::Result<impl Future<Output = Interruption>> {
    let mut interruptions = Interruptions::listen()?;
    Ok(async move { interruptions.next().await })
}

/// The signals to end the process, one after another. A signal that comes before somebody waits for it is kept.
pub(super) struct Interruptions {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Interruptions {
    /// Listens from now on.
    pub(super) fn listen() -> anyhow::Result<Interruptions> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let context = "cannot wait for signals";
            Ok(Interruptions {
                interrupt: signal(SignalKind::interrupt()).context(context)?,
                terminate: signal(SignalKind::terminate()).context(context)?,
            })
        }
        #[cfg(not(unix))]
        Ok(Interruptions {})
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Interruption {
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
