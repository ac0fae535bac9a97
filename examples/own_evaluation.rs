//! A contest bot that runs wabe's search with a custom evaluation.

use std::process::ExitCode;

use wabe_contest::run_bot;
use wabe_engine::search::{Limits, MctsOptions, Search};
use wabe_hive::contest::{Contest, Position};

fn main() -> ExitCode {
    let options = MctsOptions {
        memory_mib: 256,
        ..MctsOptions::for_game::<Contest>()
    };
    let mut search = Search::with_evaluation(judge, options);
    run_bot(move |game, time| {
        let best = search.best(game, Limits::Time(time.left()));
        best.expect("a game that is not over has a move")
    })
}

/// The expected score of the side to move, in 0..=1. Grows with the free fields around its own bee
/// and shrinks with those around the other one.
fn judge(position: &Position) -> f32 {
    let us = position.side_to_move();
    let free = |side| position.free_around_bee(side).unwrap_or(6) as f32;
    0.5 + (free(us) - free(us.opponent())) / 12.0
}
