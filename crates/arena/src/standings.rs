//! The state of a run as data, for the board and the report.

use std::collections::BTreeMap;

use serde::Serialize;

use super::engine::{EnginePlayer, EngineSpec};
use super::journal::RunSettings;
use super::record::GameEnd;
use super::summary::TIME_QUANTILE;
use super::tally::{EngineTally, PairingTally, Tally};
use crate::statistics::{Crosstable, Estimate, Pentanomial, Sprt, Verdict, WinDrawLoss};

/// Maximum number of points of all score curves together. Pages get them after every pair.
const MAX_POINTS: usize = 4000;

/// Maximum number of points per curve, about one per pixel of a small screen.
const MAX_CURVE_POINTS: usize = 300;

/// Names, results and statistics of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// The game's name, such as `contest` or `Base+MLP`.
    pub game: String,
    /// In the order of their indices.
    pub engines: Vec<EngineStanding>,
    /// Pairings with at least one pair.
    pub pairings: Vec<PairingStanding>,
    /// Ratings of more than two engines, one list per group of engines that are connected by games.
    /// Strongest engine first.
    pub ratings: Vec<RatingList>,
    /// The test of the first two engines.
    pub sprt: Option<SprtStanding>,
    /// Number of games played.
    pub games: u64,
    /// Number of games of the whole run; `None` for merged results.
    pub planned: Option<u64>,
    /// Time per move of engines without a limit, in milliseconds.
    pub move_time_ms: u64,
    /// Tolerated excess over the time per move, in milliseconds.
    pub margin_ms: u64,
    /// Plies after which a game is a draw.
    pub max_plies: Option<u32>,
    /// Random plies per opening; `None` if the openings come from a file.
    pub opening_plies: Option<u16>,
    /// Games won by the first side, drawn, and won by the second side.
    pub by_side: [u64; 3],
    /// Plies of all games, not counting openings.
    pub plies: u64,
    /// Games by how they ended.
    pub ends: BTreeMap<GameEnd, u64>,
}

/// An engine's results and times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineStanding {
    /// Name in tables.
    pub name: String,
    /// A built-in player's text form, or a program's limits.
    pub player: String,
    /// Results against all opponents.
    pub games: WinDrawLoss,
    /// Games won, by how they ended.
    pub wins: BTreeMap<GameEnd, u64>,
    /// Games lost by a fault, by fault.
    pub faults: BTreeMap<GameEnd, u64>,
    /// Mean time per move, in milliseconds.
    pub mean_ms: Option<f64>,
    /// The 99.9th percentile of the times per move, in milliseconds.
    pub slow_ms: Option<f64>,
    /// Search iterations per second.
    pub nodes_per_second: Option<f64>,
    /// Histogram of the times per move: lower end of each bar in milliseconds, and its moves.
    pub times: Vec<(f64, u64)>,
}

/// Results between two engines, from the view of the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairingStanding {
    /// Indices of the engines.
    pub engines: (usize, usize),
    /// All games.
    pub games: WinDrawLoss,
    /// Games in which the first engine was the first side.
    pub as_first_side: WinDrawLoss,
    /// Pairs with 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
    /// Points per game with its 95% interval. Elo is the same on another scale, but may be
    /// infinite, which JSON cannot store.
    pub score: Estimate,
    /// Normalized Elo with its 95% interval; `None` if all pairs have the same score.
    pub normalized_elo: Option<Estimate>,
    /// Likelihood that the first engine is stronger, 0 to 1.
    pub superiority: f64,
    /// Number of pairs, and the score after that many pairs with its interval: value, low, high.
    pub history: Vec<(u64, f64, f64, f64)>,
}

/// Ratings of engines that are connected by games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingList {
    /// Index and Elo of each engine, relative to the group's mean.
    pub engines: Vec<(usize, Estimate)>,
    /// True if some engines won every game against the others, so that the difference is unknown.
    pub is_regularised: bool,
}

