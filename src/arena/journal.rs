//! The results of a run on disk.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    EngineSpec, Format, GameSettings, OpeningBook, OpeningSettings, PairRecord, ProgramSettings,
    Shard,
};
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
    /// How long programs may take to join a game, in milliseconds; the default where no program plays.
    #[serde(default = "default_join_patience_ms")]
    pub join_patience_ms: u64,
    /// How long programs may take for a move if nothing else says so, in milliseconds; the default where no program plays.
    #[serde(default = "default_hang_patience_ms")]
    pub hang_patience_ms: u64,
    /// Decides openings and engines.
    pub seed: u64,
    /// How openings are drawn; `None` when they come from a file.
    pub openings: Option<OpeningSettings>,
    /// The file's openings in their text forms; empty when they are drawn.
    pub opening_list: Vec<String>,
    /// The share of the pairs that is played.
    pub shard: String,
}

fn default_join_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().join_patience)
}

fn default_hang_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().hang_patience)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl RunSettings {
    /// The settings of a run that plays games with `game_settings`; `openings` tell how they are drawn or which there are.
    pub fn new(
        engines: Vec<EngineSpec>,
        format: Format,
        game_settings: &GameSettings,
        openings: &OpeningBook,
        shard: Shard,
    ) -> RunSettings {
        let (drawn, listed) = match openings {
            OpeningBook::Drawn(settings) => (Some(*settings), Vec::new()),
            OpeningBook::Listed(list) => (None, list.iter().map(ToString::to_string).collect()),
        };
        let programs = if engines.iter().any(EngineSpec::is_program) {
            game_settings.programs.clone()
        } else {
            ProgramSettings::default()
        };
        RunSettings {
            version: RunSettings::VERSION,
            engines,
            format,
            move_time_ms: milliseconds(game_settings.move_time),
            margin_ms: milliseconds(game_settings.margin),
            join_patience_ms: milliseconds(programs.join_patience),
            hang_patience_ms: milliseconds(programs.hang_patience),
            seed: game_settings.seed,
            openings: drawn,
            opening_list: listed,
            shard: shard.to_string(),
        }
    }

    /// The version that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// The names of the settings in which two runs differ.
    pub fn differences(&self, other: &RunSettings) -> Vec<String> {
        journal::differences(self, other)
    }
}
