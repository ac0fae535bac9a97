//! Compares log-likelihood ratios with numbers of other programs.

use crate::statistics::{EloModel, Pentanomial, Sprt};

fn sprt(elos: [f64; 2], model: EloModel) -> Sprt {
    let [elo0, elo1] = elos;
    let text = format!("elo0={elo0} elo1={elo1} model={model}");
    text.parse().unwrap()
}

fn ratio_of_pairs(counts: [u64; 5], elos: [f64; 2], model: EloModel) -> f64 {
    sprt(elos, model).log_likelihood_ratio(Pentanomial::new(counts))
}

/// fastchess 74deac23, `app/tests/sprt_test.cpp`, whose tolerance is `0.01 * (1 + |expected|)`.
#[test]
fn pentanomial_ratios_match_fastchess() {
    use EloModel::{Logistic, Normalized};
    let published = [
        (
            Normalized,
            [365, 16618, 36029 + 200, 16974, 390],
            [0.0, 2.0],
            2.25,
        ),
        (
            Normalized,
            [127, 4883, 10311 + 401, 5150, 104],
            [-1.75, 0.25],
            3.01,
        ),
        (Normalized, [0, 0, 0, 0, 5550], [0.0, 5.0], 111.82),
        (
            Logistic,
            [223, 9863, 20279 + 1000, 10037, 246],
            [0.5, 2.5],
            -3.07,
        ),
        (
            Logistic,
            [871, 26175, 55003 + 980, 26678, 821],
            [0.0, 2.0],
            -4.98,
        ),
    ];
    for (model, counts, elos, expected) in published {
        let ratio = ratio_of_pairs(counts, elos, model);
        assert!(
            (ratio - expected).abs() < 0.01 * (1.0 + expected.abs()),
            "{ratio} {expected}"
        );
    }
}

/// The raw statistics of a test, to five digits:
/// <https://montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712>. Its interval and
/// superiority are corrected for sequential stopping, so they are not compared.
#[test]
fn ratio_matches_a_fishtest_page() {
    let counts = [13, 37, 50, 25, 3];
    let normalized = ratio_of_pairs(counts, [0.0, 4.0], EloModel::Normalized);
    assert!((normalized - -0.54912).abs() < 6e-6, "{normalized}");
    let estimate = Pentanomial::new(counts).estimate().unwrap();
    assert!((estimate.elo.value - -43.6578).abs() < 6e-5);
    assert!((estimate.normalized_elo.unwrap().value - -63.97).abs() < 6e-3);
}

/// Stockfish tests on fishtest with normalized Elo: pull request, pairs, hypotheses and ratio, as
/// printed in the descriptions of the pull requests
/// (`https://github.com/official-stockfish/Stockfish/pull/N`). All were accepted.
const STOCKFISH_TESTS: [(u32, [u64; 5], [f64; 2], f64); 10] = [
    (6350, [254, 8738, 19513, 9081, 270], [0.0, 2.0], 2.95),
    (6350, [60, 11639, 30390, 12091, 66], [0.5, 2.5], 2.96),
    (5688, [507, 20650, 43782, 20670, 535], [-1.75, 0.25], 2.99),
    (5688, [57, 10322, 26393, 10471, 55], [-1.75, 0.25], 2.94),
    (
        6176,
        [2052, 90457, 196853, 90109, 1937],
        [-1.75, 0.25],
        2.92,
    ),
    (6176, [24, 4766, 12586, 4974, 18], [-1.75, 0.25], 2.95),
    (6117, [242, 10868, 25716, 11038, 232], [-1.75, 0.25], 2.93),
    (6065, [90, 17755, 46024, 17825, 92], [-1.75, 0.25], 2.94),
    (5751, [208, 7812, 17109, 7919, 248], [-1.75, 0.25], 2.92),
    (6098, [29, 7631, 19474, 7809, 25], [-1.75, 0.25], 2.94),
];

#[test]
fn ratios_match_stockfish_tests() {
    for (pull_request, counts, elos, expected) in STOCKFISH_TESTS {
        let ratio = ratio_of_pairs(counts, elos, EloModel::Normalized);
        assert!(
            (ratio - expected).abs() <= 0.0051,
            "{pull_request}: {ratio} {expected}"
        );
        // Swapping both players and hypotheses must only flip the sign.
        let mut reversed = counts;
        reversed.reverse();
        let mirrored = ratio_of_pairs(reversed, [-elos[1], -elos[0]], EloModel::Normalized);
        assert!(
            (ratio + mirrored).abs() < 1e-6,
            "{pull_request}: {ratio} {mirrored}"
        );
    }
}