/// State of the sequential test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SprtStanding {
    /// The test's text form.
    pub test: String,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// H0 is accepted at or below this ratio.
    pub lower: f64,
    /// H1 is accepted at or above this ratio.
    pub upper: f64,
    /// The accepted hypothesis: 0, 1, or `None` so far.
    pub accepted: Option<u8>,
    /// Number of pairs, and the ratio after that many pairs.
    pub history: Vec<(u64, f64)>,
}

impl Standings {
    /// The standings of a run. `game` is the game's name, and `planned` the run's number of games.
    pub fn new(
        game: String,
        settings: &RunSettings,
        tally: &Tally,
        sprt: Option<&Sprt>,
        planned: Option<u64>,
    ) -> Standings {
        let engines = &settings.engines;
        let points = (MAX_POINTS / tally.pairings.len().max(1)).clamp(2, MAX_CURVE_POINTS);
        let pairing = |(&key, tally)| pairing(key, tally, points);
        Standings {
            game,
            engines: (engines.iter().enumerate())
                .map(|(index, engine)| self::engine(index, engine, tally))
                .collect(),
            pairings: tally.pairings.iter().filter_map(pairing).collect(),
            ratings: ratings(engines.len(), tally),
            sprt: sprt.map(|sprt| self::sprt(sprt, tally, points)),
            games: tally.by_color.iter().sum(),
            planned,
            move_time_ms: settings.move_time_ms,
            margin_ms: settings.margin_ms,
            max_plies: settings.max_plies,
            opening_plies: settings.openings.map(|openings| openings.plies),
            by_side: tally.by_color,
            plies: tally.plies,
            ends: tally.ends.clone(),
        }
    }
}

fn engine(index: usize, spec: &EngineSpec, tally: &Tally) -> EngineStanding {
    let none = EngineTally::default();
    let counts = tally.engines.get(&index).unwrap_or(&none);
    let mut games = WinDrawLoss::default();
    for (&(first, second), pairing) in &tally.pairings {
        let of_first = pairing.all.games();
        if index == first {
            games += of_first;
        } else if index == second {
            games += of_first.reversed();
        }
    }
    EngineStanding {
        name: spec.name.clone(),
        player: describe(spec),
        games,
        wins: counts.wins.clone(),
        faults: counts.faults().collect(),
        mean_ms: counts.mean_move_ms(),
        slow_ms: counts.move_ms_quantile(TIME_QUANTILE),
        nodes_per_second: counts.nodes_per_second(),
        times: counts.time_histogram(),
    }
}

/// Omits a program's other options, which may contain secrets of its environment.
fn describe(spec: &EngineSpec) -> String {
    match &spec.player {
        EnginePlayer::BuiltIn(player) => player.to_string(),
        EnginePlayer::Function(_) => "function".to_owned(),
        EnginePlayer::Program(program) => {
            let limits = program.options();
            let limits = limits.filter(|(name, _)| ["time", "nodes", "depth"].contains(name));
            let texts: Vec<String> = limits.map(|(name, n)| format!("{name}={n}")).collect();
            texts.join(" ")
        }
    }
}

fn pairing(
    engines: (usize, usize),
    tally: &PairingTally,
    points: usize,
) -> Option<PairingStanding> {
    let estimate = tally.all.pairs().estimate()?;
    let point = |counts: &Pentanomial| {
        let score = counts.estimate()?.score;
        let [value, low, high] = [score.value, score.low, score.high].map(rounded);
        Some((counts.pairs(), value, low, high))
    };
    Some(PairingStanding {
        engines,
        games: tally.all.games(),
        as_first_side: tally.as_red,
        pairs: tally.all.pairs().counts(),
        score: estimate.score,
        normalized_elo: estimate.normalized_elo,
        superiority: estimate.superiority,
        history: (thin_out(&tally.history, points))
            .filter_map(point)
            .collect(),
    })
}

