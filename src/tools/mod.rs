//! All commands except `play` and `bench`.

mod analyze;
mod arena;
mod board;
mod book;
mod check;
mod display;
mod engines;
mod game_file;
mod generate;
pub(crate) mod launch;
mod match_;
mod moves;
mod outputs;
mod perft;
mod positions;
mod progress;
mod puzzles;
mod replay;
mod selfplay;
mod serve;
pub(crate) mod signals;
mod train;
mod training_files;
mod uhp;

use std::net::SocketAddr;

use anyhow::Context;
use clap::Subcommand;
use tokio::net::TcpListener;

use crate::exit::Exit;

#[derive(Subcommand)]
pub(crate) enum Command {
    Analyze(analyze::Args),
    Arena(Box<arena::Args>),
    Board(board::Args),
    Book(book::Args),
    Check(check::Args),
    Generate(generate::Args),
    Match(match_::Args),
    Moves(moves::Args),
    Perft(perft::Args),
    Positions(positions::Args),
    Puzzles(puzzles::Args),
    Replay(replay::Args),
    Selfplay(selfplay::Args),
    Serve(serve::Args),
    Train(train::Args),
    Uhp(uhp::Args),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Analyze(args) => analyze::run(args),
            Command::Arena(args) => arena::run(*args),
            Command::Board(args) => board::run(args),
            Command::Book(args) => book::run(args),
            Command::Check(args) => check::run(args),
            Command::Generate(args) => generate::run(&args),
            Command::Match(args) => match_::run(args),
            Command::Moves(args) => moves::run(args),
            Command::Perft(args) => perft::run(args),
            Command::Positions(args) => positions::run(args),
            Command::Puzzles(args) => puzzles::run(args),
            Command::Replay(args) => replay::run(args),
            Command::Selfplay(args) => selfplay::run(args),
            Command::Serve(args) => serve::run(args),
            Command::Train(args) => train::run(args),
            Command::Uhp(args) => uhp::run(args),
        }
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| format!("cannot listen on {address}"))
}

/// Default concurrency of runs.
fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Creates a runtime with this many worker threads.
fn runtime(threads: usize) -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")
}
