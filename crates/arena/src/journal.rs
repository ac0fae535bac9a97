//! Stores the results of a run on disk.

use std::time::Duration;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::adjudication::ScoreRule;
use super::engine::EngineSpec;
use super::game::GameSettings;
use super::opening::{Games, OpeningSettings, Openings};
use super::record::PairRecord;
use super::schedule::{Format, Schedule, Shard};
use crate::ArenaGame;

/// Everything that determines the games of a run. Resuming a run requires equal settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Version of the file format.
    pub version: u32,
    /// Engines, in the order of their indices.
    pub engines: Vec<EngineSpec>,
    /// Which engines meet.
    pub format: Format,
    /// Time per move of engines without a limit, in milliseconds.
    pub move_time_ms: u64,
    /// Margin added to time limits, in milliseconds.
    pub margin_ms: u64,
    /// Timeout for programs to join a game, in milliseconds; the default if no program plays.
    pub join_timeout_ms: u64,
    /// Random seed of the engines.
    pub seed: u64,
    /// The game's variant, such as `server` or `Base+MLP`.
    pub game: String,
    /// Plies after which a game is a draw.
    pub max_plies: Option<u32>,
    /// How openings are drawn; `None` if they come from a file.
    pub openings: Option<OpeningSettings>,
    /// Text forms of the file's openings; empty if openings are drawn.
    pub opening_list: Vec<String>,
    /// The shard that is played, such as `1/4`.
    pub shard: String,
    /// When a side resigns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// When the players agree to a draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
}

