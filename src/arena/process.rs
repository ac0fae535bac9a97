//! Programs as child processes.

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::kin::Kin;
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::Failure;
use crate::clock;

/// How often a process that should exit is checked.
const EXIT_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How long a program that leaves its game may take to exit and so to give its exit status.
const DYING_TIME: Duration = Duration::from_secs(1);

/// A started program. Dropping this kills it and everything that it has started.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    kin: Kin,
    has_ended: bool,
}

impl Process {
    /// Starts a program with these arguments after `configure` has set its input and output.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        spec: &ProgramSpec,
        arguments: &[String],
        configure: impl FnOnce(&mut Command),
    ) -> io::Result<Process> {
        let kin = Kin::new();
        let mut wrap = CommandWrap::with_new(spec.path(), |child| {
            if let Some(directory) = spec.text("dir") {
                child.current_dir(directory);
            }
            configure(child);
            child.args(arguments).envs(spec.environment());
            kin.mark(child);
        });
        // It may be a script that starts another program.
        #[cfg(unix)]
        wrap.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::std::JobObject);
        Ok(Process {
            child: kin.start(|| wrap.spawn())?,
            kin,
            has_ended: false,
        })
    }

    /// Takes the pipes for input, output and errors that the program was started with.
    pub(super) fn take_pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        let (input, output) = (child.stdin().take(), child.stdout().take());
        (input, output, child.stderr().take())
    }

    /// The exit status of the program; `None` while it runs.
    pub(super) fn exit_status(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The fault of a program that has left its game.
    pub(super) fn departure(&mut self) -> Failure {
        self.exits_within(DYING_TIME, None);
        let Ok(Some(status)) = self.exit_status() else {
            return Failure::fault(GameEnd::Left, "");
        };
        let end = match status.success() {
            true => GameEnd::Left,
            false => GameEnd::Crash,
        };
        Failure::fault(end, format!("its program ended with {status}"))
    }

    /// True if the program exits by itself within this time, and before the run is stopped.
    pub(super) fn exits_within(&mut self, patience: Duration, stop: Option<&AtomicBool>) -> bool {
        let asked = clock::now();
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        loop {
            match self.exit_status() {
                Ok(Some(_)) => return true,
                Ok(None) if clock::since(asked) < patience && !is_stopped() => {
                    thread::sleep(EXIT_CHECK_INTERVAL)
                }
                Ok(None) | Err(_) => return false,
            }
        }
    }

    /// Kills the program and all that it has started.
    pub(super) fn kill(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        // After the program has exited there is usually nothing left to kill, which is an error.
        if let Err(error) = self.child.start_kill() {
            log::debug!("cannot kill a program: {error}");
        }
        self.kin.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
