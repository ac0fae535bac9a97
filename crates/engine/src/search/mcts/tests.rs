use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::node::NodeId;
use super::*;
use crate::evaluation::MoveEval;
use crate::search::{BestMove, Clock, Limits, Solved, with_limits};
use on_board::history;
use tree_search::ITERATIONS_PER_CLOCK_CHECK;
use wabe_hive::contest::{Contest, Deal, LAST_TURN, random_brambles};
use wabe_hive::game::Repetition;
use wabe_hive::standard::Standard;
use wabe_hive::{ByColor, Color, Move, MoveList, Position};

type TestPlayer = MctsPlayer<Contest>;

fn player_with<G: Playable>(memory_mib: usize, seed: u64) -> MctsPlayer<G> {
    let options = MctsOptions {
        memory_mib,
        seed,
        ..MctsOptions::for_game::<G>()
    };
    MctsPlayer::new(&NetworkEvaluator::built_in(), options)
}

/// A player with several threads.
fn player_with_threads(threads: usize, memory_mib: usize) -> TestPlayer {
    let options = MctsOptions {
        threads,
        memory_mib,
        ..MctsOptions::for_game::<Contest>()
    };
    MctsPlayer::new(&NetworkEvaluator::built_in(), options)
}

fn player(seed: u64) -> TestPlayer {
    player_with(32, seed)
}

fn choose(
    player: &mut TestPlayer,
    position: &Position<Contest>,
    limits: Limits,
) -> Choice<Contest> {
    let record = Record::from_position(*position);
    with_limits(limits, |control| player.choose(&record, control)).unwrap()
}

/// The positions of a random game from `turn` on, without the last one.
fn random_game_from(seed: u64, turn: u16) -> Vec<Position<Contest>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position = Deal::Contest.start(random_brambles(&mut rng));
    let mut positions = Vec::new();
    while let Some(mv) = position.random_move(&mut rng) {
        if position.turn() >= turn {
            positions.push(position);
        }
        position.play(mv);
    }
    positions
}

/// Plain minimax to the end of the game.
fn solve(position: &Position<Contest>) -> Solved {
    if let Some(outcome) = position.outcome() {
        return Solved::from_winner(outcome.winner(), position.side_to_move());
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut best = Solved::Loss;
    for &mv in moves.iter() {
        best = best.max(solve(&position.after(mv)).reversed());
        if best == Solved::Win {
            break;
        }
    }
    best
}

#[test]
fn endgame_proofs_match_minimax() {
    let mut compared = 0;
    for seed in 0..20 {
        for position in random_game_from(seed, LAST_TURN - 2) {
            let choices = [1, 3].map(|threads| {
                let mut player = player_with_threads(threads, 32);
                choose(&mut player, &position, Limits::Nodes(20_000))
            });
            if choices[0].nodes == 0 {
                continue;
            }
            let solved = Some(solve(&position));
            assert_eq!(
                choices.map(|choice| choice.best.proof),
                [solved; 2],
                "{position}"
            );
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared} positions reached the end");
}

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
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
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

/// An evaluator with equal values and a policy that prefers placements.
#[derive(Clone)]
struct PreferPlacements;

impl Evaluator<Contest> for PreferPlacements {
    fn evaluate(&self, _: &Position<Contest>) -> f32 {
        0.5
    }

    fn successors<'a>(
        &'a self,
        _: &'a Position<Contest>,
    ) -> impl Fn(Move<Contest>, &Position<Contest>) -> MoveEval + 'a {
        |mv, _| MoveEval {
            value: 0.5,
            policy: if matches!(mv, Move::Place { .. }) {
                -7.0
            } else {
                -8.0
            },
        }
    }

    fn has_policy(&self) -> bool {
        true
    }
}

