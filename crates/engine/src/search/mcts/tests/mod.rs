mod limits;
mod proofs;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::evaluation::MoveEval;
use crate::search::Limits;
use wabe_hive::contest::{Contest, Deal, random_brambles};
use wabe_hive::standard::{OpeningRule, Standard, StandardRecord};
use wabe_hive::{Move, Position};

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
    player.choose_within(&record, limits).unwrap()
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
            player.choose_within(&record, Limits::Nodes(300)).unwrap();
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
        player.choose_within(&record, Limits::Nodes(300));
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
            used.choose_within(&game, Limits::Nodes(1));
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
        player.choose_within(&record, Limits::Nodes(300));
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
fn single_legal_move_needs_no_search() {
    // Red must place its bee, but every free field next to red's only piece touches a blue piece,
    // so red has to pass.
    let position: Position<Contest> = "6 - -5,5:rA;-4,4:bA AAQ/AAQ".parse().unwrap();
    let moves = position.legal_moves();
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
    let moves = position.legal_moves();
    let lines = player.lines(usize::MAX);
    assert_eq!(lines.len(), moves.len() - 1);
    assert!(lines.iter().all(|line| line.mv != best));
    player.exclude(Vec::new());
    assert_eq!(
        choose(&mut player, &position, Limits::Nodes(300)).best.mv,
        best
    );
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
        player.choose_within(&record, limits);
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
