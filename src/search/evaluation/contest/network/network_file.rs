//! Networks in files.
//!
//! Little-endian: the eight bytes `wabenet1`; the numbers of inputs, hidden units and heads as `u32`; the hidden units' biases and the
//! inputs' rows as `i16`; the heads' weights as `i16` and their biases as `i32`.

use std::sync::{Arc, LazyLock};

use thiserror::Error;

use super::inputs::INPUT_COUNT;
use super::layers::{HEAD_COUNT, HIDDEN, Network};

/// The first bytes of every network.
pub(in super::super) const MAGIC: &[u8; 8] = b"wabenet1";

/// The built-in network.
const DEFAULT: &[u8] = include_bytes!("default.net");

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// They begin otherwise.
    #[error("not a network of wabe, or of another version")]
    Magic,
    /// Other inputs or units.
    #[error("a network of another shape: {0} inputs, {1} hidden units and {2} heads")]
    Shape(u32, u32, u32),
    /// Too many or too few.
    #[error("{found} bytes in place of {expected}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A weight that makes no sense.
    #[error("a weight is out of range")]
    Range,
}

/// Takes numbers from the front of bytes whose length has been checked; zeros behind the end.
struct Numbers<'b>(&'b [u8]);

impl Numbers<'_> {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        let (number, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *number
    }

    fn short(&mut self) -> i16 {
        i16::from_le_bytes(self.next())
    }

    fn long(&mut self) -> u32 {
        u32::from_le_bytes(self.next())
    }
}

const HEAD_BYTES: usize = MAGIC.len() + 3 * 4;
const BYTES: usize = HEAD_BYTES + 2 * HIDDEN * (1 + INPUT_COUNT) + HEAD_COUNT * (2 * HIDDEN + 4);

impl Network {
    /// Reads a network from the bytes of a file.
    ///
    /// # Errors
    /// When they are not a network of this version's shape.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Magic)?;
        let mut numbers = Numbers(rest);
        let shape = (numbers.long(), numbers.long(), numbers.long());
        if shape != (INPUT_COUNT as u32, HIDDEN as u32, HEAD_COUNT as u32) {
            return Err(NetworkError::Shape(shape.0, shape.1, shape.2));
        }
        if bytes.len() != BYTES {
            return Err(NetworkError::Length {
                found: bytes.len(),
                expected: BYTES,
            });
        }
        let network = Network {
            biases: [(); HIDDEN].map(|()| numbers.short()),
            rows: (0..INPUT_COUNT)
                .map(|_| [(); HIDDEN].map(|()| numbers.short()))
                .collect(),
            outputs: [(); HEAD_COUNT].map(|()| [(); HIDDEN].map(|()| numbers.short())),
            output_biases: [(); HEAD_COUNT].map(|()| i32::from_le_bytes(numbers.next())),
        };
        if network.is_in_range() {
            Ok(network)
        } else {
            Err(NetworkError::Range)
        }
    }

    /// The bytes of a file with this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [INPUT_COUNT as u32, HIDDEN as u32, HEAD_COUNT as u32] {
            bytes.extend(number.to_le_bytes());
        }
        let shorts = self.biases.iter().chain(self.rows.iter().flatten());
        for number in shorts.chain(self.outputs.iter().flatten()) {
            bytes.extend(number.to_le_bytes());
        }
        for number in self.output_biases {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// The built-in network.
    ///
    /// # Panics
    /// Never: a test reads the same bytes.
    pub fn built_in() -> Arc<Network> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::from_bytes(DEFAULT).expect("the built-in network is sound"))
        });
        Arc::clone(&NETWORK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_network_is_read_and_written() {
        assert_eq!(Network::built_in().to_bytes(), DEFAULT);
    }

    #[test]
    fn damage_is_named() {
        let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
        assert_eq!(error(b"wabenet"), NetworkError::Magic);
        assert_eq!(error(b"wabenet1"), NetworkError::Shape(0, 0, 0));
        let mut bytes = DEFAULT.to_vec();
        bytes.push(0);
        let expected = DEFAULT.len();
        let found = expected + 1;
        assert_eq!(error(&bytes), NetworkError::Length { found, expected });
        bytes.truncate(expected - 1);
        assert!(matches!(error(&bytes), NetworkError::Length { .. }));
        let mut bytes = DEFAULT.to_vec();
        bytes[expected - 1] = 0x7f;
        assert_eq!(error(&bytes), NetworkError::Range);
    }
}
