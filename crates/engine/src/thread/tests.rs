//! Players that misbehave.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use crate::search::Line;
use wabe_hive::contest::Contest;
use wabe_hive::standard::Wide;

/// What a player does with each move that it is asked for.
type Choose<G> = fn(&Record<G>, &SearchControl<'_, G>) -> Option<Choice<G>>;

/// A player that tells when it is made, when it begins to choose or ponder, when a game begins and when it is dropped.
struct Scripted<G: Playable> {
    choose: Choose<G>,
    told: Sender<&'static str>,
}

impl<G: Playable> Player<G> for Scripted<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        let _ = self.told.send("choose");
        (self.choose)(record, control)
    }

    fn ponder(&mut self, _: &Record<G>, control: &SearchControl<'_, G>) {
        let _ = self.told.send("ponder");
        wait_for_the_end(control);
    }

    fn new_game(&mut self) {
        let _ = self.told.send("new game");
    }
}

impl<G: Playable> Drop for Scripted<G> {
    fn drop(&mut self) {
        let _ = self.told.send("dropped");
    }
}

fn wait_for_the_end<G: Playable>(control: &SearchControl<'_, G>) {
    while !control.is_time_up() {
        thread::yield_now();
    }
}

fn choice<G: Playable>(mv: Move<G>) -> Option<Choice<G>> {
    Some(Choice {
        best: Line::unjudged(mv),
        nodes: 1,
    })
}

fn last<G: Playable>(record: &Record<G>) -> Option<Move<G>> {
    record.legal_moves().last().copied()
}

/// Reports the last legal move, waits to be stopped and chooses it.
fn until_stopped<G: Playable>(
    record: &Record<G>,
    control: &SearchControl<'_, G>,
) -> Option<Choice<G>> {
    let mv = last(record)?;
    control.watch.best(mv);
    wait_for_the_end(control);
    choice(mv)
}

fn engine<G: Playable>(choose: Choose<G>) -> (Engine<G>, Receiver<&'static str>) {
    let (told, heard) = channel();
    let make_player: PlayerFactory<G> = Box::new(move || {
        let _ = told.send("made");
        let told = told.clone();
        Box::new(Scripted { choose, told })
    });
    let engine = Engine::start(make_player).unwrap();
    assert_eq!(heard.recv(), Ok("made"));
    (engine, heard)
}

fn game<G: Playable>() -> Record<G> {
    Record::new(G::Variant::default(), G::plain_start(G::Variant::default()))
}

/// A search in the game's first position, and where its answer comes.
fn think<G: Playable>(engine: &Engine<G>, limits: Limits) -> (Thinking<G>, Receiver<Answer<G>>) {
    think_lines(engine, limits, 0)
}

fn think_lines<G: Playable>(
    engine: &Engine<G>,
    limits: Limits,
    lines: usize,
) -> (Thinking<G>, Receiver<Answer<G>>) {
    let (sender, answer) = channel();
    let thinking = engine.think(game(), limits, Instant::now(), lines, move |answer| {
        let _ = sender.send(answer);
    });
    (thinking, answer)
}

#[test]
fn a_search_ends_by_its_limits_or_when_it_is_stopped() {
    let (engine, heard) = engine::<Contest>(until_stopped);
    for stops in [false, true] {
        let limits = if stops {
            Limits::Infinite
        } else {
            Limits::Time(Duration::ZERO)
        };
        let (thinking, answer) = think(&engine, limits);
        assert_eq!(heard.recv(), Ok("choose"));
        if stops {
            assert!(answer.try_recv().is_err());
            thinking.stop();
        }
        let answer = answer.recv().unwrap();
        assert!(answer.started_after <= answer.ended_after);
        let mv = answer.choice.unwrap().best.mv;
        assert_eq!(Some(mv), last(&game()));
        assert_eq!(thinking.best_so_far(), Some(mv));
        assert_eq!(thinking.fallback(), Some(mv));
    }
}

