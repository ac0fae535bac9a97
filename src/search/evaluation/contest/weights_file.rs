//! Weights from a file.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::weights::{ParseWeightsError, Weights};

/// Why a weights file cannot be used.
#[derive(Debug, Error)]
#[error("cannot use the weights in {}", path.display())]
pub struct LoadWeightsError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    #[source]
    pub source: WeightsFileError,
}

/// What is wrong with a weights file.
#[derive(Debug, Error)]
pub enum WeightsFileError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It makes no sense.
    #[error(transparent)]
    Parse(#[from] ParseWeightsError),
    /// It holds other weights than were asked for.
    #[error("the file has changed: its fingerprint is {found:08x}, not {expected:08x}")]
    Changed {
        /// Fingerprint of the weights that were asked for.
        expected: u32,
        /// Fingerprint of what the file holds.
        found: u32,
    },
}

/// Weights and the file they were read from.
///
/// The text form is the file's path, then `@` and a fingerprint of the weights. It may be left out when read; if it is there, the
/// file must hold these very weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightsFile {
    path: PathBuf,
    weights: Arc<Weights>,
}

impl WeightsFile {
    /// Reads a weights file.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it makes no sense.
    pub fn load(path: &Path) -> Result<WeightsFile, LoadWeightsError> {
        let failed = |source| LoadWeightsError {
            path: path.to_owned(),
            source,
        };
        let text = fs::read_to_string(path).map_err(|error| failed(error.into()))?;
        let weights: Weights = text
            .parse()
            .map_err(|error: ParseWeightsError| failed(error.into()))?;
        Ok(WeightsFile {
            path: path.to_owned(),
            weights: Arc::new(weights),
        })
    }

    /// What the file holds.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Differs for different weights (FNV-1a over the values).
    fn fingerprint(&self) -> u32 {
        self.weights
            .values()
            .iter()
            .flat_map(|value| value.to_bits().to_le_bytes())
            .fold(0x811c_9dc5, |hash: u32, byte| {
                (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
            })
    }
}

impl fmt::Display for WeightsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:08x}", self.path.display(), self.fingerprint())
    }
}

impl FromStr for WeightsFile {
    type Err = LoadWeightsError;

    fn from_str(text: &str) -> Result<WeightsFile, LoadWeightsError> {
        let parts = text.rsplit_once('@').and_then(|(path, fingerprint)| {
            let is_fingerprint = fingerprint.len() == 8;
            let value = u32::from_str_radix(fingerprint, 16).ok()?;
            is_fingerprint.then_some((path, value))
        });
        let Some((path, expected)) = parts else {
            return WeightsFile::load(Path::new(text));
        };
        let file = WeightsFile::load(Path::new(path))?;
        let found = file.fingerprint();
        if found == expected {
            return Ok(file);
        }
        Err(LoadWeightsError {
            path: file.path,
            source: WeightsFileError::Changed { expected, found },
        })
    }
}
