//! Which game a run plays, from its options.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::UsageError;
use crate::arena::{
    ArenaGame, DEFAULT_MAX_PLIES, OpeningBook, OpeningSettings, RandomPlies, StandardGames,
    StandardOpenings,
};
use crate::hive::contest::Deal;
use crate::hive::standard::GameType;

/// Random plies of the contest's openings.
const CONTEST_PLIES: u16 = 4;

/// Random plies of standard Hive's openings.
const STANDARD_PLIES: u16 = 6;

#[derive(Debug, clap::Args)]
pub(super) struct GameArgs {
    /// Play standard Hive, Base to Base+MLP, instead of the contest's game
    #[arg(long, value_name = "TYPE")]
    game: Option<GameType>,

    /// Random plies of an opening [default: 4, of standard Hive 6]
    #[arg(long, value_name = "N")]
    plies: Option<u16>,

    /// The pieces that each side gets in the contest's game: server or rulebook [default: server]
    #[arg(long, value_name = "DEAL", conflicts_with = "game")]
    deal: Option<Deal>,

    /// Take the openings from a file instead of drawing them: a position a line, of standard Hive a game string a line
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Plies after which a game of standard Hive is a draw [default: 300]
    #[arg(long, value_name = "N", requires = "game", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
}

impl GameArgs {
    /// The game, its openings drawn by `seed`.
    pub(super) fn game(&self, seed: u64) -> anyhow::Result<ArenaGame> {
        match self.game {
            None => Ok(ArenaGame::Contest(self.contest_openings(seed)?)),
            Some(game_type) => Ok(ArenaGame::Standard(StandardGames {
                game_type,
                openings: self.standard_openings(game_type, seed)?,
                max_plies: self.max_plies.unwrap_or(DEFAULT_MAX_PLIES),
            })),
        }
    }

    fn contest_openings(&self, seed: u64) -> anyhow::Result<OpeningBook> {
        let drawn = OpeningBook::Drawn(OpeningSettings {
            seed,
            plies: self.plies.unwrap_or(CONTEST_PLIES),
            deal: self.deal.unwrap_or(Deal::Server),
        });
        Ok(self.listed(OpeningBook::parse)?.unwrap_or(drawn))
    }

    fn standard_openings(
        &self,
        game_type: GameType,
        seed: u64,
    ) -> anyhow::Result<StandardOpenings> {
        let listed = self.listed(|text| StandardOpenings::parse(text, game_type))?;
        if let Some(listed) = listed {
            return Ok(listed);
        }
        let plies = self.plies.unwrap_or(STANDARD_PLIES);
        if self.max_plies.is_some_and(|most| most <= u32::from(plies)) {
            bail!(UsageError::new(
                "--max-plies leaves nothing to play after the opening's --plies"
            ));
        }
        Ok(StandardOpenings::Drawn(RandomPlies { seed, plies }))
    }

    /// What `parse` makes of the file with openings, if there is one.
    fn listed<T, E>(&self, parse: impl FnOnce(&str) -> Result<T, E>) -> anyhow::Result<Option<T>>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let Some(path) = &self.openings else {
            return Ok(None);
        };
        let context = || format!("cannot read openings from {}", path.display());
        let text = std::fs::read_to_string(path).with_context(context)?;
        parse(&text).map(Some).with_context(context)
    }
}
