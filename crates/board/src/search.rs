//! Runs searches and reviews in slices. In between, the caller can handle requests and send
//! reports.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::answer::{parse_game, record_of};
use super::protocol::{Mark, Problem, Reply, Request, ReviewRequest, ReviewedMove, SearchRequest};
use super::view::{findings, value_view};
use crate::BoardGame;
use wabe_engine::analysis::{Analyzer, GameReview, ReviewedPly};
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{
    BestMove, Choice, Clock, Level, LevelPlayer, Limits, MctsOptions, MctsPlayer, Player,
    REPORT_INTERVAL, SearchControl, Solved,
};
use wabe_hive::game::Record;
use wabe_hive::{Color, Move};
use wabe_records::diagram::DrawnGame;
use wabe_records::with_game;

/// Default memory of a search in MiB.
pub(super) const DEFAULT_MIB: usize = 128;

/// Maximum number of reported lines.
const MAX_LINES: usize = 20;

/// Maximum number of forced plies skipped by a search.
const MAX_FORCED: usize = 20;

/// Maximum number of iterations per position in a review.
const MAX_REVIEW_NODES: u64 = 100_000;

/// A running search or review.
pub(super) trait Task {
    /// Runs a slice of a search or a position of a review. Returns true at the end, when the last
    /// of `replies` is the final answer.
    fn step(&mut self, replies: &mut Vec<Reply>) -> bool;

    /// Stops the task and returns its final answer.
    fn stop(&mut self) -> Reply;
}

/// Resources for a search, provided by the host.
pub(super) struct SearchResources {
    /// Number of threads per search. A review uses one.
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
    pub(super) seed: u64,
    /// Time since the request arrived.
    pub(super) clock: Box<dyn Clock + Send>,
    /// Length of a slice.
    pub(super) slice: Duration,
    /// Set by another thread to end the current slice.
    pub(super) stop: Arc<AtomicBool>,
    /// Share of the host's budget, returned on drop.
    pub(super) share: Box<dyn Any>,
}

/// Starts a search or review.
///
/// # Errors
/// When the game is invalid or, for a search, already over.
pub(super) fn begin(
    request: &Request,
    resources: SearchResources,
) -> Result<Box<dyn Task>, Problem> {
    match request {
        Request::Search(search) => with_game!(parse_game(&search.line.game)?, |G, variant| {
            begin_search::<G>(search, resources, variant)
        }),
        Request::Review(review) => with_game!(parse_game(&review.line.game)?, |G, variant| {
            begin_review::<G>(review, resources, variant)
        }),
        _ => Err(Problem::invalid_request("not a search")),
    }
}

struct Search<G: BoardGame> {
    drawn: DrawnGame<G>,
    /// The game to search. An analysis skips forced moves, a player returns them.
    record: Record<G>,
    forced: Vec<Move<G>>,
    limits: Limits,
    /// Number of lines to report; 0 for a player's move.
    lines: usize,
    player: Box<dyn Player<G>>,
    resources: SearchResources,
    /// The result of the last slice.
    choice: Option<Choice<G>>,
    nodes: u64,
    /// Time of the last report.
    reported_at: Option<Duration>,
}

fn begin_search<G: BoardGame>(
    request: &SearchRequest,
    resources: SearchResources,
    variant: G::Variant,
) -> Result<Box<dyn Task>, Problem> {
    let effort = &request.effort;
    let mut drawn = DrawnGame::new(record_of::<G>(&request.line, variant)?);
    if request.threat {
        drawn.record = other_side_to_move(&drawn.record)?;
    }
    check_is_running(&drawn.record)?;
    let (forced, record) = if effort.lines > 0 {
        skip_forced_moves(&drawn.record)
    } else {
        (Vec::new(), drawn.record.clone())
    };
    let defaults = if effort.lines > 0 {
        MctsOptions::for_analysis::<G>()
    } else {
        MctsOptions::for_game::<G>()
    };
    let options = MctsOptions {
        threads: resources.threads,
        memory_mib: resources.memory_mib,
        seed: resources.seed,
        ..defaults
    };
    let mut player = Box::new(MctsPlayer::<G>::new(&NetworkEvaluator::built_in(), options));
    if !request.without.is_empty() {
        let without = excluded_moves(&record, &request.without)?;
        player.exclude(without);
    }
    let find = |number: u64| {
        let expected = || format!("unknown level {number}: expected 1 to {}", Level::MAX);
        Level::new(number).ok_or_else(|| Problem::invalid_request(expected()))
    };
    let level = effort.level.map(find).transpose()?;
    let player: Box<dyn Player<G>> = match level {
        None => player,
        Some(level) => Box::new(LevelPlayer::new(player, level, resources.seed)),
    };
    let nodes = [effort.nodes, level.and_then(Level::nodes)];
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
        reported_at: None,
    }))
}

