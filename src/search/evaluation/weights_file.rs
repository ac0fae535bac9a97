//! Evaluations from files, whichever game they are for.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::contest::{ContestEvaluation, ParseWeightsError, Weights};
use super::network::{Network, NetworkError, NetworkInputs};
use super::standard::{ParseStandardWeightsError, StandardEvaluation, StandardWeights};
use crate::hive::RuleBook;
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;

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
    /// Its text is one for standard Hive and makes no sense.
    #[error(transparent)]
    ParseStandard(#[from] ParseStandardWeightsError),
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

/// What a file with an evaluation holds: the game that it is for shows in it.
#[derive(Clone, Debug, PartialEq)]
pub enum EvaluationWeights {
    /// An evaluation of the contest's positions.
    Contest(ContestEvaluation),
    /// An evaluation of standard Hive's positions.
    Standard(StandardEvaluation),
}

/// An evaluation for another game than the one that is played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the weights in {} are for {is_for}, not for {wanted}", path.display())]
pub struct OtherGameError {
    /// The file.
    pub path: PathBuf,
    /// The game that they are for.
    pub is_for: &'static str,
    /// The game that is played.
    pub wanted: &'static str,
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

    /// The evaluation for the contest.
    ///
    /// # Errors
    /// When it is one for another game.
    pub fn contest(&self) -> Result<&ContestEvaluation, OtherGameError> {
        match &self.weights {
            EvaluationWeights::Contest(evaluation) => Ok(evaluation),
            EvaluationWeights::Standard(_) => Err(self.is_for(Wide::NAME, Contest::NAME)),
        }
    }

    /// The evaluation for standard Hive.
    ///
    /// # Errors
    /// When it is one for another game.
    pub fn standard(&self) -> Result<&StandardEvaluation, OtherGameError> {
        match &self.weights {
            EvaluationWeights::Standard(evaluation) => Ok(evaluation),
            EvaluationWeights::Contest(_) => Err(self.is_for(Contest::NAME, Wide::NAME)),
        }
    }

    fn is_for(&self, is_for: &'static str, wanted: &'static str) -> OtherGameError {
        OtherGameError {
            path: self.path.clone(),
            is_for,
            wanted,
        }
    }

    /// Differs for different weights (FNV-1a over the values).
    fn fingerprint(&self) -> u32 {
        fn hash(bytes: impl IntoIterator<Item = u8>) -> u32 {
            let start = 0x811c_9dc5;
            let add = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            bytes.into_iter().fold(start, add)
        }
        let bytes_of = |values: &[f32]| -> Vec<u8> {
            let bits = values.iter().map(|value| value.to_bits());
            bits.flat_map(u32::to_le_bytes).collect()
        };
        match &self.weights {
            EvaluationWeights::Contest(ContestEvaluation::Linear(weights)) => {
                hash(bytes_of(weights.values()))
            }
            EvaluationWeights::Contest(ContestEvaluation::Network(network)) => {
                hash(network.to_bytes::<Contest>())
            }
            EvaluationWeights::Standard(StandardEvaluation::Linear(weights)) => {
                hash(bytes_of(weights.values()))
            }
            EvaluationWeights::Standard(StandardEvaluation::Network(network)) => {
                hash(network.to_bytes::<Wide>())
            }
        }
    }
}

impl EvaluationWeights {
    fn from_bytes(bytes: &[u8]) -> Result<EvaluationWeights, WeightsFileError> {
        use EvaluationWeights::{Contest as OfContest, Standard as OfStandard};
        if bytes.starts_with(Contest::MAGIC) {
            let network = Arc::new(Network::from_bytes::<Contest>(bytes)?);
            return Ok(OfContest(ContestEvaluation::Network(network)));
        }
        if bytes.starts_with(Wide::MAGIC) {
            let network = Arc::new(Network::from_bytes::<Wide>(bytes)?);
            return Ok(OfStandard(StandardEvaluation::Network(network)));
        }
        let text = str::from_utf8(bytes).map_err(|_| WeightsFileError::Form)?;
        if StandardWeights::names_one_in(text) {
            let weights = Box::new(text.parse::<StandardWeights>()?);
            return Ok(OfStandard(StandardEvaluation::Linear(weights)));
        }
        let weights = Box::new(text.parse::<Weights>()?);
        Ok(OfContest(ContestEvaluation::Linear(weights)))
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
