//! Openings: the records from which the games of a pair start.

use anyhow::{anyhow, bail};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

use crate::ArenaGame;
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{Limits, MctsOptions, MctsPlayer, Player};
use wabe_hive::game::Record;
use wabe_hive::{KindOf, PieceKind, Position};

/// Iterations of the search that checks whether an opening is balanced.
const JUDGE_NODES: u64 = 200;

/// Memory for that search, in MiB.
const JUDGE_MEMORY_MIB: usize = 16;

/// Maximum distance of a balanced opening's expected score from 0.5.
const MAX_IMBALANCE: f64 = 0.15;

/// Maximum number of attempts to draw a balanced opening.
const MAX_ATTEMPTS: u64 = 50;

/// How openings are drawn. An opening depends only on the settings and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningSettings {
    /// Random seed of start positions and plies.
    pub seed: u64,
    /// Number of random plies per opening.
    pub plies: u16,
}

/// A source of openings.
#[derive(Clone, Debug)]
pub enum Openings<G: ArenaGame> {
    /// Drawn at random.
    Drawn(OpeningSettings),
    /// From a file, used in rotation; not empty.
    Listed(Vec<Record<G>>),
}

/// Variant, openings and maximum length of the games of a run.
#[derive(Clone, Debug)]
pub struct Games<G: ArenaGame> {
    /// Variant, such as `Base+MLP`.
    pub variant: G::Variant,
    /// Where the openings come from.
    pub openings: Openings<G>,
    /// Plies, including those of the opening, after which a game is a draw; `None` for no limit.
    pub max_plies: Option<u32>,
}

impl<G: ArenaGame> Games<G> {
    /// Parses openings, one record per line. Skips empty lines and lines that begin with `#`.
    ///
    /// # Errors
    /// For the first line that is not an unfinished game of this variant, or if there are no
    /// openings.
    pub fn read_openings(text: &str, variant: G::Variant) -> anyhow::Result<Vec<Record<G>>> {
        let mut records = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let invalid = |problem: String| anyhow!("line {line}: {problem}");
            let record = text.parse::<Record<G>>();
            let mut record = record.map_err(|error| invalid(error.to_string()))?;
            let other = record.variant();
            if other != variant {
                // A single position fits any variant that has its pieces.
                let has = |&kind| G::has(variant, kind) || !G::has(other, kind);
                let is_lone = record.plies().is_empty() && *record.start() != G::plain_start(other);
                if !is_lone || !KindOf::<G>::ALL.iter().all(has) {
                    bail!(invalid(format!(
                        "expected a game of {variant}, found {other}"
                    )));
                }
                record = record.with_variant(variant);
            }
            if record.is_over() {
                bail!(invalid("the game is over".to_owned()));
            }
            records.push(without_history(record));
        }
        if records.is_empty() {
            bail!("the file contains no openings");
        }
        Ok(records)
    }

    /// Maximum number of plies from `start` on; `None` for no limit.
    pub(super) fn max_plies_after(&self, start: &Position<G>) -> Option<u32> {
        let played = u32::from(start.turn());
        Some(self.max_plies?.saturating_sub(played))
    }

    /// The opening with this number, from 0.
    pub fn opening(&self, number: u64) -> Record<G> {
        match &self.openings {
            Openings::Drawn(settings) => self.draw(*settings, number),
            Openings::Listed(records) => usize::try_from(number % records.len().max(1) as u64)
                .ok()
                .and_then(|index| records.get(index).cloned())
                .unwrap_or_else(|| Record::new(self.variant, G::plain_start(self.variant))),
        }
    }

    fn draw(&self, settings: OpeningSettings, number: u64) -> Record<G> {
        let mut judge = MctsPlayer::new(
            &NetworkEvaluator::built_in(),
            MctsOptions {
                memory_mib: JUDGE_MEMORY_MIB,
                ..MctsOptions::for_game::<G>()
            },
        );
        let run_key: u64 = SplitMix64::seed_from_u64(settings.seed).random();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(run_key.wrapping_add(number));
        let mut opening = self.draw_once(settings.plies, &mut rng);
        for _ in 1..MAX_ATTEMPTS {
            let is_accepted = opening
                .as_ref()
                .is_some_and(|opening| is_balanced(opening, &mut judge));
            if is_accepted {
                break;
            }
            opening = self.draw_once(settings.plies, &mut rng);
        }
        opening.unwrap_or_else(|| Record::new(self.variant, G::start(self.variant, &mut rng)))
    }

    /// Plays random plies from a start position. Returns `None` if that ends the game.
    fn draw_once(&self, plies: u16, rng: &mut Xoshiro256PlusPlus) -> Option<Record<G>> {
        let mut record = Record::new(self.variant, G::start(self.variant, rng));
        for _ in 0..plies {
            let mv = *record.legal_moves().choose(rng)?;
            record.play(mv).ok()?;
        }
        (!record.is_over()).then(|| without_history(record))
    }
}

