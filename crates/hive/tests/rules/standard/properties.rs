//! What holds in every position, tried in random games.

use std::collections::HashSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::hex::{CompactTorus, Grid, Hex, Symmetry, WideTorus};
use wabe_hive::standard::{GameType, Memory, Move, MoveList, Opening, Position};

/// The positions of a random game, of at most `plies` plies.
fn random_game(game_type: GameType, seed: u64, plies: usize) -> Vec<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut position: Position = game_type.start(Opening::Tournament);
    let mut moves = MoveList::new();
    let mut positions = vec![position];
    for _ in 0..plies {
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.choose(&mut rng) else {
            break;
        };
        position.play(mv);
        positions.push(position);
    }
    positions
}

fn moves_of<G: Grid>(position: &Position<G>) -> Vec<Move<G>> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
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

/// The position with every piece where `map` says.
fn mapped<G: Grid>(position: &Position, map: impl Fn(Hex) -> Hex) -> Position<G> {
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
    let resting = position.memory().resting();
    let resting = resting.and_then(|cell| G::cell(map(WideTorus::hex(cell))));
    let memory = Memory::new(position.memory().opening()).after(resting);
    image.build().unwrap().with_memory(memory)
}

fn game_types() -> impl Strategy<Value = GameType> {
    prop::sample::select(GameType::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_move_is_listed_twice_and_all_listed_moves_are_legal(
        game_type in game_types(), seed: u64
    ) {
        for position in random_game(game_type, seed, 60) {
            let moves = moves_of(&position);
            let distinct: HashSet<_> = moves.iter().copied().collect();
            prop_assert_eq!(distinct.len(), moves.len());
            for &mv in &moves {
                prop_assert_eq!(position.check(mv), Ok(()));
            }
            if position.outcome().is_none() {
                prop_assert_eq!(position.count_legal_moves(), moves.len());
                prop_assert!(!moves.is_empty());
            }
        }
    }

    #[test]
    fn the_hash_kept_up_to_date_is_the_recomputed_one(game_type in game_types(), seed: u64) {
        for position in random_game(game_type, seed, 60) {
            prop_assert_eq!(position.hash(), position.recomputed_hash());
            let memory = position.memory();
            let text = position.to_string();
            prop_assert_eq!(text.parse::<Position>().unwrap().with_memory(memory), position);
        }
    }

    #[test]
    fn moves_do_not_depend_on_how_the_board_is_turned_or_mirrored(
        game_type in game_types(), seed: u64
    ) {
        for position in random_game(game_type, seed, 24).into_iter().skip(2) {
            for symmetry in Symmetry::ALL {
                let map = |hex| symmetry.apply(hex);
                let image = mapped::<WideTorus>(&position, map);
                let moves: HashSet<_> = moves_of(&image).into_iter().collect();
                let expected: HashSet<_> =
                    moves_of(&position).into_iter().map(|mv| map_hexes(mv, map)).collect();
                prop_assert_eq!(moves, expected);
                prop_assert_eq!(image.outcome(), position.outcome());
            }
        }
    }

    #[test]
    fn moves_do_not_depend_on_where_the_hive_lies(
        game_type in game_types(), seed: u64, dx in -20..20i8, dy in -20..20i8
    ) {
        for position in random_game(game_type, seed, 40).into_iter().skip(2) {
            let map = |hex: Hex| Hex::new(hex.x + dx, hex.y + dy);
            let image = mapped::<WideTorus>(&position, map);
            let moves: HashSet<_> = moves_of(&image).into_iter().collect();
            let expected: HashSet<_> =
                moves_of(&position).into_iter().map(|mv| map_hexes(mv, map)).collect();
            prop_assert_eq!(moves, expected);
        }
    }

    #[test]
    fn the_compact_board_has_the_same_moves_while_it_holds_the_hive(
        game_type in game_types(), seed: u64
    ) {
        // With 14 pieces a hive is at most 13 steps across.
        for position in random_game(game_type, seed, 14) {
            let compact = mapped::<CompactTorus>(&position, |hex| hex);
            let moves: HashSet<_> = moves_of(&compact).into_iter().collect();
            let expected: HashSet<_> =
                moves_of(&position).into_iter().map(|mv| map_hexes(mv, |hex| hex)).collect();
            prop_assert_eq!(moves, expected);
        }
    }
}
