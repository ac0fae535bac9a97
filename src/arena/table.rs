//! Where one thread of a run plays its pairs.

use tokio::runtime::Runtime;

use super::game::PairTask;
use super::standard::{self, RunningEngines};
use super::{ArenaGame, GameError, OpeningBook, PairRecord, StandardGames, contest};

/// Where one thread of a run plays its pairs.
pub(super) enum Table<'a> {
    /// The contest's game.
    Contest {
        openings: &'a OpeningBook,
        /// For games with programs.
        runtime: Option<&'a Runtime>,
    },
    /// Standard Hive.
    Standard {
        games: &'a StandardGames,
        running: RunningEngines,
    },
}

impl<'a> Table<'a> {
    /// A table for `game`; `runtime`, with more than one thread, is for the contest's games with programs.
    pub(super) fn new(game: &'a ArenaGame, runtime: Option<&'a Runtime>) -> Table<'a> {
        match game {
            ArenaGame::Contest(openings) => Table::Contest { openings, runtime },
            ArenaGame::Standard(games) => Table::Standard {
                games,
                running: RunningEngines::default(),
            },
        }
    }

    /// Plays the opening with that number twice; `None` if that was stopped.
    pub(super) fn play(
        &mut self,
        pair: &PairTask<'_>,
        opening: u64,
    ) -> Result<Option<PairRecord>, GameError> {
        match self {
            Table::Contest { openings, runtime } => pair.play(&openings.opening(opening), |game| {
                contest::play(game, *runtime)
            }),
            Table::Standard { games, running } => {
                let opening = games.openings.opening(games.game_type, opening);
                pair.play(&opening, |game| standard::play(game, games, running))
            }
        }
    }
}
