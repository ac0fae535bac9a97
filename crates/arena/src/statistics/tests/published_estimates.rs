//! Elo, normalized Elo and likelihoods of superiority that other programs publish for the same counts.

use crate::statistics::{Estimate, MatchEstimate, Pentanomial, WinDrawLoss};

struct Published {
    score: f64,
    elo: Option<(f64, f64)>,
    normalized_elo: (f64, f64),
    superiority_percent: Option<f64>,
}

/// Value and margin, to a unit of the last printed digit.
fn agree(ours: Estimate, (value, margin): (f64, f64)) -> bool {
    (ours.value - value).abs() < 0.01 && (ours.margin() - margin).abs() < 0.01
}

/// The same value. Published margins take the variance as known and cover the truth too rarely, the more so the larger
/// the difference; ours must agree for small differences and be wider for large ones.
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

/// fastchess 74deac23, `app/tests/elo_test.cpp`, suites `EloWDL`.
#[test]
fn single_game_estimates_match_fastchess() {
    let published = [
        (
            [76, 123, 89],
            Published {
                score: 0.477,
                elo: None,
                normalized_elo: (-20.76, 40.13),
                superiority_percent: Some(15.53),
            },
        ),
        (
            [136, 111, 96],
            Published {
                score: 0.558,
                elo: Some((40.70, 30.43)),
                normalized_elo: (49.77, 36.77),
                superiority_percent: Some(99.60),
            },
        ),
        (
            [34, 0, 356],
            Published {
                score: 0.087,
                elo: None,
                normalized_elo: (-508.44, 34.48),
                superiority_percent: None,
            },
        ),
    ];
    for ([wins, draws, losses], published) in &published {
        let games = WinDrawLoss {
            wins: *wins,
            draws: *draws,
            losses: *losses,
        };
        assert_agrees(games.estimate().unwrap(), published);
    }
}

/// The progress table of the engine Reckless (<https://github.com/codedeliveryservice/Reckless/wiki/Progress-Tracking>).
#[test]
fn estimates_match_a_published_table() {
    let published = [
        ([59, 1751, 4800, 3267, 169], (30.09, 2.56), (56.71, 4.80)),
        ([5, 782, 2540, 1655, 19], (31.38, 3.35), (64.29, 6.81)),
        ([54, 1776, 4891, 3200, 106], (26.52, 2.51), (51.10, 4.81)),
    ];
    for (counts, elo, normalized_elo) in published {
        let pairs = Pentanomial::new(counts);
        let estimate = pairs.estimate().unwrap();
        assert!(agree(estimate.elo, elo), "{estimate:?}");
        assert!(
            agree_normalized(estimate.normalized_elo.unwrap(), normalized_elo),
            "{estimate:?}"
        );
    }
}
