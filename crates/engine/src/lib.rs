//! A Hive engine: network evaluation, tree search, a search thread, and analysis of positions and
//! games.
//!
//! ```
//! use wabe_engine::search::{Limits, Search};
//! use wabe_hive::standard::{StandardRecord, Standard};
//!
//! let mut game: StandardRecord = "Base;InProgress;White[2];wS1;bG1 wS1-".parse().unwrap();
//! let best = Search::<Standard>::new().best(&game, Limits::Nodes(100)).unwrap();
//! println!("wabe plays {}", game.write(best));
//! game.play(best).unwrap();
//! ```

pub mod analysis;
pub mod clock;
pub mod evaluation;
mod frame;
#[cfg(all(debug_assertions, not(test)))]
mod instances;
mod narrow;
mod playable;
pub mod search;
pub mod thread;

pub use frame::{FullBoard, SearchBoard};
#[cfg(all(debug_assertions, not(test)))]
pub use instances::instances;
pub use narrow::NarrowBoard;
pub use playable::Playable;
