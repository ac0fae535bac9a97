//! Tests of the limits of nodes, memory and time, and of threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::super::tree_search::ITERATIONS_PER_CLOCK_CHECK;
use super::*;
use crate::search::control::with_limits;
use crate::search::{BestMove, Clock, Solved};

/// Checks every node of a tree while no thread is searching. A node sees results that were found
/// through another parent of its children only at its next visit. So values are compared only in
/// new trees, for nodes that do not share their children. Returns the number of positions whose
/// children are shared.
fn check_tree(player: &TestPlayer, is_new: bool) -> usize {
    let Some(Search::Narrow(OnBoard { search, .. })) = &player.search else {
        panic!("the contest has one board");
    };
    let tree = &search.tree;
    let mut parents = HashMap::<_, (Position<Contest>, Vec<node::NodeId>)>::new();
    let mut to_do = vec![(node::NodeId::ROOT, search.root.unwrap())];
    while let Some((id, position)) = to_do.pop() {
        let node = &tree[id];
        assert!(!node.is_claimed());
        assert!((0.0..=1.0).contains(&node.minimax()) && (0.0..=1.0).contains(&node.mean()));
        if let Some(family) = node.family() {
            let (same, nodes) = parents
                .entry(family.parts())
                .or_insert((position, Vec::new()));
            assert_eq!(*same, position);
            if nodes.is_empty() {
                let moves = position.legal_moves();
                let children = tree.nodes(family).iter();
                assert!(children.map(node::Node::mv).eq(moves.iter().copied()));
                let after = moves.iter().map(|&mv| position.after(mv));
                to_do.extend(family.ids().zip(after));
            }
            nodes.push(id);
        }
    }
    for (_, all) in parents.values() {
        let family = tree[all[0]].family().unwrap();
        let children = tree.nodes(family);
        // Dropped nodes may still be counted.
        let references = tree.header(family.range().start).references() as usize;
        assert!(references >= all.len());
        if is_new {
            assert_eq!(references, all.len());
        }
        let priors: f32 = children.iter().map(|child| child.prior()).sum();
        assert!((priors - 1.0).abs() < 1e-3, "{priors}");
        let best_proof = children.iter().filter_map(|child| child.proof()).max();
        // The exhaustive search at the root proves a move without proving the replies.
        let is_short_win = |id| {
            tree[id].proof() == Some(Solved::Win)
                && tree.child_ids(node::NodeId::ROOT).any(|child| child == id)
        };
        if all.iter().any(|&id| is_short_win(id)) {
            continue;
        }
        for node in all.iter().map(|&id| &tree[id]) {
            if let Some(proof) = node.proof() {
                assert_eq!(best_proof, Some(proof.reversed()));
            }
        }
        if !is_new {
            continue;
        }
        // The iterations that expanded the nodes did not visit their children.
        let below: u32 = children.iter().map(|child| child.visits()).sum();
        let visits: u32 = all.iter().map(|&id| tree[id].visits()).sum();
        assert!(visits > below, "{visits} visits, {below} below");
        let [only] = all[..] else {
            continue;
        };
        let node = &tree[only];
        if player.options.threads == 1 {
            let value = |child: &node::Node| child.proof().map_or(child.minimax(), Solved::score);
            let best = children.iter().map(value).fold(0.0, f32::max);
            assert_eq!(node.minimax(), 1.0 - best);
        }
        // The thread that proved the win of a child also proved the parent.
        assert!(node.proof().is_some() || best_proof != Some(Solved::Win));
    }
    parents.values().filter(|(_, all)| all.len() > 1).count()
}

#[test]
fn node_limit_counts_all_threads() {
    let position = random_game_from(8, 10)[0];
    for (threads, nodes) in [(4, 1), (4, 2), (4, 3), (4, 10), (4, 1_000), (1, 1_000)] {
        let mut player = player_with_threads(threads, 8);
        let choice = choose(&mut player, &position, Limits::Nodes(nodes));
        assert_eq!(choice.nodes, nodes);
        // All iterations but the first visit a root move.
        let visits: u64 = player.lines(usize::MAX).iter().map(|l| l.visits).sum();
        assert_eq!(visits, nodes - 1);
        let shared = check_tree(&player, true);
        assert!(shared > 0 || nodes < 1_000);
    }
}

#[test]
fn full_tree_stays_consistent_between_moves() {
    for threads in [1, 3] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut position = random_game_from(9, 8)[0];
        let mut player = player_with_threads(threads, 1);
        for _ in 0..5 {
            if position.outcome().is_some() {
                break;
            }
            let choice = choose(&mut player, &position, Limits::Nodes(1_200));
            check_tree(&player, false);
            assert_eq!(position.check(choice.best.mv), Ok(()));
            position.play(choice.best.mv);
            if let Some(mv) = position.random_move(&mut rng) {
                position.play(mv);
            }
        }
    }
}

/// An evaluator that panics after a while: on the thread that made it, or on all others.
#[derive(Clone)]
struct Panicking {
    home: std::thread::ThreadId,
    at_home: bool,
    evaluated: std::cell::Cell<u32>,
}

impl Evaluator<Contest> for Panicking {
    fn evaluate(&self, _: &Position<Contest>) -> f32 {
        self.evaluated.set(self.evaluated.get() + 1);
        let is_home = std::thread::current().id() == self.home;
        assert!(is_home != self.at_home || self.evaluated.get() < 100);
        0.5
    }
}

