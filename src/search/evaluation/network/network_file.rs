//! Networks in files.
//!
//! Little-endian: eight bytes that name the game; the numbers of inputs, hidden units and heads as `u32`; the hidden units' biases and the
//! inputs' rows as `i16`; the heads' weights as `i16` and their biases as `i32`.

use thiserror::Error;

use super::NetworkInputs;
use super::layers::{HEAD_COUNT, HIDDEN, Network};

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// They begin otherwise.
    #[error("not a network for {0}, or of another version")]
    Magic(&'static str),
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

/// Bytes of a file with so many inputs.
const fn file_length(inputs: usize) -> usize {
    8 + 3 * 4 + 2 * HIDDEN * (1 + inputs) + HEAD_COUNT * (2 * HIDDEN + 4)
}

impl Network {
    /// Reads a network for the game of `R` from the bytes of a file.
    ///
    /// # Errors
    /// When they are not a network of this game and this version's shape.
    pub fn from_bytes<R: NetworkInputs>(bytes: &[u8]) -> Result<Network, NetworkError> {
        let rest = bytes
            .strip_prefix(R::MAGIC)
            .ok_or(NetworkError::Magic(R::NAME))?;
        let mut numbers = Numbers(rest);
        let shape = (numbers.long(), numbers.long(), numbers.long());
        if shape != (R::INPUT_COUNT as u32, HIDDEN as u32, HEAD_COUNT as u32) {
            return Err(NetworkError::Shape(shape.0, shape.1, shape.2));
        }
        let expected = file_length(R::INPUT_COUNT);
        if bytes.len() != expected {
            return Err(NetworkError::Length {
                found: bytes.len(),
                expected,
            });
        }
        let network = Network {
            biases: [(); HIDDEN].map(|()| numbers.short()),
            rows: (0..R::INPUT_COUNT)
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

    /// The bytes of a file with this network, which is one for the game of `R`.
    pub fn to_bytes<R: NetworkInputs>(&self) -> Vec<u8> {
        let mut bytes = R::MAGIC.to_vec();
        for number in [self.rows.len() as u32, HIDDEN as u32, HEAD_COUNT as u32] {
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
}

#[cfg(test)]
mod tests {
    use super::super::arbitrary;
    use super::*;
    use crate::hive::RuleBook;
    use crate::hive::contest::Contest;
    use crate::hive::standard::{Compact, Wide};

    #[test]
    fn networks_read_back_as_they_were_written() {
        let network = arbitrary::<Contest>(3);
        let bytes = network.to_bytes::<Contest>();
        assert_eq!(Network::from_bytes::<Contest>(&bytes), Ok(network));
        let network = arbitrary::<Wide>(4);
        let bytes = network.to_bytes::<Wide>();
        assert_eq!(Network::from_bytes::<Compact>(&bytes), Ok(network));
    }

    #[test]
    fn damage_is_named() {
        let error = |bytes: &[u8]| Network::from_bytes::<Contest>(bytes).unwrap_err();
        let whole = arbitrary::<Contest>(5).to_bytes::<Contest>();
        assert_eq!(error(b"wabenet"), NetworkError::Magic(Contest::NAME));
        assert_eq!(error(b"wabenet1"), NetworkError::Shape(0, 0, 0));
        let other_game = arbitrary::<Wide>(5).to_bytes::<Wide>();
        assert_eq!(error(&other_game), NetworkError::Magic(Contest::NAME));
        let mut bytes = whole.clone();
        bytes.push(0);
        let expected = whole.len();
        let found = expected + 1;
        assert_eq!(error(&bytes), NetworkError::Length { found, expected });
        bytes.truncate(expected - 1);
        assert!(matches!(error(&bytes), NetworkError::Length { .. }));
        let mut bytes = whole;
        bytes[expected - 1] = 0x7f;
        assert_eq!(error(&bytes), NetworkError::Range);
    }
}
