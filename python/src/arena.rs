//! `wabe.match`: plays engines, programs and Python functions against each other.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use wabe_arena::statistics::{self, Sprt, Verdict};
use wabe_arena::{
    ArenaGame, EngineError, EnginePlayer, EngineSpec, Format, FunctionMove, GameRecord,
    GameSettings, Games, MoveFunction, OpeningSettings, Openings, PairRecord, Plan, Schedule,
    Shard, Summary, Tally, run as run_arena,
};
use wabe_hive::Color;
use wabe_hive::game::Record;
use wabe_records::with_game;

use crate::error::{runtime_error, value_error, with_causes};
use crate::function::{Due, MoveRequest, check_callable, request_move};
use crate::game::{AnyGame, PyGame, parse_name, result_of};
use crate::options::positive;
use crate::wait::{Event, Requests, run};

/// A value with its 95 % interval.
#[pyclass(name = "Estimate", module = "wabe", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct Estimate {
    /// The measured value.
    value: f64,
    /// Lower bound of the interval.
    low: f64,
    /// Upper bound of the interval.
    high: f64,
}

impl From<statistics::Estimate> for Estimate {
    fn from(estimate: statistics::Estimate) -> Estimate {
        let statistics::Estimate { value, low, high } = estimate;
        Estimate { value, low, high }
    }
}

#[pymethods]
impl Estimate {
    fn __repr__(&self) -> String {
        let Estimate { value, low, high } = self;
        format!("<wabe.Estimate {value:.3} [{low:.3}, {high:.3}]>")
    }
}

/// A game of a match.
#[pyclass(name = "MatchGame", module = "wabe", frozen, get_all)]
pub(crate) struct MatchGame {
    /// The game. In the contest it starts from the position after the opening.
    game: Py<PyGame>,
    /// The names of the first player (red or white) and of the second.
    names: (String, String),
    /// Result for the first player: 1, 0 or -1.
    result: i8,
    /// The name of the winner; ``None`` for a draw.
    winner: Option<String>,
    /// Why the game ended, such as ``"surrounded"``, ``"time"`` or ``"illegal move"``.
    end: String,
    /// Details of the loser's fault; may be empty.
    detail: String,
    /// Number of plies of ``game`` that belong to the opening; 0 in the contest.
    opening_plies: usize,
    /// Seconds for each move after the opening.
    times: Vec<f64>,
    /// The mover's expected score (0 to 1) for each move after the opening, if reported.
    values: Vec<Option<f64>>,
}

#[pymethods]
impl MatchGame {
    fn __repr__(&self) -> String {
        let (first, second) = &self.names;
        let result = match &self.winner {
            Some(winner) => format!("{winner} wins"),
            None => "draw".to_owned(),
        };
        format!(
            "<wabe.MatchGame {first} - {second}: {result}, {}>",
            self.end
        )
    }
}

/// The result of a match for its first engine. ``str()`` is a summary.
#[pyclass(name = "MatchResult", module = "wabe", frozen, get_all)]
pub(crate) struct MatchResult {
    /// The names of both engines.
    names: (String, String),
    /// Games won.
    wins: u64,
    /// Games drawn.
    draws: u64,
    /// Games lost.
    losses: u64,
    /// Points per game, 0 to 1; ``None`` without games.
    score: Option<Estimate>,
    /// Elo difference, infinite at 0 and 1 points per game; ``None`` without games.
    elo: Option<Estimate>,
    /// Normalized Elo difference; ``None`` if all pairs have the same result.
    normalized_elo: Option<Estimate>,
    /// Likelihood that the first engine is stronger, 0 to 1; ``None`` without games.
    superiority: Option<f64>,
    /// Numbers of pairs of games with 0, 0.5, 1, 1.5 and 2 points.
    pentanomial: [u64; 5],
    /// ``"H0"``, ``"H1"`` or ``"undecided"``; ``None`` without a test.
    sprt: Option<String>,
    /// Log-likelihood ratio of the test; ``None`` without one.
    llr: Option<f64>,
    /// The games, in pairs that start from the same opening with colours swapped.
    games: Py<PyTuple>,
    /// The text of ``str()``.
    text: String,
}

#[pymethods]
impl MatchResult {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let (first, second) = &self.names;
        let MatchResult {
            wins,
            draws,
            losses,
            ..
        } = self;
        format!("<wabe.MatchResult {first} - {second}: {wins} won, {draws} drawn, {losses} lost>")
    }
}

