//! The game of the Software Challenge 2020: a board with an edge of 6 fields, three brambles, 60 plies.
//!
//! ```
//! use wabe::contest::Game;
//!
//! let mut game = Game::default();
//! while !game.is_over() {
//!     // Any legal move will do.
//!     let mv = game.legal_moves()[0];
//!     game.play(mv).unwrap();
//! }
//! let ending = game.ending().unwrap();
//! println!("{game}: {:?} wins", ending.winner());
//!
//! // A game is a text, and a text is a game.
//! let again: Game = game.to_string().parse().unwrap();
//! assert_eq!(again.position(), game.position());
//! ```

pub use crate::hive::contest::{
    BRAMBLE_COUNT, Contest, Deal, Kind, LAST_TURN, Move, MoveList, Position, random_brambles,
};

/// A game of the contest, with its moves.
pub type Game = crate::game::Record<Contest>;

/// The search for this game.
pub type Search = crate::search::Search<Contest>;
