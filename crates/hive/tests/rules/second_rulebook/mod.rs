//! Another variant of Hive written as a rule book of its own, with nothing but the library's public parts: proof that
//! grid, kinds, gates, placement, stun and outcome really come from the rule book.
//!
//! The numbers are the published perft tables of the standard game.

mod standard;
mod torus;

use std::collections::HashSet;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::perft::perft_bulk;
use wabe_hive::standard as library;
use wabe_hive::{IllegalMove, SetupError};

use self::standard::Bug::{self, Ladybug, Mosquito, Pillbug};
use self::standard::{Move, MoveList, Position, start};

fn assert_perft(expansions: &[Bug], expected: &[u64]) {
    let start = start(expansions);
    for (depth, &nodes) in (0..).zip(expected) {
        assert_eq!(perft_bulk(&start, depth), nodes, "depth {depth}");
    }
}

#[test]
fn counts_of_the_base_game_are_those_of_the_tables() {
    assert_perft(&[], &[1, 4, 96, 1_440, 21_600, 516_240]);
}

#[test]
fn counts_with_one_expansion_are_those_of_the_tables() {
    assert_perft(&[Mosquito], &[1, 5, 150, 2_610, 45_414, 1_252_800]);
    assert_perft(&[Ladybug], &[1, 5, 150, 2_610, 45_414, 1_252_800]);
    assert_perft(&[Pillbug], &[1, 5, 150, 2_610, 45_414, 1_255_932]);
}

#[test]
fn counts_with_all_expansions_are_those_of_the_tables() {
    let all = [Mosquito, Ladybug, Pillbug];
    assert_perft(&all, &[1, 7, 294, 6_678, 151_686]);
}

/// Deep enough for every expansion to move; minutes without optimisation.
#[test]
#[ignore = "takes long without optimisation"]
fn deep_counts_with_expansions_are_those_of_the_tables() {
    assert_eq!(perft_bulk(&start(&[]), 6), 12_219_480);
    assert_eq!(perft_bulk(&start(&[Mosquito]), 6), 34_233_432);
    assert_eq!(perft_bulk(&start(&[Ladybug]), 6), 34_233_672);
    assert_eq!(perft_bulk(&start(&[Pillbug]), 6), 34_395_984);
    assert_eq!(perft_bulk(&start(&[Mosquito, Pillbug]), 6), 85_492_248);
}

fn moves_of(text: &str) -> Vec<String> {
    let position: Position = text.parse().unwrap();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().map(ToString::to_string).collect()
}

#[test]
fn a_beetle_is_stopped_by_two_stacks_that_rise_above_its_way() {
    // From 0,0 to 1,-1; the stacks at 1,0 and 0,-1 stand beside the way.
    let low = "20 - -1,0:rQ;0,0:rB;1,0:bQ;0,-1:rA -/-";
    assert!(
        !moves_of(low).contains(&"drag 0,0 1,-1".to_owned()),
        "both hold a piece"
    );
    let onto_one = "20 - -1,0:rQ;0,0:rB;1,0:bQ;0,-1:rA;1,-1:bA -/-";
    assert!(
        moves_of(onto_one).contains(&"drag 0,0 1,-1".to_owned()),
        "no higher than the target"
    );
    let between_towers = "20 - -1,0:rQ;0,0:rB;1,0:bQbB;0,-1:rAbB;1,-1:bA -/-";
    assert!(!moves_of(between_towers).contains(&"drag 0,0 1,-1".to_owned()));
    let from_above = "20 - -1,0:rQ;0,0:rArB;1,0:bQbB;0,-1:rAbB;1,-1:bA -/-";
    assert!(!moves_of(from_above).contains(&"drag 0,0 1,-1".to_owned()));
    let from_a_tower = "20 - -1,0:rQ;0,0:rArBbBrM;1,0:bQbB;0,-1:rArB;1,-1:bA -/-";
    assert!(moves_of(from_a_tower).contains(&"drag 0,0 1,-1".to_owned()));
}

