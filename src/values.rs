//! Parsers for option values.

use std::str::FromStr;
use std::time::Duration;

use crate::errors::UsageError;
use wabe_engine::Playable;
use wabe_engine::evaluation::{NetworkEvaluator, NetworkFile};

pub(crate) use wabe_contest::bot::{at_least_one, number};

pub(crate) fn positive<T: FromStr + Into<f64> + Copy>(text: &str) -> Result<T, String> {
    let holds = |&number: &T| number.into() > 0.0 && number.into().is_finite();
    number(text, holds, "a number above 0")
}

pub(crate) fn share_inside(text: &str) -> Result<f64, String> {
    let holds = |&share: &f64| share > 0.0 && share < 1.0;
    number(text, holds, "a share between 0 and 1")
}

/// Parses a positive duration from a decimal number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let duration = text.parse().map(Duration::try_from_secs_f64);
    match duration {
        Ok(Ok(duration)) if !duration.is_zero() => Ok(duration),
        _ => Err("expected a positive number of seconds"),
    }
}

/// Loads a network file, or the built-in network.
pub(crate) fn evaluator<G: Playable>(
    file: Option<&NetworkFile>,
) -> Result<NetworkEvaluator<G>, UsageError> {
    match file {
        Some(file) => file
            .evaluator()
            .map_err(|error| UsageError::new(error.to_string())),
        None => Ok(NetworkEvaluator::built_in()),
    }
}
