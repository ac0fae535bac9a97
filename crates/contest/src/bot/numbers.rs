//! Numbers as arguments.

use std::str::FromStr;

use wabe_files::text::is_whole;

/// Reads a number for which a condition holds.
pub fn number<T: FromStr>(
    text: &str,
    holds: impl FnOnce(&T) -> bool,
    expected: &str,
) -> Result<T, String> {
    match text.parse::<T>() {
        Ok(number) if holds(&number) => Ok(number),
        Err(_) if is_whole(text) => Err("too large".to_owned()),
        _ => Err(format!("expected {expected}")),
    }
}

/// Reads a whole number from 1.
pub fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |number| *number > T::from(0), "a whole number from 1")
}