/// Removes a record's moves if they cannot affect the rest of the game.
fn without_history<G: ArenaGame>(record: Record<G>) -> Record<G> {
    if G::REPETITION_LIMIT.is_none() {
        Record::new(record.variant(), *record.position())
    } else {
        record
    }
}

fn is_balanced<G: ArenaGame>(opening: &Record<G>, judge: &mut MctsPlayer<G>) -> bool {
    judge.new_game();
    judge
        .choose_within(opening, Limits::Nodes(JUDGE_NODES))
        .and_then(|choice| choice.best.score)
        .is_some_and(|score| (score - 0.5).abs() <= MAX_IMBALANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::{Contest, Deal};
    use wabe_hive::standard::{GameType, Standard};

    fn base_mlp() -> GameType {
        "Base+MLP".parse().unwrap()
    }

    fn drawn<G: ArenaGame>(variant: G::Variant, number: u64) -> String {
        let games = Games::<G> {
            variant,
            openings: Openings::Drawn(OpeningSettings { seed: 4, plies: 6 }),
            max_plies: None,
        };
        games.opening(number).to_string()
    }

    #[test]
    fn drawn_openings_are_reproducible() {
        assert_eq!(
            drawn::<Standard>(base_mlp(), 3),
            drawn::<Standard>(base_mlp(), 3)
        );
        assert_ne!(
            drawn::<Standard>(base_mlp(), 3),
            drawn::<Standard>(base_mlp(), 4)
        );
        let text = drawn::<Standard>(base_mlp(), 3);
        assert!(text.starts_with("Base+MLP;InProgress;White[4];"), "{text}");
        // Contest openings have no move history.
        assert!(drawn::<Contest>(Deal::Contest, 3).starts_with("6 "));
    }

    #[test]
    fn read_openings_parses_one_record_per_line() {
        let text = "# one\nBase+MLP;InProgress;White[2];wS1;bG1 wS1-\n\nBase+MLP\n";
        let records = Games::<Standard>::read_openings(text, base_mlp()).unwrap();
        let plies: Vec<usize> = records.iter().map(|record| record.plies().len()).collect();
        assert_eq!(plies, [2, 0]);
        let lone = "2 - 0,0:rS;1,0:bS AAABBGGGQS/AAABBGGGQS";
        let records = Games::<Standard>::read_openings(lone, base_mlp()).unwrap();
        assert_eq!(records[0].to_string(), format!("Base+MLP {lone}"));
        let with_mosquito = lone.replace("GQS", "GMQS");
        let base = Games::<Standard>::read_openings(&with_mosquito, GameType::default());
        assert!(base.unwrap_err().to_string().contains("found Base+M"));
        for (text, part) in [
            (
                "Base;NotStarted;White[1]",
                "expected a game of Base+MLP, found Base",
            ),
            ("", "no openings"),
            ("Base+MLP\nBase;NotStarted;White[1];wS1", "line 2"),
            ("Base+MLP;;;wQ", "ply 1"),
            ("0 x", "line 1"),
        ] {
            let error = Games::<Standard>::read_openings(text, base_mlp()).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
