//! Playing the two games of a pair, in process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{EngineSpec, GameEnd, GameRecord, GameResult, PairRecord, Pairing};
use crate::hive::Color;
use crate::hive::contest::{Contest, Position};
use crate::search::{BestKnown, Choice, Limits, Player, SearchControl, SystemClock};

/// Memory of an engine that names none, in MiB: several games run side by side.
const DEFAULT_MEMORY_MIB: usize = 64;

/// What holds for every game of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSettings {
    /// Time for a move of an engine that names neither time nor nodes.
    pub move_time: Duration,
    /// How much later than its time limit an engine may answer without losing the game.
    pub margin: Duration,
    /// Decides everything random in the engines that name no seed.
    pub seed: u64,
}

/// Plays `opening` twice; `None` if `stop` was set before both games were over.
pub fn play_pair(
    number: u64,
    pairing: Pairing,
    opening: &Position,
    engines: &[EngineSpec],
    settings: &GameSettings,
    stop: &AtomicBool,
) -> Option<PairRecord> {
    let game = |red, blue, game_in_pair| {
        Game {
            engines: [(red, engines.get(red)?), (blue, engines.get(blue)?)],
            settings,
            seed: settings.seed.wrapping_add(2 * number + game_in_pair),
            stop,
        }
        .play(*opening)
    };
    Some(PairRecord {
        pair: number,
        opening: opening.to_string(),
        games: [
            game(pairing.first, pairing.second, 0)?,
            game(pairing.second, pairing.first, 1)?,
        ],
    })
}

struct Game<'a> {
    /// Red's and blue's engine with their indices.
    engines: [(usize, &'a EngineSpec); 2],
    settings: &'a GameSettings,
    seed: u64,
    stop: &'a AtomicBool,
}

/// A side during a game.
struct Seat {
    player: Box<dyn Player<Contest>>,
    limits: Limits,
}

impl Game<'_> {
    fn play(&self, mut position: Position) -> Option<GameRecord> {
        let [(red, red_spec), (blue, blue_spec)] = self.engines;
        let mut seats = [self.seat(red_spec, 0), self.seat(blue_spec, 1)];
        let mut record = GameRecord {
            red,
            blue,
            result: GameResult::Draw,
            end: GameEnd::EqualFreeFields,
            moves: String::new(),
            micros: Vec::new(),
            scores: Vec::new(),
            nodes: Vec::new(),
        };
        loop {
            if let Some(outcome) = position.outcome() {
                record.result = outcome
                    .winner()
                    .map_or(GameResult::Draw, GameResult::win_of);
                record.end = outcome.into();
                return Some(record);
            }
            let side = position.side_to_move();
            let fault = |end, record: &mut GameRecord| {
                record.result = GameResult::win_of(side.opponent());
                record.end = end;
            };
            let seat = &mut seats[usize::from(side == Color::Blue)];
            let started = Instant::now();
            let choice = self.choose(seat, &position, started);
            let took = started.elapsed();
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            let Some(choice) = choice else {
                fault(GameEnd::Crash, &mut record);
                return Some(record);
            };
            note(&mut record, &choice, took);
            if position.try_play(choice.best.mv).is_err() {
                fault(GameEnd::IllegalMove, &mut record);
                return Some(record);
            }
            let allowed = seat.limits.time().map(|time| time + self.settings.margin);
            if allowed.is_some_and(|allowed| took > allowed) {
                fault(GameEnd::Time, &mut record);
                return Some(record);
            }
        }
    }

    fn seat(&self, engine: &EngineSpec, side: u64) -> Seat {
        let mut spec = engine.player;
        spec.memory_mib = spec.memory_mib.or(Some(DEFAULT_MEMORY_MIB));
        Seat {
            player: spec.build(self.seed.wrapping_mul(2).wrapping_add(side)),
            limits: spec.limits(self.settings.move_time),
        }
    }

    /// The seat's answer; `None` when it panics or has none.
    fn choose(
        &self,
        seat: &mut Seat,
        position: &Position,
        started: Instant,
    ) -> Option<Choice<Contest>> {
        let best_known = BestKnown::new();
        let control = SearchControl {
            limits: seat.limits,
            clock: &SystemClock::since(started),
            stop: self.stop,
            best_known: &best_known,
        };
        // A player that panicked is never asked again: the game ends here.
        catch_unwind(AssertUnwindSafe(|| seat.player.choose(position, &control)))
            .ok()
            .flatten()
    }
}

fn note(record: &mut GameRecord, choice: &Choice<Contest>, took: Duration) {
    if !record.moves.is_empty() {
        record.moves.push(';');
    }
    record.moves.push_str(&choice.best.mv.to_string());
    record
        .micros
        .push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    record.nodes.push(choice.nodes);
    let thousandths = |score: f64| (score.clamp(0.0, 1.0) * 1000.0).round() as u16;
    record.scores.push(choice.best.score.map(thousandths));
}
