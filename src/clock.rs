//! The referee's clock. It stands still while the whole process does.
//!
//! A process that is stopped (Ctrl-Z), suspended or starved reads replies late, and its own players do not think meanwhile. No player may
//! pay for that, so the referee and the arena take every time from here: a pause is missing in times that were measured across it, and
//! deadlines move by its length. A thread with a heartbeat makes silence recognizable. Whoever reads the clock first after a pause notices
//! it, so it does not matter whether that is the heartbeat, an expired timer or a reader.
//!
//! An [`Instant`] from here cannot be compared with one of [`Instant::now`].

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::search::Clock;

/// Time between two heartbeats.
const BEAT: Duration = Duration::from_millis(20);

/// A longer time without a sign of life is a pause. A scheduler may delay a heartbeat as much.
const MAX_SILENCE: Duration = Duration::from_millis(60);

/// Shorter pauses count as well, but are not reported.
const MIN_REPORTED: Duration = Duration::from_millis(500);

/// The state of the clock.
#[derive(Debug)]
struct Pulse {
    /// The last sign of life, in the machine's time.
    last: Instant,
    paused: Duration,
    reported: Duration,
}

impl Pulse {
    fn new(at: Instant) -> Pulse {
        Pulse {
            last: at,
            paused: Duration::ZERO,
            reported: Duration::ZERO,
        }
    }

    /// Reads the clock at `at` in the machine's time. Returns its time, and the length of a pause that has to be reported.
    fn read(&mut self, at: Instant) -> (Instant, Option<Duration>) {
        let silence = at.saturating_duration_since(self.last);
        self.last = self.last.max(at);
        let mut pause = None;
        if silence > MAX_SILENCE {
            // The next heartbeat was due after `BEAT`.
            let length = silence.saturating_sub(BEAT);
            self.paused += length;
            pause = Some(length).filter(|&length| length >= MIN_REPORTED);
            self.reported += pause.unwrap_or_default();
        }
        (at.checked_sub(self.paused).unwrap_or(at), pause)
    }
}

/// `None` on a machine that has no thread for the heartbeat: without it every silence would look like a pause.
static PULSE: LazyLock<Option<Mutex<Pulse>>> = LazyLock::new(|| {
    let beat = || loop {
        thread::sleep(BEAT);
        now();
    };
    let heart = thread::Builder::new().name("heartbeat".to_owned());
    let started = heart.spawn(beat);
    let failed = started.inspect_err(|error| log::warn!("pauses cannot be noticed: {error}"));
    failed.ok()?;
    Some(Mutex::new(Pulse::new(Instant::now())))
});

/// The present time.
pub(crate) fn now() -> Instant {
    let Some(pulse) = &*PULSE else {
        return Instant::now();
    };
    let (now, pause) = {
        let mut pulse = pulse.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that the time never goes back.
        pulse.read(Instant::now())
    };
    if let Some(pause) = pause {
        report(pause);
    }
    now
}

/// Logs a pause on a thread of its own: a log that nobody reads must not stop the heartbeat or a referee.
fn report(pause: Duration) {
    let seconds = pause.as_secs_f64();
    let log = move || {
        log::warn!("wabe itself was paused for {seconds:.1} s: added to the open requests");
    };
    // Without a thread the total is still reported.
    let _ = thread::Builder::new().spawn(log);
}

/// Time from `earlier` to now.
pub(crate) fn since(earlier: Instant) -> Duration {
    now().saturating_duration_since(earlier)
}

/// Time from now to `later`. After a wait this long it may still lie ahead, because of a pause.
pub(crate) fn until(later: Instant) -> Duration {
    later.saturating_duration_since(now())
}

/// The total of all pauses of at least half a second since the process was started.
pub(crate) fn reported_pauses() -> Duration {
    let pulse = PULSE.as_ref();
    pulse.map_or(Duration::ZERO, |pulse| {
        pulse
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .reported
    })
}

/// The time of a search: the time since the request, without pauses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchClock {
    pub(crate) started: Instant,
}

impl Clock for SearchClock {
    fn elapsed(&self) -> Duration {
        since(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A clock with a heartbeat at each of these times in milliseconds, in order.
    fn after_beats(start: Instant, beats: impl IntoIterator<Item = u32>) -> Pulse {
        let mut pulse = Pulse::new(start);
        for beat in beats {
            pulse.read(start + beat * MS);
        }
        pulse
    }

    #[test]
    fn clock_runs_with_late_heartbeats() {
        let start = Instant::now();
        let mut pulse = after_beats(start, (0..5_000).step_by(60));
        let at = start + 5_000 * MS;
        assert_eq!(pulse.read(at), (at, None));
    }

    #[test]
    fn first_reader_after_a_pause_notices_it() {
        let start = Instant::now();
        let mut pulse = after_beats(start, [20, 40]);
        // Stopped right after the heartbeat at 40 ms, for three seconds.
        let (now, pause) = pulse.read(start + 3_040 * MS);
        assert_eq!((now - start, pause), (60 * MS, Some(2_980 * MS)));
        // The heartbeat comes second and adds nothing.
        let (now, pause) = pulse.read(start + 3_041 * MS);
        assert_eq!((now - start, pause), (61 * MS, None));
        assert_eq!(pulse.reported, 2_980 * MS);
    }

    #[test]
    fn pause_forgives_no_more_than_its_length() {
        let start = Instant::now();
        let mut pulse = after_beats(start, (0..=1_000).step_by(20));
        pulse.read(start + 4_000 * MS);
        // The reply comes 2.5 s after the end of a pause of 3 s.
        for beat in (4_000..6_500).step_by(20) {
            pulse.read(start + beat * MS);
        }
        let (replied, _) = pulse.read(start + 6_500 * MS);
        assert_eq!(replied - start, 3_520 * MS);
    }

    #[test]
    fn short_pauses_count_without_a_report() {
        let start = Instant::now();
        let mut pulse = Pulse::new(start);
        for pause in 1..=10 {
            assert_eq!(pulse.read(start + pause * 120 * MS).1, None);
        }
        assert_eq!((pulse.paused, pulse.reported), (1_000 * MS, Duration::ZERO));
    }

    #[test]
    fn time_read_by_threads_never_goes_back() {
        let start = Instant::now();
        let mut pulse = after_beats(start, [20]);
        let (later, _) = pulse.read(start + 30 * MS);
        // A reading from before the last sign of life.
        let (earlier, _) = pulse.read(start + 25 * MS);
        assert_eq!(later - earlier, 5 * MS);
        assert_eq!(pulse.last, start + 30 * MS);
    }
}
