//! The engine's side of one page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{answer, named, record_of};
use super::budget::{Budget, Share};
use super::live::LiveGames;
use super::protocol::{Effort, GameLine, Mark, Reply, Request, ReviewedMove};
use super::view::{Drawn, value_view};
use crate::analysis::{Analyst, ReviewedPly, Reviewer};
use crate::engine::{Engine, Thinking};
use crate::evaluation::NetworkEvaluator;
use crate::game::{Game, Record};
use crate::games::ForGame;
use crate::hive::{Color, Move};
use crate::replay::Recorded;
use crate::search::{Level, Limits, MctsOptions, MctsPlayer, Player, SlippingPlayer};

/// Memory for a search that asks for none, in MiB.
const USUAL_MIB: usize = 128;

/// Most lines of a search.
const MOST_LINES: usize = 20;

/// Most plies with a single legal move that a search goes past.
const MOST_FORCED: usize = 20;

/// Most iterations for a position of a review.
const MOST_REVIEW_NODES: u64 = 1_000_000;

/// Takes answers, from any thread. An answer to a page that has gone is lost.
pub type Outlet = Arc<dyn Fn(Reply) + Send + Sync>;

/// The engine's side of one page: at most one search or review at a time. Dropping it ends that.
pub struct Session {
    budget: Arc<Budget>,
    outlet: Outlet,
    live: Arc<LiveGames>,
    running: Option<Box<dyn Running>>,
    /// The request for the live games, and the version that was sent.
    watching: Option<(u32, Option<u64>)>,
    /// The request to follow a game, its number, and the version that was sent.
    following: Option<(u32, u64, Option<u64>)>,
}

/// A search or review. Dropping it ends it.
trait Running: Send {
    /// What a search has found so far, if that is new.
    fn progress(&mut self) -> Option<Reply>;
    /// Ends it; its last answer still comes.
    fn stop(&self);
}

impl Session {
    /// A session whose searches take their threads and memory from `budget`, that shows the games of `live`, and whose answers go to
    /// `outlet`.
    pub fn new(budget: Arc<Budget>, live: Arc<LiveGames>, outlet: Outlet) -> Session {
        Session {
            budget,
            outlet,
            live,
            running: None,
            watching: None,
            following: None,
        }
    }

    /// Takes a request. Answers that need no search are given at once.
    pub fn take(&mut self, request: Request) {
        let id = id_of(&request);
        if let Err(message) = self.begin(request) {
            (self.outlet)(Reply::Problem { id, message });
        }
    }

    fn begin(&mut self, request: Request) -> Result<(), String> {
        match request {
            Request::Search {
                id,
                line,
                effort,
                threat,
            } => {
                // The one before gives its threads back.
                self.running = None;
                let game = named(&line.game)?;
                self.running = Some(game.dispatch(Search {
                    id,
                    line: &line,
                    effort: &effort,
                    threat,
                    session: self,
                })?);
            }
            Request::Review { id, line, nodes } => {
                self.running = None;
                let game = named(&line.game)?;
                self.running = Some(game.dispatch(Review {
                    id,
                    line: &line,
                    nodes: nodes.clamp(1, MOST_REVIEW_NODES),
                    session: self,
                })?);
            }
            Request::Stop => {
                if let Some(running) = &self.running {
                    running.stop();
                }
            }
            Request::Watch { id } => {
                self.watching = Some((id, None));
                self.report_live();
            }
            Request::Follow { id, number } => {
                self.following = number.map(|number| (id, number, None));
                self.report_live();
            }
            request => (self.outlet)(answer(request)?),
        }
        Ok(())
    }

    /// Reports what a running search has found and what happened in live games since the last call.
    pub fn report(&mut self) {
        self.report_live();
        let progress = self.running.as_mut().and_then(|running| running.progress());
        if let Some(progress) = progress {
            (self.outlet)(progress);
        }
    }

    fn report_live(&mut self) {
        if let Some((id, sent)) = &mut self.watching
            && let Some(reply) = self.live.list(*id, sent)
        {
            (self.outlet)(reply);
        }
        if let Some((id, number, sent)) = &mut self.following
            && let Some(reply) = self.live.game(*id, *number, sent)
        {
            (self.outlet)(reply);
        }
    }

