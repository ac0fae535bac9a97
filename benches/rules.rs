//! Move generation, making moves, perft and evaluation, in positions from opening to endgame.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

use wabe_engine::evaluation::{Evaluator, NetworkEvaluator};
use wabe_hive::contest::Position;
use wabe_hive::perft::{perft, perft_bulk};

/// The positions of `docs/performance.md`: 8, 10 and 22 pieces in play.
const POSITIONS: [(&str, &str); 3] = [
    (
        "opening",
        "8 -2,2;-1,-4;3,2 -3,0:bS;-2,0:bQ;-2,1:bG;-1,0:bB;0,0:rB;1,-2:rG;1,-1:rS;2,-2:rQ AAABGSS/AAABGSS",
    ),
    (
        "midgame",
        "26 -4,5;-2,0;4,1 -1,-1:bQ;0,-2:bG;0,-1:rA;0,0:rB;0,1:rQ;0,2:rB;1,-2:bS;1,0:bG;1,1:rA;2,-3:rS \
         AGGSS/AAABBSS",
    ),
    (
        "late",
        "42 -4,5;-1,-4;0,3 -5,1:rA;-4,1:rG;-3,-2:bS;-3,-1:bA;-3,0:rG;-2,0:rS;-2,1:rA;-1,-3:bS;-1,-1:rSrB;\
         0,-3:bG;0,-2:rBbB;1,-4:bQ;1,-2:rS;1,-1:rA;2,-2:rQ;3,-3:bS;4,-4:bG;4,-3:bA;4,-2:bB;5,-5:bA -/-",
    ),
];

fn benchmarks(criterion: &mut Criterion) {
    let evaluator = NetworkEvaluator::built_in();
    for (name, text) in POSITIONS {
        let position: Position = text.parse().expect("a valid position");
        let moves = position.legal_moves();

        criterion.bench_function(&format!("legal moves, {name}"), |bencher| {
            bencher.iter(|| black_box(&position).legal_moves());
        });
        criterion.bench_function(&format!("count moves, {name}"), |bencher| {
            bencher.iter(|| black_box(&position).count_legal_moves());
        });
        criterion.bench_function(&format!("make every move, {name}"), |bencher| {
            bencher.iter(|| {
                for &mv in moves.iter() {
                    black_box(black_box(&position).after(mv));
                }
            });
        });
        criterion.bench_function(&format!("evaluate, {name}"), |bencher| {
            bencher.iter(|| evaluator.evaluate(black_box(&position)));
        });
        criterion.bench_function(&format!("perft 3, {name}"), |bencher| {
            bencher.iter(|| perft(black_box(&position), 3));
        });
        criterion.bench_function(&format!("perft 3 bulk, {name}"), |bencher| {
            bencher.iter(|| perft_bulk(black_box(&position), 3));
        });
    }
}

criterion_group!(rules, benchmarks);
criterion_main!(rules);
