//! Perft against the published tables of all eight game types. Depth 7 takes minutes; use `wabe
//! perft`.

use wabe_hive::hex::{CompactTorus, Grid, WideTorus};
use wabe_hive::perft::perft_bulk;
use wabe_hive::standard::{GameType, OpeningRule};

/// For each game type, perft at depths 0, 1, 2 … under the tournament opening rule. A pass counts
/// as a move, and a finished game has no moves.
const TABLES: [(&str, [u64; 7]); 8] = [
    ("Base", [1, 4, 96, 1_440, 21_600, 516_240, 12_219_480]),
    ("Base+M", [1, 5, 150, 2_610, 45_414, 1_252_800, 34_233_432]),
    ("Base+L", [1, 5, 150, 2_610, 45_414, 1_252_800, 34_233_672]),
    ("Base+P", [1, 5, 150, 2_610, 45_414, 1_255_932, 34_395_984]),
    ("Base+ML", [1, 6, 216, 4_320, 86_400, 2_725_920, 85_201_200]),
    ("Base+MP", [1, 6, 216, 4_320, 86_400, 2_730_888, 85_492_248]),
    ("Base+LP", [1, 6, 216, 4_320, 86_400, 2_730_240, 85_457_136]),
    (
        "Base+MLP",
        [1, 7, 294, 6_678, 151_686, 5_427_108, 192_353_904],
    ),
];

fn assert_table<G: Grid>(game_type: &str, max_depth: usize) {
    let start = game_type.parse::<GameType>().unwrap();
    let start = start.start::<G>(OpeningRule::Tournament);
    let (_, table) = TABLES.iter().find(|(name, _)| *name == game_type).unwrap();
    for (depth, &nodes) in (0..).zip(table).take(max_depth + 1) {
        assert_eq!(perft_bulk(&start, depth), nodes, "{game_type}, {depth}");
    }
}

#[test]
fn perft_matches_the_tables() {
    for (game_type, _) in &TABLES[..7] {
        assert_table::<CompactTorus>(game_type, 6);
    }
}

#[test]
fn perft_matches_the_table_of_base_mlp() {
    assert_table::<CompactTorus>("Base+MLP", 6);
}

#[test]
fn perft_on_the_wide_board_matches_the_tables() {
    for (game_type, _) in TABLES {
        assert_table::<WideTorus>(game_type, 5);
    }
}

#[test]
fn free_openings_allow_the_queen_first() {
    let start = GameType::default().start::<CompactTorus>(OpeningRule::Free);
    assert_eq!(perft_bulk(&start, 1), 5);
    assert_eq!(perft_bulk(&start, 2), 5 * 6 * 5);
}
