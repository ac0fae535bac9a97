//! How a tuning gets on: a bar in a terminal, a line for each iteration elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::tuning::{Spsa, SpsaStep};

/// Shows how a tuning gets on, on standard error.
#[derive(Debug)]
pub(super) enum Progress {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// For so many iterations, of which `done` have been played before.
    pub(super) fn new(quiet: bool, iterations: u32, done: u64) -> Progress {
        if quiet {
            return Progress::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            return Progress::Lines;
        }
        let bar = ProgressBar::new(iterations.into()).with_position(done);
        let template = "{wide_bar} {pos}/{len} iterations, {msg}{eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // What was played before says nothing about the speed.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress::Bar(bar)
    }

    /// An iteration is complete.
    pub(super) fn step(&self, step: &SpsaStep, spsa: &Spsa) {
        let values: String = (spsa.parameters.iter().zip(&step.values))
            .map(|(parameter, value)| format!("{} {value:.4}, ", parameter.name))
            .collect();
        match self {
            Progress::Nothing => {}
            Progress::Lines => eprintln!(
                "iteration {} of {}: {values}balance {:+}",
                step.iteration, spsa.iterations, step.balance
            ),
            Progress::Bar(bar) => {
                bar.inc(1);
                bar.set_message(values);
            }
        }
    }

    /// The tuning is over, or broken off.
    pub(super) fn finish(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
