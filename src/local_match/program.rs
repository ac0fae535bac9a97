//! A client program as a child process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use process_wrap::tokio::{ChildWrapper, CommandWrap};

use super::CommandLine;
use crate::protocol::ReservationCode;

/// Most of a program's last words that are shown, in bytes.
const LAST_WORDS: u64 = 2000;

/// A client program that was started. If it still runs when this is dropped, it is killed, and with it what it has started.
#[derive(Debug)]
pub(super) struct Program {
    child: Box<dyn ChildWrapper>,
    has_exited: bool,
    /// What it writes to standard output and standard error, in one file.
    output: File,
}

impl Program {
    /// Starts a client as the contest does. Its output goes to the file `log`, or to one that nobody sees.
    pub(super) fn start(
        command: &CommandLine,
        server: SocketAddr,
        reservation: &ReservationCode,
        log: Option<&Path>,
    ) -> io::Result<Program> {
        // The program writes through one description of the file; what is read through another does not disturb it.
        let (output, written) = match log {
            Some(path) => {
                let written = File::create(path)?;
                (File::open(path)?, written)
            }
            None => {
                let file = tempfile::NamedTempFile::new()?;
                (file.reopen()?, file.into_file())
            }
        };
        let stdout = written.try_clone()?;
        let mut wrap = CommandWrap::with_new(&command.program, |child| {
            if let Some(directory) = &command.directory {
                child.current_dir(directory);
            }
            child
                .args(command.arguments_to_play(server, reservation))
                .envs(command.environment.iter().cloned())
                .stdin(Stdio::null())
                .stdout(stdout)
                .stderr(written);
        });
        // A program may be a script that starts another one.
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::JobObject);
        Ok(Program {
            child: wrap.spawn()?,
            has_exited: false,
            output,
        })
    }

    /// Waits until the program has exited, and ends what it has left behind.
    pub(super) async fn exited(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        if !self.has_exited {
            self.has_exited = true;
            // Mostly there is nothing left, which is an error too.
            let _ = self.child.start_kill();
        }
        Ok(status)
    }

    /// Ends the program and what it has started.
    pub(super) async fn kill(&mut self) -> io::Result<()> {
        self.child.start_kill()?;
        self.exited().await?;
        Ok(())
    }

    /// The end of what the program has written, without blanks around it.
    pub(super) fn last_words(&mut self) -> io::Result<String> {
        let length = self.output.metadata()?.len();
        self.output
            .seek(SeekFrom::Start(length.saturating_sub(LAST_WORDS)))?;
        let mut bytes = Vec::new();
        (&self.output).take(LAST_WORDS).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.has_exited
            && let Err(error) = self.child.start_kill()
        {
            log::debug!("cannot kill a program: {error}");
        }
    }
}
