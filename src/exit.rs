//! Exit codes.

use std::process::ExitCode;

use wabe_contest::client::Interruption;

/// Exit codes of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// 0: success. For a game this means that it was played to the end, whoever won.
    Success = 0,
    /// 1: the run failed.
    Failure = 1,
    /// 2: the command line is invalid.
    Usage = 2,
    /// 3: the SPRT accepted H0.
    AcceptedH0 = 3,
    /// 4: the SPRT accepted H1.
    AcceptedH1 = 4,
    /// 129: the terminal was closed (SIGHUP).
    HungUp = 129,
    /// 130: interrupted by SIGINT (Ctrl-C).
    Interrupted = 130,
    /// 143: terminated by SIGTERM.
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
