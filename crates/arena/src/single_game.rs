//! A single game between engines.

use crate::ArenaGame;
use std::fmt::Debug;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::{GameNumber, GameSettings, GameTask};
use super::record::GameRecord;
use super::referee::{self, PlayedGame, RunningEngines};
use super::seat::Reply;
use super::uhp;
use wabe_files::text::printable_end;
use wabe_hive::ByColor;
use wabe_hive::game::Record;

/// A ply of a watched game.
#[derive(Clone, Debug)]
pub struct WatchedPly<'a, G: ArenaGame> {
    /// The game after it.
    pub record: &'a Record<G>,
    /// Time taken.
    pub took: Duration,
    /// Expected score of the side that made it, in `0..=1`.
    pub score: Option<f64>,
    /// The player's comment on the move.
    pub comment: Option<String>,
}

/// Follows the games of a run while they are played, on the threads that play them.
pub trait Spectator<G: ArenaGame>: Debug + Sync {
    /// A game begins.
    fn begins(&self, game: GameNumber, names: ByColor<&str>, opening: &Record<G>);

    /// A ply was played.
    fn ply(&self, game: GameNumber, ply: WatchedPly<'_, G>);

    /// The game has ended. The sentence reports its result; `None` if the run was stopped.
    fn ends(&self, game: GameNumber, sentence: Option<String>);
}

/// Plays a game of a run and reports it to the spectator; `None` if it was stopped.
pub(super) fn play_task<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    spectator: Option<&dyn Spectator<G>>,
) -> Result<Option<GameRecord>, GameError> {
    let number = task.number;
    if let Some(spectator) = spectator {
        let names = ByColor::from_fn(|color| task.engines[color].1.name.as_str());
        spectator.begins(number, names, task.opening);
    }
    let mut ending = None;
    let played = referee::play(task, running, |record, reply| {
        ending = record.ending();
        if let Some(spectator) = spectator {
            spectator.ply(number, WatchedPly::new(record, reply));
        }
    });
    let finished = played.as_ref().ok().and_then(Option::as_ref);
    if let Some(played) = finished {
        log_fault(task, played);
    }
    if let Some(spectator) = spectator {
        spectator.ends(
            number,
            finished.map(|played| played.record.sentence::<G>(ending)),
        );
    }
    Ok(played?.map(|played| played.record))
}

/// Maximum number of characters of a program's output that are logged.
const LAST_WORDS: usize = 400;

/// Logs the fault that ended a game, in as much detail as is known, and the end of the program's output.
fn log_fault<G: ArenaGame>(task: &GameTask<'_, G>, played: &PlayedGame) {
    let record = &played.record;
    let (Some(fault), Some(winner)) = (record.end.fault(), record.result.winner()) else {
        return;
    };
    let loser = winner.opponent();
    let number = task.number;
    let detail = match record.detail.as_str() {
        "" => String::new(),
        detail => format!(": {detail}"),
    };
    let words = printable_end(&played.outputs[loser], LAST_WORDS).replace('\n', " / ");
    let words = match words.as_str() {
        "" => String::new(),
        words => format!("; its last words: {words}"),
    };
    let (name, side) = (&task.engines[loser].1.name, G::SIDES[loser]);
    log::warn!("{number}: {name} ({side}) {fault}{detail}{words}");
}

impl<'a, G: ArenaGame> WatchedPly<'a, G> {
    fn new(record: &'a Record<G>, reply: &Reply<G>) -> WatchedPly<'a, G> {
        WatchedPly {
            record,
            took: reply.took,
            score: reply.hint.score,
            comment: reply.comment(),
        }
    }
}

/// Plays one game; `None` if it was stopped. `on_ply` sees each ply.
///
/// # Errors
/// When an engine cannot be started or does not play the game.
pub fn play_game<G: ArenaGame>(
    engines: &ByColor<EngineSpec>,
    opening: &Record<G>,
    max_plies: Option<u32>,
    settings: &GameSettings,
    stop: &AtomicBool,
    mut on_ply: impl FnMut(WatchedPly<'_, G>),
) -> Result<Option<PlayedGame>, GameError> {
    let engines = ByColor::from_fn(|color| &engines[color]);
    let task = GameTask::alone(engines, opening, settings, max_plies, stop);
    referee::play(&task, &mut RunningEngines::default(), |record, reply| {
        on_ply(WatchedPly::new(record, reply));
    })
}

/// Plays a game between two engines that have already written all their answers, whatever they are asked, for a fuzzer. `None` if one of
/// them does not play the game.
///
/// # Errors
/// When there is no thread to read the answers.
pub fn play_answers<G: ArenaGame>(
    answers: ByColor<Vec<u8>>,
    opening: &Record<G>,
) -> io::Result<Option<PlayedGame>> {
    let engine = "uhp:answers"
        .parse::<EngineSpec>()
        .map_err(io::Error::other)?;
    let EnginePlayer::Program(program) = &engine.player else {
        return Ok(None);
    };
    let (settings, stop) = (GameSettings::default(), AtomicBool::new(false));
    let engines = ByColor::from_fn(|_| &engine);
    let task = GameTask::alone(engines, opening, &settings, G::MAX_PLIES, &stop);
    let mut running = RunningEngines::<G>::default();
    for (index, answers) in [answers.red, answers.blue].into_iter().enumerate() {
        running.insert(index, uhp::answering(answers, program, &settings)?);
    }
    // An unusable engine would end a run.
    Ok(referee::play(&task, &mut running, |_, _| {}).unwrap_or(None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameEnd, GameResult};
    use wabe_hive::game::Game;
    use wabe_hive::standard::{GameType, Wide};

    #[test]
    fn answers_decide_a_game_of_uhp_engines() {
        let played = |red: &[&str], blue: &[&str]| {
            let stream = |answers: &[&str]| {
                let greeting = ["id x\nBase;Base+MLP", "Base;NotStarted;White[1]"];
                let answers = greeting.iter().chain(answers);
                let lines: Vec<String> = answers.map(|text| format!("{text}\nok\n")).collect();
                lines.concat().into_bytes()
            };
            let opening = Record::new(GameType::default(), Wide::plain_start(GameType::default()));
            let answers = ByColor {
                red: stream(red),
                blue: stream(blue),
            };
            let played = play_answers::<Wide>(answers, &opening);
            let record = played.unwrap().unwrap().record;
            (record.result, record.end, record.moves)
        };
        let one = || "wS1".to_owned();
        assert_eq!(
            played(&["wS1", "Base;InProgress"], &["Base;InProgress", "bS9"]),
            (GameResult::Red, GameEnd::IllegalMove, one())
        );
        assert_eq!(
            played(&["wS1", "Base;BlackWins"], &[]),
            (GameResult::Blue, GameEnd::FalseEnd, one())
        );
        assert_eq!(
            played(&["wS1", "Base;InProgress"], &["err"]),
            (GameResult::Red, GameEnd::Refusal, one())
        );
        for nothing in ["", "  ", ";"] {
            assert_eq!(
                played(&["wS1", "Base;InProgress"], &["Base;InProgress", nothing]),
                (GameResult::Red, GameEnd::IllegalMove, one())
            );
        }
        assert_eq!(
            played(&[], &[]),
            (GameResult::Blue, GameEnd::Left, String::new())
        );
    }
}
