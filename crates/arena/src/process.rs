//! Starts programs, and kills them with their descendants.
//!
//! Every program leads a process group, which is killed after the game. On Linux the
//! [launcher](launch) starts it. The launcher asks the kernel to kill the program when this process
//! dies, and moves it into a control group if permitted.

use std::io;
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

/// How often to check whether a process has exited.
const EXIT_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Timeout for a program that left its game to exit, so that its status can be reported.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum length of the reason why a program could not be started, in characters.
const MAX_REASON: usize = 200;

/// This process's executable, even if the file has been replaced since. Requires `/proc`.
#[cfg(target_os = "linux")]
const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// The subcommand of this executable that calls [`launch`].
static LAUNCHER: OnceLock<&str> = OnceLock::new();

/// Sets the subcommand of this executable that calls [`launch`] with the remaining arguments.
/// Without it, programs are started directly.
pub fn set_launcher(subcommand: &'static str) {
    // The first call takes precedence.
    let _ = LAUNCHER.set(subcommand);
}

/// Replaces this process by a program. Takes the arguments of `Process::start`: the arena's process
/// id, the control group to enter (may be empty), the program and its arguments. Returns only on
/// failure.
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
    // The arena may have died before that call.
    let parent = getppid().map(Pid::as_raw_nonzero);
    if parent.is_none_or(|parent| arena.to_str() != Some(&parent.to_string())) {
        return io::Error::other("the arena has exited");
    }
    if !group.is_empty()
        && let Err(error) = cgroup::enter(Path::new(group))
    {
        log::debug!("cannot enter the control group: {error}");
    }
    Command::new(program).args(arguments).exec()
}

/// Not supported: on this system, programs are started directly.
#[cfg(not(target_os = "linux"))]
pub fn launch(_arguments: &[std::ffi::OsString]) -> io::Error {
    io::ErrorKind::Unsupported.into()
}

/// Exit status of a launcher whose program does not exist, or is not executable; as in a shell.
pub const CANNOT_START: [u8; 2] = [127, 126];

/// A running program. Dropping it kills the program and its descendants.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    #[cfg(target_os = "linux")]
    group: Option<ControlGroup>,
    has_ended: bool,
}

impl Process {
    /// Starts a program. `configure` sets its input and output.
    ///
    /// # Errors
    /// When the process cannot be created. With a launcher, a program that cannot be executed exits
    /// with a status in [`CANNOT_START`] instead.
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
            if !Path::new(directory).is_dir() {
                let problem = format!("dir={directory} is not a folder");
                return Err(io::Error::other(problem));
            }
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

    /// Takes the pipes to standard input, output and error.
    pub(super) fn take_pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let child = &mut self.child;
        let (input, output) = (child.stdin().take(), child.stdout().take());
        (input, output, child.stderr().take())
    }

    /// The program's exit status; `None` while it is running.
    pub(super) fn exit_status(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The error if a launcher or shell could not execute the program. The reason is the last line
    /// of `output`.
    pub(super) fn start_error(&mut self, output: &str) -> Option<io::Error> {
        let status = self.exit_status().ok()??;
        let code = u8::try_from(status.code()?).ok()?;
        let kind = match CANNOT_START.iter().position(|&known| known == code)? {
            0 => io::ErrorKind::NotFound,
            _ => io::ErrorKind::PermissionDenied,
        };
        let reason = printable_end(output, MAX_REASON);
        let reason = match reason.lines().last() {
            Some(line) => line.to_owned(),
            None => status.to_string(),
        };
        Some(io::Error::new(kind, reason))
    }

    /// The fault of a program that left its game: a crash, unless its exit status is success.
    pub(super) fn exit_fault(&mut self) -> Failure {
        self.exits_within(EXIT_TIMEOUT, None);
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

    /// Waits for the program to exit. Returns false after the timeout or if `stop` is set.
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

    /// Kills the program and its descendants.
    pub(super) fn kill(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        // Errors mean that there is nothing to kill. The program is also killed by its id, in case
        // it changed its process group.
        let _ = self.child.start_kill();
        let _ = self.child.inner_mut().start_kill();
        #[cfg(target_os = "linux")]
        drop(self.group.take());
        // Not for the job: on Windows, that blocks if `exit_status` has read that it is empty.
        let _ = self.child.inner_mut().wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
