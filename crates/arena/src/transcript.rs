//! The dialogue with an engine, kept to explain games that ended badly.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

/// Most bytes kept of a dialogue: its end. A contest's longest game has 1.1 MB.
const KEPT_BYTES: usize = 2 << 20;

/// A dialogue, written by several threads. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Transcript(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<String>,
    bytes: usize,
}

/// The writer of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The referee.
    Referee,
    /// The engine, to standard output.
    Engine,
    /// The engine, to standard error.
    Aside,
}

impl Transcript {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Adds a line.
    pub(super) fn add(&self, voice: Voice, text: &str) {
        let mark = match voice {
            Voice::Referee => '>',
            Voice::Engine => '<',
            Voice::Aside => '!',
        };
        // A message may have several lines.
        let text = text.trim().replace('\n', "\n  ");
        let line = format!("{mark} {text}\n");
        let mut kept = self.lines();
        kept.bytes += line.len();
        kept.lines.push_back(line);
        while kept.bytes > KEPT_BYTES
            && let Some(first) = kept.lines.pop_front()
        {
            kept.bytes -= first.len();
        }
    }

    /// Removes and returns everything so far, with a mark before each line.
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
    fn a_long_dialogue_loses_its_beginning() {
        let transcript = Transcript::default();
        for number in 0..200_000 {
            transcript.add(Voice::Engine, &format!("line {number}"));
        }
        transcript.add(Voice::Referee, "exit");
        let text = transcript.take();
        assert!(text.len() <= KEPT_BYTES, "{}", text.len());
        assert!(text.ends_with("< line 199999\n> exit\n"));
        assert_eq!(transcript.take(), "");
    }
}
