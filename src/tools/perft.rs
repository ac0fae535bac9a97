//! `wabe perft`: counts move sequences.

use std::io::Write;
use std::time::Instant;

use anyhow::Context;
use rayon::prelude::*;
use serde_json::Value;

use super::moves::position_json;
use super::signals::exit_when_unread;
use crate::errors::UsageError;
use crate::exit::Exit;
use wabe_arena::ArenaGame;
use wabe_engine::SearchBoard;
use wabe_hive::game::{ReadMoveErrorOf, ReadRecordError, Record};
use wabe_hive::perft::perft_bulk;
use wabe_hive::{Move, Position, RuleBook};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Count move sequences (perft)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Position or game in quotes [default: start of the game]
    position: Option<String>,

    #[arg(long, value_name = "GAME", help = GameName::help(), conflicts_with = "position")]
    game: Option<GameName>,

    /// Length of the sequences in plies
    #[arg(short, long, value_name = "N")]
    depth: u32,

    /// List the count after each first move
    #[arg(long)]
    divide: bool,

    /// Print a JSON object (see docs/json.md)
    #[arg(long)]
    json: bool,

    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    exit_when_unread();
    let position = args.position.as_deref().unwrap_or_default();
    let of_position = || GameName::from_beginning(position).unwrap_or_default();
    with_game!(
        args.game.unwrap_or_else(of_position),
        |G, variant| count::<G>(args, variant)
    )
}

fn count<G: ArenaGame>(args: Args, variant: G::Variant) -> anyhow::Result<Exit> {
    let record: Record<G> = match &args.position {
        Some(text) => text
            .parse()
            .map_err(|error: ReadRecordError<ReadMoveErrorOf<G>>| {
                UsageError::new(format!(
                    "`{text}` is not a position of {}: {error}",
                    G::NAME
                ))
            })?,
        None => Record::new(variant, G::plain_start(variant)),
    };
    let position = record.position();
    let write = |mv| record.write(mv);
    let json = args.json.then(|| position_json(&record));
    // Each ply extends the hive by at most one field, so the narrow board is exact while a margin
    // of that many fields is left.
    let narrow = G::Frame::for_plies(position, args.depth)
        .and_then(|frame| Some((frame, frame.narrow(position)?)));
    match narrow {
        Some((frame, position)) => args.count(json, &position, |mv| write(frame.widen(mv))),
        None => args.count(json, position, write),
    }
}
impl Args {
    fn count<R: RuleBook>(
        &self,
        json: Option<Value>,
        position: &Position<R>,
        write: impl Fn(Move<R>) -> String,
    ) -> anyhow::Result<Exit> {
        let started = Instant::now();
        let (nodes, shares) = if self.depth == 0 || (self.threads == 1 && !self.divide) {
            (perft_bulk(position, self.depth), Vec::new())
        } else {
            let threads = rayon::ThreadPoolBuilder::new().num_threads(self.threads.into());
            let threads = threads.build().context("cannot start the threads")?;
            let shares = threads.install(|| divide(position, self.depth));
            (shares.iter().map(|(_, nodes)| nodes).sum(), shares)
        };
        let seconds = started.elapsed().as_secs_f64();
        let mut out = std::io::stdout().lock();
        if let Some(mut line) = json {
            let shorter = (1..self.depth).map(|depth| perft_bulk(position, depth));
            line["perft"] = shorter.chain((self.depth > 0).then_some(nodes)).collect();
            if self.divide {
                let shares = shares.iter().map(|&(mv, nodes)| (write(mv), nodes.into()));
                line["divide"] = Value::Object(shares.collect());
            }
            writeln!(out, "{line}")?;
            return Ok(Exit::Success);
        }
        if self.divide {
            for (mv, nodes) in &shares {
                writeln!(out, "{:<15} {nodes}", write(*mv))?;
            }
            writeln!(out, "moves   {}", shares.len())?;
        }
        writeln!(out, "nodes   {nodes}")?;
        writeln!(out, "seconds {seconds:.3}")?;
        writeln!(out, "nodes/s {:.0}", nodes as f64 / seconds.max(1e-9))?;
        Ok(Exit::Success)
    }
}

/// The number of sequences of `depth` plies, at least 1, that begin with each move. Threads share
/// the work by positions after two plies.
fn divide<R: RuleBook>(position: &Position<R>, depth: u32) -> Vec<(Move<R>, u64)> {
    let share = |&mv: &Move<R>| {
        let after = position.after(mv);
        if depth < 3 {
            return (mv, perft_bulk(&after, depth - 1));
        }
        let replies = after.legal_moves();
        let replies = replies.par_iter();
        let counts = replies.map(|&reply| perft_bulk(&after.after(reply), depth - 2));
        (mv, counts.sum())
    };
    position.legal_moves().par_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest;
    use wabe_hive::perft::perft;

    #[test]
    fn shares_add_up_to_perft() {
        let midgame =
            "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS";
        let position: contest::Position = midgame.parse().unwrap();
        for depth in 1..=3 {
            let shares = divide(&position, depth);
            let first: Vec<_> = shares.iter().map(|(mv, _)| *mv).collect();
            assert_eq!(first[..], position.legal_moves()[..]);
            let sum: u64 = shares.iter().map(|(_, nodes)| nodes).sum();
            assert_eq!(sum, perft(&position, depth));
        }
        let over: contest::Position = "60 - 0,0:rQ;1,0:bQ -/-".parse().unwrap();
        assert_eq!(divide(&over, 3), []);
    }
}
