//! Compares Elo, normalized Elo and likelihood of superiority with numbers of other programs.

use crate::statistics::{Estimate, Pentanomial};

/// True if value and margin agree up to one unit of the last printed digit.
fn agree(ours: Estimate, (value, margin): (f64, f64)) -> bool {
    (ours.value - value).abs() < 0.01 && (ours.margin() - margin).abs() < 0.01
}

/// True if the value agrees and the margin is plausible. Published margins assume a known variance,
/// so they are too narrow for large differences. Ours must agree for small differences and be wider
/// for large ones.
fn agree_normalized(ours: Estimate, (value, margin): (f64, f64)) -> bool {
    let widening = ours.margin() / margin;
    let widest = 1.005 + value.abs() / 500.0 + (value / 400.0).powi(2);
    (ours.value - value).abs() < 0.01 && (0.995..widest).contains(&widening)
}

fn assert_agrees(
    counts: [u64; 5],
    score: f64,
    elo: (f64, f64),
    normalized_elo: (f64, f64),
    superiority_percent: f64,
) {
    let ours = Pentanomial::new(counts).estimate().unwrap();
    assert!((ours.score.value - score).abs() < 0.001);
    assert!(agree(ours.elo, elo), "{ours:?}");
    assert!(
        agree_normalized(ours.normalized_elo.unwrap(), normalized_elo),
        "{ours:?}"
    );
    assert!((100.0 * ours.superiority - superiority_percent).abs() < 0.01);
}

/// fastchess 74deac23, `app/tests/elo_test.cpp`, suites `EloPentanomial`.
#[test]
fn pentanomial_estimates_match_fastchess() {
    let counts = [34, 54, 31 + 32, 64, 75];
    assert_agrees(counts, 0.579, (55.58, 27.65), (57.94, 28.28), 100.0);
    let counts = [332, 433, 457 + 41, 333, 334];
    assert_agrees(counts, 0.488, (-8.64, 10.33), (-9.17, 10.96), 5.05);
    let counts = [7895, 8757, 5485 + 200, 568, 9999];
    assert_agrees(counts, 0.470, (-21.04, 2.95), (-19.01, 2.65), 0.0);
}