#[test]
fn policy_multiplies_priors() {
    let mut compared = 0;
    for position in random_game_from(8, 10).into_iter().step_by(6) {
        for policy in [0.0f32, 1.0, 2.0] {
            let params = Params {
                policy,
                prior_jitter: 0.0,
                ..Params::default()
            };
            let options = MctsOptions {
                params,
                ..MctsOptions::for_game::<Contest>()
            };
            let mut player = MctsPlayer::<Contest>::with_evaluation(&PreferPlacements, options);
            let record = Record::from_position(position);
            with_limits(Limits::Nodes(300), |control| {
                player.choose(&record, control)
            })
            .unwrap();
            let branches = player.branches(&[usize::MAX]).shown;
            let prior = |placed: bool| {
                let is_meant = |mv: Move<Contest>| matches!(mv, Move::Place { .. }) == placed;
                let mut branches = branches.iter();
                let found = branches.find(|b| is_meant(b.mv) && b.proof.is_none());
                found.map(|branch| branch.prior)
            };
            if let (Some(placed), Some(moved)) = (prior(true), prior(false)) {
                let ratio = placed / moved / f64::from(policy).exp();
                assert!((ratio - 1.0).abs() < 1e-4, "{placed} {moved}");
                compared += 1;
            }
        }
    }
    assert!(compared > 6, "{compared}");
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

/// True if the side to move can win in this round: red against every reply, blue with this move.
fn wins_this_round(position: &Position<Contest>) -> bool {
    let side = position.side_to_move();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let is_won = |p: Position<Contest>| p.outcome().and_then(|o| o.winner()) == Some(side);
    moves.iter().any(|&mv| {
        let next = position.after(mv);
        if side == Color::Blue {
            return is_won(next);
        }
        let mut replies = MoveList::new();
        next.legal_moves(&mut replies);
        replies.iter().all(|&reply| is_won(next.after(reply)))
    })
}

/// A round ends with blue's ply, so surrounding blue's bee wins only if blue has no defence.
#[test]
fn wins_within_the_round_are_proven() {
    let mut found = ByColor::<u32>::default();
    for seed in 0..60 {
        for position in random_game_from(seed, 12) {
            if wins_this_round(&position) {
                let choice = choose(&mut player(1), &position, Limits::Nodes(100_000));
                assert_eq!(choice.best.proof, Some(Solved::Win), "{position}");
                found[position.side_to_move()] += 1;
            }
        }
    }
    assert!(found.red >= 4 && found.blue >= 4, "{found:?}");
}

#[test]
fn equal_seeds_give_equal_searches() {
    let positions = random_game_from(5, 12);
    let lines = |seed| {
        let mut player = player(seed);
        positions
            .iter()
            .step_by(2)
            .take(4)
            .map(|position| {
                choose(&mut player, position, Limits::Nodes(400));
                player.lines(5)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(3), lines(3));
    assert_ne!(lines(3), lines(4));
}

#[test]
fn new_game_resets_the_player() {
    let search = |player: &mut MctsPlayer<Standard>| {
        let record: Record<Standard> = "Base+MLP".parse().unwrap();
        with_limits(Limits::Nodes(300), |control| {
            player.choose(&record, control)
        });
        player.lines(9)
    };
    let expected = search(&mut player_with(4, 2));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for _ in 0..6 {
        let mut used = player_with(4, 2);
        let mut game: Record<Standard> = "Base+MLP".parse().unwrap();
        while game.plies().len() < 150
            && let Some(mv) = game.position().random_move(&mut rng)
        {
            game.play(mv).unwrap();
            // The hive drifts, and the frame with it.
            with_limits(Limits::Nodes(1), |control| used.choose(&game, control));
        }
        used.new_game();
        assert_eq!(search(&mut used), expected);
    }
}

/// A hive that is too long for a frame is searched on the full board.
#[test]
fn new_game_resets_a_player_on_the_full_board() {
    let search = |player: &mut MctsPlayer<Standard>, turn: u8, moves: &str| {
        let text = format!("Base+MLP;InProgress;White[{turn}];{moves}");
        let record: Record<Standard> = text.parse().unwrap();
        with_limits(Limits::Nodes(300), |control| {
            player.choose(&record, control)
        });
        player.lines(9)
    };
    // Not in the middle of the board.
    let short = "wA1;bA1 wA1-;wQ -wA1;bQ bA1-;wA2 /wQ;bA2 bQ-;wA3 \\wQ;bA3 bA2-;wG1 /wA1;bG1 bA3-";
    let long = "wA1;bA1 wA1-;wQ -wA1;bQ bA1-;wA2 -wQ;bA2 bQ-;wA3 -wA2;bA3 bA2-;wG1 -wA3;bG1 bA3-;\
                wG2 -wG1;bG2 bG1-;wG3 -wG2;bG3 bG2-;wS1 -wG3;bS1 bG3-;wS2 -wS1;bS2 bS1-";
    let expected = search(&mut player_with(4, 2), 6, short);
    let mut used = player_with(4, 2);
    search(&mut used, 10, long);
    assert!(matches!(used.search, Some(Search::Full(_))));
    used.new_game();
    assert_eq!(search(&mut used, 6, short), expected);
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
            with_limits(Limits::Nodes(nodes), |control| {
                player.choose(&record, control)
            });
            evaluated.load(Ordering::Relaxed) - before
        };
        // The 32,768 nodes are used up after a few hundred iterations. Without pruning, no new
        // position would be evaluated.
        search(2_000);
        let new = search(6_000);
        assert!(new > 10_000, "{new} with {threads} threads");
    }
}

#[test]
fn single_legal_move_needs_no_search() {
    // Red must place its bee, but every free field next to red's only piece touches a blue piece,
    // so red has to pass.
    let position: Position<Contest> = "6 - -5,5:rA;-4,4:bA AAQ/AAQ".parse().unwrap();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    assert_eq!(moves.len(), 1);
    let choice = choose(&mut player(0), &position, Limits::Infinite);
    assert_eq!((choice.best.mv, choice.nodes), (moves[0], 0));
}

#[test]
fn excluded_moves_are_not_searched() {
    let position = random_game_from(5, 12)[0];
    let mut player = player(0);
    let best = choose(&mut player, &position, Limits::Nodes(300)).best.mv;
    player.exclude(vec![best]);
    let other = choose(&mut player, &position, Limits::Nodes(300)).best.mv;
    assert_ne!(other, best);
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let lines = player.lines(usize::MAX);
    assert_eq!(lines.len(), moves.len() - 1);
    assert!(lines.iter().all(|line| line.mv != best));
    player.exclude(Vec::new());
    assert_eq!(
        choose(&mut player, &position, Limits::Nodes(300)).best.mv,
        best
    );
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

fn choose_in(
    player: &mut MctsPlayer<Standard>,
    record: &Record<Standard>,
    nodes: u64,
) -> Choice<Standard> {
    with_limits(Limits::Nodes(nodes), |control| {
        player.choose(record, control)
    })
    .expect("the game is running")
}

/// Black can move its queen to repeat a position for the third time.
const BEFORE_THIRD_OCCURRENCE: &str =
    r"Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-;wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-;wQ \wS1;bQ bG1/;wQ -wS1";

#[test]
fn tree_scores_third_occurrences_as_draws() {
    let record: Record<Standard> = BEFORE_THIRD_OCCURRENCE.parse().unwrap();
    let drawing = record.read("bQ bG1-").unwrap();
    assert!(record.repeats(drawing));
    let mut player = player_with(16, 0);
    choose_in(&mut player, &record, 200);
    for line in player.lines(usize::MAX) {
        let is_drawing = line.mv == drawing;
        assert_eq!(line.proof == Some(Solved::Draw), is_drawing, "{}", line.mv);
    }
    // One ply earlier, the same move is a reply.
    let mut earlier = record.after(record.plies().len() - 1).unwrap();
    let mut repetitions = repetition::Repetitions::default();
    repetitions.begin(history(&earlier).as_deref(), earlier.position());
    let allowing = earlier.read("wQ -wS1").unwrap();
    let next = earlier.position().after(allowing);
    repetitions.follow(allowing, &next);
    let proof = |mv| repetitions.proof_of(mv, &next.after(mv), next.side_to_move());
    assert_eq!(proof(drawing), Some(Solved::Draw));
    let other = record.read("bA1 bQ-").unwrap();
    assert_eq!(proof(other), None);
    // If repetition is ignored, no move is a draw.
    earlier.set_repetition(Repetition::Ignore);
    let mut player = player_with(16, 0);
    choose_in(&mut player, &earlier, 300);
    assert!(
        player
            .lines(usize::MAX)
            .iter()
            .all(|line| line.proof.is_none())
    );
}

/// The tree may prove a longer win than the one that is played.
#[test]
fn choose_plays_the_shortest_win() {
    let mut compared = 0;
    for seed in 0..20 {
        for position in random_game_from(seed, 20).into_iter().step_by(3) {
            let mut player = player(1);
            let choice = choose(&mut player, &position, Limits::Nodes(600));
            let Some(plies) = choice.best.plies else {
                continue;
            };
            assert!(choice.best.proof != Some(Solved::Draw));
            if choice.best.proof == Some(Solved::Win) && choice.nodes > 0 {
                assert_eq!(player.lines(1), std::slice::from_ref(&choice.best));
                let end = choice.best.pv();
                let end = end.fold(position, |position, mv| position.after(mv));
                assert!(end.turn() <= position.turn() + plies, "{position}");
                let shorter = short_wins::shorter_win(&position, plies, &|| false);
                assert_eq!(shorter, None, "{position}");
                compared += 1;
            }
        }
    }
    assert!(compared > 15, "only {compared} wins");
}

#[test]
fn analysis_gives_every_move_a_second_look() {
    const GAME: &str = "Base+MLP;InProgress;White[15];wG1;bL -wG1;wB1 wG1\\;bP /bL;wP wG1/;\
        bS1 \\bL;wQ wP\\;bQ -bS1;wB1 bL\\;bM bQ\\;wB1 bP;bM wB1;wA1 wQ/;bA1 /bM;wA1 /bQ;bA1 wQ-;\
        wA2 \\wP;bB1 bA1/;wA2 bB1-;bB2 bA1\\;wA1 bB2\\;bA2 bQ\\;wM \\wP;bA2 bB1\\;wA2 bB1/;\
        bA2 wQ\\;wA3 wA2/;bG1 /bA2";
    let record: Record<Standard> = GAME.parse().unwrap();
    let visits = |options| {
        let mut player = MctsPlayer::new(&NetworkEvaluator::built_in(), options);
        let limits = Limits::Nodes(5_000);
        with_limits(limits, |control| player.choose(&record, control));
        let mut visits: Vec<u64> = player.lines(usize::MAX).iter().map(|l| l.visits).collect();
        visits.sort_unstable();
        assert_eq!(visits.iter().sum::<u64>(), 4_999);
        visits
    };
    let [without, with] = [
        visits(MctsOptions::for_game::<Standard>()),
        visits(MctsOptions::for_analysis::<Standard>()),
    ];
    // 128 moves at most have 8 groups of ranks, and the last of them 64 moves.
    assert!(with.len() > 64 && with.len() <= 128);
    assert_eq!(without[0], 0);
    assert!(with[0] >= 5_000 / 5 / 8 / 64, "{with:?}");
    // Most visits still go to the best moves.
    assert!(with[with.len() - 4..].iter().sum::<u64>() > 3_000);
}

/// Without the exhaustive search the tree does not find this win in 3,000 iterations, because its
/// first move has a small prior.
#[test]
fn short_wins_are_proven_early() {
    const SACRIFICE: &str = "Base 34 - 0,1:rG;1,1:rS;1,2:rA;2,2:bA;-3,-1:rA;-3,0:rB;-3,3:bG;\
        -2,-3:rA;-2,-2:bA;-2,-1:bQ;-2,0:rG;-2,3:bS;-1,-4:bS;-1,-1:bArBbB;-1,0:bGbB;-1,1:rS;\
        -1,2:rQ G/G";
    let record: Record<Standard> = SACRIFICE.parse().unwrap();
    for (nodes, plies) in [(99, None), (100, Some(3))] {
        let mut player = player_with::<Standard>(32, 1);
        let limits = Limits::Nodes(nodes);
        let choice = with_limits(limits, |control| player.choose(&record, control)).unwrap();
        assert_eq!(choice.best.plies, plies);
        assert!(plies.is_none_or(|plies| choice.best.pv().count() == usize::from(plies)));
    }
    // Also at a root that has been visited more often in an earlier search.
    let mut player = player_with::<Standard>(32, 1);
    for (nodes, plies) in [(20, None), (3, Some(3))] {
        let limits = Limits::Nodes(nodes);
        let choice = with_limits(limits, |control| player.choose(&record, control)).unwrap();
        assert_eq!(choice.best.plies, plies);
        if let Some(Search::Narrow(OnBoard { search, .. })) = &player.search {
            (0..600).for_each(|_| search.tree[NodeId::ROOT].count_visit());
        }
    }
}
