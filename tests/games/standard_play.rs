//! The search's moves in decisive positions of standard Hive, compared with a brute-force solver.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_engine::search::{Limits, PlayerSpec, RootMove, Solved};
use wabe_hive::Outcome;
use wabe_hive::game::{Record, Repetition};
use wabe_hive::standard::{GameType, Move, OpeningRule, Position, Standard};

/// True if `mv` wins immediately.
fn wins_with(position: &Position, mv: Move) -> bool {
    let winner = position.after(mv).outcome().and_then(Outcome::winner);
    winner == Some(position.side_to_move())
}

fn wins_in_one(position: &Position) -> bool {
    position.outcome().is_none()
        && position
            .legal_moves()
            .iter()
            .any(|&mv| wins_with(position, mv))
}

/// True if every reply to `mv` allows a win in one.
fn wins_in_two_with(position: &Position, mv: Move) -> bool {
    let after = position.after(mv);
    after.outcome().is_none()
        && after
            .legal_moves()
            .iter()
            .all(|&reply| wins_in_one(&after.after(reply)))
}

/// True if `mv` neither loses immediately nor allows a win in one.
fn is_safe(position: &Position, mv: Move) -> bool {
    let after = position.after(mv);
    match after.outcome() {
        Some(outcome) => outcome
            .winner()
            .is_none_or(|winner| winner == position.side_to_move()),
        None => !wins_in_one(&after),
    }
}

/// The recorded games, up to decisive positions of this kind.
fn crises(kind: &str) -> Vec<Record<Standard>> {
    let lines = include_str!("../data/hive-crises.txt").lines();
    let games: Vec<Record<Standard>> = lines
        .filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))
        .map(|text| text.parse().unwrap())
        .collect();
    assert_eq!(games.len(), 40, "five per game type");
    games
}

fn choose(game: &Record<Standard>, nodes: u64) -> RootMove<Standard> {
    let spec: PlayerSpec = "mcts:memory=64".parse().unwrap();
    let mut player = spec.prepare::<Standard>(1).unwrap()();
    let choice = player.choose_within(game, Limits::Nodes(nodes));
    choice.unwrap().best
}

#[test]
fn search_plays_wins_in_one() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut seen = 0;
    for number in 0..160 {
        let game_type = GameType::ALL[number % GameType::ALL.len()];
        let mut game = Record::standard(game_type, OpeningRule::default());
        game.set_repetition(Repetition::Ignore);
        while !game.is_over() && game.plies().len() < 90 {
            if wins_in_one(game.position()) {
                seen += 1;
                let mv = choose(&game, 10).mv;
                assert!(wins_with(game.position(), mv), "{game}: {}", game.write(mv));
            }
            let Some(&mv) = game.legal_moves().choose(&mut rng) else {
                break;
            };
            game.play(mv).unwrap();
        }
    }
    assert!(seen >= 30, "only {seen} positions");
}

#[test]
fn search_plays_wins_in_two() {
    for game in crises("two") {
        let best = choose(&game, 4_000);
        let is_shortest = wins_in_two_with(game.position(), best.mv);
        // Proven longer wins count too.
        assert!(
            is_shortest || best.proof == Some(Solved::Win),
            "{game}: {}",
            game.write(best.mv)
        );
    }
}

#[test]
fn search_avoids_losses_in_one() {
    for game in crises("defence") {
        let mv = choose(&game, 500).mv;
        assert!(is_safe(game.position(), mv), "{game}: {}", game.write(mv));
    }
}
