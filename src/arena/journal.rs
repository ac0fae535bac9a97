//! The results of a run on disk.

use std::collections::HashMap;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
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

/// Everything that decides the games of a run. A run may only be resumed with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// The derived functions are those of the current form.
#[serde(remote = "Self")]
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
    pub join_patience_ms: u64,
    /// How long programs limited by nodes or depth may take for a move, in milliseconds; the default where no program plays.
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
    /// The rule by which a side resigns, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// The rule by which a draw is agreed, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
}

/// Brings settings that older versions wrote to the current form.
fn upgrade(settings: &mut Map<String, Value>) {
    let defaults = ProgramSettings::default();
    let patiences = [
        ("join_patience_ms", defaults.join_patience),
        ("hang_patience_ms", defaults.hang_patience),
    ];
    for (name, default) in patiences {
        let default = milliseconds(default).into();
        settings.entry(name).or_insert(default);
    }
    if !settings.contains_key("game") {
        // Version 1 kept the settings of standard Hive apart, and the contest's deal with the openings.
        let deal = settings.get("openings").and_then(|o| o.get("deal"));
        let mut game = deal.cloned().unwrap_or("server".into());
        if let Some(Value::Object(mut standard)) = settings.remove("standard") {
            game = standard.remove("game_type").unwrap_or_default();
            if let Some(Value::Object(openings)) = standard.get_mut("openings") {
                openings.insert("balanced".to_owned(), false.into());
            }
            settings.append(&mut standard);
        }
        settings.insert("game".to_owned(), game);
    }
    let version = settings.get("version").and_then(Value::as_u64);
    if version.is_some_and(|version| version < RunSettings::VERSION.into()) {
        settings.insert("version".to_owned(), RunSettings::VERSION.into());
    }
}

impl Serialize for RunSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RunSettings::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for RunSettings {
    fn deserialize<D: Deserializer<'de>>(stored: D) -> Result<RunSettings, D::Error> {
        let mut settings = Map::deserialize(stored)?;
        upgrade(&mut settings);
        RunSettings::deserialize(Value::Object(settings)).map_err(D::Error::custom)
    }
}

/// The reason why results do not belong to their run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResultsError {
    /// The file's form is newer than this program.
    #[error("a newer version of wabe wrote it (form {0})")]
    Newer(u32),
    /// The share is invalid.
    #[error("{0}")]
    Shard(String),
    /// More engines than a run may have.
    #[error("{0} engines are more than {MOST_ENGINES}")]
    TooManyEngines(usize),
    /// A pair is missing, repeated or out of order.
    #[error("pair {found} stands where pair {due} is due: lines are missing, copied or moved")]
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
    /// A pair has the opening, the moves and their times of an earlier one.
    #[error("pair {copy} is a copy of pair {of}")]
    Copy {
        /// The copy, from 1.
        copy: u64,
        /// The pair that was copied, from 1.
        of: u64,
    },
}

/// Most engines of a run: schedule and tables grow with their square.
const MOST_ENGINES: usize = 1_000;

/// Fewest moves of a pair whose times distinguish it from all others.
const LEAST_TOLD_APART: usize = 16;

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Checks that no pair is a copy of an earlier one with another number.
///
/// # Errors
/// Names the first copy.
pub fn check_copies(pairs: &[PairRecord]) -> Result<(), ResultsError> {
    let mut seen = HashMap::new();
    for record in pairs {
        let number = record.pair.saturating_add(1);
        let [first, second] = &record.games;
        let played = [first, second].map(|game| (&game.moves, &game.micros));
        // Times in microseconds do not repeat, except over a few moves.
        if first.micros.len() + second.micros.len() >= LEAST_TOLD_APART
            && let Some(of) = seen.insert((&record.opening, played), number)
        {
            return Err(ResultsError::Copy { copy: number, of });
        }
    }
    Ok(())
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

    /// The version that this program writes; it also reads older ones.
    pub const VERSION: u32 = 2;

    /// Checks that these are the first pairs of the run's share, in order and each once.
    ///
    /// # Errors
    /// Names the first pair that is not.
    pub fn check(&self, pairs: &[PairRecord]) -> Result<(), ResultsError> {
        if self.version > RunSettings::VERSION {
            return Err(ResultsError::Newer(self.version));
        }
        if self.engines.len() > MOST_ENGINES {
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
        check_copies(pairs)
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
        let engines = vec![run.engines[0].clone(); MOST_ENGINES + 1];
        let run_of_many = RunSettings {
            engines,
            ..run.clone()
        };
        let expected = Err(ResultsError::TooManyEngines(1001));
        assert_eq!(run_of_many.check(&pairs), expected);
        run.version += 1;
        assert_eq!(run.check(&[]), Err(ResultsError::Newer(run.version)));
    }

    #[test]
    fn a_copied_pair_with_another_number_is_no_result() {
        let run = settings::<Contest>(Deal::Server, 4);
        let pair = |pair, moves: usize| PairRecord {
            pair,
            opening: "a".to_owned(),
            games: [(0, 1), (1, 0)].map(|(red, blue)| GameRecord {
                micros: vec![7; moves],
                ..GameRecord::new(ByColor { red, blue })
            }),
        };
        let copy = ResultsError::Copy { copy: 3, of: 2 };
        assert_eq!(run.check(&[pair(0, 9), pair(1, 8), pair(2, 8)]), Err(copy));
        // Short games may be the same.
        assert_eq!(run.check(&[pair(0, 2), pair(1, 2)]), Ok(()));
    }
}