/// The moves to leave out.
///
/// # Errors
/// If one cannot be read, or none would remain.
fn excluded_moves<G: BoardGame>(
    record: &Record<G>,
    texts: &[String],
) -> Result<Vec<Move<G>>, Problem> {
    let read = |text: &String| {
        let mv = record.read(text);
        mv.map_err(|error| Problem::invalid_request(error.to_string()))
    };
    let excluded: Vec<_> = texts.iter().map(read).collect::<Result<_, _>>()?;
    if record.legal_moves().iter().all(|mv| excluded.contains(mv)) {
        return Err(Problem::invalid_request("all moves are left out"));
    }
    Ok(excluded)
}

impl<G: BoardGame> Search<G> {
    /// Runs a slice of the search. Returns false at the end of the search.
    fn search(&mut self) -> bool {
        let limits = self.limits;
        let slice = self.resources.clock.elapsed() + self.resources.slice;
        let nodes = limits.nodes().map(|max| max.saturating_sub(self.nodes));
        let time = limits.time().map_or(slice, |max| max.min(slice));
        let searched = self.choose(Limits::from_parts(Some(time), nodes));
        let best = self.choice.as_ref().map(|choice| &choice.best);
        if self.lines > 0 && best.is_some_and(|best| best.proof == Some(Solved::Win)) {
            // Looking for a shorter win may take longer than a slice.
            self.choose(limits);
            return false;
        }
        let out_of_time = limits.time().is_some_and(|max| time >= max);
        let out_of_nodes = limits.nodes().is_some_and(|max| self.nodes >= max);
        searched > 0 && !out_of_time && !out_of_nodes
    }

    /// Runs the player within these limits. Returns the number of iterations.
    fn choose(&mut self, limits: Limits) -> u64 {
        let control = SearchControl {
            limits,
            clock: &*self.resources.clock,
            stop: &self.resources.stop,
            observer: &BestMove::default(),
        };
        // The player reuses its tree, so this continues the previous slice.
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

    /// The final answer.
    fn found(&mut self) -> Reply {
        let elapsed = self.resources.clock.elapsed();
        // Without iterations, as for a forced move, the player has evaluated nothing.
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
            findings: findings(&self.drawn, &self.forced, &lines, self.nodes, elapsed),
        }
    }
}

impl<G: BoardGame> Task for Search<G> {
    fn step(&mut self, replies: &mut Vec<Reply>) -> bool {
        if !self.search() {
            replies.push(self.found());
            return true;
        }
        let now = self.resources.clock.elapsed();
        let is_due = |reported_at| now.saturating_sub(reported_at) >= REPORT_INTERVAL;
        if self.lines > 0 && self.reported_at.is_none_or(is_due) {
            self.reported_at = Some(now);
            let lines = self.player.lines(self.lines);
            replies.push(Reply::Progress {
                findings: findings(&self.drawn, &self.forced, &lines, self.nodes, now),
                memory_bytes: self.player.memory_bytes(),
            });
        }
        false
    }

    fn stop(&mut self) -> Reply {
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
    request: &ReviewRequest,
    resources: SearchResources,
    variant: G::Variant,
) -> Result<Box<dyn Task>, Problem> {
    let record = record_of::<G>(&request.line, variant)?;
    let evaluator = NetworkEvaluator::<G>::built_in();
    let nodes = Limits::Nodes(request.nodes.clamp(1, MAX_REVIEW_NODES));
    let analyzer = || {
        let analyzer = Analyzer::new(1, &evaluator, nodes, resources.memory_mib / 2);
        analyzer.with_stop(Arc::clone(&resources.stop))
    };
    Ok(Box::new(Review {
        _share: resources.share,
        review: GameReview::new(record, request.from, analyzer(), analyzer()),
    }))
}

impl<G: BoardGame> Task for Review<G> {
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

    fn stop(&mut self) -> Reply {
        Reply::Reviewed { plies: Vec::new() }
    }
}

/// Fails if the game is over.
pub(super) fn check_is_running<G: BoardGame>(record: &Record<G>) -> Result<(), Problem> {
    match record.ending() {
        Some(_) => Err(Problem::GameOver),
        None => Ok(()),
    }
}

/// Plays forced moves as long as there is only one legal move. Returns them and the resulting game.
fn skip_forced_moves<G: BoardGame>(record: &Record<G>) -> (Vec<Move<G>>, Record<G>) {
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

/// The last position, but with the other side to move.
fn other_side_to_move<G: BoardGame>(record: &Record<G>) -> Result<Record<G>, Problem> {
    let position = record.position();
    if position.turn() >= G::MAX_TURN {
        return Err(Problem::too_many_plies());
    }
    Ok(Record::new(record.variant(), position.after(Move::Pass)))
}

/// Converts a reviewed ply, numbered from 1.
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

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::game::Game;
    use wabe_hive::standard::{OpeningRule, Standard};

    #[test]
    fn other_side_to_move_keeps_the_opening_rule() {
        let start = Standard::lenient_start(Default::default()).unwrap();
        let turned = other_side_to_move(&Record::<Standard>::from_position(start)).unwrap();
        assert_eq!(turned.position().turn(), 1);
        assert_eq!(turned.position().rule_state().opening(), OpeningRule::Free);
    }
}
