//! Hexagonal grids: directions, cells, sets of cells, symmetries. Independent of any game.
//!
//! Coordinates are the two free axes `x`, `y` of cube coordinates (`x + y + z = 0`). With
//! pointy-top hexagons, `(1, -1)` is the neighbour to the east and `(0, 1)` the one to the
//! north-west; see [`Direction`].

mod bit_set;
mod cell;
mod contest_board;
mod direction;
mod grid;
mod symmetry;
mod torus;

pub use bit_set::{BitCells, BitSet};
pub use cell::{Cell, Hex};
pub use contest_board::{BoardSet, ContestBoard};
pub use direction::Direction;
pub use grid::{CellSet, Grid};
pub use symmetry::Symmetry;
pub use torus::{CompactTorus, Torus, WideTorus};
