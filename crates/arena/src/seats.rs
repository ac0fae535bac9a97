//! The start of every kind of engine.

use super::built_in::BuiltIn;
use super::client;
use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::GameTask;
use super::program::ProgramKind;
use super::seat::Seat;
use super::uhp;
use crate::ArenaGame;

use wabe_hive::Color;

/// Starts an engine as a side of the game.
pub(super) fn start<G: ArenaGame>(
    engine: &EngineSpec,
    task: &GameTask<'_, G>,
    color: Color,
) -> Result<Box<dyn Seat<G>>, GameError> {
    match &engine.player {
        EnginePlayer::BuiltIn(spec) => Ok(Box::new(BuiltIn::new(task, color, spec)?)),
        EnginePlayer::Program(program) => match program.kind {
            ProgramKind::Client | ProgramKind::Wabe => client::start(program, task, color),
            ProgramKind::Uhp => uhp::start(program, task, color),
        },
    }
}
