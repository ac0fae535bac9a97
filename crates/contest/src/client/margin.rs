//! The safety margin: time that the search leaves for sending the move.
//!
//! Other processes or virtual machines on the same host may preempt the client at any time. It
//! measures these delays with a timer that should fire every [`MEASURE_INTERVAL`], and whenever it
//! sends a reply. A request may be delayed as much as the timer, so the margin is twice the largest
//! recent delay.

use std::time::{Duration, Instant};

/// Interval between measurements.
pub(super) const MEASURE_INTERVAL: Duration = Duration::from_millis(50);

/// Half-life of a measured delay. Preemptions come in bursts some seconds apart.
const HALF_LIFE: Duration = Duration::from_secs(15);

/// Maximum recorded delay. It limits the effect of long delays, such as a suspended machine.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// Minimum margin: two fifths of the time, at most 40 ms. Even idle shared machines occasionally
/// preempt the client for 30 to 70 ms (`docs/latency.md`).
fn min_margin(time: Duration) -> Duration {
    (time * 2 / 5).min(Duration::from_millis(40))
}

/// A safety margin that adapts to the delays of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Margin {
    /// The largest delay and when it was measured.
    peak: Option<(Duration, Instant)>,
}

impl Margin {
    /// Records a measured delay.
    pub(super) fn record(&mut self, delay: Duration, now: Instant) {
        let delay = delay.min(MAX_DELAY);
        if delay > self.delay(now) {
            self.peak = Some((delay, now));
        }
    }

    /// The largest recent delay, decayed by its age.
    fn delay(&self, now: Instant) -> Duration {
        let Some((delay, measured_at)) = self.peak else {
            return Duration::ZERO;
        };
        let age = now.saturating_duration_since(measured_at).as_secs_f64();
        delay.mul_f64((-age / HALF_LIFE.as_secs_f64()).exp2())
    }

    /// The margin for a time limit: at least [`min_margin`], at most half the limit.
    pub(super) fn for_time(&self, time: Duration, now: Instant) -> Duration {
        let adapted = self.delay(now).saturating_mul(2);
        adapted.min(time / 2).max(min_margin(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn idle_machine_keeps_the_minimum_margin() {
        let now = Instant::now();
        let mut margin = Margin::default();
        for (time, min) in [(50, 20), (100, 40), (1800, 40)] {
            assert_eq!(margin.for_time(time * MS, now), min * MS);
            margin.record(min / 2 * MS, now);
            assert_eq!(margin.for_time(time * MS, now), min * MS);
            margin = Margin::default();
        }
    }

    #[test]
    fn delays_widen_the_margin_within_a_bound() {
        let now = Instant::now();
        let mut margin = Margin::default();
        margin.record(100 * MS, now);
        margin.record(30 * MS, now);
        assert_eq!(margin.for_time(1800 * MS, now), 200 * MS);
        margin.record(Duration::MAX, now);
        assert_eq!(margin.for_time(1800 * MS, now), 900 * MS);
        assert_eq!(margin.for_time(60 * MS, now), 30 * MS);
    }

    #[test]
    fn margin_narrows_again() {
        let start = Instant::now();
        let mut margin = Margin::default();
        margin.record(200 * MS, start);
        assert_eq!(margin.for_time(1800 * MS, start + HALF_LIFE), 200 * MS);
        margin.record(30 * MS, start + HALF_LIFE);
        assert_eq!(margin.for_time(1800 * MS, start + 2 * HALF_LIFE), 100 * MS);
        assert_eq!(margin.for_time(1800 * MS, start + 10 * HALF_LIFE), 40 * MS);
    }
}
