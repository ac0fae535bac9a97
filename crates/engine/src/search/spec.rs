//! The text form of built-in players: `random`, `greedy` or `mcts`, with options such as
//! `mcts:nodes=5000,seed=7`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::control::Limits;
use super::greedy::GreedyPlayer;
use super::level::{Level, LevelPlayer};
use super::mcts::{MAX_THREADS, MctsOptions, MctsPlayer, ParamChanges, Params};
use super::player::Player;
use super::random::RandomPlayer;
use crate::Playable;
use crate::evaluation::{NetworkEvaluator, NetworkFile, NetworkFileError};
use wabe_files::text::is_whole;

/// The kind of a built-in player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayerKind {
    /// [`RandomPlayer`]
    Random,
    /// [`GreedyPlayer`]
    Greedy,
    /// [`MctsPlayer`]
    #[default]
    Mcts,
}

impl PlayerKind {
    const ALL: [PlayerKind; 3] = [PlayerKind::Random, PlayerKind::Greedy, PlayerKind::Mcts];
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlayerKind::Random => "random",
            PlayerKind::Greedy => "greedy",
            PlayerKind::Mcts => "mcts",
        })
    }
}

impl FromStr for PlayerKind {
    type Err = ParsePlayerSpecError;

    fn from_str(text: &str) -> Result<PlayerKind, ParsePlayerSpecError> {
        PlayerKind::ALL
            .into_iter()
            .find(|kind| kind.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| {
                let expected = if text.eq_ignore_ascii_case("human") {
                    "to play yourself, use `wabe board`"
                } else {
                    "expected `random`, `greedy` or `mcts`"
                };
                ParsePlayerSpecError(format!("`{text}` is not a built-in player: {expected}"))
            })
    }
}

/// A built-in player and its options. For options that are `None` the caller's defaults apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerSpec {
    /// How the player chooses moves.
    pub kind: PlayerKind,
    /// Time per move.
    pub move_time: Option<Duration>,
    /// Iterations per move.
    pub nodes: Option<u64>,
    /// The strength level of an `mcts` player.
    pub level: Option<Level>,
    /// Number of search threads.
    pub threads: Option<usize>,
    /// Memory for the search tree, in MiB.
    pub memory_mib: Option<usize>,
    /// Seed of all random decisions.
    pub seed: Option<u64>,
    /// The network; `None` for the built-in one.
    pub weights: Option<NetworkFile>,
    /// Changed search parameters of an `mcts` player. Their names are options of the text form.
    pub params: ParamChanges,
}

/// Why a text is not a built-in player.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub struct ParsePlayerSpecError(String);

fn unknown_option(option: &str) -> ParsePlayerSpecError {
    ParsePlayerSpecError(format!(
        "`{option}` is not an option of a player: expected time=MS, nodes=N, level=N, threads=N, memory=MIB, seed=N, weights=FILE or \
         a parameter of the search"
    ))
}

impl FromStr for PlayerSpec {
    type Err = ParsePlayerSpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, ParsePlayerSpecError> {
        let (kind, options) = PlayerSpec::split(text);
        let mut spec = PlayerSpec {
            kind: kind.parse()?,
            ..PlayerSpec::default()
        };
        for option in options {
            let (name, value) = option
                .split_once('=')
                .ok_or_else(|| unknown_option(option))?;
            spec.set(name, value)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = [
            ("time", self.move_time.map(|t| t.as_millis())),
            ("nodes", self.nodes.map(u128::from)),
            ("level", self.level.map(|level| level.number().into())),
            ("threads", self.threads.map(|t| t as u128)),
            ("memory", self.memory_mib.map(|m| m as u128)),
            ("seed", self.seed.map(u128::from)),
        ];
        let numbers = numbers
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let weights = self.weights.iter().map(|file| format!("weights={file}"));
        let params = Some(self.params.to_string()).filter(|params| !params.is_empty());
        let options: Vec<String> = numbers.chain(weights).chain(params).collect();
        let colon = if options.is_empty() { "" } else { ":" };
        write!(f, "{}{colon}{}", self.kind, options.join(","))
    }
}

impl PlayerSpec {
    /// Splits a text form such as `mcts:nodes=5000,seed=7` into the kind and the options.
    pub fn split(text: &str) -> (&str, impl Iterator<Item = &str>) {
        let (kind, options) = match text.split_once(':') {
            Some((kind, options)) => (kind, Some(options)),
            None => (text, None),
        };
        (kind, options.into_iter().flat_map(|list| list.split(',')))
    }

