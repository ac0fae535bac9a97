//! The results of a run on disk.

use serde::{Deserialize, Serialize};

use super::{EngineSpec, Format, OpeningSettings, PairRecord};
use crate::journal;

/// The journal of a run: a line for each complete pair, in the order of their numbers.
pub type Journal = journal::Journal<RunSettings, PairRecord>;

/// Everything that decides the games of a run: a run may only go on with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Version of the file's form.
    pub version: u32,
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: Format,
    /// Time for a move of an engine that names none, in milliseconds.
    pub move_time_ms: u64,
    /// Allowed lateness, in milliseconds.
    pub margin_ms: u64,
    /// Decides openings and engines.
    pub seed: u64,
    /// How openings are drawn; `None` when they come from a file.
    pub openings: Option<OpeningSettings>,
    /// The file's openings in their text forms; empty when they are drawn.
    pub opening_list: Vec<String>,
    /// The share of the pairs that is played.
    pub shard: String,
}

impl RunSettings {
    /// The version that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// The names of the settings in which two runs differ.
    pub fn differences(&self, other: &RunSettings) -> Vec<String> {
        journal::differences(self, other)
    }
}
