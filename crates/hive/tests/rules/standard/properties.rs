//! Invariants of positions in random games.

use std::collections::HashSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::hex::{CompactTorus, Grid, Hex, Symmetry, WideTorus};
use wabe_hive::standard::{GameType, Move, OpeningRule, Position, RuleState};

/// The positions of a random game, of at most `plies` plies.
fn random_game(game_type: GameType, seed: u64, plies: usize) -> Vec<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position: Position = game_type.start(OpeningRule::Tournament);
    let mut positions = vec![position];
    for _ in 0..plies {
        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(&mut rng) else {
            break;
        };
        position.play(mv);
        positions.push(position);
    }
    positions
}

fn map_hexes<G: Grid>(mv: Move, map: impl Fn(Hex) -> Hex) -> Move<G> {
    let cell = |cell| G::cell(map(WideTorus::hex(cell))).expect("a torus has every cell");
    match mv {
        Move::Place { kind, to } => Move::<G>::Place { kind, to: cell(to) },
        Move::Drag { from, to } => Move::<G>::Drag {
            from: cell(from),
            to: cell(to),
        },
        Move::Pass => Move::<G>::Pass,
    }
}

/// The position with the coordinates of every piece mapped.
fn map_position<G: Grid>(position: &Position, map: impl Fn(Hex) -> Hex) -> Position<G> {
    let setup = position.to_setup();
    let image = wabe_hive::standard::Setup::<G> {
        turn: setup.turn,
        obstacles: Vec::new(),
        stacks: setup
            .stacks
            .into_iter()
            .map(|stack| wabe_hive::Stack {
                hex: map(stack.hex),
                pieces: stack.pieces,
            })
            .collect(),
        reserve: setup.reserve,
    };
    let resting = position.rule_state().resting();
    let resting = resting.and_then(|cell| G::cell(map(WideTorus::hex(cell))));
    let state = RuleState::new(position.rule_state().opening()).after(resting);
    image.build().unwrap().with_rule_state(state)
}

fn game_types() -> impl Strategy<Value = GameType> {
    prop::sample::select(GameType::ALL.to_vec())
}

/// The moves of the mapped position are the mapped moves.
fn assert_same_moves<G: Grid>(
    position: &Position,
    map: impl Fn(Hex) -> Hex + Copy,
) -> Result<(), TestCaseError> {
    let image = map_position::<G>(position, map);
    let moves: HashSet<_> = image.legal_moves().into_iter().collect();
    let expected = position
        .legal_moves()
        .into_iter()
        .map(|mv| map_hexes::<G>(mv, map));
    prop_assert_eq!(moves, expected.collect::<HashSet<_>>(), "{}", position);
    prop_assert_eq!(image.outcome(), position.outcome());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn positions_are_consistent(game_type in game_types(), seed: u64) {
        for position in random_game(game_type, seed, 60) {
            let moves = position.legal_moves();
            let distinct: HashSet<_> = moves.iter().copied().collect();
            prop_assert_eq!(distinct.len(), moves.len(), "a move is listed twice");
            for &mv in &moves {
                prop_assert_eq!(position.check(mv), Ok(()));
            }
            if position.outcome().is_none() {
                prop_assert_eq!(position.count_legal_moves(), moves.len());
                prop_assert!(!moves.is_empty());
            }
            prop_assert_eq!(position.hash(), position.recomputed_hash());
            let text = position.to_string();
            let read = text.parse::<Position>().unwrap();
            prop_assert_eq!(read.with_rule_state(position.rule_state()), position);
        }
    }

    #[test]
    fn moves_are_invariant_under_symmetry(
        game_type in game_types(), seed: u64, dx in -20..20i8, dy in -20..20i8
    ) {
        for (ply, position) in random_game(game_type, seed, 40).iter().enumerate().skip(2) {
            let symmetries = if ply <= 24 { &Symmetry::ALL[..] } else { &[] };
            for symmetry in symmetries {
                assert_same_moves::<WideTorus>(position, |hex| symmetry.apply(hex))?;
            }
            assert_same_moves::<WideTorus>(position, |hex| Hex::new(hex.x + dx, hex.y + dy))?;
            // With 14 pieces a hive is at most 13 steps across.
            if ply <= 14 {
                assert_same_moves::<CompactTorus>(position, |hex| hex)?;
            }
        }
    }
}
