//! Start positions of the contest: reserves and brambles.

use std::fmt;
use std::str::FromStr;

use rand::Rng;
use rand::seq::IteratorRandom;

use super::{BRAMBLE_COUNT, Kind, Position, Reserve};
use crate::hex::{BoardSet, ContestBoard, Grid};
use crate::{ByColor, ParseError};

/// The pieces with which each side starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deal {
    /// The deal of every release of the contest's server: three spiders, two grasshoppers.
    #[default]
    Contest,
    /// The deal of the contest's rulebook: two spiders, three grasshoppers.
    Rulebook,
}

impl Deal {
    /// The pieces of one side, 11 in total.
    pub fn reserve(self) -> Reserve {
        Reserve::from_counts(|kind| match (kind, self) {
            (Kind::Bee, _) => 1,
            (Kind::Beetle, _)
            | (Kind::Spider, Deal::Rulebook)
            | (Kind::Grasshopper, Deal::Contest) => 2,
            (Kind::Ant, _)
            | (Kind::Spider, Deal::Contest)
            | (Kind::Grasshopper, Deal::Rulebook) => 3,
        })
    }

    /// The start position with these brambles.
    pub fn start(self, brambles: BoardSet) -> Position {
        let reserve = ByColor::from_fn(|_| self.reserve());
        Position::start(brambles, reserve).expect("the contest allows brambles on every field")
    }
}

impl fmt::Display for Deal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            // The name in files of results and self-play.
            Deal::Contest => "server",
            Deal::Rulebook => "rulebook",
        })
    }
}

impl FromStr for Deal {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Deal, ParseError> {
        match text {
            "server" => Ok(Deal::Contest),
            "rulebook" => Ok(Deal::Rulebook),
            _ => Err(ParseError::new(
                text,
                "a deal: expected `server` or `rulebook`",
            )),
        }
    }
}

/// Draws three distinct fields uniformly.
pub fn random_brambles(rng: &mut impl Rng) -> BoardSet {
    ContestBoard::FIELDS
        .into_iter()
        .sample(rng, BRAMBLE_COUNT)
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::hex::CellSet;

    #[test]
    fn deals_have_eleven_pieces() {
        for (deal, letters) in [
            (Deal::Contest, "AAABBGGQSSS"),
            (Deal::Rulebook, "AAABBGGGQSS"),
        ] {
            let start = deal.start(BoardSet::EMPTY);
            assert_eq!(start.to_string(), format!("0 - - {letters}/{letters}"));
            assert_eq!(deal.to_string().parse(), Ok(deal));
        }
        assert!("Server".parse::<Deal>().is_err());
    }

    #[test]
    fn brambles_reach_all_fields() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut seen = HashSet::new();
        for _ in 0..1000 {
            let brambles = random_brambles(&mut rng);
            assert_eq!(brambles.count_cells(), BRAMBLE_COUNT);
            seen.extend(brambles);
        }
        assert_eq!(seen.len(), 91);
    }
}