    fn share(&self, threads: usize, memory_mib: usize) -> Result<Share, String> {
        let memory_mib = match memory_mib {
            0 => USUAL_MIB,
            wanted => wanted,
        };
        let share = self.budget.take(threads.max(1), memory_mib);
        share.ok_or_else(|| "Too many boards search at the same time.".to_owned())
    }
}

fn id_of(request: &Request) -> Option<u32> {
    match *request {
        Request::Hello { .. } | Request::Stop => None,
        Request::New { id, .. }
        | Request::Open { id, .. }
        | Request::Show { id, .. }
        | Request::Edit { id, .. }
        | Request::Search { id, .. }
        | Request::Review { id, .. }
        | Request::Watch { id }
        | Request::Follow { id, .. }
        | Request::Observe { id, .. }
        | Request::Export { id, .. } => Some(id),
    }
}

struct Search<'a> {
    id: u32,
    line: &'a GameLine,
    effort: &'a Effort,
    threat: bool,
    session: &'a Session,
}

struct RunningSearch<G: Game> {
    id: u32,
    drawn: Arc<Drawn<G>>,
    forced: Vec<Move<G>>,
    thinking: Thinking<G>,
    started: Instant,
    reported: u64,
}

impl ForGame for Search<'_> {
    type Output = Result<Box<dyn Running>, String>;

    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output {
        let Search {
            id,
            line,
            effort,
            threat,
            session,
        } = self;
        let mut drawn = Drawn::new(record_of::<G>(line, variant)?);
        if threat {
            drawn = drawn.with(other_side_to_move(&drawn.record)?);
        }
        if let Some(ending) = drawn.record.ending() {
            return Err(format!("The game is over: {}.", ending.sentence::<G>()));
        }
        // Who analyses wants to know what comes after an only move; who plays wants the move.
        let (forced, record) = if effort.lines > 0 {
            past_only_moves(&drawn.record)
        } else {
            (Vec::new(), drawn.record.clone())
        };
        let share = session.share(effort.threads, effort.memory_mib)?;
        let level = effort
            .level
            .and_then(|level| Level::ALL.get(level).copied());
        let nodes = [effort.nodes, level.and_then(|level| level.nodes)];
        let time = effort.time_ms.map(Duration::from_millis);
        let limits = Limits::from_parts(time, nodes.into_iter().flatten().min());
        let engine = engine::<G>(&share, level.map_or(0, |level| level.slips))?;
        let drawn = Arc::new(drawn);
        let started = Instant::now();
        let lines = effort.lines.min(MOST_LINES);
        let on_answer = {
            let (drawn, forced) = (Arc::clone(&drawn), forced.clone());
            let outlet = Arc::clone(&session.outlet);
            move |answer: crate::engine::Answer<G>| {
                drop(share);
                let legal = drawn.record.legal_moves();
                let choice = answer.choice.as_ref().map(|choice| choice.best.mv);
                let mv = forced.first().copied().or(choice);
                // After a panic any move is better than none.
                let mv = mv.or_else(|| legal.first().copied());
                let nodes = answer.choice.as_ref().map_or(0, |choice| choice.nodes);
                let best = answer.choice.map(|choice| choice.best);
                let lines = match &answer.lines[..] {
                    [] => best.as_slice(),
                    lines => lines,
                };
                outlet(Reply::Found {
                    id,
                    mv: mv.map(|mv| drawn.record.write(mv)),
                    findings: drawn.findings(&forced, lines, nodes, answer.ended_after),
                    took_ms: milliseconds(started.elapsed()),
                });
            }
        };
        let thinking = engine.think(record, limits, started, on_answer);
        thinking.report_lines(lines);
        Ok(Box::new(RunningSearch {
            id,
            drawn,
            forced,
            thinking,
            started,
            reported: 0,
        }))
    }
}

