//! The results of a run on disk.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adjudication::ScoreRule;
use super::engine::EngineSpec;
use super::game::{GameSettings, ProgramSettings};
use super::opening::{Games, OpeningSettings, Openings};
use super::record::PairRecord;
use super::schedule::{Format, Schedule, Shard};
use crate::game::Game;
use crate::journal;

/// The journal of a run: a line for each complete pair, in the order of their numbers.
pub type Journal = journal::Journal<RunSettings, PairRecord>;

/// Everything that decides the games of a run: a run may only be resumed with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredSettings")]
pub struct RunSettings {
    /// Version of the file's form.
    pub version: u32,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// The pairings.
    pub format: Format,
    /// Time for a move of an engine that names none, in milliseconds.
    pub move_time_ms: u64,
    /// Allowed lateness, in milliseconds.
    pub margin_ms: u64,
    /// How long programs may take to join a game, in milliseconds; the default where no program plays.
    pub join_patience_ms: u64,
    /// How long programs may take for a move if nothing else says so, in milliseconds; the default where no program plays.
    pub hang_patience_ms: u64,
    /// Decides openings and engines.
    pub seed: u64,
    /// The game's variant: `server`, `Base+MLP`.
    pub game: String,
    /// Plies after which a game is a draw.
    pub max_plies: Option<u32>,
    /// How openings are drawn; `None` when they come from a file.
    pub openings: Option<OpeningSettings>,
    /// The file's openings in their text forms; empty when they are drawn.
    pub opening_list: Vec<String>,
    /// The share of the pairs that is played.
    pub shard: String,
    /// When a side resigns, if it ever does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// When a draw is agreed, if it ever is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
}

/// Settings as any version has written them.
#[derive(Deserialize)]
struct StoredSettings {
    version: u32,
    engines: Vec<EngineSpec>,
    format: Format,
    move_time_ms: u64,
    margin_ms: u64,
    #[serde(default = "default_join_patience_ms")]
    join_patience_ms: u64,
    #[serde(default = "default_hang_patience_ms")]
    hang_patience_ms: u64,
    seed: u64,
    game: Option<String>,
    max_plies: Option<u32>,
    openings: Option<StoredOpenings>,
    opening_list: Vec<String>,
    shard: String,
    resign: Option<ScoreRule>,
    draw: Option<ScoreRule>,
    /// Version 1 kept the settings of standard Hive apart.
    standard: Option<StoredStandard>,
}

#[derive(Deserialize)]
struct StoredOpenings {
    #[serde(flatten)]
    settings: OpeningSettings,
    /// Version 1 kept the contest's deal here.
    deal: Option<String>,
}

#[derive(Deserialize)]
struct StoredStandard {
    game_type: String,
    max_plies: u32,
    openings: Option<OpeningSettings>,
}

impl From<StoredSettings> for RunSettings {
    fn from(stored: StoredSettings) -> RunSettings {
        let deal = stored.openings.as_ref().and_then(|o| o.deal.clone());
        let openings = stored.openings.map(|openings| openings.settings);
        let (game, max_plies, openings) = match (stored.game, stored.standard) {
            (Some(game), _) => (game, stored.max_plies, openings),
            (None, Some(standard)) => (
                standard.game_type,
                Some(standard.max_plies),
                standard.openings.map(|openings| OpeningSettings {
                    balanced: false,
                    ..openings
                }),
            ),
            (None, None) => (deal.unwrap_or_else(|| "server".to_owned()), None, openings),
        };
        RunSettings {
            version: if stored.version <= RunSettings::VERSION {
                RunSettings::VERSION
            } else {
                stored.version
            },
            engines: stored.engines,
            format: stored.format,
            move_time_ms: stored.move_time_ms,
            margin_ms: stored.margin_ms,
            join_patience_ms: stored.join_patience_ms,
            hang_patience_ms: stored.hang_patience_ms,
            seed: stored.seed,
            game,
            max_plies,
            openings,
            opening_list: stored.opening_list,
            shard: stored.shard,
            resign: stored.resign,
            draw: stored.draw,
        }
    }
}

/// Results that are not those of their run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResultsError {
    /// The file's form is newer than this program.
    #[error("a newer version of wabe wrote it (form {0})")]
    Newer(u32),
    /// The share is none.
    #[error("{0}")]
    Shard(String),
    /// A pair is missing, or there twice, or out of order.
    #[error("pair {found} stands where pair {due} is due: lines are missing, copied or moved")]
    Order {
        /// The pair due, from 1.
        due: u64,
        /// The pair found, from 1.
        found: u64,
    },
    /// The engines of a pair are others than the schedule says.
    #[error("pair {0} is not one between the engines whose turn it is")]
    Engines(u64),
    /// The opening is another one than the settings say, or than that of other pairs with the same number.
    #[error("pair {0} has the opening of another pair")]
    Opening(u64),
}

fn default_join_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().join_patience)
}

