//! A bot for the contest: wabe's search, told when to stop.
//!
//! `cargo build --release --example bot`, then `wabe match --red target/release/examples/bot --blue greedy`.

use std::process::ExitCode;

use wabe::contest::Search;
use wabe::{Limits, run_bot};

fn main() -> ExitCode {
    let mut search = Search::new();
    run_bot(move |game, time| {
        let moves = game.legal_moves();
        if let [only] = moves[..] {
            return only;
        }
        let best = search.best(game, Limits::Time(time.left()));
        best.expect("a game that is not over has a move")
    })
}
