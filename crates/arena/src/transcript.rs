//! Records the dialogue with an engine, for diagnosing its faults.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum number of bytes kept of a dialogue. The beginning is discarded. The longest contest
/// games take 1.1 MB.
const MAX_BYTES: usize = 2 << 20;

/// A dialogue to which several threads can write. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<String>,
    bytes: usize,
}

/// The writer of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    Referee,
    /// The engine, to standard output or a connection.
    Engine,
    /// The engine, to standard error.
    Stderr,
}

impl Transcript {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Appends a message, prefixed with a marker for its speaker.
    pub(super) fn add(&self, speaker: Speaker, text: &str) {
        let mark = match speaker {
            Speaker::Referee => '>',
            Speaker::Engine => '<',
            Speaker::Stderr => '!',
        };
        // A message may have several lines.
        let text = text.trim().replace('\n', "\n  ");
        let line = format!("{mark} {text}\n");
        let mut kept = self.lines();
        kept.bytes += line.len();
        kept.lines.push_back(line);
        while kept.bytes > MAX_BYTES
            && let Some(first) = kept.lines.pop_front()
        {
            kept.bytes -= first.len();
        }
    }

    /// The last message with its marker.
    pub(super) fn last_line(&self) -> Option<String> {
        self.lines().lines.back().cloned()
    }

    /// Removes and returns the dialogue so far.
    pub(super) fn take(&self) -> String {
        let mut kept = self.lines();
        kept.bytes = 0;
        kept.lines.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_dialogues_drop_their_beginning() {
        let transcript = Transcript::default();
        for number in 0..200_000 {
            transcript.add(Speaker::Engine, &format!("line {number}"));
        }
        transcript.add(Speaker::Referee, "exit");
        let text = transcript.take();
        assert!(text.len() <= MAX_BYTES, "{}", text.len());
        assert!(text.ends_with("< line 199999\n> exit\n"));
        assert_eq!(transcript.take(), "");
    }
}
