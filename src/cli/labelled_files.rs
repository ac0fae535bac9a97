//! Labelled positions from files of either form: their own, or the results of a run of the arena.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::arena::Journal;
use crate::dataset::{DatasetError, DatasetReader, LabelledPosition};

/// Hands every position of `files` to `receive`, each with the number of its file. `false` if a file was damaged: what comes
/// before the damage was used, and standard error was told.
///
/// # Errors
/// When a file cannot be read at all or has another form, and what `receive` gives.
pub(super) fn for_each_position(
    files: &[PathBuf],
    mut receive: impl FnMut(u32, LabelledPosition) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut complete = true;
    for (number, path) in (0..).zip(files) {
        let context = || format!("cannot read {}", path.display());
        if is_results(path).with_context(context)? {
            let (_, pairs) = Journal::load(path).with_context(context)?;
            for labelled in pairs.iter().flat_map(|pair| pair.labelled_positions()) {
                receive(number, labelled)?;
            }
            continue;
        }
        let file = BufReader::new(File::open(path).with_context(context)?);
        for labelled in DatasetReader::new(file).with_context(context)? {
            match labelled {
                Ok(labelled) => receive(number, labelled)?,
                Err(error @ (DatasetError::Truncated { .. } | DatasetError::Record { .. })) => {
                    eprintln!("wabe: {}: {error}", path.display());
                    complete = false;
                }
                Err(error) => return Err(error).with_context(context),
            }
        }
    }
    Ok(complete)
}

/// The results of a run are JSON.
fn is_results(path: &Path) -> std::io::Result<bool> {
    let mut file = File::open(path)?;
    let mut first = [0];
    let read = file.read(&mut first)?;
    Ok(read == 1 && first[0] == b'{')
}