/// Maximum number of engines in a run. The size of schedules and tables grows quadratically.
const MAX_ENGINES: usize = 1_000;

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl RunSettings {
    /// The settings of a run that plays `games` with `game_settings`.
    pub fn new<G: ArenaGame>(
        engines: &[EngineSpec],
        format: Format,
        game_settings: &GameSettings,
        games: &Games<G>,
        shard: Shard,
    ) -> RunSettings {
        let (openings, opening_list) = match &games.openings {
            Openings::Drawn(settings) => (Some(*settings), Vec::new()),
            Openings::Listed(list) => (None, list.iter().map(ToString::to_string).collect()),
        };
        let join_timeout = if engines.iter().any(EngineSpec::is_program) {
            game_settings.join_timeout
        } else {
            GameSettings::default().join_timeout
        };
        RunSettings {
            version: RunSettings::VERSION,
            engines: engines.to_vec(),
            format,
            move_time_ms: milliseconds(game_settings.move_time),
            margin_ms: milliseconds(game_settings.margin),
            join_timeout_ms: milliseconds(join_timeout),
            seed: game_settings.seed,
            game: games.variant.to_string(),
            max_plies: games.max_plies,
            openings,
            opening_list,
            shard: shard.to_string(),
            resign: game_settings.adjudication.resign,
            draw: game_settings.adjudication.draw,
        }
    }

    /// The current version of the file format.
    pub const VERSION: u32 = 4;

    /// Checks that `pairs` are the first pairs of the run's shard, in order and without gaps.
    ///
    /// # Errors
    /// For the first pair that is out of place.
    pub fn check(&self, pairs: &[PairRecord]) -> anyhow::Result<()> {
        let (version, expected) = (self.version, RunSettings::VERSION);
        if version != expected {
            bail!(
                "written by another version of wabe: expected format {expected}, found {version}"
            );
        }
        let engines = self.engines.len();
        if engines > MAX_ENGINES {
            bail!("too many engines: {engines} (max {MAX_ENGINES})");
        }
        let shard: Shard = self.shard.parse().map_err(anyhow::Error::msg)?;
        let schedule = Schedule::new(self.format, engines, u64::MAX);
        // All pairings play an opening before the next one begins.
        let mut latest: Option<(u64, &str)> = None;
        for (index, record) in (0..).zip(pairs) {
            let number = record.pair.saturating_add(1);
            let expected = shard.pair(index);
            if expected != Some(record.pair) {
                let expected = expected.unwrap_or(u64::MAX).saturating_add(1);
                bail!("expected pair {expected}, found pair {number}");
            }
            let wrong_engines = || format!("pair {number} is between the wrong engines");
            let ((red, blue), opening) = schedule.pair(record.pair).with_context(wrong_engines)?;
            let [first, second] = &record.games;
            if [first.red, first.blue, second.blue, second.red] != [red, blue, red, blue] {
                bail!(wrong_engines());
            }
            let listed = match self.opening_list.len() {
                0 => None,
                count => self.opening_list.get((opening % count as u64) as usize),
            };
            let is_listed = listed.is_none_or(|text| *text == record.opening);
            let is_same =
                latest.is_none_or(|(previous, text)| previous != opening || text == record.opening);
            if !is_listed || !is_same {
                bail!("pair {number} starts from the wrong opening");
            }
            latest = Some((opening, &record.opening));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differing_settings;
    use crate::record::GameRecord;
    use wabe_hive::ByColor;
    use wabe_hive::contest::{Contest, Deal};
    use wabe_hive::standard::Standard;

    fn settings<G: ArenaGame>(variant: G::Variant, plies: u16) -> RunSettings {
        let engines = ["mcts:nodes=5", "greedy"].map(|text| text.parse().unwrap());
        let openings = OpeningSettings { seed: 1, plies };
        let games = Games::<G> {
            variant,
            openings: Openings::Drawn(openings),
            max_plies: G::MAX_PLIES,
        };
        let settings = GameSettings::default();
        let format = Format::RoundRobin;
        RunSettings::new(&engines, format, &settings, &games, Shard::WHOLE)
    }

    #[test]
    fn settings_round_trip() {
        let base_mlp = settings::<Standard>("Base+MLP".parse().unwrap(), 6);
        let text = serde_json::to_string(&base_mlp).unwrap();
        assert_eq!(
            serde_json::from_str::<RunSettings>(&text).unwrap(),
            base_mlp
        );
        let base = settings::<Standard>("Base".parse().unwrap(), 6);
        assert_eq!(
            differing_settings(&base_mlp, &base),
            [r#"game ("Base" instead of "Base+MLP")"#]
        );
    }

    #[test]
    fn check_accepts_only_the_first_pairs_in_order() {
        let mut run = settings::<Contest>(Deal::Contest, 4);
        run.engines.push("random".parse().unwrap());
        run.shard = "1/2".to_owned();
        let pair = |pair: u64, red: usize, blue: usize, opening: &str| {
            let game = |red, blue| GameRecord::new(ByColor { red, blue });
            PairRecord {
                pair,
                opening: opening.to_owned(),
                games: [game(red, blue), game(blue, red)],
            }
        };
        let pairs = [pair(0, 0, 1, "a"), pair(2, 1, 2, "a"), pair(4, 0, 2, "b")];
        assert!(run.check(&pairs).is_ok());
        let error =
            |run: &RunSettings, pairs: &[PairRecord]| run.check(pairs).unwrap_err().to_string();
        let [first, second, third] = pairs.clone();
        for (wrong, part) in [
            (
                vec![second.clone(), third.clone()],
                "expected pair 1, found pair 3",
            ),
            (
                vec![first.clone(), first.clone(), second],
                "expected pair 3, found pair 1",
            ),
            (
                vec![first.clone(), third.clone()],
                "expected pair 3, found pair 5",
            ),
            (
                vec![first.clone(), pair(2, 0, 1, "a")],
                "pair 3 is between the wrong engines",
            ),
            (
                vec![first, pair(2, 1, 2, "b"), third],
                "pair 3 starts from the wrong opening",
            ),
        ] {
            assert!(error(&run, &wrong).contains(part), "{part}");
        }
        run.opening_list = vec!["a".to_owned(), "c".to_owned()];
        assert!(error(&run, &pairs).contains("pair 5 starts from the wrong opening"));
        let mut large_run = run.clone();
        large_run.engines = vec![run.engines[0].clone(); MAX_ENGINES + 1];
        assert!(error(&large_run, &pairs).contains("too many engines: 1001"));
        run.version += 1;
        assert!(error(&run, &[]).contains("another version"));
    }
}
