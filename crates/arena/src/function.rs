//! Functions that choose moves.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::game::GameTask;
use super::record::GameEnd;
use super::seat::{Failure, Reply, Seat, lateness};
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_hive::game::Record;

/// A function of this process that chooses moves, on the thread that plays the game.
#[derive(Clone)]
pub struct MoveFunction {
    choose: Arc<Choose>,
    /// An answer after this time loses the game; `None` for no limit.
    time_limit: Option<Duration>,
}

type Choose = dyn Fn(&FunctionRequest<'_>) -> Option<FunctionMove> + Send + Sync;

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub struct FunctionRequest<'a> {
    /// The text form of the game.
    pub record: &'a str,
    /// Time for the move; `None` for no limit.
    pub time_limit: Option<Duration>,
    /// Set when the answer is no longer needed.
    pub stop: &'a AtomicBool,
}

/// The answer to a [`FunctionRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionMove {
    /// The move in the game's notation, legal or not.
    pub mv: String,
    /// Time that the function took.
    pub elapsed: Duration,
}

impl MoveFunction {
    /// A function that returns `None` when it fails, which loses the game. The moves of one game
    /// are requested one after another, but several games run in parallel.
    pub fn new(
        time_limit: Option<Duration>,
        choose: impl Fn(&FunctionRequest<'_>) -> Option<FunctionMove> + Send + Sync + 'static,
    ) -> MoveFunction {
        MoveFunction {
            choose: Arc::new(choose),
            time_limit,
        }
    }
}

impl fmt::Debug for MoveFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MoveFunction")
    }
}

impl PartialEq for MoveFunction {
    fn eq(&self, other: &MoveFunction) -> bool {
        Arc::ptr_eq(&self.choose, &other.choose) && self.time_limit == other.time_limit
    }
}

impl<G: ArenaGame> Seat<G> for MoveFunction {
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply, Failure> {
        let answer = (self.choose)(&FunctionRequest {
            record: &record.to_string(),
            time_limit: self.time_limit,
            stop: task.stop,
        });
        if task.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let answer = answer.ok_or_else(|| Failure::fault(GameEnd::Crash, ""))?;
        let time_limit = self.time_limit;
        let time_limit = time_limit.map(|time| time.saturating_add(task.settings.margin));
        Ok(Reply {
            mv: answer.mv,
            elapsed: answer.elapsed,
            late_by: time_limit.and_then(|time_limit| lateness(answer.elapsed, time_limit)),
            hint: Hint::default(),
            remark: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnginePlayer, EngineSpec, GameRun, GameSettings, play_game};
    use wabe_hive::ByColor;
    use wabe_hive::contest::Contest;

    /// Plays the first legal move and needs this long.
    fn first_move(time_limit: Option<Duration>, elapsed: Duration) -> EngineSpec {
        let choose = move |request: &FunctionRequest<'_>| {
            let game: Record<Contest> = request.record.parse().ok()?;
            let mv = *game.legal_moves().first()?;
            let mv = game.write(mv);
            Some(FunctionMove { mv, elapsed })
        };
        EngineSpec {
            name: "first".to_owned(),
            player: EnginePlayer::Function(MoveFunction::new(time_limit, choose)),
        }
    }

    fn end_of(time_limit: Option<Duration>) -> GameEnd {
        let engines = ByColor::from_fn(|_| first_move(time_limit, Duration::from_secs(9)));
        let (opening, settings) = (Record::default(), GameSettings::default());
        let run = play_game::<Contest>(
            &engines,
            &opening,
            &settings,
            &AtomicBool::new(false),
            |_| (),
        );
        match run.unwrap() {
            GameRun::Finished(played) => played.record.end,
            GameRun::Stopped(_) => panic!("the game was stopped"),
        }
    }

    #[test]
    fn functions_play_whole_games() {
        assert!(end_of(None).is_regular());
    }

    #[test]
    fn late_functions_lose() {
        assert_eq!(end_of(Some(Duration::from_secs(1))), GameEnd::Time);
    }
}
