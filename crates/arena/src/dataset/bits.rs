//! Numbers in as many bits as their bound needs, the lowest first.

/// The bits of a number below `bound`.
fn width(bound: usize) -> u32 {
    usize::BITS - bound.saturating_sub(1).leading_zeros()
}

/// Packs numbers.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits written.
    at: usize,
}

impl BitWriter {
    /// Appends a number below `bound`.
    pub(super) fn put(&mut self, number: usize, bound: usize) {
        debug_assert!(number < bound, "{number} of {bound}");
        for bit in 0..width(bound) {
            if self.at.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(number >> bit & 1 == 1) << (self.at % 8);
            }
            self.at += 1;
        }
    }

    /// Appends a number that is most often small, as a Rice code: half of it as ones and a zero,
    /// then its lowest bit.
    pub(super) fn put_small(&mut self, number: u8) {
        (0..number / 2).for_each(|_| self.put(1, 2));
        self.put(0, 2);
        self.put((number % 2).into(), 2);
    }

    /// The bytes; the bits after the last number are 0.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Unpacks numbers.
#[derive(Debug)]
pub(super) struct BitReader<'b> {
    bytes: &'b [u8],
    /// Bits read.
    at: usize,
}

impl<'b> BitReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> BitReader<'b> {
        BitReader { bytes, at: 0 }
    }

    /// The next number, which must be below `bound`. `what` names it in errors.
    pub(super) fn get(&mut self, bound: usize, what: &str) -> Result<usize, String> {
        let mut number = 0;
        for bit in 0..width(bound) {
            let byte = self.bytes.get(self.at / 8);
            let byte = byte.ok_or_else(|| format!("the record ends within the {what}"))?;
            number |= usize::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        if number < bound {
            Ok(number)
        } else {
            Err(format!("{what} {number}, expected a number below {bound}"))
        }
    }

    /// The next byte.
    pub(super) fn byte(&mut self, what: &str) -> Result<u8, String> {
        self.get(256, what).map(|byte| byte as u8)
    }

    /// The next number of [`put_small`](BitWriter::put_small), which is at most `most`.
    pub(super) fn get_small(&mut self, most: u8, what: &str) -> Result<u8, String> {
        let mut number = 0;
        while self.get(2, what)? == 1 {
            number += 2;
            if number > most {
                return Err(format!("{what} {number}, expected at most {most}"));
            }
        }
        Ok(number + self.get(2, what)? as u8)
    }

    /// True if only the padding of the last byte is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at.div_ceil(8) == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_round_trip() {
        let numbers = [(0, 1), (4, 5), (255, 256), (256, 257), (0, 2), (1000, 1001)];
        let mut writer = BitWriter::default();
        numbers.iter().for_each(|&(n, bound)| writer.put(n, bound));
        let bytes = writer.into_bytes();
        // 0 + 3 + 8 + 9 + 1 + 10 bits.
        assert_eq!(bytes.len(), 4);
        let mut reader = BitReader::new(&bytes);
        for (number, bound) in numbers {
            assert!(!reader.is_at_end());
            assert_eq!(reader.get(bound, "number"), Ok(number));
        }
        assert!(reader.is_at_end());
    }

    #[test]
    fn small_numbers_round_trip() {
        let mut writer = BitWriter::default();
        (0..=15).for_each(|n| writer.put_small(n));
        let bytes = writer.into_bytes();
        assert_eq!(bytes.len(), 11);
        let mut reader = BitReader::new(&bytes);
        (0..=15).for_each(|n| assert_eq!(reader.get_small(15, "level"), Ok(n)));
        let error = BitReader::new(&[255; 2]).get_small(15, "level");
        assert_eq!(error.unwrap_err(), "level 16, expected at most 15");
    }

    #[test]
    fn reader_rejects_short_records_by_name() {
        let mut reader = BitReader::new(&[0b111]);
        assert_eq!(
            reader.get(5, "score").unwrap_err(),
            "score 7, expected a number below 5"
        );
        let error = reader.get(1001, "score").unwrap_err();
        assert_eq!(error, "the record ends within the score");
    }
}
