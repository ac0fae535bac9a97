//! Searches and reviews of a page's game, in slices, between which the caller takes requests and
//! sends reports.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::answer::{named, record_of, sentence};
use super::protocol::{Mark, Reply, Request, ReviewRequest, ReviewedMove, SearchRequest};
use super::view::{findings, value_view};
use crate::BoardGame;
use wabe_engine::analysis::{Analyst, GameReview, ReviewedPly};
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{
    BestKnown, Choice, Clock, Level, LevelPlayer, Limits, MctsOptions, MctsPlayer, Player,
    SearchControl, Solved,
};
use wabe_hive::game::Record;
use wabe_hive::{Color, Move};
use wabe_records::diagram::DrawnGame;
use wabe_records::with_game;

/// Memory for a search that asks for none, in MiB.
pub(super) const USUAL_MIB: usize = 128;

/// Largest number of lines of a search.
const MAX_LINES: usize = 20;

/// Largest number of forced plies that a search skips.
const MAX_FORCED: usize = 20;

/// Largest number of iterations for a position of a review.
const MAX_REVIEW_NODES: u64 = 100_000;

/// Time between two reports of a running search.
pub(super) const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// The message for a request whose search panicked.
#[cfg(feature = "server")]
pub(super) const FAILED: &str = "The engine failed. See its terminal for details.";

/// A search or a review.
pub(super) trait Running {
    /// Works for a slice, a review to its next position. Returns `true` at its end, with its answer
    /// as the last of `replies`.
    fn step(&mut self, replies: &mut Vec<Reply>) -> bool;

    /// The answer if it is stopped now.
    fn stopped(&mut self) -> Reply;
}

/// The resources that the host gives to a search.
pub(super) struct SearchResources {
    /// Threads of the search; a review has one.
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
    pub(super) seed: u64,
    /// Counts from the request's arrival.
    pub(super) clock: Box<dyn Clock + Send>,
    /// Time for a slice.
    pub(super) slice: Duration,
    /// Set by another thread to end the present slice.
    pub(super) stop: Arc<AtomicBool>,
    /// The part of the host's budget, given back when this is dropped.
    pub(super) share: Box<dyn Any>,
}

/// Begins the search or the review that is asked for.
///
/// # Errors
/// When the game cannot be played, or a search is asked for after its end.
pub(super) fn begin(
    request: &Request,
    resources: SearchResources,
) -> Result<Box<dyn Running>, String> {
    match request {
        Request::Search(asked) => with_game!(named(&asked.line.game)?, |G, variant| {
            begin_search::<G>(asked, resources, variant)
        }),
        Request::Review(asked) => with_game!(named(&asked.line.game)?, |G, variant| {
            begin_review::<G>(asked, resources, variant)
        }),
        _ => Err("That is not a search.".to_owned()),
    }
}

struct Search<G: BoardGame> {
    drawn: DrawnGame<G>,
    /// The game that is searched: an analysis looks past forced moves, a player only needs the
    /// move.
    record: Record<G>,
    forced: Vec<Move<G>>,
    limits: Limits,
    /// Number of lines to report.
    lines: usize,
    player: Box<dyn Player<G>>,
    resources: SearchResources,
    /// The last slice's choice.
    choice: Option<Choice<G>>,
    nodes: u64,
    /// The time of the last report.
    reported: Option<Duration>,
}

fn begin_search<G: BoardGame>(
    asked: &SearchRequest,
    resources: SearchResources,
    variant: G::Variant,
) -> Result<Box<dyn Running>, String> {
    let effort = &asked.effort;
    let mut drawn = DrawnGame::new(record_of::<G>(&asked.line, variant)?);
    if asked.threat {
        drawn.record = other_side_to_move(&drawn.record)?;
    }
    check_is_running(&drawn.record)?;
    let (forced, record) = if effort.lines > 0 {
        past_only_moves(&drawn.record)
    } else {
        (Vec::new(), drawn.record.clone())
    };
    let options = MctsOptions {
        threads: resources.threads,
        memory_mib: resources.memory_mib,
        seed: resources.seed,
        ..MctsOptions::for_game::<G>()
    };
    let player = Box::new(MctsPlayer::<G>::new(&NetworkEvaluator::built_in(), options));
    let find = |index: usize| {
        let level = Level::ALL.get(index).copied();
        level.ok_or_else(|| format!("There is no level {index}."))
    };
    let level = effort.level.map(find).transpose()?;
    let player: Box<dyn Player<G>> = match level {
        None => player,
        Some(level) => Box::new(LevelPlayer::new(player, level, resources.seed)),
    };
    let nodes = [effort.nodes, level.and_then(|level| level.nodes)];
    let time = effort.time_ms.map(Duration::from_millis);
    Ok(Box::new(Search {
        drawn,
        record,
        forced,
        limits: Limits::from_parts(time, nodes.into_iter().flatten().min()),
        lines: effort.lines.min(MAX_LINES),
        player,
        resources,
        choice: None,
        nodes: 0,
        reported: None,
    }))
}
impl<G: BoardGame> Search<G> {
    /// Continues for a slice. Returns `false` if there is nothing left to search.
    fn search(&mut self) -> bool {
        let limits = self.limits;
        let slice = self.resources.clock.elapsed() + self.resources.slice;
        let nodes = limits.nodes().map(|most| most.saturating_sub(self.nodes));
        let time = limits.time().map_or(slice, |most| most.min(slice));
        let searched = self.choose(Limits::from_parts(Some(time), nodes));
        let best = self.choice.as_ref().map(|choice| &choice.best);
        if self.lines > 0 && best.is_some_and(|best| best.proof == Some(Solved::Win)) {
            // Looks for a shorter win, which takes longer than a slice.
            self.choose(limits);
            return false;
        }
        let is_time_up = limits.time().is_some_and(|most| time >= most);
        let is_enough = limits.nodes().is_some_and(|most| self.nodes >= most);
        searched > 0 && !is_time_up && !is_enough
    }

