//! Statistics of move times.

use std::fmt;
use std::time::Duration;

/// Statistics of one side's move times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    /// Number of moves with a known time.
    pub moves: u32,
    /// Sum of the times, saturating at the maximum.
    pub total: Duration,
    /// Maximum time per move.
    pub longest: Duration,
}

impl MoveTimes {
    /// Counts a move.
    pub fn add(&mut self, time: Duration) {
        self.moves += 1;
        self.total = self.total.saturating_add(time);
        self.longest = self.longest.max(time);
    }

    /// Average time per move; `None` without moves.
    pub fn mean(&self) -> Option<Duration> {
        self.total.checked_div(self.moves)
    }
}

/// Number of moves, average and maximum time.
impl fmt::Display for MoveTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mean() {
            None => f.write_str("no moves"),
            Some(mean) if self.moves == 1 => write!(f, "1 move of {:.3} s", mean.as_secs_f64()),
            Some(mean) => write!(
                f,
                "{} moves of {:.3} s on average, {:.3} s at most",
                self.moves,
                mean.as_secs_f64(),
                self.longest.as_secs_f64()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_time_saturates() {
        let mut times = MoveTimes::default();
        times.add(Duration::MAX);
        times.add(Duration::MAX);
        assert_eq!(times.total, Duration::MAX);
    }
}
