//! Packs numbers into the minimum number of bits for their bounds, lowest bit first.

use std::borrow::Cow;

/// The bits of a record. The same code writes and reads: each method takes the value to write, or
/// `None` to read it, and returns the value in both cases.
#[derive(Debug)]
pub(super) struct Bits<'b> {
    bytes: Cow<'b, [u8]>,
    /// Number of bits written or read.
    position: usize,
    is_writing: bool,
}

impl<'b> Bits<'b> {
    pub(super) fn new_writer() -> Bits<'b> {
        Bits {
            bytes: Cow::default(),
            position: 0,
            is_writing: true,
        }
    }

    pub(super) fn new_reader(bytes: &'b [u8]) -> Bits<'b> {
        Bits {
            bytes: Cow::Borrowed(bytes),
            position: 0,
            is_writing: false,
        }
    }

    fn bit(&mut self, value: bool, field: &str) -> Result<bool, String> {
        let (index, shift) = (self.position / 8, self.position % 8);
        if self.is_writing && shift == 0 {
            self.bytes.to_mut().push(0);
        }
        let Some(byte) = self.bytes.get(index) else {
            return Err(format!("the record ends within the {field}"));
        };
        self.position += 1;
        if !self.is_writing {
            return Ok(byte >> shift & 1 == 1);
        }
        self.bytes.to_mut()[index] |= u8::from(value) << shift;
        Ok(value)
    }

    /// Writes or reads a number below `bound`. `field` is its name in errors.
    pub(super) fn number(
        &mut self,
        value: Option<usize>,
        bound: usize,
        field: &str,
    ) -> Result<usize, String> {
        let value = value.unwrap_or(0);
        let width = usize::BITS - bound.saturating_sub(1).leading_zeros();
        let mut number = 0;
        for bit in 0..width {
            number |= usize::from(self.bit(value >> bit & 1 == 1, field)?) << bit;
        }
        match number.max(value) {
            number if number < bound => Ok(number),
            number => Err(format!("{field} {number}, expected a number below {bound}")),
        }
    }

    /// Writes or reads a number up to `max` that is usually small, as a Rice code: half of it in
    /// unary (ones, then a zero), followed by its lowest bit.
    pub(super) fn small(&mut self, value: Option<u8>, max: u8, field: &str) -> Result<u8, String> {
        let value = value.unwrap_or(0);
        let mut number = 0;
        while self.bit(value > number + 1, field)? {
            number += 2;
            if number > max {
                return Err(format!("{field} {number}, expected at most {max}"));
            }
        }
        Ok(number + u8::from(self.bit(value % 2 == 1, field)?))
    }

    /// True if only padding is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.position.div_ceil(8) == self.bytes.len()
    }

    /// The bytes, padded with zero bits.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_round_trip() {
        let numbers = [(0, 1), (4, 5), (255, 256), (256, 257), (0, 2), (1000, 1001)];
        let mut bits = Bits::new_writer();
        for (number, bound) in numbers {
            assert_eq!(bits.number(Some(number), bound, "number"), Ok(number));
        }
        (0..=15).for_each(|n| assert_eq!(bits.small(Some(n), 15, "level"), Ok(n)));
        let bytes = bits.into_bytes();
        // 0 + 3 + 8 + 9 + 1 + 10 bits, and 2 to 9 per level.
        assert_eq!(bytes.len(), 15);
        let mut bits = Bits::new_reader(&bytes);
        for (number, bound) in numbers {
            assert!(!bits.is_at_end());
            assert_eq!(bits.number(None, bound, "number"), Ok(number));
        }
        (0..=15).for_each(|n| assert_eq!(bits.small(None, 15, "level"), Ok(n)));
        assert!(bits.is_at_end());
    }

    #[test]
    fn out_of_range_numbers_are_rejected() {
        let below_5 = Err("score 7, expected a number below 5".to_owned());
        let mut bits = Bits::new_reader(&[0b111]);
        assert_eq!(bits.number(None, 5, "score"), below_5);
        let error = bits.number(None, 1001, "score").unwrap_err();
        assert_eq!(error, "the record ends within the score");
        assert_eq!(Bits::new_writer().number(Some(7), 5, "score"), below_5);
        let error = Bits::new_reader(&[255; 2]).small(None, 15, "level");
        assert_eq!(error.unwrap_err(), "level 16, expected at most 15");
    }
}