    /// Has the player continue within these limits. Returns the number of iterations.
    fn choose(&mut self, limits: Limits) -> u64 {
        let control = SearchControl {
            limits,
            clock: &*self.resources.clock,
            stop: &self.resources.stop,
            watch: &BestKnown::default(),
        };
        // The player keeps its tree, so this continues where the last slice has ended.
        let choice = self.player.choose(&self.record, &control);
        let searched = choice.as_ref().map_or(0, |choice| choice.nodes);
        self.nodes += searched;
        if let Some(choice) = choice {
            self.choice = Some(Choice {
                nodes: self.nodes,
                ..choice
            });
        }
        searched
    }

    /// The end of the search.
    fn found(&mut self) -> Reply {
        let took = self.resources.clock.elapsed();
        // After a forced move, the player's lines are not of this search.
        let mut lines = match self.nodes {
            0 => Vec::new(),
            _ => self.player.lines(self.lines),
        };
        let best = self.choice.take().map(|choice| choice.best);
        let forced = self.forced.first().copied();
        let mv = forced.or(best.as_ref().map(|best| best.mv));
        if lines.is_empty() {
            lines.extend(best);
        }
        Reply::Found {
            mv: mv.map(|mv| self.drawn.record.write(mv)),
            findings: findings(&self.drawn, &self.forced, &lines, self.nodes, took),
            took_ms: milliseconds(took),
        }
    }
}

impl<G: BoardGame> Running for Search<G> {
    fn step(&mut self, replies: &mut Vec<Reply>) -> bool {
        if !self.search() {
            replies.push(self.found());
            return true;
        }
        let now = self.resources.clock.elapsed();
        let is_due = |reported| now.saturating_sub(reported) >= BETWEEN_REPORTS;
        if self.lines > 0 && self.reported.is_none_or(is_due) {
            self.reported = Some(now);
            let lines = self.player.lines(self.lines);
            replies.push(Reply::Progress {
                findings: findings(&self.drawn, &self.forced, &lines, self.nodes, now),
            });
        }
        false
    }

    fn stopped(&mut self) -> Reply {
        if self.choice.is_none() {
            self.search();
        }
        self.found()
    }
}

struct Review<G: BoardGame> {
    _share: Box<dyn Any>,
    review: GameReview<G>,
}

fn begin_review<G: BoardGame>(
    asked: &ReviewRequest,
    resources: SearchResources,
    variant: G::Variant,
) -> Result<Box<dyn Running>, String> {
    let record = record_of::<G>(&asked.line, variant)?;
    let evaluator = NetworkEvaluator::<G>::built_in();
    let nodes = Limits::Nodes(asked.nodes.clamp(1, MAX_REVIEW_NODES));
    let analyst = || {
        let analyst = Analyst::new(1, &evaluator, nodes, resources.memory_mib / 2);
        analyst.stopped_by(Arc::clone(&resources.stop))
    };
    Ok(Box::new(Review {
        _share: resources.share,
        review: GameReview::new(record, asked.from, analyst(), analyst()),
    }))
}
impl<G: BoardGame> Running for Review<G> {
    fn step(&mut self, replies: &mut Vec<Reply>) -> bool {
        let (done, all) = self.review.progress();
        replies.push(Reply::Reviewing { done, all });
        self.review.step();
        let is_over = self.review.is_over();
        if is_over {
            let plies = self.review.plies();
            let plies = plies.map(|(ply, reviewed)| reviewed_move((ply, &reviewed)));
            replies.push(Reply::Reviewed {
                plies: plies.collect(),
            });
        }
        is_over
    }

    fn stopped(&mut self) -> Reply {
        Reply::Reviewed { plies: Vec::new() }
    }
}

/// Refuses a game that is over.
pub(super) fn check_is_running<G: BoardGame>(record: &Record<G>) -> Result<(), String> {
    match record.ending() {
        Some(ending) => Err(format!("The game is over: {}.", ending.sentence::<G>())),
        None => Ok(()),
    }
}

/// The forced plies from the present position on, and the game after them.
fn past_only_moves<G: BoardGame>(record: &Record<G>) -> (Vec<Move<G>>, Record<G>) {
    let mut after = record.clone();
    let mut forced = Vec::new();
    while forced.len() < MAX_FORCED {
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
fn other_side_to_move<G: BoardGame>(record: &Record<G>) -> Result<Record<G>, String> {
    let mut setup = record.position().to_setup();
    let next = setup.turn.checked_add(1);
    setup.turn = next.ok_or("There is no later turn.")?;
    let position = setup.build().map_err(|error| sentence(&error))?;
    Ok(Record::new(record.variant(), position))
}

/// A reviewed move as a page shows it, with its ply, from 1.
pub fn reviewed_move<G: BoardGame>((ply, reviewed): (usize, &ReviewedPly<G>)) -> ReviewedMove {
    let better = reviewed.mistake.as_ref();
    ReviewedMove {
        ply,
        text: reviewed.played.text.clone(),
        before: value_view(reviewed.red_before, Color::Red, None),
        after: value_view(reviewed.red_after, Color::Red, None),
        loss: reviewed.loss(),
        better: better.map(|mistake| mistake.better.text.clone()),
        mark: Mark::from_loss(reviewed.loss(), better.is_none()),
    }
}

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
