//! Games of the contest between built-in players and its clients.
//!
//! - `opening`: the positions that pairs start from
//! - `program`: the text form of a client
//! - `in_process`: games between built-in players
//! - `refereed`: games with a client, over the contest's protocol

mod in_process;
mod opening;
mod program;
mod refereed;

pub use opening::{OpeningBook, OpeningSettings};
pub use program::{ParseProgramError, ProgramKind, ProgramSpec};

use tokio::runtime::Runtime;

use super::game::GameTask;
use super::{GameError, GameRecord};
use crate::hive::contest::Position;

/// Plays a game; `None` if it was stopped. `runtime`, with more than one thread, is for games with programs.
pub(super) fn play(
    task: &GameTask<'_, Position>,
    runtime: Option<&Runtime>,
) -> Result<Option<GameRecord>, GameError> {
    let has_program = || task.engines.iter().any(|(_, engine)| engine.is_program());
    match runtime {
        Some(runtime) if has_program() => refereed::play(task, runtime),
        _ => Ok(in_process::play(task)?),
    }
}
