//! The referee's clock, which does not count pauses of the process.
//!
//! A process that is stopped (Ctrl-Z), suspended or starved of CPU time reads replies late, and
//! players on its own threads do not search. The referee and the arena therefore use this clock for
//! all times: measured times exclude pauses, and deadlines are extended by them.
//!
//! A heartbeat thread reads the clock at short intervals. The first thread that finds the last
//! reading too old counts a pause. Any thread may be first: after a pause, expired timers, sockets
//! and the heartbeat become ready together.
//!
//! An [`Instant`] of this clock cannot be compared with one of [`Instant::now`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::search::Clock;

/// Time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// Maximum time between two readings that does not count as a pause. Heartbeats are often late on a
/// busy machine.
const MAX_GAP: Duration = Duration::from_millis(60);

/// Unreported pauses are reported once their sum reaches this.
const MIN_REPORTED: Duration = Duration::from_millis(500);

/// The state of the clock.
#[derive(Debug)]
struct ClockState {
    /// The last reading of the system clock.
    last: Instant,
    /// The sum of all pauses.
    paused: Duration,
    /// The part of `paused` that has been reported.
    reported: Duration,
}

impl ClockState {
    fn new(at: Instant) -> ClockState {
        ClockState {
            last: at,
            paused: Duration::ZERO,
            reported: Duration::ZERO,
        }
    }

    /// Reads this clock when the system clock shows `at`. Returns the time and the sum of the
    /// pauses to report.
    fn read(&mut self, at: Instant) -> (Instant, Option<Duration>) {
        let gap = at.saturating_duration_since(self.last);
        self.last = self.last.max(at);
        if gap > MAX_GAP {
            // The next heartbeat was due after `HEARTBEAT`.
            self.paused += gap.saturating_sub(HEARTBEAT);
        }
        let unreported = self.paused.saturating_sub(self.reported);
        let report = Some(unreported).filter(|&pauses| pauses >= MIN_REPORTED);
        self.reported += report.unwrap_or_default();
        (at.checked_sub(self.paused).unwrap_or(at), report)
    }
}

/// `None` if the heartbeat thread cannot be started: without it every gap between readings would
/// look like a pause.
static CLOCK: LazyLock<Option<Mutex<ClockState>>> = LazyLock::new(|| {
    let beat = || loop {
        thread::sleep(HEARTBEAT);
        now();
    };
    let builder = thread::Builder::new().name("heartbeat".to_owned());
    let started = builder.spawn(beat);
    let failed = started.inspect_err(|error| log::warn!("cannot detect pauses: {error}"));
    failed.ok()?;
    Some(Mutex::new(ClockState::new(Instant::now())))
});

/// The sum of all pauses in nanoseconds. Searches read it, because they must not wait for the lock.
static PAUSED: AtomicU64 = AtomicU64::new(0);

/// The current time, without pauses.
pub fn now() -> Instant {
    let Some(state) = &*CLOCK else {
        return Instant::now();
    };
    let (now, pauses) = {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock, so that the time never goes back.
        let reading = state.read(Instant::now());
        let paused = u64::try_from(state.paused.as_nanos());
        PAUSED.store(paused.unwrap_or(u64::MAX), Ordering::Relaxed);
        reading
    };
    if let Some(pauses) = pauses {
        report(pauses);
    }
    now
}

/// Logs pauses on a separate thread, because a blocked log must not stop the heartbeat or the
/// referee. Does nothing while the previous report is blocked.
fn report(pauses: Duration) {
    static REPORTING: AtomicBool = AtomicBool::new(false);
    let seconds = pauses.as_secs_f64();
    let log = move || {
        log::warn!(
            "wabe itself was paused for {seconds:.1} s; deadlines are extended by that time"
        );
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

/// Time from now to `later`. If a pause occurs while waiting that long, `later` is still in the
/// future afterwards.
pub fn until(later: Instant) -> Duration {
    later.saturating_duration_since(now())
}

/// The sum of all reported pauses since the start of the process.
pub fn reported_pauses() -> Duration {
    let state = CLOCK.as_ref();
    state.map_or(Duration::ZERO, |state| {
        state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .reported
    })
}

/// The time since a request, without pauses.
#[derive(Clone, Copy, Debug)]
pub struct SearchClock {
    /// The time of the request, from [`now`].
    pub started: Instant,
}

impl Clock for SearchClock {
    fn elapsed(&self) -> Duration {
        if let Some(state) = &*CLOCK
            && let Err(TryLockError::WouldBlock) = state.try_lock()
        {
            // Another thread is reading the clock, so the process is not paused now.
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

    /// A clock with heartbeats at these times, in ms after `start`.
    fn with_heartbeats(start: Instant, beats: impl IntoIterator<Item = u32>) -> ClockState {
        let mut state = ClockState::new(start);
        for beat in beats {
            state.read(start + beat * MS);
        }
        state
    }

    #[test]
    fn late_heartbeats_are_not_pauses() {
        let start = Instant::now();
        for between in [20, 60] {
            let mut state = with_heartbeats(start, (0..2_500).step_by(between));
            let at = start + 2_500 * MS;
            assert_eq!(state.read(at), (at, None));
        }
    }

    #[test]
    fn first_reading_after_a_pause_detects_it() {
        let start = Instant::now();
        let mut state = with_heartbeats(start, [20, 40]);
        // Stopped right after the heartbeat at 40 ms, for three seconds.
        let (now, pause) = state.read(start + 3_040 * MS);
        assert_eq!((now - start, pause), (60 * MS, Some(2_980 * MS)));
        // The heartbeat reads second and adds no pause.
        let (now, pause) = state.read(start + 3_041 * MS);
        assert_eq!((now - start, pause), (61 * MS, None));
        assert_eq!(state.reported, 2_980 * MS);
    }

    #[test]
    fn only_the_length_of_a_pause_is_deducted() {
        let start = Instant::now();
        let mut state = with_heartbeats(start, (0..=1_000).step_by(20));
        state.read(start + 4_000 * MS);
        // The reply comes 2.5 s after the end of a pause of 3 s.
        for beat in (4_000..6_500).step_by(20) {
            state.read(start + beat * MS);
        }
        let (replied, _) = state.read(start + 6_500 * MS);
        assert_eq!(replied - start, 3_520 * MS);
    }

    #[test]
    fn short_pauses_are_reported_together() {
        let start = Instant::now();
        let mut state = ClockState::new(start);
        for pause in 1..=12 {
            let report = (pause % 5 == 0).then_some(500 * MS);
            assert_eq!(state.read(start + pause * 120 * MS).1, report);
        }
        assert_eq!((state.paused, state.reported), (1_200 * MS, 1_000 * MS));
    }
}
