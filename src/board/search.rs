//! Searches and reviews of a page's game, without a word about threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::answer::{record_of, sentence};
use super::protocol::{Effort, GameLine, Mark, Reply, ReviewedMove};
use super::view::{Drawn, value_view};
use crate::analysis::{Analyst, ReviewedPly, Reviewer, Walk};
use crate::evaluation::NetworkEvaluator;
use crate::game::{Game, Record};
use crate::hive::{Color, Move};
use crate::search::{Choice, Level, LevelPlayer, Limits, Line, MctsOptions, MctsPlayer, Player};

/// Memory for a search that asks for none, in MiB.
pub(super) const USUAL_MIB: usize = 128;

/// Most lines of a search.
const MOST_LINES: usize = 20;

/// Largest number of forced plies that a search skips.
const MOST_FORCED: usize = 20;

/// Most iterations for a position of a review.
const MOST_REVIEW_NODES: u64 = 100_000;

/// Time between two reports of a running search.
pub(super) const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// The message for a request whose search panicked.
pub(super) const FAILED: &str = "The engine failed. Its terminal says more.";

/// A search that a page asks for.
pub(super) struct Search<G: Game> {
    id: u32,
    drawn: Drawn<G>,
    /// The game that is searched: an analysis looks past forced moves, a player only needs the move.
    pub(super) record: Record<G>,
    forced: Vec<Move<G>>,
    pub(super) limits: Limits,
    /// How many lines to report.
    pub(super) lines: usize,
    level: Option<Level>,
}

impl<G: Game> Search<G> {
    /// A search of the last position of `line`; for a threat with the other side to move.
    ///
    /// # Errors
    /// When the line cannot be played, or the game is over.
    pub(super) fn new(
        id: u32,
        line: &GameLine,
        effort: &Effort,
        threat: bool,
        variant: G::Variant,
    ) -> Result<Search<G>, String> {
        let mut drawn = Drawn::new(record_of::<G>(line, variant)?);
        if threat {
            drawn = drawn.with(other_side_to_move(&drawn.record)?);
        }
        check_is_running(&drawn.record)?;
        let (forced, record) = if effort.lines > 0 {
            past_only_moves(&drawn.record)
        } else {
            (Vec::new(), drawn.record.clone())
        };
        let level = effort
            .level
            .and_then(|level| Level::ALL.get(level).copied());
        let nodes = [effort.nodes, level.and_then(|level| level.nodes)];
        let time = effort.time_ms.map(Duration::from_millis);
        Ok(Search {
            id,
            drawn,
            record,
            forced,
            limits: Limits::from_parts(time, nodes.into_iter().flatten().min()),
            lines: effort.lines.min(MOST_LINES),
            level,
        })
    }

    /// Makes its player.
    pub(super) fn make_player(
        &self,
        options: MctsOptions,
    ) -> impl Fn() -> Box<dyn Player<G>> + use<G> {
        let level = self.level;
        move || {
            let player = Box::new(MctsPlayer::<G>::new(&NetworkEvaluator::built_in(), options));
            match level {
                None => player,
                Some(level) => Box::new(LevelPlayer::new(player, level, options.seed)),
            }
        }
    }

    /// The findings so far.
    pub(super) fn progress(&self, lines: &[Line<G>], nodes: u64, took: Duration) -> Reply {
        Reply::Progress {
            id: self.id,
            findings: self.drawn.findings(&self.forced, lines, nodes, took),
        }
    }

    /// The end of the search with its best lines, `searched` after the request's arrival; without a choice if it panicked. It is
    /// answered `took` after that arrival.
    pub(super) fn found(
        &self,
        choice: Option<Choice<G>>,
        lines: &[Line<G>],
        searched: Duration,
        took: Duration,
    ) -> Reply {
        let id = self.id;
        let chosen = choice.as_ref().map(|choice| choice.best.mv);
        if chosen.is_none() && self.lines > 0 {
            let message = FAILED.to_owned();
            return Reply::Problem {
                id: Some(id),
                message,
            };
        }
        let mv = self.forced.first().copied().or(chosen);
        // For a player's turn, after a panic any move is better than none.
        let legal = self.drawn.record.legal_moves();
        let mv = mv.or_else(|| legal.first().copied());
        let nodes = choice.as_ref().map_or(0, |choice| choice.nodes);
        let best = choice.map(|choice| choice.best);
        let lines = match lines {
            [] => best.as_slice(),
            lines => lines,
        };
        Reply::Found {
            id,
            mv: mv.map(|mv| self.drawn.record.write(mv)),
            findings: self.drawn.findings(&self.forced, lines, nodes, searched),
            took_ms: milliseconds(took),
        }
    }
}

/// Refuses a game that is over.
pub(super) fn check_is_running<G: Game>(record: &Record<G>) -> Result<(), String> {
    match record.ending() {
        Some(ending) => Err(format!("The game is over: {}.", ending.sentence::<G>())),
        None => Ok(()),
    }
}

/// The forced plies from the present position on, and the game after them.
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
    let next = setup.turn.checked_add(1);
    setup.turn = next.ok_or("There is no later turn.")?;
    let position = setup.build().map_err(|error| sentence(&error))?;
    Ok(Record::new(record.variant(), position))
}

/// A review that a page asks for.
pub(super) struct Review<G: Game> {
    id: u32,
    reviewer: Reviewer<G>,
    walk: Walk<G>,
}

impl<G: Game> Review<G> {
    /// A review of the moves of `line` from ply `from` on, with a search of `nodes` iterations for each position in a tree of
    /// `memory_mib` MiB, by an analyst that may be stopped.
    ///
    /// # Errors
    /// When the line cannot be played.
    pub(super) fn new(
        id: u32,
        line: &GameLine,
        from: usize,
        nodes: u64,
        memory_mib: usize,
        variant: G::Variant,
        stop: &Arc<AtomicBool>,
    ) -> Result<Review<G>, String> {
        let record = record_of::<G>(line, variant)?;
        let evaluator = NetworkEvaluator::<G>::built_in();
        let nodes = Limits::Nodes(nodes.clamp(1, MOST_REVIEW_NODES));
        let analyst = || Analyst::new(&evaluator, nodes, memory_mib / 2).stopped_by(stop.clone());
        Ok(Review {
            id,
            reviewer: Reviewer::new(analyst(), analyst()),
            walk: Walk::new(record, from),
        })
    }

    /// The positions that were searched so far.
    pub(super) fn progress(&self) -> Reply {
        let (done, all) = self.walk.progress();
        let id = self.id;
        Reply::Reviewing { id, done, all }
    }

    /// Searches the next position. Returns the end of the review once there is none left.
    pub(super) fn step(&mut self) -> Option<Reply> {
        self.reviewer.step(&mut self.walk);
        self.walk.is_over().then(|| Reply::Reviewed {
            id: self.id,
            plies: (self.walk.plies())
                .map(|(ply, reviewed)| reviewed_move((ply, &reviewed)))
                .collect(),
        })
    }

    /// The end of a review that was stopped.
    pub(super) fn stopped(&self) -> Reply {
        let (id, plies) = (self.id, Vec::new());
        Reply::Reviewed { id, plies }
    }
}

/// A reviewed move as a page shows it, with its ply, from 1.
pub fn reviewed_move<G: Game>((ply, reviewed): (usize, &ReviewedPly<G>)) -> ReviewedMove {
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

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
