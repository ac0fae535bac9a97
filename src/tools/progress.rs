//! Progress of a run on standard error: a bar in a terminal, otherwise lines.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shows the progress of a run.
#[derive(Debug)]
pub(super) enum Progress {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// Starts a display for `all` things, of which `done` were finished in an earlier run.
    pub(super) fn new(quiet: bool, things: &str, all: u64, done: u64) -> Progress {
        if quiet {
            return Progress::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            return Progress::Lines;
        }
        let bar = ProgressBar::new(all).with_position(done);
        let template = format!("{{wide_bar}} {{pos}}/{{len}} {things}, {{msg}}{{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        // Things done earlier must not count towards the speed.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress::Bar(bar)
    }

    /// Advances the count by `by`, and sets the bar's message or prints a line.
    pub(super) fn advance(
        &self,
        by: usize,
        message: impl FnOnce() -> String,
        line: impl FnOnce() -> String,
    ) {
        match self {
            Progress::Nothing => {}
            Progress::Lines => eprintln!("{}", line()),
            Progress::Bar(bar) => {
                bar.inc(by as u64);
                bar.set_message(message());
            }
        }
    }

    /// Removes the bar, and prints `line`. Call it even if the run was interrupted.
    pub(super) fn finish(&self, line: Option<String>) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
        if let (Some(line), Progress::Bar(_) | Progress::Lines) = (line, self) {
            eprintln!("{line}");
        }
    }
}