fn ratings(engines: usize, tally: &Tally) -> Vec<RatingList> {
    if engines <= 2 {
        return Vec::new();
    }
    let groups = Crosstable::from_tally(engines, tally).rate();
    let list = groups.iter().map(|group| RatingList {
        engines: (group.ratings().iter())
            .map(|rating| (rating.player, rating.elo))
            .collect(),
        is_regularised: group.is_regularised(),
    });
    list.collect()
}

fn sprt(sprt: &Sprt, tally: &Tally, points: usize) -> SprtStanding {
    let pairs = tally.first_pairing();
    let ratio = sprt.log_likelihood_ratio(pairs);
    let history = tally.pairings.get(&(0, 1)).map(|first| {
        let history = thin_out(&first.history, points);
        let point = |counts: &Pentanomial| {
            let ratio = sprt.log_likelihood_ratio(*counts);
            (counts.pairs(), rounded(ratio))
        };
        history.map(point).collect()
    });
    SprtStanding {
        test: sprt.to_string(),
        ratio,
        lower: sprt.lower_bound(),
        upper: sprt.upper_bound(),
        accepted: match sprt.verdict(ratio) {
            Verdict::Continue => None,
            Verdict::AcceptH0 => Some(0),
            Verdict::AcceptH1 => Some(1),
        },
        history: history.unwrap_or_default(),
    }
}