#[test]
fn panic_ends_the_search_without_a_choice() {
    let (engine, heard) = engine::<Contest>(|_, _| panic!("on purpose"));
    let expected = ["choose", "made", "dropped"];
    for _ in 0..2 {
        let (thinking, answer) = think(&engine, Limits::Infinite);
        assert!(answer.recv().unwrap().choice.is_none());
        assert_eq!(heard.iter().take(3).collect::<Vec<_>>(), expected);
        assert_eq!(thinking.best_so_far(), None);
        // The greedy player's choice.
        let fallback = thinking.fallback().unwrap();
        assert!(game::<Contest>().legal_moves().contains(&fallback));
    }
}

#[test]
fn a_fallback_is_legal_whatever_the_player_reported() {
    let (engine, _heard) = engine::<Wide>(|_, control| {
        control.watch.best(Move::<Wide>::Pass);
        None
    });
    let (thinking, answer) = think(&engine, Limits::Infinite);
    assert!(answer.recv().unwrap().choice.is_none());
    assert_eq!(thinking.best_so_far(), None);
    let fallback = thinking.fallback().unwrap();
    assert!(game::<Wide>().legal_moves().contains(&fallback));
}

#[test]
fn reports_are_throttled_after_the_first() {
    let (engine, _heard) = engine::<Contest>(|record, control| {
        let lines = vec![Line::unjudged(last(record)?); control.watch.lines_wanted()];
        control.watch.progress(Progress { lines, nodes: 1 });
        None
    });
    for wanted in [0, 3] {
        let (thinking, answer) = think_lines(&engine, Limits::Infinite, wanted);
        assert!(answer.recv().unwrap().choice.is_none());
        assert_eq!(thinking.progress().unwrap().lines.len(), wanted);
        let reports = &thinking.shared.reports;
        // Instead of waiting: a report of the future is as fresh as one of now.
        let at = |at: Instant| reports.latest().as_mut().unwrap().0 = at;
        at(Instant::now() + Duration::from_secs(3600));
        assert_eq!(reports.lines_wanted(), 0);
        at(Instant::now().checked_sub(BETWEEN_REPORTS).unwrap());
        assert_eq!(reports.lines_wanted(), wanted);
    }
}

#[test]
fn last_report_agrees_with_the_choice() {
    let (engine, _heard) = engine::<Contest>(|record, control| {
        let lines = vec![Line::unjudged(*record.legal_moves().first()?)];
        control.watch.progress(Progress { lines, nodes: 1 });
        choice(last(record)?)
    });
    let (thinking, answer) = think_lines(&engine, Limits::Infinite, 2);
    let chosen = answer.recv().unwrap().choice.unwrap().best;
    assert_eq!(thinking.progress().unwrap().lines, [chosen]);
}

#[test]
fn dropped_handle_ends_pondering() {
    let (engine, heard) = engine::<Contest>(until_stopped);
    let pondering = engine.ponder(game());
    assert_eq!(heard.recv(), Ok("ponder"));
    drop(engine.ponder(game()));
    engine.new_game();
    drop(pondering);
    assert_eq!(heard.recv(), Ok("new game"));
}

#[test]
fn dropped_handles_free_the_thread() {
    let (engine, heard) = engine::<Contest>(until_stopped);
    let (thinking, answer) = think(&engine, Limits::Infinite);
    assert_eq!(heard.recv(), Ok("choose"));
    drop(engine);
    drop(thinking);
    assert!(answer.recv().unwrap().choice.is_some());
    assert_eq!(heard.recv(), Ok("dropped"));
}

#[test]
fn engines_think_side_by_side() {
    let engines: Vec<_> = (0..3).map(|_| engine::<Wide>(until_stopped)).collect();
    let searches: Vec<_> = engines
        .iter()
        .map(|(engine, _)| think(engine, Limits::Infinite))
        .collect();
    for (_, heard) in &engines {
        assert_eq!(heard.recv(), Ok("choose"));
    }
    for (thinking, answer) in searches {
        thinking.stop();
        assert!(answer.recv().unwrap().choice.is_some());
    }
}
