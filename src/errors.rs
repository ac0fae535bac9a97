//! Errors on standard error.

use thiserror::Error;

use wabe_files::text::printable;

/// Maximum length of an error's cause, in characters.
pub(crate) const MAX_CAUSE: usize = 1_000;

/// Arguments that are valid separately but not together. The command exits with
/// [`Exit::Usage`](super::Exit::Usage).
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UsageError(String);

impl UsageError {
    pub(crate) fn new(reason: impl Into<String>) -> UsageError {
        UsageError(reason.into())
    }
}

/// Formats an error with its causes, separated by `: `. The outermost message may span several
/// lines.
pub(crate) fn describe(error: &anyhow::Error) -> String {
    let mut text = printable_each(&error.to_string());
    // All other I/O errors have a context, so this one is from standard output.
    if error.chain().len() == 1 && error.is::<std::io::Error>() {
        text.insert_str(0, "cannot write to standard output: ");
    }
    for cause in error.chain().skip(1) {
        let cause = printable(&cause.to_string(), MAX_CAUSE);
        // Some errors already contain their cause.
        if !text.ends_with(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// Makes each line of a text printable.
pub(crate) fn printable_each(text: &str) -> String {
    let lines = text.lines().map(|line| printable(line, MAX_CAUSE));
    lines.collect::<Vec<_>>().join("\n")
}

/// True if standard output is a closed pipe, which is not a failure.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    // All other I/O errors have a context.
    error.chain().len() == 1
        && error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Ignores a closed standard output. For output before the command knows its exit code.
pub(crate) fn ignore_broken_pipe(printed: anyhow::Result<()>) -> anyhow::Result<()> {
    match printed {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        printed => printed,
    }
}
