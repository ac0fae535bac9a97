//! Limits on wrong passwords.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Wrong passwords that an address may try in a row.
const AT_ONCE: u32 = 32;

/// The wrong passwords of each address: a leaky bucket.
///
/// No client waits: a waiting one would occupy a connection, and strangers could thus lock administrators out.
#[derive(Debug, Default)]
pub(super) struct Guesses(HashMap<IpAddr, Instant>);

impl Guesses {
    /// True if a password from there may be checked. A wrong one costs it `cost`.
    pub(super) fn may_try(&self, from: IpAddr, cost: Duration, now: Instant) -> bool {
        let paid_for = self.0.get(&from).copied().unwrap_or(now);
        paid_for.saturating_duration_since(now) <= cost.saturating_mul(AT_ONCE - 1)
    }

    /// Counts a wrong password.
    pub(super) fn count(&mut self, from: IpAddr, cost: Duration, now: Instant) {
        self.0.retain(|_, paid_for| *paid_for > now);
        let paid_for = self.0.entry(from).or_insert(now);
        *paid_for = paid_for.checked_add(cost).unwrap_or(*paid_for);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_passwords_are_limited_in_the_long_run_and_forgotten_when_they_are_paid_for() {
        let [stranger, other] = ["192.0.2.1", "192.0.2.2"].map(|ip| ip.parse().unwrap());
        let cost = Duration::from_millis(250);
        let mut guesses = Guesses::default();
        let mut now = Instant::now();
        for _ in 0..AT_ONCE {
            assert!(guesses.may_try(stranger, cost, now));
            guesses.count(stranger, cost, now);
        }
        for _ in 0..3 {
            assert!(!guesses.may_try(stranger, cost, now));
            assert!(guesses.may_try(other, cost, now));
            now += cost;
            assert!(guesses.may_try(stranger, cost, now));
            guesses.count(stranger, cost, now);
        }
        guesses.count(other, cost, now + cost * AT_ONCE);
        assert_eq!(guesses.0.len(), 1);
    }
}
