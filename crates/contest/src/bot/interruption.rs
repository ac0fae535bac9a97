//! Receives the signals that end the process.

use std::future::Future;
use std::io;

use crate::client::Interruption;

/// Completes at the first signal that ends the process.
pub fn interruption() -> io::Result<impl Future<Output = Interruption>> {
    let mut interruptions = Interruptions::listen()?;
    Ok(async move { interruptions.next().await })
}

/// Receives the signals that end the process, one at a time. Signals between two calls of
/// [`next`](Interruptions::next) are not lost.
pub struct Interruptions {
    interrupt: system::Interrupt,
    terminate: system::Terminate,
    hangup: Option<system::Hangup>,
}

#[cfg(unix)]
mod system {
    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) type Interrupt = Signal;
    pub(super) type Terminate = Signal;
    pub(super) type Hangup = Signal;

    pub(super) fn listen() -> io::Result<(Interrupt, Terminate, Option<Hangup>)> {
        let hangup = handles_hangups().then(|| signal(SignalKind::hangup()));
        Ok((
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            hangup.transpose()?,
        ))
    }

    /// False if the process ignores SIGHUP, for instance under `nohup`. Only Linux reports this.
    /// Elsewhere SIGHUP keeps its default action.
    fn handles_hangups() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask & 1 == 0)
    }
}

/// When a console is closed, Windows gives its programs a few seconds to exit.
#[cfg(windows)]
mod system {
    use std::io;

    pub(super) use tokio::signal::windows::{
        CtrlC as Interrupt, CtrlClose as Terminate, CtrlShutdown as Hangup,
    };
    use tokio::signal::windows::{ctrl_c, ctrl_close};

    pub(super) fn listen() -> io::Result<(Interrupt, Terminate, Option<Hangup>)> {
        Ok((ctrl_c()?, ctrl_close()?, None))
    }
}

impl Interruptions {
    /// Starts listening for signals.
    pub fn listen() -> io::Result<Interruptions> {
        let (interrupt, terminate, hangup) = system::listen()?;
        Ok(Interruptions {
            interrupt,
            terminate,
            hangup,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Interruption {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::Interrupt,
            _ = self.terminate.recv() => Interruption::Terminate,
            _ = hangup => Interruption::Hangup,
        }
    }
}
