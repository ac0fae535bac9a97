//! Limits the input rate of a connection.

use std::time::{Duration, Instant};

use wabe_engine::clock;

/// Time at full speed after a silence.
const BURST: Duration = Duration::from_millis(100);

/// Limits the long-run rate: a leaky bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throttle {
    bytes_per_second: u32,
    /// The time at which all bytes so far would have arrived at the allowed rate.
    due: Instant,
    /// The time of the next read.
    next: Instant,
}

impl Throttle {
    pub(super) fn new(bytes_per_second: u32, now: Instant) -> Throttle {
        Throttle {
            bytes_per_second: bytes_per_second.max(1),
            due: now,
            next: now,
        }
    }

    /// Counts bytes that arrived at `now`.
    pub(super) fn count(&mut self, bytes: usize, now: Instant) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let time = Duration::from_secs(1) * bytes / self.bytes_per_second;
        self.due = self.due.max(now) + time;
        self.next = self.due.checked_sub(BURST).unwrap_or(self.due);
    }

    /// Waits for the time of the next read.
    pub(super) async fn wait(&self) {
        let wait = clock::until(self.next);
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes can be taken in chunks within a time.
    fn taken(bytes_per_second: u32, chunk: usize, time: Duration) -> usize {
        let start = Instant::now();
        let mut throttle = Throttle::new(bytes_per_second, start);
        let mut now = start;
        let mut taken = 0;
        while now < start + time {
            throttle.count(chunk, now);
            taken += chunk;
            now = now.max(throttle.next);
        }
        taken
    }

    #[test]
    fn the_speed_is_limited_in_the_long_run() {
        let bytes = taken(100_000, 1_000, Duration::from_secs(10));
        assert!((1_000_000..=1_020_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_silence_is_not_saved_up() {
        let start = Instant::now();
        let mut throttle = Throttle::new(1_000, start);
        let later = start + Duration::from_secs(1_000);
        throttle.count(1_100, later);
        assert_eq!(throttle.next, later + Duration::from_secs(1));
    }

    #[test]
    fn what_is_within_the_speed_never_waits() {
        let mut now = Instant::now();
        let mut throttle = Throttle::new(10_000, now);
        for _ in 0..100 {
            now += Duration::from_millis(100);
            throttle.count(1_000, now);
            assert!(throttle.next <= now);
        }
    }
}
