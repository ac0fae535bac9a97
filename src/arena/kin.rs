//! Programs and all that they have started, also what has left their process group.
//!
//! On Linux the environment of a program names its seat and the run of this process. Whatever it starts inherits that, unless it takes
//! care not to. When a program's time is over, every process with its name is killed. A second process of this executable, the keeper,
//! does the same for the whole run when this one has gone, however it ended.

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The environment variable with the name of a run and of a seat in it.
#[cfg(target_os = "linux")]
const VARIABLE: &str = "WABE_RUN";

/// The executable that the keeper runs, with the name of the run as its last argument.
static KEEPER: OnceLock<(PathBuf, &str)> = OnceLock::new();

/// Lets `executable subcommand RUN` keep watch from the first program on: it has to call [`outlive`].
pub fn set_keeper(executable: PathBuf, subcommand: &'static str) {
    // The first one stays.
    let _ = KEEPER.set((executable, subcommand));
}

/// Waits until the process at the other end of standard input has gone, then kills what is left of its run.
///
/// # Errors
/// When the input cannot be read.
pub fn outlive(run: &str) -> io::Result<()> {
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    system::kill(run);
    Ok(())
}

pub(super) use system::Kin;

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};
    use std::sync::OnceLock;
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process};

    use super::{KEEPER, VARIABLE};
    use crate::server::lobby::identity;

    /// The name that a program and its children share.
    #[derive(Debug)]
    pub(crate) struct Kin(String);

    /// This process's run: its name, and its keeper if there is one.
    static RUN: OnceLock<(String, Option<Child>)> = OnceLock::new();

    impl Kin {
        /// A new name.
        pub(crate) fn new() -> Kin {
            let (run, _) = RUN.get_or_init(|| {
                let run = identity(rand::random());
                let keeper = start_keeper(&run);
                (run, keeper)
            });
            Kin(format!("{run}/{}", identity(rand::random())))
        }

        /// Gives the name to a program that is about to start.
        pub(crate) fn mark(&self, child: &mut Command) {
            child.env(VARIABLE, &self.0);
        }

        /// Kills everybody who has the name.
        pub(crate) fn kill(&self) {
            kill(&self.0);
        }
    }

    fn start_keeper(run: &str) -> Option<Child> {
        let (executable, subcommand) = KEEPER.get()?;
        let started = Command::new(executable)
            .args([*subcommand, run])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt at the terminal is not for the keeper.
            .process_group(0)
            .spawn();
        started
            .inspect_err(|error| {
                log::warn!("nobody kills programs if this process is killed: {error}")
            })
            .ok()
    }

    /// How often processes are looked for that were started while others were killed.
    const ROUNDS: u32 = 20;

    /// So many rounds that find nobody are the last: a process that is loading its program has no environment for a moment.
    const QUIET_ROUNDS: u32 = 5;

    /// Time between two rounds.
    const BETWEEN_ROUNDS: Duration = Duration::from_millis(2);

    /// Kills all processes whose name begins like this.
    pub(super) fn kill(name: &str) {
        let variable = format!("{VARIABLE}={name}");
        let mut quiet = 0;
        for _ in 0..ROUNDS {
            let found = processes_with(variable.as_bytes());
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

    fn processes_with(variable: &[u8]) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let has_it = |entry: &fs::DirEntry| {
            // Other users' processes cannot be read; those that have ended have no environment.
            fs::read(entry.path().join("environ")).is_ok_and(|environment| {
                let mut variables = environment.split(|&byte| byte == 0);
                variables.any(|one| one.starts_with(variable))
            })
        };
        entries
            .filter_map(|entry| {
                let number = entry.file_name().to_str()?.parse().ok()?;
                Some((entry, Pid::from_raw(number)?))
            })
            .filter(|(entry, _)| has_it(entry))
            .map(|(_, process)| process)
            .collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::Command;

    /// Nothing: there are process groups and jobs.
    #[derive(Debug)]
    pub(crate) struct Kin;

    impl Kin {
        pub(crate) fn new() -> Kin {
            Kin
        }

        pub(crate) fn mark(&self, _child: &mut Command) {}

        pub(crate) fn kill(&self) {}
    }

    pub(super) fn kill(_name: &str) {}
}
