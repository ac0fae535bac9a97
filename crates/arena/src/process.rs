//! Programs as child processes, and their end with everything that they have started.
//!
//! A program leads a process group, which is killed after its game. On Linux it is started by the
//! [launcher](launch), which also puts it into a control group where this process may create one,
//! and lets the kernel kill it when this process dies.

use std::io;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

#[cfg(target_os = "linux")]
use super::cgroup::{self, ControlGroup};
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::Failure;
use wabe_engine::clock;
use wabe_files::text::printable_end;

/// How often a process that should exit is checked.
const EXIT_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Time for a program that has left its game to exit, so that its exit status can be reported.
const DEPARTURE_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum number of characters of the reason why a program could not be started.
const REASON: usize = 200;

/// This process's executable, even if the file has been replaced since. Missing where `/proc` is.
#[cfg(target_os = "linux")]
const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// The subcommand of this executable that calls [`launch`].
static LAUNCHER: OnceLock<&str> = OnceLock::new();

/// Sets the subcommand of this executable that calls [`launch`] with the arguments after it.
/// Without one, programs are started directly.
pub fn set_launcher(subcommand: &'static str) {
    // The first call wins.
    let _ = LAUNCHER.set(subcommand);
}

/// Replaces this process by a program, with the arguments that `Process::start` made: the arena's
/// process number, the control group to enter (may be empty), the program and its arguments.
/// Returns only if that fails.
#[cfg(target_os = "linux")]
pub fn launch(arguments: &[std::ffi::OsString]) -> io::Error {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

    let [arena, group, program, arguments @ ..] = arguments else {
        return io::ErrorKind::InvalidInput.into();
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // The arena may have died before that.
    let parent = getppid().map(Pid::as_raw_nonzero);
    if parent.is_none_or(|parent| arena.to_str() != Some(&parent.to_string())) {
        return io::Error::other("the arena has ended");
    }
    if !group.is_empty()
        && let Err(error) = cgroup::enter(Path::new(group))
    {
        log::debug!("cannot enter the control group: {error}");
    }
    Command::new(program).args(arguments).exec()
}

/// Programs are started directly.
#[cfg(not(target_os = "linux"))]
pub fn launch(_arguments: &[std::ffi::OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

/// The exit status of a launcher, as of a shell, if the program does not exist or cannot be
/// executed.
pub const CANNOT_START: [u8; 2] = [127, 126];

/// A started program. Dropping this kills it and everything that it has started.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    #[cfg(target_os = "linux")]
    group: Option<ControlGroup>,
    has_ended: bool,
}

impl Process {
    /// Starts a program with these arguments after `configure` has set its input and output.
    ///
    /// # Errors
    /// When it cannot be started. With a launcher, a program that cannot be executed ends with one
    /// of the statuses [`CANNOT_START`].
    pub(super) fn start(
        spec: &ProgramSpec,
        arguments: &[String],
        configure: impl FnOnce(&mut Command),
    ) -> io::Result<Process> {
        let program = spec.path();
        #[cfg(target_os = "linux")]
        let launcher = LAUNCHER
            .get()
            .filter(|_| Path::new(OWN_EXECUTABLE).exists());
        #[cfg(target_os = "linux")]
        let group = launcher.and_then(|_| ControlGroup::create());
        #[cfg(target_os = "linux")]
        let mut command = match launcher {
            Some(launcher) => {
                let mut command = Command::new(OWN_EXECUTABLE);
                command.args([launcher, &*std::process::id().to_string()]);
                command.arg(group.as_ref().map_or("".as_ref(), |group| group.path()));
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        #[cfg(not(target_os = "linux"))]
        let mut command = Command::new(program);
        if let Some(directory) = spec.text("dir") {
            command.current_dir(directory);
        }
        configure(&mut command);
        command.args(arguments).envs(spec.environment());
        let mut wrap = CommandWrap::from(command);
        #[cfg(unix)]
        wrap.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::std::JobObject);
        Ok(Process {
            child: wrap.spawn()?,
            #[cfg(target_os = "linux")]
            group,
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

    /// The error of a program that has written `output` and could not be executed, by the launcher
    /// or by a shell.
    pub(super) fn start_error(&mut self, output: &str) -> Option<io::Error> {
        let status = self.exit_status().ok()??;
        let code = u8::try_from(status.code()?).ok()?;
        let kind = match CANNOT_START.iter().position(|&known| known == code)? {
            0 => io::ErrorKind::NotFound,
            _ => io::ErrorKind::PermissionDenied,
        };
        let reason = printable_end(output, REASON);
        let reason = match reason.lines().last() {
            Some(line) => line.to_owned(),
            None => status.to_string(),
        };
        Some(io::Error::new(kind, reason))
    }

    /// The fault of a program that has left its game.
    pub(super) fn departure(&mut self) -> Failure {
        self.exits_within(DEPARTURE_TIMEOUT, None);
        let Ok(Some(status)) = self.exit_status() else {
            return Failure::fault(GameEnd::Left, "");
        };
        let end = if status.success() {
            GameEnd::Left
        } else {
            GameEnd::Crash
        };
        Failure::fault(end, format!("its program ended with {status}"))
    }

    /// True if the program exits by itself within this time, and before the run is stopped.
    pub(super) fn exits_within(&mut self, timeout: Duration, stop: Option<&AtomicBool>) -> bool {
        let started = clock::now();
        let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        loop {
            match self.exit_status() {
                Ok(Some(_)) => return true,
                Ok(None) if clock::since(started) < timeout && !is_stopped() => {
                    thread::sleep(EXIT_CHECK_INTERVAL)
                }
                Ok(None) | Err(_) => return false,
            }
        }
    }

    /// Kills the program and everything that it has started.
    pub(super) fn kill(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        // Errors say that nothing is left to kill. The program itself may have changed its process
        // group.
        let _ = self.child.start_kill();
        let _ = self.child.inner_mut().start_kill();
        #[cfg(target_os = "linux")]
        drop(self.group.take());
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
