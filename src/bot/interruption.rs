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
    interrupt: system::Interrupt,
    terminate: system::Terminate,
}

#[cfg(unix)]
mod system {
    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) type Interrupt = Signal;
    pub(super) type Terminate = Signal;

    pub(super) fn listen() -> io::Result<(Interrupt, Terminate)> {
        let interrupt = signal(SignalKind::interrupt())?;
        Ok((interrupt, signal(SignalKind::terminate())?))
    }
}

/// A closed console gives its programs some seconds.
#[cfg(windows)]
mod system {
    use std::io;

    pub(super) use tokio::signal::windows::{CtrlC as Interrupt, CtrlClose as Terminate};
    use tokio::signal::windows::{ctrl_c, ctrl_close};

    pub(super) fn listen() -> io::Result<(Interrupt, Terminate)> {
        Ok((ctrl_c()?, ctrl_close()?))
    }
}

impl Interruptions {
    /// Listens from now on.
    pub(crate) fn listen() -> io::Result<Interruptions> {
        let (interrupt, terminate) = system::listen()?;
        Ok(Interruptions {
            interrupt,
            terminate,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Interruption {
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::Interrupt,
            _ = self.terminate.recv() => Interruption::Terminate,
        }
    }
}
