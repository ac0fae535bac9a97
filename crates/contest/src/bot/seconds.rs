//! Parser for durations in options.

use std::str::FromStr;
use std::time::Duration;

/// A positive duration, parsed from a decimal number of seconds.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(Duration);

impl FromStr for Seconds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Seconds, &'static str> {
        let seconds: f64 = text.parse().map_err(|_| "not a number")?;
        match Duration::try_from_secs_f64(seconds) {
            Ok(duration) if !duration.is_zero() => Ok(Seconds(duration)),
            _ => Err("expected a positive number of seconds"),
        }
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Duration {
        seconds.0
    }
}
