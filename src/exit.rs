//! Exit codes.

use std::process::ExitCode;

use wabe_contest::client::Interruption;

/// Exit codes of all commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: success. For a game this means that it was played to the end, whoever won.
    Success,
    /// 1: the run failed.
    Failure,
    /// 2: the command line is invalid.
    Usage,
    /// 3: the SPRT accepted H0.
    AcceptedH0,
    /// 4: the SPRT accepted H1.
    AcceptedH1,
    /// 129, 130 or 143: ended by a signal.
    Signal(Interruption),
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
        Exit::Signal(signal)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::AcceptedH0 => 3,
            Exit::AcceptedH1 => 4,
            Exit::Signal(signal) => signal.exit_code(),
        })
    }
}
