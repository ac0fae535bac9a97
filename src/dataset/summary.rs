//! Counts of labelled positions.

use std::collections::HashSet;
use std::fmt;

use super::LabelledPosition;
use crate::hive::RuleBook;
use crate::statistics::WinDrawLoss;

/// Plies in a row of the table.
const PHASE: u16 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Phase {
    positions: u64,
    results: WinDrawLoss,
    judged: u64,
    squared_error: f64,
}

impl Phase {
    fn add<R: RuleBook>(&mut self, labelled: &LabelledPosition<R>) {
        self.positions += 1;
        if let Some(result) = labelled.result {
            self.results.record(result);
        }
        if let Some((expected, score)) = labelled.expected_score().zip(labelled.score()) {
            let error = expected - score;
            self.judged += 1;
            self.squared_error += error * error;
        }
    }
}

/// Counts of labelled positions, by plies played. Its text form is a table.
#[derive(Clone, Debug, Default)]
pub struct DatasetSummary {
    phases: Vec<Phase>,
    all: Phase,
    games: HashSet<u32>,
}

impl DatasetSummary {
    /// Counts a position.
    pub fn add<R: RuleBook>(&mut self, labelled: &LabelledPosition<R>) {
        let phase = usize::from(labelled.position.turn() / PHASE);
        if self.phases.len() <= phase {
            self.phases.resize(phase + 1, Phase::default());
        }
        if let Some(phase) = self.phases.get_mut(phase) {
            phase.add(labelled);
        }
        self.all.add(labelled);
        self.games.insert(labelled.game);
    }

    /// Number of positions.
    pub fn positions(&self) -> u64 {
        self.all.positions
    }

    /// Number of their games.
    pub fn games(&self) -> usize {
        self.games.len()
    }
}

impl fmt::Display for DatasetSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "positions {}", self.positions())?;
        writeln!(f, "games     {}", self.games())?;
        writeln!(f, "plies     positions    won  drawn   lost  error")?;
        let share =
            |part: u64, phase: &Phase| 100.0 * part as f64 / phase.results.games().max(1) as f64;
        let rows = (0u32..).step_by(usize::from(PHASE)).zip(&self.phases);
        let named =
            rows.map(|(from, phase)| (format!("{from}-{}", from + u32::from(PHASE) - 1), phase));
        for (name, phase) in named.chain([("all".to_owned(), &self.all)]) {
            if phase.positions == 0 {
                continue;
            }
            write!(
                f,
                "{name:<9} {:>9} {:>5.1}% {:>5.1}% {:>5.1}%",
                phase.positions,
                share(phase.results.wins, phase),
                share(phase.results.draws, phase),
                share(phase.results.losses, phase),
            )?;
            if phase.judged > 0 {
                // Mean squared error of the search's expected scores, in 0..=1, against the results.
                write!(f, " {:>6.4}", phase.squared_error / phase.judged as f64)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
