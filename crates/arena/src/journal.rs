//! The results of a run on disk.

use crate::ArenaGame;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::adjudication::ScoreRule;
use super::engine::EngineSpec;
use super::game::{GameSettings, ProgramSettings};
use super::opening::{Games, OpeningSettings, Openings};
use super::record::PairRecord;
use super::schedule::{Format, Schedule, Shard};

/// The journal of a run: a line for each complete pair, in the order of their numbers.
pub type Journal = crate::journal_file::Journal<RunSettings, PairRecord>;

/// Everything that decides the games of a run. A run can be resumed only with the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Version of the file's form.
    pub version: u32,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// The pairings.
    pub format: Format,
    /// Time for a move of an engine that sets none, in milliseconds.
    pub move_time_ms: u64,
    /// Allowed lateness, in milliseconds.
    pub margin_ms: u64,
    /// How long programs may take to join a game, in milliseconds; the default where no program plays.
    pub join_timeout_ms: u64,
    /// How long programs limited by nodes or depth may take for a move, in milliseconds; the default where no program plays.
    pub hang_timeout_ms: u64,
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
    /// The rule by which a side resigns, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// The rule by which a draw is agreed, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
}

/// The reason why results do not belong to their run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResultsError {
    /// Another version of wabe wrote the file.
    #[error("written by another version of wabe: format {0}, expected {VERSION}", VERSION = RunSettings::VERSION)]
    OtherVersion(u32),
    /// The share is invalid.
    #[error("{0}")]
    Shard(String),
    /// More engines than a run may have.
    #[error("too many engines: {0} (max {MAX_ENGINES})")]
    TooManyEngines(usize),
    /// A pair is missing, repeated or out of order.
    #[error("expected pair {due}, found pair {found}")]
    Order {
        /// The pair due, from 1.
        due: u64,
        /// The pair found, from 1.
        found: u64,
    },
    /// The engines of a pair are not those of the schedule.
    #[error("pair {0} is not one between the engines whose turn it is")]
    Engines(u64),
    /// The opening differs from the one in the settings, or from that of other pairs with the same opening number.
    #[error("pair {0} has the opening of another pair")]
    Opening(u64),
}

/// Maximum number of engines of a run: schedule and tables grow with their square.
const MAX_ENGINES: usize = 1_000;

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl RunSettings {
    /// The settings of a run that plays `games` with `game_settings`.
    pub fn new<G: ArenaGame>(
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
            join_timeout_ms: milliseconds(programs.join_timeout),
            hang_timeout_ms: milliseconds(programs.hang_timeout),
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

    /// The version of the format.
    pub const VERSION: u32 = 3;

    /// Checks that these are the first pairs of the run's share, in order and each once.
    ///
    /// # Errors
    /// Names the first pair that is not.
    pub fn check(&self, pairs: &[PairRecord]) -> Result<(), ResultsError> {
        if self.version != RunSettings::VERSION {
            return Err(ResultsError::OtherVersion(self.version));
        }
        if self.engines.len() > MAX_ENGINES {
            return Err(ResultsError::TooManyEngines(self.engines.len()));
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
        crate::journal_file::differences(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameRecord;
    use wabe_hive::ByColor;
    use wabe_hive::contest::{Contest, Deal};
    use wabe_hive::standard::Wide;

    fn settings<G: ArenaGame>(variant: G::Variant, plies: u16) -> RunSettings {
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
    fn settings_round_trip() {
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
    fn check_accepts_only_the_first_pairs_in_order() {
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
        let engines = vec![run.engines[0].clone(); MAX_ENGINES + 1];
        let run_of_many = RunSettings {
            engines,
            ..run.clone()
        };
        let expected = Err(ResultsError::TooManyEngines(1001));
        assert_eq!(run_of_many.check(&pairs), expected);
        run.version += 1;
        assert_eq!(run.check(&[]), Err(ResultsError::OtherVersion(run.version)));
    }
}
