//! The Python package `wabe`: games, batches of games, the engine, files and bots.
//!
//! One file per concept. Both games go through [`AnyGame`](game::AnyGame) at the border to Python;
//! what both need is written once, generic over the game. Errors of the crates below become Python
//! exceptions in `error.rs`.

mod error;
mod game;

use pyo3::pymodule;

/// The compiled part of `wabe`, which re-exports everything here.
#[pymodule]
mod _wabe {
    #[pymodule_export]
    use crate::error::IllegalMove;
    #[pymodule_export]
    use crate::game::PyGame;
}
