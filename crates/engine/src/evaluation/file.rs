//! Networks read from files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::NetworkEvaluator;
use super::features::Features;
use super::network::{Network, NetworkError};

/// Why a network file cannot be used.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct NetworkFileError(String);

/// Maximum file size in bytes, far above that of any network.
const MAX_FILE_SIZE: u64 = 64 << 20;

/// A network and the file it was read from.
///
/// The text form is the path, then `@` and a fingerprint of the network. On input the fingerprint
/// is optional; if present, the file must match it.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFile {
    path: PathBuf,
    network: Arc<Network>,
}

impl NetworkFile {
    /// Reads a network file of at most 64 MiB.
    ///
    /// # Errors
    /// If the file cannot be read or does not contain a network.
    pub fn load(path: &Path) -> Result<NetworkFile, NetworkFileError> {
        let shown = path.display();
        let bytes = wabe_files::read(path, MAX_FILE_SIZE).map_err(|error| {
            NetworkFileError(format!("cannot read the network {shown}: {error}"))
        })?;
        let network = Network::from_bytes(&bytes).map_err(|error| unusable(path, &error))?;
        Ok(NetworkFile {
            path: path.to_owned(),
            network: Arc::new(network),
        })
    }

    /// The path without the fingerprint.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The network, shared with its evaluators.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Creates an evaluator for `R`.
    ///
    /// # Errors
    /// If the network is for another game.
    pub fn evaluator<R: Features>(&self) -> Result<NetworkEvaluator<R>, NetworkFileError> {
        NetworkEvaluator::new(Arc::clone(&self.network))
            .map_err(|error| unusable(&self.path, &error))
    }

    /// FNV-1a over [`Network::to_bytes`], which pads networks with fewer hidden units.
    fn fingerprint(&self) -> u32 {
        let add = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let bytes = self.network.to_bytes();
        bytes.into_iter().fold(0x811c_9dc5, add)
    }
}

fn unusable(path: &Path, error: &NetworkError) -> NetworkFileError {
    NetworkFileError(format!("cannot use {}: {error}", path.display()))
}

impl fmt::Display for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:08x}", self.path.display(), self.fingerprint())
    }
}

impl FromStr for NetworkFile {
    type Err = NetworkFileError;

    fn from_str(text: &str) -> Result<NetworkFile, NetworkFileError> {
        let parts = text.rsplit_once('@').and_then(|(path, fingerprint)| {
            let value = u32::from_str_radix(fingerprint, 16).ok()?;
            (fingerprint.len() == 8).then_some((path, value))
        });
        let Some((path, expected)) = parts else {
            return NetworkFile::load(Path::new(text));
        };
        let file = NetworkFile::load(Path::new(path))?;
        let found = file.fingerprint();
        if found == expected {
            return Ok(file);
        }
        Err(NetworkFileError(format!(
            "{path} has changed: expected fingerprint {expected:08x}, found {found:08x}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    #[test]
    fn fingerprint_detects_changed_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.net");
        fs::write(&path, Network::first::<Contest>().to_bytes()).unwrap();
        let file: NetworkFile = path.to_str().unwrap().parse().unwrap();
        assert_eq!(file.to_string().parse::<NetworkFile>().unwrap(), file);
        assert!(file.evaluator::<Contest>().is_ok());
        let error = file.evaluator::<Standard>().unwrap_err().to_string();
        assert!(
            error.contains("a.net: it is for Software Challenge 2020, not for Hive"),
            "{error}"
        );
        fs::write(&path, Contest::built_in().to_bytes()).unwrap();
        let error = file.to_string().parse::<NetworkFile>().unwrap_err();
        assert!(error.to_string().contains("has changed"), "{error}");
    }
}