    /// Sets an option of the text form.
    ///
    /// # Errors
    /// If the option is unknown, is one of `mcts` only, or does not accept the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParsePlayerSpecError> {
        let error = |what: &str| ParsePlayerSpecError(format!("`{name}={value}`: {what}"));
        let number = |range: RangeInclusive<u64>| match value.parse::<u64>() {
            Ok(number) if range.contains(&number) => Ok(number),
            Ok(_) => Err(error(&match range.into_inner() {
                (min, u64::MAX) => format!("expected at least {min}"),
                (min, max) => format!("expected {min} to {max}"),
            })),
            Err(_) if is_whole(value) => Err(error("too large")),
            Err(_) => Err(error("expected a whole number")),
        };
        let is_param = Params::ALL.iter().any(|info| info.name == name);
        if self.kind != PlayerKind::Mcts && (is_param || name == "level") {
            return Err(ParsePlayerSpecError(format!(
                "`{name}={value}` is an option of `mcts`, not of `{}`",
                self.kind
            )));
        }
        let size = |max| number(1..=max).map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        match name {
            "time" => self.move_time = Some(Duration::from_millis(number(1..=u64::MAX)?)),
            "nodes" => self.nodes = Some(number(1..=u64::MAX)?),
            "level" => self.level = Level::new(number(1..=Level::MAX.into())?),
            "threads" => self.threads = Some(size(MAX_THREADS as u64)?),
            "memory" => self.memory_mib = Some(size(u64::MAX)?),
            "seed" => self.seed = Some(number(0..=u64::MAX)?),
            // The text form separates options by commas.
            "weights" if value.contains(',') => {
                return Err(error("expected a path without a comma"));
            }
            "weights" => {
                let file = value.parse::<NetworkFile>();
                self.weights = Some(file.map_err(|e| ParsePlayerSpecError(e.to_string()))?);
            }
            _ if !is_param => {
                return Err(unknown_option(&format!("{name}={value}")));
            }
            _ => self.params.set(name, value).map_err(ParsePlayerSpecError)?,
        }
        Ok(())
    }

    /// The limits per move: those of the spec, or `default_time` for an `mcts` player. By default
    /// the other players ignore the clock, so that their games do not depend on the load of the
    /// machine.
    pub fn limits(&self, default_time: Duration) -> Limits {
        let nodes = [self.nodes, self.level.and_then(Level::nodes)];
        match (self.kind, self.move_time, nodes.into_iter().flatten().min()) {
            (PlayerKind::Mcts, None, None) => Limits::Time(default_time),
            (_, None, None) => Limits::Nodes(1),
            (_, time, nodes) => Limits::from_parts(time, nodes),
        }
    }

    fn options<G: Playable>(&self, default_seed: u64) -> MctsOptions {
        let defaults = MctsOptions::for_game::<G>();
        MctsOptions {
            seed: self.seed.unwrap_or(default_seed),
            params: self.params.apply_to(defaults.params),
            threads: self.threads.unwrap_or(defaults.threads),
            memory_mib: self.memory_mib.unwrap_or(defaults.memory_mib),
        }
    }

    /// Returns a function that creates the player and allocates its memory. `default_seed` applies
    /// if the spec has no seed.
    ///
    /// # Errors
    /// If the network is for another game.
    pub fn prepare<G: Playable>(
        &self,
        default_seed: u64,
    ) -> Result<impl Fn() -> Box<dyn Player<G>> + Send + use<G>, NetworkFileError> {
        let evaluator = match &self.weights {
            Some(file) => file.evaluator()?,
            None => NetworkEvaluator::built_in(),
        };
        let (kind, level) = (self.kind, self.level);
        let options = self.options::<G>(default_seed);
        let seed = options.seed;
        Ok(move || {
            let player: Box<dyn Player<G>> = match kind {
                PlayerKind::Random => Box::new(RandomPlayer::new(seed)),
                PlayerKind::Greedy => Box::new(GreedyPlayer::new(evaluator.clone(), seed)),
                PlayerKind::Mcts => Box::new(MctsPlayer::new(&evaluator, options)),
            };
            match level {
                Some(level) => Box::new(LevelPlayer::new(player, level, seed)),
                None => player,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::standard::Standard;

    #[test]
    fn specs_round_trip() {
        for text in [
            "random",
            "greedy:seed=3",
            "mcts:time=100,nodes=5000,threads=2,memory=64,seed=7",
            "mcts:nodes=5,minimax_share=0.25",
            "mcts:level=3",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn only_mcts_has_a_clock_by_default() {
        let limits = |spec: &str| {
            let spec: PlayerSpec = spec.parse().unwrap();
            spec.limits(Duration::from_millis(100)).time()
        };
        for (spec, time) in [
            ("mcts", Some(100)),
            ("mcts:nodes=5", None),
            ("greedy", None),
            ("greedy:time=7", Some(7)),
        ] {
            assert_eq!(limits(spec), time.map(Duration::from_millis), "{spec}");
        }
    }

    #[test]
    fn params_start_from_the_games_defaults() {
        for (spec, exploration) in [
            ("mcts", 0.9),
            ("mcts:minimax_share=0.25", 0.9),
            // The contest's default, set explicitly.
            ("mcts:exploration=0.5", 0.5),
        ] {
            let spec: PlayerSpec = spec.parse().unwrap();
            assert_eq!(spec.options::<Standard>(0).params.exploration, exploration);
        }
    }

    #[test]
    fn errors_name_the_offending_part() {
        for (spec, part) in [
            ("alphabeta", "`alphabeta`"),
            ("mcts:depth=3", "`depth=3`"),
            ("mcts:nodes=many", "`nodes=many`"),
            ("mcts:threads=0", "1 to 256"),
            ("mcts:threads=257", "1 to 256"),
            ("mcts:nodes", "`nodes`"),
            ("mcts:", "`` is not an option"),
            ("mcts:nodes=20,,seed=3", "`` is not an option"),
            ("mcts:minimax_share=7", "`7`"),
            ("mcts:weights=missing.net", "missing.net"),
            ("greedy:level=3", "of `mcts`, not of `greedy`"),
            ("random:exploration=1", "of `mcts`, not of `random`"),
        ] {
            let error = spec.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let error = PlayerSpec::default().set("weights", "a,b.net").unwrap_err();
        assert!(error.to_string().contains("without a comma"), "{error}");
    }
}
