//! Parsers for numeric options.

use std::str::FromStr;

use wabe_files::text::is_whole;

/// Parses a number that meets a condition.
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

/// Parses a positive whole number.
pub fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |number| *number > T::from(0), "a whole number from 1")
}
