//! Programs and everything that they have started, including processes that left their process group.
//!
//! On Linux a program carries a mark, made of the run's number and its own, which every process that it starts inherits: as an environment
//! variable and, where there is a keeper, as the limit on the time of real-time processes, far above any time in use. A process that drops
//! both escapes. When a program's time is over, every process with its mark is killed. The keeper, a second process of this executable,
//! does the same for the whole run once this one has gone, however it ended.

use std::path::PathBuf;
use std::sync::OnceLock;

/// The executable that the keeper runs, with the number of the run as its last argument.
static KEEPER: OnceLock<(PathBuf, &str)> = OnceLock::new();

/// Makes `executable subcommand RUN` the keeper from the first program on: it has to call [`outlive`]. Processes that this one starts for
/// other reasons at the same moment as a program may be killed with it.
pub fn set_keeper(executable: PathBuf, subcommand: &'static str) {
    // The first call wins.
    let _ = KEEPER.set((executable, subcommand));
}

pub use system::outlive;

pub(super) use system::Kin;

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

    use super::KEEPER;

    /// The environment variable with a mark.
    const VARIABLE: &str = "WABE_RUN";

    /// The mark that a program and its children share: the program's number in the low [`PROGRAM_BITS`] bits, the run's above.
    #[derive(Debug)]
    pub(crate) struct Kin(u64);

    /// Bits of a mark that tell the programs of a run apart.
    const PROGRAM_BITS: u32 = 24;

    /// Bits of a run's number. A mark is below 2^63, so that the kernel may add to it.
    const RUN_BITS: u32 = 63 - PROGRAM_BITS;

    /// This process's run: its number, and its keeper if one was started.
    static RUN: OnceLock<(u64, Option<Child>)> = OnceLock::new();

    /// The number of the next program.
    static NEXT: AtomicU64 = AtomicU64::new(0);

    impl Kin {
        /// A new mark.
        pub(crate) fn new() -> Kin {
            let (run, _) = RUN.get_or_init(|| {
                // The first bit is set: real limits are far below.
                let run = rand::random::<u64>() >> PROGRAM_BITS >> 1 | 1 << (RUN_BITS - 1);
                let keeper = start_keeper(run);
                (run, keeper)
            });
            let program = NEXT.fetch_add(1, Ordering::Relaxed) % (1 << PROGRAM_BITS);
            Kin(run << PROGRAM_BITS | program)
        }

        /// Gives the mark to a program that is about to start.
        pub(crate) fn mark(&self, child: &mut Command) {
            child.env(VARIABLE, self.0.to_string());
        }

        /// Starts a program with the mark also as a limit. This process takes the limit for that moment: set afterwards, it would miss what
        /// the program starts at once. Without a keeper no limit is set: other code may start processes meanwhile.
        pub(crate) fn start<T>(&self, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
            static ALONE: Mutex<()> = Mutex::new(());
            if KEEPER.get().is_none() {
                return spawn();
            }
            let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
            let own = getrlimit(Resource::Rttime);
            let marked = Rlimit {
                current: Some(self.0),
                maximum: own.maximum,
            };
            if let Err(error) = setrlimit(Resource::Rttime, marked) {
                log::debug!("a program is marked in its environment alone: {error}");
                return spawn();
            }
            let started = spawn();
            if let Err(error) = setrlimit(Resource::Rttime, own) {
                log::warn!("this process keeps the mark of a program: {error}");
            }
            started
        }

        /// Kills every process with the mark.
        pub(crate) fn kill(&self) {
            kill(|mark| mark == self.0);
        }
    }

    fn start_keeper(run: u64) -> Option<Child> {
        let (executable, subcommand) = KEEPER.get()?;
        let started = Command::new(executable)
            .args([*subcommand, &run.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt at the terminal is not for the keeper.
            .process_group(0)
            .spawn();
        started
            .inspect_err(|error| {
                log::warn!("programs outlive this process if it is killed: {error}")
            })
            .ok()
    }

    /// Waits until the process at the other end of standard input has gone, then kills what is left of the run with that number.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn outlive(run: u64) -> io::Result<()> {
        // `killall wabe` matches by this name and must spare the keeper.
        let _ = fs::write("/proc/self/comm", "keeper");
        io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        kill(|mark| mark >> PROGRAM_BITS == run);
        Ok(())
    }

    /// Most rounds of killing: new processes may have been started during each.
    const ROUNDS: u32 = 20;

    /// The killing ends after this many rounds that find no process: one that is loading its program has no environment for a moment.
    const QUIET_ROUNDS: u32 = 5;

    /// Time between two rounds.
    const BETWEEN_ROUNDS: Duration = Duration::from_millis(2);

    /// Kills all processes whose mark `is_meant` accepts.
    fn kill(is_meant: impl Fn(u64) -> bool) {
        let mut quiet = 0;
        for _ in 0..ROUNDS {
            let found = processes(&is_meant);
            quiet = if found.is_empty() { quiet + 1 } else { 0 };
            if quiet == QUIET_ROUNDS {
                return;
            }
            for process in found {
                // It may have just ended.
                let _ = kill_process(process, Signal::KILL);
            }
            thread::sleep(BETWEEN_ROUNDS);
        }
    }

    /// The living processes whose mark `is_meant` accepts.
    fn processes(is_meant: impl Fn(u64) -> bool) -> Vec<Pid> {
        let has_it = |entry: &fs::DirEntry| {
            // Other users' processes cannot be read.
            let read = |file| fs::read(entry.path().join(file)).unwrap_or_default();
            let is_marked = in_limits(&read("limits")).is_some_and(&is_meant)
                || in_environment(&read("environ")).is_some_and(&is_meant);
            is_marked && is_alive(&read("stat"))
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let number = entry.file_name().to_str()?.parse().ok()?;
                Some((entry, Pid::from_raw(number)?))
            })
            .filter(|(entry, _)| has_it(entry))
            .map(|(_, process)| process)
            .collect()
    }

    /// The mark in a process's list of limits.
    fn in_limits(limits: &[u8]) -> Option<u64> {
        let limits = str::from_utf8(limits).ok()?;
        let mut lines = limits.lines();
        let limit = lines.find_map(|line| line.strip_prefix("Max realtime timeout"))?;
        limit.split_whitespace().next()?.parse().ok()
    }

    /// The mark in a process's environment.
    fn in_environment(environment: &[u8]) -> Option<u64> {
        let mut variables = environment.split(|&byte| byte == 0);
        let mark =
            variables.find_map(|one| one.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"="))?;
        str::from_utf8(mark).ok()?.parse().ok()
    }

    /// False for a process that has ended but was not waited for: its state follows its name in brackets.
    fn is_alive(stat: &[u8]) -> bool {
        let after_name = stat.rsplit(|&byte| byte == b')').next();
        let state = after_name.and_then(|rest| rest.trim_ascii_start().first());
        !matches!(state, Some(b'Z' | b'X'))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::process::Command;

    /// No mark: process groups and jobs have to do.
    #[derive(Debug)]
    pub(crate) struct Kin;

    impl Kin {
        pub(crate) fn new() -> Kin {
            Kin
        }

        pub(crate) fn mark(&self, _child: &mut Command) {}

        pub(crate) fn start<T>(&self, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
            spawn()
        }

        pub(crate) fn kill(&self) {}
    }

    pub fn outlive(_run: u64) -> io::Result<()> {
        io::copy(&mut io::stdin().lock(), &mut io::sink()).map(drop)
    }
}
