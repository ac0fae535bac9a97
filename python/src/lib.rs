//! The Python package `wabe`: games, batches of games, the engine, files and bots.
//!
//! One file per concept. Both games go through [`AnyGame`](game::AnyGame) at the border to Python;
//! what both need is written once, generic over the game. Errors of the crates below become Python
//! exceptions in `error.rs`.

mod action;
mod any;
mod arena;
mod arrays;
mod batch;
mod bot;
mod engine;
mod error;
mod fast;
mod files;
mod function;
mod game;
mod history;
mod judge;
mod legal_moves;
mod logging;
mod observation;
mod options;
mod pickle;
mod pool;
mod positions;
mod review;
mod search;
mod slot;
mod tree;
mod uhp;
mod wait;

use pyo3::pymodule;

/// The compiled part of `wabe`, which re-exports everything here.
#[pymodule]
mod _wabe {
    #[pymodule_export]
    use crate::arena::{Estimate, MatchGame, MatchResult, play_match};
    #[pymodule_export]
    use crate::batch::PyBatch;
    #[pymodule_export]
    use crate::bot::{ContestResult, play_contest};
    #[pymodule_export]
    use crate::engine::{Analysis, Line, PyEngine};
    #[pymodule_export]
    use crate::error::IllegalMove;
    #[pymodule_export]
    use crate::files::{Recording, dumps, read_file, write_file};
    #[pymodule_export]
    use crate::function::{PyMoveRequest, PyTime};
    #[pymodule_export]
    use crate::game::PyGame;
    #[pymodule_export]
    use crate::positions::{PositionReader, Positions, positions};
    #[pymodule_export]
    use crate::review::ReviewedMove;
    #[pymodule_export]
    use crate::search::{SearchResult, TreeSearch};
    #[pymodule_export]
    use crate::uhp::serve_uhp;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::logging::init();
        Ok(())
    }
}