/// Rounds to four decimals, enough for a chart.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Selects at most `points` points of a pairing's history, always including the last.
fn thin_out(history: &[Pentanomial], points: usize) -> impl Iterator<Item = &Pentanomial> {
    let step = history.len().div_ceil(points).max(1);
    let offset = history.len().saturating_sub(1) % step;
    history.iter().skip(offset).step_by(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, GameResult, PairRecord};
    use crate::{Format, GameSettings, Games, OpeningSettings, Openings, Shard};
    use GameEnd::{BothSurrounded, Crash, Surrounded};
    use GameResult::{Blue, Draw, Red};
    use serde_json::{Value, json};
    use wabe_hive::contest::{Contest, Deal};

    fn game(engines: [usize; 2], (result, end): (GameResult, GameEnd)) -> GameRecord {
        GameRecord {
            red: engines[0],
            blue: engines[1],
            result,
            end,
            detail: String::new(),
            moves: "skip;skip".to_owned(),
            micros: vec![900, 40_000],
            scores: vec![Some(523), None],
            nodes: vec![10, 0],
        }
    }

    /// Pairs between two engines with the results of both games.
    fn pairs(engines: [usize; 2], results: &[[(GameResult, GameEnd); 2]]) -> Vec<PairRecord> {
        let [first, second] = engines;
        let pair = |(pair, &[one, two]): (u64, &[(GameResult, GameEnd); 2])| PairRecord {
            pair,
            opening: "4 - - AQ/AQ".to_owned(),
            games: [game([first, second], one), game([second, first], two)],
        };
        (0..).zip(results).map(pair).collect()
    }

    fn standings(engines: &[&str], pairs: &[PairRecord], sprt: Option<&str>) -> Standings {
        let engines: Vec<EngineSpec> = engines.iter().map(|text| text.parse().unwrap()).collect();
        let games = Games::<Contest> {
            variant: Deal::default(),
            openings: Openings::Drawn(OpeningSettings { seed: 1, plies: 4 }),
            max_plies: None,
        };
        let settings = GameSettings::default();
        let format = Format::default();
        let settings = RunSettings::new(&engines, format, &settings, &games, Shard::WHOLE);
        let sprt: Option<Sprt> = sprt.map(|text| text.parse().unwrap());
        let tally = Tally::new::<Contest>(pairs);
        Standings::new(
            "contest".to_owned(),
            &settings,
            &tally,
            sprt.as_ref(),
            Some(10),
        )
    }

    #[test]
    fn standings_count_for_both_engines() {
        let results = [
            [(Red, Surrounded), (Draw, BothSurrounded)],
            [(Red, Crash), (Red, Surrounded)],
        ];
        let run = standings(
            &["mcts:nodes=5 name=a", "greedy"],
            &pairs([0, 1], &results),
            None,
        );
        let run = serde_json::to_value(run).unwrap();
        let [first, second] = [&run["engines"][0], &run["engines"][1]];
        assert_eq!(first["games"], json!({"wins": 2, "draws": 1, "losses": 1}));
        assert_eq!(second["games"], json!({"wins": 1, "draws": 1, "losses": 2}));
        assert_eq!(first["wins"], json!({"surrounded": 1, "crash": 1}));
        assert_eq!(
            [&first["faults"], &second["faults"]],
            [&json!({}), &json!({"crash": 1})]
        );
        assert_eq!(
            [&first["player"], &second["player"]],
            [&json!("mcts:nodes=5"), &json!("greedy")]
        );
        let pairing = &run["pairings"][0];
        assert_eq!(pairing["pairs"], json!([0, 0, 1, 1, 0]));
        assert_eq!(
            pairing["as_first_side"],
            json!({"wins": 2, "draws": 0, "losses": 0})
        );
        let last = &pairing["history"][1];
        assert_eq!([&last[0], &last[1]], [&json!(2), &json!(0.625)]);
        assert_eq!([&run["games"], &run["planned"]], [&json!(4), &json!(10)]);
        assert_eq!(run["by_side"], json!([3, 1, 0]));
        assert_eq!(run["ratings"], json!([]));
    }

    /// JSON cannot store infinite numbers: they would become `null`.
    #[test]
    fn clean_sweeps_have_finite_numbers() {
        let results = [[(Red, Surrounded), (Blue, Surrounded)]; 4];
        let sprt = Some("elo0=0 elo1=10");
        let run = standings(
            &["mcts", "greedy", "random"],
            &pairs([0, 1], &results),
            sprt,
        );
        let run = serde_json::to_value(run).unwrap();
        let score = &run["pairings"][0]["score"];
        assert!(
            ["value", "low", "high"]
                .iter()
                .all(|part| score[part].is_f64()),
            "{score}"
        );
        assert_eq!(run["pairings"][0]["normalized_elo"], Value::Null);
        let elo = &run["ratings"][0]["engines"][0][1];
        assert!(
            ["value", "low", "high"]
                .iter()
                .all(|part| elo[part].is_f64()),
            "{elo}"
        );
        assert_eq!(run["ratings"][0]["is_regularised"], json!(true));
        assert!(run["sprt"]["ratio"].is_f64());
        assert_eq!(run["sprt"]["history"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn long_curves_keep_their_last_point() {
        let results = vec![[(Draw, BothSurrounded); 2]; 1001];
        let run = standings(&["mcts", "greedy"], &pairs([0, 1], &results), None);
        let history = &run.pairings[0].history;
        assert!(history.len() <= MAX_CURVE_POINTS, "{}", history.len());
        assert_eq!(history.last().map(|point| point.0), Some(1001));
    }

    #[test]
    fn standings_omit_environment_of_programs() {
        let engine = "cmd:./bot.sh time=500 env=KEY=secret dir=/home/me log=bot.log";
        let run = standings(&[engine, "greedy"], &[], None);
        assert_eq!(run.engines[0].player, "time=500");
        let text = serde_json::to_string(&run).unwrap();
        assert!(
            !text.contains("secret") && !text.contains("/home"),
            "{text}"
        );
    }

    #[test]
    fn time_histograms_cover_all_moves() {
        let results = [[(Draw, BothSurrounded); 2]];
        let run = standings(&["mcts", "greedy"], &pairs([0, 1], &results), None);
        let times = &run.engines[0].times;
        assert_eq!(times.iter().map(|(_, moves)| moves).sum::<u64>(), 2);
        let [first, last] = [times.first(), times.last()].map(|bar| bar.unwrap().0);
        assert!(
            (0.8..=0.9).contains(&first) && (35.0..=40.0).contains(&last),
            "{times:?}"
        );
    }
}
