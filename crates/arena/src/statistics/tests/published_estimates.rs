//! Compares Elo, normalized Elo and likelihood of superiority with numbers of other programs.

use crate::statistics::{Estimate, MatchEstimate, Pentanomial};

struct Published {
    score: f64,
    elo: Option<(f64, f64)>,
    normalized_elo: (f64, f64),
    superiority_percent: Option<f64>,
}

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

fn assert_agrees(estimate: MatchEstimate, published: &Published) {
    assert!((estimate.score.value - published.score).abs() < 0.001);
    assert!(
        published.elo.is_none_or(|elo| agree(estimate.elo, elo)),
        "{estimate:?}"
    );
    let normalized_elo = estimate.normalized_elo.unwrap();
    assert!(
        agree_normalized(normalized_elo, published.normalized_elo),
        "{estimate:?}"
    );
    let percent = 100.0 * estimate.superiority;
    assert!(
        published
            .superiority_percent
            .is_none_or(|los| (percent - los).abs() < 0.01),
        "{percent}"
    );
}

/// fastchess 74deac23, `app/tests/elo_test.cpp`, suites `EloPentanomial`.
#[test]
fn pentanomial_estimates_match_fastchess() {
    let published = [
        (
            [34, 54, 31 + 32, 64, 75],
            Published {
                score: 0.579,
                elo: Some((55.58, 27.65)),
                normalized_elo: (57.94, 28.28),
                superiority_percent: Some(100.00),
            },
        ),
        (
            [332, 433, 457 + 41, 333, 334],
            Published {
                score: 0.488,
                elo: Some((-8.64, 10.33)),
                normalized_elo: (-9.17, 10.96),
                superiority_percent: Some(5.05),
            },
        ),
        (
            [7895, 8757, 5485 + 200, 568, 9999],
            Published {
                score: 0.470,
                elo: Some((-21.04, 2.95)),
                normalized_elo: (-19.01, 2.65),
                superiority_percent: Some(0.00),
            },
        ),
    ];
    for (counts, published) in &published {
        assert_agrees(Pentanomial::new(*counts).estimate().unwrap(), published);
    }
}