impl<G: Game> Running for RunningSearch<G> {
    fn progress(&mut self) -> Option<Reply> {
        let progress = self.thinking.progress()?;
        if progress.nodes == self.reported {
            return None;
        }
        self.reported = progress.nodes;
        let (lines, took) = (&progress.lines, self.started.elapsed());
        Some(Reply::Progress {
            id: self.id,
            findings: (self.drawn).findings(&self.forced, lines, progress.nodes, took),
        })
    }

    fn stop(&self) {
        self.thinking.stop();
    }
}

/// The plies with a single legal move from the present position on, and the game after them.
fn past_only_moves<G: Game>(record: &Record<G>) -> (Vec<Move<G>>, Record<G>) {
    let mut after = record.clone();
    let mut forced = Vec::new();
    while forced.len() < MOST_FORCED {
        let [only] = after.legal_moves()[..] else {
            break;
        };
        let mut next = after.clone();
        if next.play(only).is_err() || next.is_over() {
            break;
        }
        forced.push(only);
        after = next;
    }
    (forced, after)
}

/// The present position with the other side to move.
fn other_side_to_move<G: Game>(record: &Record<G>) -> Result<Record<G>, String> {
    let mut setup = record.position().to_setup();
    setup.turn += 1;
    let position = setup.build().map_err(|error| error.to_string())?;
    Ok(Record::new(record.variant(), position))
}

fn engine<G: Game>(share: &Share, slips: u32) -> Result<Engine<G>, String> {
    let seed = rand::random();
    let options = MctsOptions {
        threads: share.threads,
        memory_mib: share.memory_mib,
        seed,
        ..MctsOptions::of::<G>()
    };
    let make = move || -> Box<dyn Player<G>> {
        let player = MctsPlayer::<G>::new(&NetworkEvaluator::built_in(), options);
        match slips {
            0 => Box::new(player),
            slips => Box::new(SlippingPlayer::new(Box::new(player), slips, seed)),
        }
    };
    Engine::start(Box::new(make)).map_err(|error| format!("No search can be started: {error}."))
}

struct Review<'a> {
    id: u32,
    line: &'a GameLine,
    nodes: u64,
    session: &'a Session,
}

struct RunningReview {
    stop: Arc<AtomicBool>,
}

impl ForGame for Review<'_> {
    type Output = Result<Box<dyn Running>, String>;

    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output {
        let Review {
            id,
            line,
            nodes,
            session,
        } = self;
        let record = record_of::<G>(line, variant)?;
        let share = session.share(1, 0)?;
        let stop = Arc::new(AtomicBool::new(false));
        let outlet = Arc::clone(&session.outlet);
        let is_stopped = Arc::clone(&stop);
        let work = move || {
            let evaluator = NetworkEvaluator::<G>::built_in();
            let analyst = || Analyst::new(&evaluator, Limits::Nodes(nodes), share.memory_mib / 2);
            let mut reviewer = Reviewer::new(analyst(), analyst());
            let plies = reviewer.review(&[record], |done, all| {
                outlet(Reply::Reviewing { id, done, all });
                !is_stopped.load(Ordering::Relaxed)
            });
            let plies = match is_stopped.load(Ordering::Relaxed) {
                true => Vec::new(),
                false => (1..).zip(&plies).map(reviewed_move).collect(),
            };
            drop(share);
            outlet(Reply::Reviewed { id, plies });
        };
        thread::Builder::new()
            .name("review".to_owned())
            .spawn(work)
            .map_err(|error| format!("No review can be started: {error}."))?;
        Ok(Box::new(RunningReview { stop }))
    }
}

impl Running for RunningReview {
    fn progress(&mut self) -> Option<Reply> {
        None
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for RunningReview {
    fn drop(&mut self) {
        self.stop();
    }
}

fn reviewed_move<G: Game>((ply, reviewed): (usize, &ReviewedPly<G>)) -> ReviewedMove {
    let better = reviewed.mistake.as_ref();
    ReviewedMove {
        ply,
        text: reviewed.played.text.clone(),
        before: value_view(reviewed.red_before, Color::Red, None),
        after: value_view(reviewed.red_after, Color::Red, None),
        loss: reviewed.loss(),
        better: better.map(|mistake| mistake.better.text.clone()),
        mark: Mark::of(reviewed.loss(), better.is_none()),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
