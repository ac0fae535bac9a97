//! Engines with scripted players.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::search::RootMove;
use wabe_hive::contest::Contest;
use wabe_hive::game::Game;

type Control<'a> = SearchControl<'a, Contest>;

/// How a scripted player chooses a move.
type Choose = fn(&Record<Contest>, &Control<'_>) -> Option<Choice<Contest>>;

/// A player that reports when it is built, starts to choose or ponder, starts a new game and is
/// dropped.
struct Scripted {
    choose: Choose,
    reports: Sender<&'static str>,
}

impl Player<Contest> for Scripted {
    fn choose(
        &mut self,
        record: &Record<Contest>,
        control: &Control<'_>,
    ) -> Option<Choice<Contest>> {
        let _ = self.reports.send("choose");
        (self.choose)(record, control)
    }

    fn ponder(&mut self, _: &Record<Contest>, control: &Control<'_>) {
        let _ = self.reports.send("ponder");
        wait_for_stop(control);
    }

    fn new_game(&mut self) {
        let _ = self.reports.send("new game");
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = self.reports.send("dropped");
    }
}

fn wait_for_stop(control: &Control<'_>) {
    while !control.is_time_up() {
        thread::yield_now();
    }
}

fn choice(mv: Move<Contest>) -> Option<Choice<Contest>> {
    Some(Choice {
        best: RootMove::without_evaluation(mv),
        nodes: 1,
    })
}

fn last_move(record: &Record<Contest>) -> Option<Move<Contest>> {
    record.legal_moves().last().copied()
}

/// Reports the last legal move, waits to be stopped and chooses it.
fn choose_when_stopped(record: &Record<Contest>, control: &Control<'_>) -> Option<Choice<Contest>> {
    let mv = last_move(record)?;
    control.observer.best(mv);
    wait_for_stop(control);
    choice(mv)
}

fn start(choose: Choose) -> (Engine<Contest>, Receiver<&'static str>) {
    let (reports, received) = channel();
    let make_player: PlayerFactory<Contest> = Box::new(move || {
        let _ = reports.send("made");
        let reports = reports.clone();
        Box::new(Scripted { choose, reports })
    });
    let engine = Engine::start(make_player).unwrap();
    assert_eq!(received.recv(), Ok("made"));
    (engine, received)
}

fn game() -> Record<Contest> {
    Record::from_position(Contest::plain_start(Default::default()))
}

/// Starts a search in the start position. Returns it and the receiver of its answer.
fn think(
    engine: &Engine<Contest>,
    limits: Limits,
    lines: usize,
) -> (MoveSearch<Contest>, Receiver<SearchResult<Contest>>) {
    let (sender, answer) = channel();
    let clock = SystemClock::since(Instant::now());
    let thinking = engine.think(clock, game(), limits, lines, move |answer| {
        let _ = sender.send(answer);
    });
    (thinking, answer)
}

#[test]
fn search_ends_by_limit_or_stop() {
    let (engine, reports) = start(choose_when_stopped);
    for stops in [false, true] {
        let limits = if stops {
            Limits::Infinite
        } else {
            Limits::Time(Duration::ZERO)
        };
        let (thinking, answer) = think(&engine, limits, 0);
        assert_eq!(reports.recv(), Ok("choose"));
        if stops {
            assert!(answer.try_recv().is_err());
            thinking.stop();
        }
        let answer = answer.recv().unwrap();
        assert!(answer.started_after <= answer.ended_after);
        let mv = answer.choice.unwrap().best.mv;
        assert_eq!(Some(mv), last_move(&game()));
        assert_eq!(thinking.best_so_far(), Some(mv));
        assert_eq!(thinking.fallback(), Some(mv));
    }
}

#[test]
fn panic_ends_the_search_without_a_choice() {
    let (engine, reports) = start(|_, _| panic!("on purpose"));
    let expected = ["choose", "made", "dropped"];
    for _ in 0..2 {
        let (thinking, answer) = think(&engine, Limits::Infinite, 0);
        assert!(answer.recv().unwrap().choice.is_none());
        assert_eq!(reports.iter().take(3).collect::<Vec<_>>(), expected);
        assert_eq!(thinking.best_so_far(), None);
        // The greedy player's choice.
        let fallback = thinking.fallback().unwrap();
        assert!(game().legal_moves().contains(&fallback));
    }
}

#[test]
fn illegal_reports_are_ignored() {
    let (engine, _reports) = start(|_, control| {
        control.observer.best(Move::Pass);
        None
    });
    let (thinking, answer) = think(&engine, Limits::Infinite, 0);
    assert!(answer.recv().unwrap().choice.is_none());
    assert_eq!(thinking.best_so_far(), None);
    assert_ne!(thinking.fallback(), Some(Move::Pass));
}

#[test]
fn reports_are_throttled_after_the_first() {
    let (engine, _reports) = start(|record, control| {
        let lines =
            vec![RootMove::without_evaluation(last_move(record)?); control.observer.lines_wanted()];
        control.observer.progress(Progress { lines, nodes: 1 });
        None
    });
    for max_lines in [0, 3] {
        let (thinking, answer) = think(&engine, Limits::Infinite, max_lines);
        assert!(answer.recv().unwrap().choice.is_none());
        assert_eq!(thinking.progress().unwrap().lines.len(), max_lines);
        let reports = &thinking.shared;
        // Changes the time of the last report instead of waiting.
        let set_time = |time: Instant| reports.latest().as_mut().unwrap().0 = time;
        set_time(Instant::now() + Duration::from_secs(3600));
        assert_eq!(reports.lines_wanted(), 0);
        set_time(Instant::now().checked_sub(REPORT_INTERVAL).unwrap());
        assert_eq!(reports.lines_wanted(), max_lines);
    }
}

#[test]
fn last_report_agrees_with_the_choice() {
    let (engine, _reports) = start(|record, control| {
        let lines = vec![RootMove::without_evaluation(*record.legal_moves().first()?)];
        control.observer.progress(Progress { lines, nodes: 1 });
        choice(last_move(record)?)
    });
    let (thinking, answer) = think(&engine, Limits::Infinite, 2);
    let chosen = answer.recv().unwrap().choice.unwrap().best;
    assert_eq!(thinking.progress().unwrap().lines, [chosen]);
}

#[test]
fn dropping_the_handle_ends_pondering() {
    let (engine, reports) = start(choose_when_stopped);
    let pondering = engine.ponder(game());
    assert_eq!(reports.recv(), Ok("ponder"));
    drop(engine.ponder(game()));
    engine.new_game();
    drop(pondering);
    assert_eq!(reports.recv(), Ok("new game"));
}

#[test]
fn dropping_the_handles_ends_the_thread() {
    let (engine, reports) = start(choose_when_stopped);
    let (thinking, answer) = think(&engine, Limits::Infinite, 0);
    assert_eq!(reports.recv(), Ok("choose"));
    drop(engine);
    drop(thinking);
    assert!(answer.recv().unwrap().choice.is_some());
    assert_eq!(reports.recv(), Ok("dropped"));
}
