//! Lengths of time as arguments.

use std::str::FromStr;
use std::time::Duration;

/// A positive length of time, given in seconds with or without decimals.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(Duration);

impl FromStr for Seconds {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Seconds, &'static str> {
        let seconds: f64 = text.parse().map_err(|_| "not a number")?;
        match Duration::try_from_secs_f64(seconds) {
            Ok(duration) if !duration.is_zero() => Ok(Seconds(duration)),
            _ => Err("not a length of time"),
        }
    }
}

impl From<Seconds> for Duration {
    fn from(seconds: Seconds) -> Duration {
        seconds.0
    }
}