#[test]
fn panicking_thread_ends_the_search() {
    let position = random_game_from(8, 10)[0];
    let search = |at_home, limits| {
        let evaluator = Panicking {
            home: std::thread::current().id(),
            at_home,
            evaluated: Default::default(),
        };
        let options = MctsOptions {
            threads: 2,
            memory_mib: 64,
            ..MctsOptions::for_game::<Contest>()
        };
        let mut search = TreeSearch::new(&evaluator, options);
        with_limits(limits, |control| search.choose(&position, None, control))
    };
    let choice = search(false, Limits::Nodes(500)).unwrap();
    assert_eq!(choice.nodes, 500);
    assert!(choice.best.score.is_some());
    // A panic on the caller's thread propagates.
    assert!(std::panic::catch_unwind(|| search(true, Limits::Infinite)).is_err());
}

#[test]
fn oversized_trees_are_allocated_smaller() {
    let mut player = player_with::<Contest>(usize::MAX, 0);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let position = Deal::Contest.start(random_brambles(&mut rng));
    assert_eq!(choose(&mut player, &position, Limits::Nodes(20)).nodes, 20);
}

#[test]
fn full_tree_still_finds_new_positions() {
    let evaluated = Arc::new(AtomicU64::new(0));
    let evaluation = {
        let evaluated = Arc::clone(&evaluated);
        move |position: &Position<Contest>| {
            evaluated.fetch_add(1, Ordering::Relaxed);
            // Arbitrary values that differ.
            (position.hash() % 1_000) as f32 / 1_000.0
        }
    };
    for threads in [1, 3] {
        let options = MctsOptions {
            memory_mib: 1,
            threads,
            ..MctsOptions::for_game::<Contest>()
        };
        let mut player = MctsPlayer::<Contest>::with_evaluation(&evaluation, options);
        let record = Record::from_position(random_game_from(5, 12)[0]);
        let mut search = |nodes| {
            let before = evaluated.load(Ordering::Relaxed);
            player.choose_within(&record, Limits::Nodes(nodes));
            evaluated.load(Ordering::Relaxed) - before
        };
        // The 32,768 nodes are used up after a few hundred iterations. Without pruning, no new
        // position would be evaluated.
        search(2_000);
        let new = search(6_000);
        assert!(new > 10_000, "{new} with {threads} threads");
    }
}

/// A clock that advances by one millisecond per reading.
#[derive(Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Ponders until the clock has been read `readings` times, or until the tree is full.
fn ponder(player: &mut TestPlayer, position: &Position<Contest>, readings: Option<u64>) {
    player.ponder(
        &Record::from_position(*position),
        &SearchControl {
            limits: Limits::from_parts(readings.map(Duration::from_millis), None),
            clock: &TickingClock::default(),
            stop: &AtomicBool::new(false),
            observer: &BestMove::default(),
        },
    );
}

#[test]
fn ponder_keeps_the_tree_for_any_reply() {
    let position = random_game_from(5, 12)[0];
    let mut player = player(0);
    let best = choose(&mut player, &position, Limits::Nodes(300)).best;
    let theirs = position.after(best.mv);
    ponder(&mut player, &theirs, Some(200));
    let mut expected = player.lines(3);
    expected.retain(|line| line.visits > 2);
    assert!(expected.len() > 1, "several replies have been searched");
    let reply = expected[1].mv;
    let choice = choose(&mut player, &theirs.after(reply), Limits::Nodes(1));
    assert_eq!(choice.nodes, 1);
    let kept: u64 = player.lines(usize::MAX).iter().map(|l| l.visits).sum();
    // The visit that expanded the reply did not visit its children.
    assert_eq!(kept, expected[1].visits - 1 + choice.nodes);
}

#[test]
fn ponder_stops_by_time_and_prunes_a_full_tree() {
    let position = random_game_from(8, 10)[0];
    let mut stopped = player(0);
    ponder(&mut stopped, &position, Some(0));
    assert_eq!(stopped.lines(usize::MAX), []);
    let mut small = player_with::<Contest>(1, 0);
    ponder(&mut small, &position, Some(4_000));
    let visits: u64 = small.lines(usize::MAX).iter().map(|l| l.visits).sum();
    // The tree has room for some 1,000 expansions.
    assert!(visits > 2_000, "{visits}");
    let finished: Position<Contest> = "60 - 0,0:rQ;1,0:bQ -/-".parse().unwrap();
    ponder(&mut small, &finished, None);
}

#[test]
fn search_ends_by_time_or_stop_signal() {
    let position = random_game_from(10, 12)[0];
    let search = |limits, stopped| {
        let best_move = BestMove::default();
        let control = SearchControl {
            limits,
            clock: &TickingClock::default(),
            stop: &AtomicBool::new(stopped),
            observer: &best_move,
        };
        let choice = player(0)
            .choose(&Record::from_position(position), &control)
            .unwrap();
        assert!(best_move.get().is_some());
        choice.nodes
    };
    let ticks = 20;
    let timed = search(Limits::Time(Duration::from_millis(ticks)), false);
    assert!(timed > 0 && timed <= (ticks + 1) * ITERATIONS_PER_CLOCK_CHECK);
    let both = Limits::TimeAndNodes {
        time: Duration::from_millis(ticks),
        nodes: 3,
    };
    assert_eq!(search(both, false), 3);
    assert!(search(Limits::Infinite, true) <= ITERATIONS_PER_CLOCK_CHECK);
}
