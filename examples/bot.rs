//! A contest bot that runs wabe's search until its time is up.
//!
//! `cargo build --release --example bot`, then
//! `wabe match --red target/release/examples/bot --blue greedy`.

use std::process::ExitCode;

use wabe_contest::run_bot;
use wabe_engine::search::{Limits, Search};
use wabe_hive::contest::Contest;

fn main() -> ExitCode {
    let mut search = Search::<Contest>::new();
    run_bot(move |game, time| {
        let moves = game.legal_moves();
        if let [only] = moves[..] {
            return only;
        }
        let best = search.best(game, Limits::Time(time.left()));
        best.expect("a game that is not over has a move")
    })
}
