//! Numbers in as many bits as their bound needs, the lowest first.

use std::borrow::Cow;

/// The bits of a record that is written or read. One description of a format serves both: it passes
/// each number if it is known, and continues with the number that is returned, which is the same
/// when writing.
#[derive(Debug)]
pub(super) struct Bits<'b> {
    bytes: Cow<'b, [u8]>,
    /// Bits written or read.
    at: usize,
    is_writing: bool,
}

impl<'b> Bits<'b> {
    pub(super) fn writing() -> Bits<'b> {
        Bits {
            bytes: Cow::default(),
            at: 0,
            is_writing: true,
        }
    }

    pub(super) fn reading(bytes: &'b [u8]) -> Bits<'b> {
        Bits {
            bytes: Cow::Borrowed(bytes),
            at: 0,
            is_writing: false,
        }
    }

    fn bit(&mut self, known: bool, what: &str) -> Result<bool, String> {
        let (place, shift) = (self.at / 8, self.at % 8);
        if self.is_writing && shift == 0 {
            self.bytes.to_mut().push(0);
        }
        let Some(byte) = self.bytes.get(place) else {
            return Err(format!("the record ends within the {what}"));
        };
        self.at += 1;
        if !self.is_writing {
            return Ok(byte >> shift & 1 == 1);
        }
        self.bytes.to_mut()[place] |= u8::from(known) << shift;
        Ok(known)
    }

    /// The next number, which must be below `bound`. `what` names it in errors.
    pub(super) fn number(
        &mut self,
        known: Option<usize>,
        bound: usize,
        what: &str,
    ) -> Result<usize, String> {
        let known = known.unwrap_or(0);
        let width = usize::BITS - bound.saturating_sub(1).leading_zeros();
        let mut number = 0;
        for bit in 0..width {
            number |= usize::from(self.bit(known >> bit & 1 == 1, what)?) << bit;
        }
        match number.max(known) {
            number if number < bound => Ok(number),
            number => Err(format!("{what} {number}, expected a number below {bound}")),
        }
    }

    /// The next number, which is at most `most` and most often small, as a Rice code: half of it as
    /// ones and a zero, then its lowest bit.
    pub(super) fn small(&mut self, known: Option<u8>, most: u8, what: &str) -> Result<u8, String> {
        let known = known.unwrap_or(0);
        let mut number = 0;
        while self.bit(known > number + 1, what)? {
            number += 2;
            if number > most {
                return Err(format!("{what} {number}, expected at most {most}"));
            }
        }
        Ok(number + u8::from(self.bit(known % 2 == 1, what)?))
    }

    /// True if only the padding of the last byte is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at.div_ceil(8) == self.bytes.len()
    }

    /// The bytes; the bits after the last number are 0.
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
        let mut bits = Bits::writing();
        for (number, bound) in numbers {
            assert_eq!(bits.number(Some(number), bound, "number"), Ok(number));
        }
        (0..=15).for_each(|n| assert_eq!(bits.small(Some(n), 15, "level"), Ok(n)));
        let bytes = bits.into_bytes();
        // 0 + 3 + 8 + 9 + 1 + 10 bits, and 2 to 9 for each level.
        assert_eq!(bytes.len(), 15);
        let mut bits = Bits::reading(&bytes);
        for (number, bound) in numbers {
            assert!(!bits.is_at_end());
            assert_eq!(bits.number(None, bound, "number"), Ok(number));
        }
        (0..=15).for_each(|n| assert_eq!(bits.small(None, 15, "level"), Ok(n)));
        assert!(bits.is_at_end());
    }

    #[test]
    fn numbers_beyond_their_bounds_are_rejected_by_name() {
        let below_5 = Err("score 7, expected a number below 5".to_owned());
        let mut bits = Bits::reading(&[0b111]);
        assert_eq!(bits.number(None, 5, "score"), below_5);
        let error = bits.number(None, 1001, "score").unwrap_err();
        assert_eq!(error, "the record ends within the score");
        assert_eq!(Bits::writing().number(Some(7), 5, "score"), below_5);
        let error = Bits::reading(&[255; 2]).small(None, 15, "level");
        assert_eq!(error.unwrap_err(), "level 16, expected at most 15");
    }
}