/// A request of the threads that play.
enum MatchRequest {
    Move(Box<MoveRequest>),
    /// This many pairs have been played.
    Pairs(usize),
}

impl From<MoveRequest> for MatchRequest {
    fn from(request: MoveRequest) -> MatchRequest {
        MatchRequest::Move(Box::new(request))
    }
}

/// Everything about a match but the game.
struct Match {
    /// The text form or the function of each engine.
    players: [Player; 2],
    pairs: u64,
    time: Option<Duration>,
    seed: u64,
    concurrency: usize,
    random_plies: Option<u16>,
    openings: Option<Vec<String>>,
    sprt: Option<Sprt>,
}

enum Player {
    Text(String),
    Function { name: String, function: Py<PyAny> },
}

impl Player {
    fn new(name: &str, player: &Bound<'_, PyAny>) -> PyResult<Player> {
        if let Ok(text) = player.extract::<String>() {
            return Ok(Player::Text(text));
        }
        check_callable(name, player)?;
        let function_name = player.getattr("__name__").and_then(|name| name.extract());
        Ok(Player::Function {
            name: function_name.unwrap_or_else(|_| name.to_owned()),
            function: player.clone().unbind(),
        })
    }
}

impl Match {
    fn engines<G: ArenaGame>(&self, requests: &Requests<MatchRequest>) -> PyResult<[EngineSpec; 2]>
    where
        AnyGame: From<Record<G>>,
    {
        let engine = |index: usize, player: &Player| match player {
            Player::Text(text) => {
                let parse = || {
                    let mut spec = EngineSpec::from_command_line::<G>(text, &[])?;
                    spec.check_plays::<G>()?;
                    self.time
                        .map_or(Ok(()), |time| spec.set_default_time(time))?;
                    Ok(spec)
                };
                parse().map_err(|error: EngineError| {
                    value_error(format_args!("engine `{text}`: {error}"))
                })
            }
            Player::Function { name, .. } => {
                let requests = requests.clone();
                let choose = move |request: &wabe_arena::FunctionRequest<'_>| {
                    let game = AnyGame::from(request.record.parse::<Record<G>>().ok()?);
                    let is_over = || request.stop.load(Ordering::Relaxed);
                    let due = request.time_limit.map_or(Due::Never, Due::After);
                    let answer = request_move(&requests, game, due, index, is_over)?;
                    Some(FunctionMove {
                        mv: answer.text,
                        elapsed: answer.elapsed,
                    })
                };
                Ok(EngineSpec {
                    name: name.clone(),
                    player: EnginePlayer::Function(MoveFunction::new(self.time, choose)),
                })
            }
        };
        let [first, second] = &self.players;
        let (first, mut second) = (engine(0, first)?, engine(1, second)?);
        if first.name == second.name {
            second.name.push_str(" (2)");
        }
        Ok([first, second])
    }

    fn games<G: ArenaGame>(&self, variant: G::Variant) -> PyResult<Games<G>> {
        let openings = match &self.openings {
            Some(texts) => {
                let text = texts.join("\n");
                let read = Games::<G>::read_openings(&text, variant);
                Openings::Listed(
                    read.map_err(|error| value_error(format_args!("openings: {error:#}")))?,
                )
            }
            None => Openings::Drawn(OpeningSettings {
                seed: self.seed,
                plies: self.random_plies.unwrap_or(G::OPENING_PLIES),
            }),
        };
        Ok(Games {
            variant,
            openings,
            max_plies: G::MAX_PLIES,
        })
    }

    fn play<G: ArenaGame>(
        &self,
        py: Python<'_>,
        variant: G::Variant,
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<MatchResult>
    where
        AnyGame: From<Record<G>>,
    {
        let games = self.games::<G>(variant)?;
        let defaults = GameSettings::default();
        let settings = GameSettings {
            move_time: self.time.unwrap_or(defaults.move_time),
            seed: self.seed,
            log_output: true,
            ..defaults
        };
        let schedule = Schedule::new(Format::RoundRobin, 2, self.pairs);
        let pairs = Mutex::new(Vec::<PairRecord>::new());
        let engines = Mutex::new(Vec::new());
        let stop = AtomicBool::new(false);
        let is_enough = AtomicBool::new(false);
        let work = |requests: Requests<MatchRequest>| {
            let specs = self.engines::<G>(&requests)?;
            *engines.lock().unwrap_or_else(PoisonError::into_inner) = specs.to_vec();
            let plan = Plan {
                engines: &specs,
                schedule: &schedule,
                shard: Shard::WHOLE,
                done: 0,
                games: &games,
                settings: &settings,
                concurrency: self.concurrency,
                spectator: None,
            };
            let mut tally = Tally::default();
            let end = run_arena(&plan, &stop, |pair| {
                tally.add::<G>(&pair);
                let count = {
                    let mut pairs = pairs.lock().unwrap_or_else(PoisonError::into_inner);
                    pairs.push(pair);
                    pairs.len()
                };
                requests.send(MatchRequest::Pairs(count));
                match Summary::new::<G>(&specs, &tally, self.sprt.as_ref()).verdict() {
                    Verdict::Continue if !is_enough.load(Ordering::Relaxed) => {
                        ControlFlow::Continue(())
                    }
                    _ => ControlFlow::Break(()),
                }
            });
            end.map(drop)
                .map_err(|error| runtime_error(with_causes(&error)))
        };
        let mut played = Vec::new();
        let mut result = |py: Python<'_>, count: usize| {
            let pairs = {
                let pairs = pairs.lock().unwrap_or_else(PoisonError::into_inner);
                pairs.get(..count).unwrap_or(&pairs).to_vec()
            };
            let engines = engines.lock().unwrap_or_else(PoisonError::into_inner);
            MatchResult::new::<G>(py, &engines, &pairs, &mut played, self.sprt.as_ref())
        };
        let on_event = |py: Python<'_>, event: Event<MatchRequest>| match event {
            Event::Tick => Ok(()),
            Event::Request(MatchRequest::Move(request)) => {
                let Some(Player::Function { name, function }) = self.players.get(request.function)
                else {
                    return Ok(());
                };
                let number = pairs.lock().unwrap_or_else(PoisonError::into_inner).len();
                request.answer(py, function).inspect_err(|error| {
                    let note = format!("in a match, by `{name}`, after {number} pairs of games: ");
                    add_note(py, error, &(note + &request.text()));
                })
            }
            Event::Request(MatchRequest::Pairs(count)) => match progress {
                Some(progress) => {
                    let answer = progress.call1(py, (result(py, count)?,))?;
                    if answer.bind(py).is(PyBool::new(py, false)) {
                        is_enough.store(true, Ordering::Relaxed);
                    }
                    Ok(())
                }
                None => Ok(()),
            },
        };
        run(py, &stop, work, on_event)??;
        result(py, usize::MAX)
    }
}

