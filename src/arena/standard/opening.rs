//! The openings of standard Hive.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

use crate::arena::OpeningError;
use crate::hive::standard::notation::{Game, Repetition};
use crate::hive::standard::{GameType, Opening};

/// Openings tried before there are no random plies after all.
const ATTEMPTS: u64 = 50;

/// How openings are drawn. The same settings and number always give the same opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomPlies {
    /// Decides the plies.
    pub seed: u64,
    /// Random legal plies of each opening.
    pub plies: u16,
}

/// Where openings come from.
#[derive(Clone, Debug)]
pub enum StandardOpenings {
    /// Drawn at random.
    Drawn(RandomPlies),
    /// From a file, over and over.
    Listed(Vec<Game>),
}

impl StandardOpenings {
    /// Reads a file's text: a game string a line; empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// Names the first line that is no game of this type that can go on.
    pub fn parse(text: &str, game_type: GameType) -> Result<StandardOpenings, OpeningError> {
        let mut games = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let not_a_game = |message| OpeningError::Game { line, message };
            let game: Game = text
                .parse()
                .map_err(|error| not_a_game(format!("{error}")))?;
            if game.game_type() != game_type {
                return Err(not_a_game(format!("it is one of {}", game.game_type())));
            }
            if game.state().is_over() {
                return Err(OpeningError::GameOver { line });
            }
            games.push(game);
        }
        if games.is_empty() {
            return Err(OpeningError::Empty);
        }
        Ok(StandardOpenings::Listed(games))
    }

    /// The opening with that number, from 0.
    pub fn opening(&self, game_type: GameType, number: u64) -> Game {
        match self {
            StandardOpenings::Drawn(plies) => plies.draw(game_type, number),
            StandardOpenings::Listed(games) => usize::try_from(number % games.len().max(1) as u64)
                .ok()
                .and_then(|index| games.get(index).cloned())
                .unwrap_or_else(|| start(game_type)),
        }
    }
}

impl RandomPlies {
    fn draw(self, game_type: GameType, number: u64) -> Game {
        let run_key: u64 = SplitMix64::seed_from_u64(self.seed).random();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(run_key.wrapping_add(number));
        (0..ATTEMPTS)
            .find_map(|_| self.draw_once(game_type, &mut rng))
            .unwrap_or_else(|| start(game_type))
    }

    /// Random plies; `None` if the game ended meanwhile.
    fn draw_once(self, game_type: GameType, rng: &mut Xoshiro256PlusPlus) -> Option<Game> {
        let mut game = start(game_type);
        for _ in 0..self.plies {
            let text = game.write(*game.legal_moves().choose(rng)?);
            game.play(&text).ok()?;
        }
        (!game.state().is_over()).then_some(game)
    }
}

fn start(game_type: GameType) -> Game {
    Game::new(game_type, Opening::default(), Repetition::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_mlp() -> GameType {
        "Base+MLP".parse().unwrap()
    }

    #[test]
    fn openings_come_again_with_their_number() {
        let openings = StandardOpenings::Drawn(RandomPlies { seed: 4, plies: 6 });
        let drawn = |number| openings.opening(base_mlp(), number).to_string();
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4));
        assert!(drawn(3).starts_with("Base+MLP;InProgress;White[4];"));
    }

    #[test]
    fn a_file_has_a_game_string_a_line() {
        let text = "# one\nBase+MLP;InProgress;White[2];wS1;bG1 wS1-\n\nBase+MLP\n";
        let openings = StandardOpenings::parse(text, base_mlp()).unwrap();
        let plies = |number| openings.opening(base_mlp(), number).plies().len();
        assert_eq!([0, 1, 2].map(plies), [2, 0, 2]);
        for (text, part) in [
            ("", "no position"),
            ("Base+MLP\nBase;NotStarted;White[1]", "line 2"),
            ("Base+MLP;;;wQ", "ply 1"),
            ("0 - - AQ/AQ", "line 1"),
        ] {
            let error = StandardOpenings::parse(text, base_mlp()).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
