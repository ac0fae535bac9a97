//! The results of a run on disk.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    ArenaGame, EngineSpec, Format, GameSettings, OpeningBook, OpeningSettings, PairRecord,
    ProgramSettings, RandomPlies, Shard, SideNames, StandardOpenings,
};
use crate::hive::standard::GameType;
use crate::journal;

/// The journal of a run: a line for each complete pair, in the order of their numbers.
pub type Journal = journal::Journal<RunSettings, PairRecord>;

/// Everything that decides the games of a run: a run may only go on with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Version of the file's form.
    pub version: u32,
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: Format,
    /// Time for a move of an engine that names none, in milliseconds.
    pub move_time_ms: u64,
    /// Allowed lateness, in milliseconds.
    pub margin_ms: u64,
    /// How long programs may take to join a game, in milliseconds; the default where no program plays.
    #[serde(default = "default_join_patience_ms")]
    pub join_patience_ms: u64,
    /// How long programs may take for a move if nothing else says so, in milliseconds; the default where no program plays.
    #[serde(default = "default_hang_patience_ms")]
    pub hang_patience_ms: u64,
    /// Decides openings and engines.
    pub seed: u64,
    /// What a run of standard Hive has settings of its own for; `None` in runs of the contest's game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<StandardSettings>,
    /// How the contest's openings are drawn; `None` when they come from a file or another game is played.
    pub openings: Option<OpeningSettings>,
    /// The file's openings in their text forms; empty when they are drawn.
    pub opening_list: Vec<String>,
    /// The share of the pairs that is played.
    pub shard: String,
}

/// Settings of runs of standard Hive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandardSettings {
    /// Which pieces are played with.
    pub game_type: GameType,
    /// Plies after which a game is a draw.
    pub max_plies: u32,
    /// How openings are drawn; `None` when they come from a file.
    pub openings: Option<RandomPlies>,
}

fn default_join_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().join_patience)
}

fn default_hang_patience_ms() -> u64 {
    milliseconds(ProgramSettings::default().hang_patience)
}

fn texts<T: ToString>(list: &[T]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl RunSettings {
    /// The settings of a run that plays `game` with `game_settings`.
    pub fn new(
        engines: Vec<EngineSpec>,
        format: Format,
        game_settings: &GameSettings,
        game: &ArenaGame,
        shard: Shard,
    ) -> RunSettings {
        let (openings, opening_list) = match game {
            ArenaGame::Contest(OpeningBook::Drawn(settings)) => (Some(*settings), Vec::new()),
            ArenaGame::Contest(OpeningBook::Listed(list)) => (None, texts(list)),
            ArenaGame::Standard(games) => match &games.openings {
                StandardOpenings::Drawn(_) => (None, Vec::new()),
                StandardOpenings::Listed(list) => (None, texts(list)),
            },
        };
        let standard = match game {
            ArenaGame::Contest(_) => None,
            ArenaGame::Standard(games) => Some(StandardSettings {
                game_type: games.game_type,
                max_plies: games.max_plies,
                openings: match games.openings {
                    StandardOpenings::Drawn(plies) => Some(plies),
                    StandardOpenings::Listed(_) => None,
                },
            }),
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
            standard,
            openings,
            opening_list,
            shard: shard.to_string(),
        }
    }

    /// The version that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// What the sides are called in what people read.
    pub fn side_names(&self) -> SideNames {
        match self.standard {
            None => SideNames::RedAndBlue,
            Some(_) => SideNames::WhiteAndBlack,
        }
    }

    /// The names of the settings in which two runs differ.
    pub fn differences(&self, other: &RunSettings) -> Vec<String> {
        journal::differences(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::StandardGames;
    use crate::hive::contest::Deal;

    fn settings(game: &ArenaGame) -> RunSettings {
        let engines = ["mcts:nodes=5", "greedy"].map(|text| text.parse().unwrap());
        let settings = GameSettings::default();
        let format = Format::RoundRobin;
        RunSettings::new(engines.to_vec(), format, &settings, game, Shard::WHOLE)
    }

    #[test]
    fn settings_of_the_contests_game_have_the_form_that_they_always_had() {
        let text = r#"{"version":1,"engines":["mcts:nodes=5","greedy"],"format":"round-robin","move_time_ms":100,"margin_ms":100,"join_patience_ms":20000,"hang_patience_ms":60000,"seed":1,"openings":{"seed":1,"plies":4,"deal":"server"},"opening_list":[],"shard":"1/1"}"#;
        let openings = OpeningSettings {
            seed: 1,
            plies: 4,
            deal: Deal::Server,
        };
        let settings = settings(&ArenaGame::Contest(OpeningBook::Drawn(openings)));
        assert_eq!(serde_json::to_string(&settings).unwrap(), text);
        assert_eq!(serde_json::from_str::<RunSettings>(text).unwrap(), settings);
    }

    #[test]
    fn settings_of_standard_hive_are_read_again_and_differ_from_the_contests() {
        let openings = StandardOpenings::Drawn(RandomPlies { seed: 1, plies: 6 });
        let games = |game_type: &str| {
            settings(&ArenaGame::Standard(StandardGames {
                game_type: game_type.parse().unwrap(),
                openings: openings.clone(),
                max_plies: 300,
            }))
        };
        let settings = games("Base+MLP");
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(
            serde_json::from_str::<RunSettings>(&text).unwrap(),
            settings
        );
        assert_eq!(settings.side_names(), SideNames::WhiteAndBlack);
        assert_eq!(settings.differences(&games("Base")), ["standard.game_type"]);
    }
}
