//! The game as it is sold, with the expansions.
//!
//! ```
//! use wabe::standard::{Game, GameType};
//!
//! let types: GameType = "Base+MLP".parse().unwrap();
//! let mut game = Game::of(types);
//! game.play_text("wS1").unwrap();
//! game.play_text("bA1 wS1-").unwrap();
//! assert!(game.play_text("wB1 bA1").is_err());
//! assert_eq!(game.to_string(), "Base+MLP;InProgress;White[2];wS1;bA1 wS1-");
//! assert_eq!(game.legal_moves().len(), 24);
//! assert!(game.undo(2));
//! assert!(game.plies().is_empty());
//! ```

pub use crate::hive::standard::{GameType, Kind, Wide};

/// A game of standard Hive, with its moves.
pub type Game = crate::game::Record<Wide>;

/// A position.
pub type Position = crate::hive::Position<Wide>;

/// A move.
pub type Move = crate::hive::Move<Wide>;

/// The search for this game.
pub type Search = crate::search::Search<Wide>;
