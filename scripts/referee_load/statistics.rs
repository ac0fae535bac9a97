//! Counting and timing.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

/// The measurements at one table.
pub struct Tally {
    begin: Instant,
    last_sent: Option<Instant>,
    plies: Vec<Duration>,
    games: usize,
    failures: Vec<String>,
}

impl Tally {
    pub fn new(begin: Instant) -> Tally {
        Tally {
            begin,
            last_sent: None,
            plies: Vec::new(),
            games: 0,
            failures: Vec::new(),
        }
    }

    /// A player sends its move.
    pub fn sent(&mut self) {
        self.last_sent = Some(Instant::now());
    }

    /// The other player has been asked for its move.
    pub fn arrived(&mut self) {
        if let Some(sent) = self.last_sent.take()
            && sent >= self.begin
        {
            self.plies.push(sent.elapsed());
        }
    }

    pub fn count_game(&mut self) {
        self.last_sent = None;
        self.games += 1;
    }

    pub fn count_failure(&mut self, failure: String) {
        self.last_sent = None;
        self.failures.push(failure);
    }
}

/// The measurements at all tables.
pub struct Statistics {
    rooms: usize,
    time: Duration,
    plies: Vec<Duration>,
    games: usize,
    failures: Vec<String>,
}

impl Statistics {
    pub fn new(rooms: usize, time: Duration) -> Statistics {
        Statistics {
            rooms,
            time,
            plies: Vec::new(),
            games: 0,
            failures: Vec::new(),
        }
    }

    pub fn add(&mut self, tally: Tally) {
        self.plies.extend(tally.plies);
        self.games += tally.games;
        self.failures.extend(tally.failures);
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut plies = self.plies.clone();
        plies.sort();
        let rate = plies.len() as f64 / self.time.as_secs_f64();
        writeln!(f, "rooms     {}", self.rooms)?;
        writeln!(f, "seconds   {}", self.time.as_secs_f64())?;
        writeln!(f, "plies     {}", plies.len())?;
        writeln!(f, "plies/s   {rate:.0}")?;
        for (name, per_mille) in [("median", 500), ("p99", 990), ("p99.9", 999), ("max", 1000)] {
            let index = (plies.len() * per_mille / 1000).saturating_sub(1);
            if let Some(time) = plies.get(index) {
                writeln!(f, "{name:9} {:.2} ms", time.as_secs_f64() * 1000.0)?;
            }
        }
        writeln!(f, "games     {}", self.games)?;
        write!(f, "failures  {}", self.failures.len())?;
        if let Some(failure) = self.failures.first() {
            write!(f, " (the first: {failure})")?;
        }
        Ok(())
    }
}
