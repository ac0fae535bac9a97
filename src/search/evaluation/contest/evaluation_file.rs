//! Evaluations from files.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::linear::{ParseWeightsError, Weights};
use super::network::{MAGIC, Network, NetworkError};

/// Why a file with an evaluation cannot be used.
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
    /// It is neither a network nor text.
    #[error("neither a network nor a text with weights")]
    Form,
    /// Its text makes no sense.
    #[error(transparent)]
    Parse(#[from] ParseWeightsError),
    /// It begins as a network and is none.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// It holds other weights than were asked for.
    #[error("the file has changed: its fingerprint is {found:08x}, not {expected:08x}")]
    Changed {
        /// Fingerprint of the weights that were asked for.
        expected: u32,
        /// Fingerprint of what the file holds.
        found: u32,
    },
}

/// What a file with an evaluation holds.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluationWeights {
    /// A weights file, see [`Weights`].
    Linear(Box<Weights>),
    /// A network, see [`Network::from_bytes`].
    Network(Arc<Network>),
}

/// An evaluation's weights and the file they were read from.
///
/// The text form is the file's path, then `@` and a fingerprint of the weights. It may be left out when read; if it is there, the
/// file must hold these very weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightsFile {
    path: PathBuf,
    weights: EvaluationWeights,
}

impl WeightsFile {
    /// Reads a file of either form.
    ///
    /// # Errors
    /// When it cannot be read, or what it says makes no sense.
    pub fn load(path: &Path) -> Result<WeightsFile, LoadWeightsError> {
        let weights = fs::read(path)
            .map_err(WeightsFileError::from)
            .and_then(|bytes| EvaluationWeights::from_bytes(&bytes))
            .map_err(|source| LoadWeightsError {
                path: path.to_owned(),
                source,
            })?;
        Ok(WeightsFile {
            path: path.to_owned(),
            weights,
        })
    }

    /// What the file holds.
    pub fn weights(&self) -> &EvaluationWeights {
        &self.weights
    }

    /// Differs for different weights (FNV-1a over the values).
    fn fingerprint(&self) -> u32 {
        let hash = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let start = 0x811c_9dc5;
        match &self.weights {
            EvaluationWeights::Linear(weights) => weights
                .values()
                .iter()
                .flat_map(|value| value.to_bits().to_le_bytes())
                .fold(start, hash),
            EvaluationWeights::Network(network) => network.to_bytes().into_iter().fold(start, hash),
        }
    }
}

impl EvaluationWeights {
    fn from_bytes(bytes: &[u8]) -> Result<EvaluationWeights, WeightsFileError> {
        if bytes.starts_with(MAGIC) {
            return Ok(EvaluationWeights::Network(Arc::new(Network::from_bytes(
                bytes,
            )?)));
        }
        let text = str::from_utf8(bytes).map_err(|_| WeightsFileError::Form)?;
        Ok(EvaluationWeights::Linear(Box::new(text.parse()?)))
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
