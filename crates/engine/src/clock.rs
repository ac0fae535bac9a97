//! The referee's clock. It stops while the process is stopped.
//!
//! A process that is stopped (Ctrl-Z), suspended or starved reads replies late, and its own players
//! do not think meanwhile. The referee and the arena therefore take all times from here: measured
//! times exclude pauses, and deadlines move by their length.
//!
//! A heartbeat thread reads the clock at short intervals. Whichever thread finds the last reading
//! too old counts a pause: after one, expired timers, sockets and the heartbeat become ready
//! together, and any of them may run first.
//!
//! An [`Instant`] from here cannot be compared with one of [`Instant::now`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::search::Clock;

/// Time between two heartbeats.
const BEAT: Duration = Duration::from_millis(20);

/// A longer time without a reading is a pause. Up to this, a late heartbeat is usual on a busy
/// machine.
const MAX_SILENCE: Duration = Duration::from_millis(60);

/// Pauses are reported when they sum to this.
const MIN_REPORTED: Duration = Duration::from_millis(500);

/// The state of the clock.
#[derive(Debug)]
struct Pulse {
    /// The last reading, in the machine's time.
    last: Instant,
    /// The sum of all pauses.
    paused: Duration,
    /// The part of it that has been reported.
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

    /// Reads the clock at `at` in the machine's time. Returns its time, and the pauses that have to
    /// be reported.
    fn read(&mut self, at: Instant) -> (Instant, Option<Duration>) {
        let silence = at.saturating_duration_since(self.last);
        self.last = self.last.max(at);
        if silence > MAX_SILENCE {
            // The next heartbeat was due after `BEAT`.
            self.paused += silence.saturating_sub(BEAT);
        }
        let unreported = self.paused.saturating_sub(self.reported);
        let report = Some(unreported).filter(|&pauses| pauses >= MIN_REPORTED);
        self.reported += report.unwrap_or_default();
        (at.checked_sub(self.paused).unwrap_or(at), report)
    }
}

/// `None` on a machine that has no thread for the heartbeat: without it every silence would look
/// like a pause.
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

/// The sum of all pauses in nanoseconds, for searches, which must not wait for the lock.
static PAUSED: AtomicU64 = AtomicU64::new(0);

/// The present time.
pub fn now() -> Instant {
    let Some(pulse) = &*PULSE else {
        return Instant::now();
    };
    let (now, pauses) = {
        let mut pulse = pulse.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that the time never goes back.
        let reading = pulse.read(Instant::now());
        let paused = u64::try_from(pulse.paused.as_nanos());
        PAUSED.store(paused.unwrap_or(u64::MAX), Ordering::Relaxed);
        reading
    };
    if let Some(pauses) = pauses {
        report(pauses);
    }
    now
}

/// Logs pauses on a thread of its own: a blocked log must not stop the heartbeat or a referee. It
/// leaves a report out while the last one is blocked.
fn report(pauses: Duration) {
    static REPORTING: AtomicBool = AtomicBool::new(false);
    let seconds = pauses.as_secs_f64();
    let log = move || {
        log::warn!("wabe itself was paused for {seconds:.1} s: added to the open requests");
        REPORTING.store(false, Ordering::Release);
    };
    if !REPORTING.swap(true, Ordering::Acquire) && thread::Builder::new().spawn(log).is_err() {
        REPORTING.store(false, Ordering::Release);
    }
}

/// Time from `earlier` to now.
pub fn since(earlier: Instant) -> Duration {
    now().saturating_duration_since(earlier)
}

/// Time from now to `later`. After a wait this long it may still lie ahead, because of a pause.
pub fn until(later: Instant) -> Duration {
    later.saturating_duration_since(now())
}

/// The sum of all reported pauses since the process was started.
pub fn reported_pauses() -> Duration {
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
pub struct SearchClock {
    /// The start of the process's clock.
    pub started: Instant,
}

impl Clock for SearchClock {
    fn elapsed(&self) -> Duration {
        if let Some(pulse) = &*PULSE
            && let Err(TryLockError::WouldBlock) = pulse.try_lock()
        {
            // Another thread is reading the clock, so nothing is paused now.
            let paused = Duration::from_nanos(PAUSED.load(Ordering::Relaxed));
            return Instant::now()
                .saturating_duration_since(self.started)
                .saturating_sub(paused);
        }
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
        for between in [20, 60] {
            let mut pulse = after_beats(start, (0..2_500).step_by(between));
            let at = start + 2_500 * MS;
            assert_eq!(pulse.read(at), (at, None));
        }
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
    fn short_pauses_are_reported_together() {
        let start = Instant::now();
        let mut pulse = Pulse::new(start);
        for pause in 1..=12 {
            let report = (pause % 5 == 0).then_some(500 * MS);
            assert_eq!(pulse.read(start + pause * 120 * MS).1, report);
        }
        assert_eq!((pulse.paused, pulse.reported), (1_200 * MS, 1_000 * MS));
    }
}
