//! How a game of the contest starts: reserves and brambles.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand::seq::IteratorRandom;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BRAMBLE_COUNT, Kind, Position, Reserve};
use crate::hex::{BoardSet, CellSet, ContestBoard, Grid};
use crate::hive::ByColor;

/// Which pieces each side gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deal {
    /// What every release of the contest's server deals: three spiders, two grasshoppers.
    #[default]
    Server,
    /// What the contest's rulebook says: two spiders, three grasshoppers.
    Rulebook,
}

impl Deal {
    /// One side's pieces.
    pub fn reserve(self) -> Reserve {
        Reserve::from_counts(|kind| match (kind, self) {
            (Kind::Bee, _) => 1,
            (Kind::Beetle, _)
            | (Kind::Spider, Deal::Rulebook)
            | (Kind::Grasshopper, Deal::Server) => 2,
            (Kind::Ant, _) | (Kind::Spider, Deal::Server) | (Kind::Grasshopper, Deal::Rulebook) => {
                3
            }
        })
    }

    /// The first position of a game with these brambles.
    pub fn start(self, brambles: BoardSet) -> Position {
        let reserve = ByColor {
            red: self.reserve(),
            blue: self.reserve(),
        };
        Position::start(brambles, reserve).expect("the contest allows brambles on every field")
    }
}

impl fmt::Display for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Deal::Server => "server",
            Deal::Rulebook => "rulebook",
        })
    }
}

/// The text names no deal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a deal: expected `server` or `rulebook`")]
pub struct ParseDealError(String);

impl FromStr for Deal {
    type Err = ParseDealError;

    fn from_str(text: &str) -> Result<Deal, ParseDealError> {
        match text {
            "server" => Ok(Deal::Server),
            "rulebook" => Ok(Deal::Rulebook),
            _ => Err(ParseDealError(text.to_owned())),
        }
    }
}

/// Three distinct fields, uniformly.
pub fn random_brambles(rng: &mut impl Rng) -> BoardSet {
    ContestBoard::FIELDS
        .into_iter()
        .sample(rng, BRAMBLE_COUNT)
        .into_iter()
        .fold(BoardSet::EMPTY, |set, cell| set | BoardSet::single(cell))
}
