//! Signals that end a run.

use std::future::Future;

use anyhow::Context;

use crate::client::Interruption;

/// Comes to an end at the first signal to end the process.
pub(super) fn interruption() -> anyhow::Result<impl Future<Output = Interruption>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let context = "cannot wait for signals";
        let mut interrupt = signal(SignalKind::interrupt()).context(context)?;
        let mut terminate = signal(SignalKind::terminate()).context(context)?;
        Ok(async move {
            tokio::select! {
                _ = interrupt.recv() => Interruption::Interrupt,
                _ = terminate.recv() => Interruption::Terminate,
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Interruption::Interrupt,
            Err(_) => std::future::pending().await,
        }
    })
}