fn default_hang_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().hang_patience)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl RunSettings {
    /// The settings of a run that plays `games` with `game_settings`.
    pub fn new<G: Game>(
        engines: Vec<EngineSpec>,
        format: Format,
        game_settings: &GameSettings,
        games: &Games<G>,
        shard: Shard,
    ) -> RunSettings {
        let (openings, opening_list) = match &games.openings {
            Openings::Drawn(settings) => (Some(*settings), Vec::new()),
            Openings::Listed(list) => (None, list.iter().map(ToString::to_string).collect()),
        };
        let programs = if engines.iter().any(EngineSpec::is_program) {
            game_settings.programs.clone()
        } else {
            ProgramSettings::default()
        };
        RunSettings {
            version: RunSettings::VERSION,
            engines,
            format,
            move_time_ms: milliseconds(game_settings.move_time),
            margin_ms: milliseconds(game_settings.margin),
            join_patience_ms: milliseconds(programs.join_patience),
            hang_patience_ms: milliseconds(programs.hang_patience),
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

    /// The version that this program writes; it reads older ones, too.
    pub const VERSION: u32 = 2;

    /// Checks that these are the first pairs of the run's share, in order and each once.
    ///
    /// # Errors
    /// Names the first pair that is not.
    pub fn check(&self, pairs: &[PairRecord]) -> Result<(), ResultsError> {
        if self.version > RunSettings::VERSION {
            return Err(ResultsError::Newer(self.version));
        }
        let shard: Shard = self.shard.parse().map_err(ResultsError::Shard)?;
        let schedule = Schedule::new(self.format, self.engines.len(), u64::MAX);
        // An opening is played by all pairings, one after the other.
        let mut latest: Option<(u64, &str)> = None;
        for (index, record) in (0..).zip(pairs) {
            let number = record.pair.saturating_add(1);
            let due = shard.pair(index);
            if due != Some(record.pair) {
                let due = due.unwrap_or(u64::MAX).saturating_add(1);
                let found = number;
                return Err(ResultsError::Order { due, found });
            }
            let scheduled = schedule.pair(record.pair);
            let (pairing, opening) = scheduled.ok_or(ResultsError::Engines(number))?;
            let [first, second] = &record.games;
            let (red, blue) = (pairing.first, pairing.second);
            if [first.red, first.blue, second.blue, second.red] != [red, blue, red, blue] {
                return Err(ResultsError::Engines(number));
            }
            let listed = match self.opening_list.len() {
                0 => None,
                count => self.opening_list.get((opening % count as u64) as usize),
            };
            let same = latest
                .filter(|(of, _)| *of == opening)
                .map(|(_, text)| text);
            for text in [listed.map(String::as_str), same].into_iter().flatten() {
                if text != record.opening {
                    return Err(ResultsError::Opening(number));
                }
            }
            latest = Some((opening, &record.opening));
        }
        Ok(())
    }

    /// The names of the settings in which two runs differ.
    pub fn differences(&self, other: &RunSettings) -> Vec<String> {
        journal::differences(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::record::GameRecord;
    use crate::hive::ByColor;
    use crate::hive::contest::{Contest, Deal};
    use crate::hive::standard::Wide;

    fn settings<G: Game>(variant: G::Variant, plies: u16) -> RunSettings {
        let engines = ["mcts:nodes=5", "greedy"].map(|text| text.parse().unwrap());
        let openings = OpeningSettings {
            seed: 1,
            plies,
            balanced: true,
        };
        let games = Games::<G> {
            variant,
            openings: Openings::Drawn(openings),
            max_plies: G::MAX_PLIES,
        };
        let settings = GameSettings::default();
        let format = Format::RoundRobin;
        RunSettings::new(engines.to_vec(), format, &settings, &games, Shard::WHOLE)
    }

    #[test]
    fn settings_of_version_1_are_read() {
        let text = r#"{"version":1,"engines":["mcts:nodes=5","greedy"],"format":"round-robin","move_time_ms":100,"margin_ms":100,"join_patience_ms":20000,"hang_patience_ms":60000,"seed":1,"openings":{"seed":1,"plies":4,"deal":"server"},"opening_list":[],"shard":"1/1"}"#;
        let read: RunSettings = serde_json::from_str(text).unwrap();
        assert_eq!(read, settings::<Contest>(Deal::Server, 4));
        let text = text.replace(
            r#""openings":{"seed":1,"plies":4,"deal":"server"}"#,
            r#""standard":{"game_type":"Base+MLP","max_plies":300,"openings":{"seed":1,"plies":6}},"openings":null"#,
        );
        let read: RunSettings = serde_json::from_str(&text).unwrap();
        let mut expected = settings::<Wide>("Base+MLP".parse().unwrap(), 6);
        expected.openings.as_mut().unwrap().balanced = false;
        assert_eq!(read, expected);
    }

    #[test]
    fn settings_are_read_again_and_differ_from_those_of_another_game() {
        let base_mlp = settings::<Wide>("Base+MLP".parse().unwrap(), 6);
        let text = serde_json::to_string(&base_mlp).unwrap();
        assert_eq!(
            serde_json::from_str::<RunSettings>(&text).unwrap(),
            base_mlp
        );
        let base = settings::<Wide>("Base".parse().unwrap(), 6);
        assert_eq!(base_mlp.differences(&base), ["game"]);
    }

    #[test]
    fn only_the_first_pairs_of_the_share_in_order_and_each_once_are_results() {
        let mut run = settings::<Contest>(Deal::Server, 4);
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
        assert_eq!(run.check(&pairs), Ok(()));
        let order = |due, found| Err(ResultsError::Order { due, found });
        assert_eq!(run.check(&pairs[1..]), order(1, 3));
        let [first, second, third] = pairs.clone();
        let copied = [first.clone(), first.clone(), second];
        assert_eq!(run.check(&copied), order(3, 1));
        assert_eq!(run.check(&[first.clone(), third.clone()]), order(3, 5));
        assert_eq!(
            run.check(&[first.clone(), pair(2, 0, 1, "a")]),
            Err(ResultsError::Engines(3))
        );
        assert_eq!(
            run.check(&[first, pair(2, 1, 2, "b"), third]),
            Err(ResultsError::Opening(3))
        );
        run.opening_list = vec!["a".to_owned(), "c".to_owned()];
        assert_eq!(run.check(&pairs), Err(ResultsError::Opening(5)));
        run.version += 1;
        assert_eq!(run.check(&[]), Err(ResultsError::Newer(run.version)));
    }
}