/// Adds a note to an exception, from Python 3.11.
fn add_note(py: Python<'_>, error: &PyErr, note: &str) {
    // Older exceptions have no notes.
    let _ = error.value(py).call_method1("add_note", (note,));
}

impl MatchResult {
    /// The result after `pairs`, of which `games` contains the first.
    fn new<G: ArenaGame>(
        py: Python<'_>,
        engines: &[EngineSpec],
        pairs: &[PairRecord],
        games: &mut Vec<Py<MatchGame>>,
        sprt: Option<&Sprt>,
    ) -> PyResult<MatchResult>
    where
        AnyGame: From<Record<G>>,
    {
        let tally = Tally::new::<G>(pairs);
        let summary = Summary::new::<G>(engines, &tally, sprt);
        let pairing = tally.pairings.get(&(0, 1));
        let counts = pairing
            .map(|pairing| pairing.all.games())
            .unwrap_or_default();
        let estimate = tally.first_pairing().estimate();
        let name = |index: usize| engines.get(index).map(|engine| engine.name.clone());
        // The games of earlier results are used again.
        for pair in pairs.get(games.len() / 2..).unwrap_or_default() {
            for game in &pair.games {
                let game = match_game::<G>(py, &pair.opening, game, engines)?;
                games.push(Py::new(py, game)?);
            }
        }
        let verdict = summary.verdict();
        let verdict = move |_| match verdict {
            Verdict::Continue => "undecided".to_owned(),
            Verdict::AcceptH0 => "H0".to_owned(),
            Verdict::AcceptH1 => "H1".to_owned(),
        };
        Ok(MatchResult {
            names: (name(0).unwrap_or_default(), name(1).unwrap_or_default()),
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            score: estimate.map(|estimate| estimate.score.into()),
            elo: estimate.map(|estimate| estimate.elo.into()),
            normalized_elo: estimate.and_then(|e| e.normalized_elo).map(Estimate::from),
            superiority: estimate.map(|estimate| estimate.superiority),
            pentanomial: tally.first_pairing().counts(),
            sprt: sprt.map(verdict),
            llr: sprt.map(|sprt| sprt.log_likelihood_ratio(tally.first_pairing())),
            games: PyTuple::new(py, games.iter().map(|game| game.clone_ref(py)))?.unbind(),
            text: summary.to_string(),
        })
    }
}

