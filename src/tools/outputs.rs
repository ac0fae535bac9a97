//! Writes files, and checks output paths before a run.

use std::path::Path;

use anyhow::Context;

use crate::errors::UsageError;
use wabe_records::view::terminal::ColorMode;

pub(super) fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Writes a file. Replaces an existing one.
pub(super) fn write_file(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    wabe_files::replace(path, content.as_ref()).with_context(|| cannot_write(path))
}

/// Checks before the run that the result can be written and does not overwrite an input.
pub(super) fn check_output<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    check_no_input(path, inputs)?;
    wabe_files::check_writable(path).with_context(|| cannot_write(path))
}

/// Checks that an output does not overwrite an input.
pub(super) fn check_no_input<'a>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    for input in inputs {
        if wabe_files::is_same(path, input) {
            let path = path.display();
            let problem = format!("{path} is also an input: name another file for the result");
            return Err(UsageError::new(problem).into());
        }
    }
    Ok(())
}

/// Checks that two options do not name the same file for their results.
pub(super) fn check_different(
    (option, path): (&str, Option<&Path>),
    (other_option, other): (&str, Option<&Path>),
) -> anyhow::Result<()> {
    if let (Some(path), Some(other)) = (path, other)
        && (std::path::absolute(path).ok() == std::path::absolute(other).ok()
            || wabe_files::is_same(path, other))
    {
        let problem = format!("{option} and {other_option} name the same file");
        return Err(UsageError::new(problem).into());
    }
    Ok(())
}

/// Creates a folder if necessary, and checks that files can be written into it.
pub(super) fn make_folder(path: &Path) -> anyhow::Result<()> {
    wabe_files::make_folder(path).with_context(|| format!("cannot write to {}", path.display()))
}

/// Uses colours if standard output supports them.
pub(super) fn color_mode() -> ColorMode {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => ColorMode::Plain,
        _ => ColorMode::Color,
    }
}
