//! Stops the process on signals, or when standard output is closed.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::exit::Exit;
use wabe_contest::bot::Interruptions;
use wabe_contest::client::Interruption;

/// Error message when signals cannot be received.
pub(super) const NO_SIGNALS: &str = "cannot listen for signals";

/// A stop flag that stores the signal by which it was set.
#[derive(Debug, Default)]
pub(super) struct StopFlag {
    flag: Arc<AtomicBool>,
    signal: OnceLock<Interruption>,
}

impl StopFlag {
    /// The signal that set the flag.
    pub(super) fn signal(&self) -> Interruption {
        self.signal
            .get()
            .copied()
            .unwrap_or(Interruption::Interrupt)
    }

    pub(super) fn is_set(&self) -> bool {
        self.load(Ordering::Relaxed)
    }

    /// The flag itself, for a search.
    pub(super) fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Exit code of a run stopped by a signal; `None` without a signal.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.is_set().then(|| self.signal().into())
    }
}

impl Deref for StopFlag {
    type Target = AtomicBool;

    fn deref(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Time after the first signal during which others are ignored, because `timeout` sends its signal
/// twice and programs must be killed before the process ends.
const SIGNAL_PAUSE: Duration = Duration::from_millis(300);

/// Returns a flag that is set by the first SIGINT, SIGTERM or SIGHUP. A second signal ends the
/// process immediately, except SIGHUP, which both the shell and the system send.
pub(super) fn stop_flag() -> anyhow::Result<Arc<StopFlag>> {
    let stop = Arc::new(StopFlag::default());
    let flag = Arc::clone(&stop);
    let mut first = None;
    on_signals(move |signal| {
        let is_again = first.get_or_insert_with(Instant::now).elapsed() > SIGNAL_PAUSE;
        if flag.signal.set(signal).is_err() && is_again && signal != Interruption::Hangup {
            std::process::exit(signal.exit_code().into());
        }
        flag.store(true, Ordering::Relaxed);
        true
    })?;
    Ok(stop)
}

/// Calls `receive` for each SIGINT, SIGTERM and SIGHUP on another thread, until it returns false.
pub(super) fn on_signals(
    mut receive: impl FnMut(Interruption) -> bool + Send + 'static,
) -> anyhow::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().build().context(NO_SIGNALS)?;
    let mut signals = {
        let _guard = runtime.enter();
        Interruptions::listen().context(NO_SIGNALS)?
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    let listening = thread.spawn(move || while receive(runtime.block_on(signals.next())) {});
    listening.map(drop).context(NO_SIGNALS)
}

/// Exits with [`Exit::Success`] once standard output is a closed pipe or socket. For commands that
/// only print, because hours may pass before a write fails. On systems other than Linux, only a
/// failed write ends the process.
pub(crate) fn exit_when_unread() {
    #[cfg(target_os = "linux")]
    {
        use std::io::IsTerminal;
        // A closed terminal sends SIGHUP.
        if std::io::stdout().is_terminal() {
            return;
        }
        let watch = std::thread::Builder::new().name("output".to_owned());
        // If the thread cannot be started, a failed write still ends the process.
        let _ = watch.spawn(|| {
            use rustix::event::{PollFd, PollFlags, poll};
            let out = std::io::stdout();
            // `poll` always reports errors and hangups, and never does for files.
            let mut watched = [PollFd::new(&out, PollFlags::empty())];
            while let Err(rustix::io::Errno::INTR) = poll(&mut watched, None) {}
            let [out] = &watched;
            if out.revents().intersects(PollFlags::ERR | PollFlags::HUP) {
                std::process::exit(0);
            }
        });
    }
}
