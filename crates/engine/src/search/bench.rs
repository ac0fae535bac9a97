//! A fixed benchmark that computes the signature of the search and measures its speed.

use std::time::Duration;

use super::choice::Choice;
use super::control::{Clock, Limits};
use super::mcts::{MctsOptions, MctsPlayer};
use super::player::Player;
use crate::Playable;
use crate::evaluation::NetworkEvaluator;
use wabe_hive::game::{ReadMoveErrorOf, ReadRecordError, Record};

/// Memory for the tree, in MiB: more than any bench search needs.
const MEMORY_MIB: usize = 256;

/// The result for one position.
#[derive(Clone, Debug)]
pub struct BenchResult<G: Playable> {
    /// The game up to the position.
    pub record: Record<G>,
    /// The chosen move.
    pub choice: Choice<G>,
    /// Duration of the search.
    pub elapsed: Duration,
    /// Hash of the root moves and their visits, over this position and all before it.
    pub signature: u64,
}

/// Searches each of the game's [bench positions](Playable::BENCH) for `nodes` iterations, timed by
/// `clock`, and passes the result to `receive`.
///
/// The signature depends only on the rules, the evaluation and the search.
///
/// # Errors
/// If a bench record contains an illegal move.
pub fn bench<G: Playable>(
    evaluator: &NetworkEvaluator<G>,
    nodes: u64,
    clock: &dyn Clock,
    mut receive: impl FnMut(BenchResult<G>),
) -> Result<(), ReadRecordError<ReadMoveErrorOf<G>>> {
    let mut player = MctsPlayer::new(
        evaluator,
        MctsOptions {
            memory_mib: MEMORY_MIB,
            ..MctsOptions::for_game::<G>()
        },
    );
    let mut signature = 0xcbf2_9ce4_8422_2325;
    for line in G::BENCH.lines() {
        let record: Record<G> = line.parse()?;
        player.new_game();
        let started = clock.elapsed();
        let choice = player.choose_within(&record, Limits::Nodes(nodes));
        let elapsed = clock.elapsed().saturating_sub(started);
        let Some(choice) = choice else { continue };
        for line in player.lines(usize::MAX) {
            signature = add_to_hash(signature, &line.mv.to_string());
            signature = add_to_hash(signature, &line.visits.to_string());
        }
        receive(BenchResult {
            record,
            choice,
            elapsed,
            signature,
        });
    }
    Ok(())
}

/// Adds a text and a terminating zero byte to an FNV-1a hash.
fn add_to_hash(hash: u64, text: &str) -> u64 {
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().chain([0]).fold(hash, add)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::search::SystemClock;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn signature<G: Playable>(nodes: u64) -> u64 {
        let mut signature = 0;
        let evaluator = NetworkEvaluator::<G>::built_in();
        let clock = SystemClock::since(Instant::now());
        bench(&evaluator, nodes, &clock, |result| {
            signature = result.signature;
        })
        .unwrap();
        signature
    }

    /// A change that should not affect the search must not change these numbers.
    #[test]
    fn bench_signatures_are_unchanged() {
        let found = [signature::<Contest>(300), signature::<Standard>(300)];
        assert_eq!(
            found.map(|s| format!("{s:016x}")),
            ["711b7d4905d31350", "bca78f83bb1103d7"]
        );
    }
}
