//! Exit codes.

use std::process::ExitCode;

use wabe_contest::client::Interruption;

/// The result of a command, for the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// 0: everything went well, including a game that was played to its end, won or lost.
    Success = 0,
    /// 1: the run failed.
    Failure = 1,
    /// 2: the command line is invalid.
    Usage = 2,
    /// 3: the run's SPRT accepted H0.
    AcceptedH0 = 3,
    /// 4: the run's SPRT accepted H1.
    AcceptedH1 = 4,
    /// 129: the terminal closed, SIGHUP.
    HungUp = 129,
    /// 130: SIGINT, or Ctrl-C, ended the run.
    Interrupted = 130,
    /// 143: SIGTERM ended the run.
    Terminated = 143,
}

impl Exit {
    pub(crate) fn success_if(is_good: bool) -> Exit {
        if is_good {
            Exit::Success
        } else {
            Exit::Failure
        }
    }
}

impl From<Interruption> for Exit {
    fn from(signal: Interruption) -> Exit {
        match signal {
            Interruption::Interrupt => Exit::Interrupted,
            Interruption::Terminate => Exit::Terminated,
            Interruption::Hangup => Exit::HungUp,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