fn match_game<G: ArenaGame>(
    py: Python<'_>,
    opening: &str,
    game: &GameRecord,
    engines: &[EngineSpec],
) -> PyResult<MatchGame>
where
    AnyGame: From<Record<G>>,
{
    let mut record: Record<G> = opening.parse().map_err(runtime_error)?;
    let opening_plies = record.plies().len();
    // The last move of a game may be illegal; it is in the detail of the fault.
    let _ = record.play_texts(game.moves.split(';'));
    let name = |color| {
        let engine = engines.get(game.engine(color));
        engine.map(|engine| engine.name.clone()).unwrap_or_default()
    };
    let winner = game.result.winner();
    Ok(MatchGame {
        game: Py::new(py, PyGame::from(AnyGame::from(record)))?,
        names: (name(Color::Red), name(Color::Blue)),
        result: result_of(winner),
        winner: winner.map(name),
        end: game.end.to_string(),
        detail: game.detail.clone(),
        opening_plies,
        times: game
            .micros
            .iter()
            .map(|&micros| micros as f64 / 1e6)
            .collect(),
        values: game
            .scores
            .iter()
            .map(|score| score.map(|s| f64::from(s) / 1e3))
            .collect(),
    })
}

/// Plays ``games`` games between two engines, rounded up to pairs with colours swapped.
///
/// An engine is a built-in player such as ``"mcts:nodes=300"``, ``"greedy"`` or ``"random"``, the
/// command line of a program (a contest client, or a UHP engine for standard Hive) with the options
/// of ``wabe arena --engine``, or a function ``choose(game, time)`` that returns a move or an
/// action. Functions run on the calling thread. Their exceptions and illegal moves end the match
/// with an exception; a program that crashes or plays an illegal move loses its game. After each
/// game, the logger ``wabe`` warns with the end of what a program printed.
///
/// ``time_ms`` is the time per move of engines without another limit. The default is unlimited for
/// functions, the contest's 2 s for contest clients, and 100 ms for others. A client receives it
/// where its command line contains ``{time}``. ``concurrency`` games run at the same time: by
/// default one per core, or one if a function plays. Openings have ``random_plies`` random plies
/// (default 4 in the contest, 6 in standard Hive), or are ``openings``: positions or games in text
/// form.
///
/// ``sprt``, such as ``"elo0=0 elo1=10"``, ends the match when the test accepts a hypothesis.
/// ``progress`` receives the result after each pair of games. If it returns ``False``, the match
/// ends with the games in progress.
#[pyfunction]
#[pyo3(name = "match", signature = (
    a, b, *, games = 100, game = "contest", time_ms = None, seed = 1, concurrency = None,
    random_plies = None, openings = None, sprt = None, progress = None
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments")]
pub(crate) fn play_match(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: i64,
    game: &str,
    time_ms: Option<i64>,
    seed: u64,
    concurrency: Option<i64>,
    random_plies: Option<u16>,
    openings: Option<Vec<String>>,
    sprt: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<MatchResult> {
    let name = parse_name(game)?;
    let players = [Player::new("a", a)?, Player::new("b", b)?];
    let has_function = players
        .iter()
        .any(|player| matches!(player, Player::Function { .. }));
    let concurrency = match concurrency {
        Some(count) => usize::try_from(positive("concurrency", count)?).unwrap_or(usize::MAX),
        None if has_function => 1,
        None => available_parallelism().map_or(1, usize::from),
    };
    let time = time_ms.map(|ms| positive("time_ms", ms)).transpose()?;
    let sprt = sprt.map(|text| {
        let parsed = text.parse::<Sprt>();
        parsed.map_err(|error| value_error(format_args!("sprt: {error}")))
    });
    let settings = Match {
        players,
        pairs: positive("games", games)?.div_ceil(2),
        time: time.map(Duration::from_millis),
        seed,
        concurrency,
        random_plies,
        openings,
        sprt: sprt.transpose()?,
    };
    with_game!(name, |G, variant| settings.play::<G>(
        py,
        variant,
        progress.as_ref()
    ))
}