#[test]
fn a_pillbug_throws_what_may_be_thrown() {
    // Blue's ant beside red's pillbug hangs on nothing else.
    let text = "20 - 0,0:rP;-1,0:rQ;-2,0:bQ;1,0:bA -/-";
    let moves = moves_of(text);
    for to in ["0,1", "-1,1", "0,-1", "1,-1"] {
        assert!(moves.contains(&format!("drag 1,0 {to}")), "{to}: {moves:?}");
    }
    assert!(
        !moves.contains(&"drag -1,0 0,1".to_owned()),
        "the queen is pinned"
    );

    let mut position: Position = text.parse().unwrap();
    position.play("drag 1,0 0,1".parse().unwrap());
    let mut replies = MoveList::new();
    position.legal_moves(&mut replies);
    let thrown: Move = "drag 0,1 1,0".parse().unwrap();
    assert!(!replies.contains(&thrown));
    assert!(matches!(
        position.check(thrown),
        Err(IllegalMove::Resting(_))
    ));
    position.play(Move::Pass);
    position.play(Move::Pass);
    assert_eq!(position.check(thrown), Ok(()), "a pass wakes it up");
}

#[test]
fn the_queen_stays_in_hand_on_the_first_turn_and_is_due_on_the_fourth() {
    let start = start(&[]);
    let queen: Move = "set Q 0,0".parse().unwrap();
    assert_eq!(start.check(queen), Err(IllegalMove::BeeTooEarly));
    let due: Position = "6 - 0,0:rA;1,0:bA AQ/AQ".parse().unwrap();
    let ant: Move = "set A -1,0".parse().unwrap();
    assert_eq!(due.check(ant), Err(IllegalMove::BeeDue));
}

#[test]
fn a_rule_book_without_obstacles_refuses_them() {
    let error = "0 1,1 - -/-".parse::<Position>().unwrap_err();
    assert_eq!(error, SetupError::Obstacles.into());
}

#[test]
fn hashes_texts_and_legality_agree_in_random_games() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(20);
    let mut moves = MoveList::new();
    for _ in 0..30 {
        let mut position = start(&[Mosquito, Ladybug, Pillbug]);
        for _ in 0..rng.random_range(1..30) {
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut rng) else {
                break;
            };
            for &mv in moves.iter() {
                assert_eq!(position.check(mv), Ok(()), "{mv} in {position}");
            }
            position.play(mv);
            assert_eq!(position.hash(), position.recomputed_hash());
            // A position's text does not say which piece moved last; a pass forgets it too.
            let mut rested = position;
            rested.play(Move::Pass);
            assert_eq!(rested.to_string().parse(), Ok(rested));
        }
    }
}

/// This rule book is written cell by cell, the library's in whole sets and tables.
#[test]
fn the_librarys_rule_book_lists_the_same_moves_in_random_games() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut moves = MoveList::new();
    let mut library_moves = library::MoveList::new();
    for game in 0..120 {
        let mut position = start(&[Mosquito, Ladybug, Pillbug]);
        let game_type: library::GameType = "Base+MLP".parse().unwrap();
        let mut twin: library::Position = game_type.start(library::Opening::Tournament);
        // The board of this test is 16 cells wide.
        for _ in 0..rng.random_range(10..50) {
            position.legal_moves(&mut moves);
            twin.legal_moves(&mut library_moves);
            let expected: HashSet<Move> = moves.iter().copied().collect();
            let listed: HashSet<Move> = library_moves
                .iter()
                .map(|mv| mv.to_string().parse().unwrap())
                .collect();
            assert_eq!(listed, expected, "game {game}, {twin}");
            assert_eq!(twin.outcome(), position.outcome());
            let Some(&mv) = library_moves.choose(&mut rng) else {
                break;
            };
            position.play(mv.to_string().parse().unwrap());
            twin.play(mv);
        }
    }
}
