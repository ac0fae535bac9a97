//! Plays many games at once on a game server, with clients that answer at once with random moves, and reports how many moves
//! a second the server arbitrates and how long a ply takes from one player to the other.
//!
//! The server may be any that speaks the contest's protocol. It is asked for prepared rooms whose players cannot time out, so
//! that a slow server is slow instead of ending games.
#![allow(unreachable_pub)] // the modules are private to this program

mod abuse;
mod client;
mod room;
mod statistics;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::sync::Mutex;
use tokio::time::Instant;

use client::Client;
use room::Table;
use statistics::Statistics;

/// Measure how many moves a second a game server arbitrates
#[derive(Debug, Parser)]
struct Args {
    /// The server
    #[arg(long, default_value = "127.0.0.1:13050")]
    address: SocketAddr,

    /// The server's password
    #[arg(long, default_value = "examplepassword")]
    password: String,

    /// Number of games at once; with 0 only the misbehaving clients run
    #[arg(long, default_value_t = 200)]
    rooms: usize,

    /// Duration of the measurement, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u64,

    /// Duration of the games before the measurement, in seconds
    #[arg(long, default_value_t = 3)]
    warm_up: u64,

    /// Time that a player waits before it answers, in milliseconds
    #[arg(long, default_value_t = 0)]
    think: u64,

    /// Kind of misbehaving clients
    #[arg(long, value_name = "KIND")]
    abuse: Option<abuse::Kind>,

    /// Number of misbehaving clients
    #[arg(long, default_value_t = 8)]
    abusers: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let deeds = args
        .abuse
        .map(|kind| abuse::start(kind, args.abusers, args.address, &args.password));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let statistics = runtime.block_on(measure(&args))?;
    if args.rooms > 0 {
        println!("{statistics}");
    }
    if let Some(deeds) = deeds {
        println!("{deeds}");
    }
    Ok(())
}

async fn measure(args: &Args) -> anyhow::Result<Statistics> {
    let begin = Instant::now() + Duration::from_secs(args.warm_up);
    let end = begin + Duration::from_secs(args.seconds);
    let mut all = Statistics::new(args.rooms, Duration::from_secs(args.seconds));
    if args.rooms > 0 {
        let admin = Client::connect(args.address)
            .await
            .with_context(|| format!("cannot connect to {}", args.address))?;
        let table = Table {
            address: args.address,
            admin: Arc::new(Mutex::new(admin)),
            think: Duration::from_millis(args.think),
            begin,
            end,
        };
        table
            .admin
            .lock()
            .await
            .authenticate(&args.password)
            .await?;
        let mut tables = tokio::task::JoinSet::new();
        for number in 0..args.rooms {
            tables.spawn(table.clone().play_until_the_end(number as u64));
        }
        while let Some(tally) = tables.join_next().await {
            all.add(tally?);
        }
    }
    tokio::time::sleep_until(end).await;
    Ok(all)
}
