//! The times of the players' moves.

use std::fmt;
use std::time::Duration;

/// The times of one side's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTimes {
    /// Number of moves.
    pub moves: u32,
    /// Time taken for all of them.
    pub total: Duration,
    /// Time taken for the longest one.
    pub longest: Duration,
}

impl MoveTimes {
    /// Counts a move.
    pub fn add(&mut self, time: Duration) {
        self.moves += 1;
        self.total = self.total.saturating_add(time);
        self.longest = self.longest.max(time);
    }

    /// The average; `None` before the first move.
    pub fn mean(&self) -> Option<Duration> {
        self.total.checked_div(self.moves)
    }
}

/// The number of moves, the average and the longest time.
impl fmt::Display for MoveTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mean() {
            None => f.write_str("no move"),
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
    fn absurd_times_are_added() {
        let mut times = MoveTimes::default();
        times.add(Duration::MAX);
        times.add(Duration::MAX);
        assert_eq!(times.total, Duration::MAX);
    }
}
