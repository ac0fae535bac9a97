//! Parsers for option values.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
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

/// Parses an address, an IPv6 address possibly in brackets, or the name of a host. Prefers IPv4,
/// because clients of `localhost` often use 127.0.0.1.
pub(crate) fn address(text: &str) -> Result<IpAddr, String> {
    let in_brackets = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let found = (in_brackets.unwrap_or(text), 0).to_socket_addrs();
    let found = preferred(found.map_err(|error| error.to_string())?);
    Ok(found.ok_or("the host has no address")?.ip())
}

fn preferred(addresses: impl Iterator<Item = SocketAddr>) -> Option<SocketAddr> {
    addresses.min_by_key(SocketAddr::is_ipv6)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv4_addresses_of_a_host_are_preferred() {
        let found = ["[::1]:0", "127.0.0.1:0", "127.0.0.2:0"].map(|text| text.parse().unwrap());
        assert_eq!(preferred(found.into_iter()), Some(found[1]));
        assert_eq!(preferred(found.into_iter().take(1)), Some(found[0]));
        for text in ["::1", "[::1]"] {
            assert_eq!(address(text), Ok("::1".parse().unwrap()));
        }
        assert!(address("no such host").is_err());
    }
}
