//! Scores and Elo differences.

use std::f64::consts::LN_10;

/// Elo for one unit of the natural logarithm of the odds: `400 / ln 10`, about 173.7.
pub const ELO_PER_LOG_ODDS: f64 = 400.0 / LN_10;

/// Normalized Elo for one standard deviation of a game's score: `800 / ln 10`, about 347.4.
///
/// With this factor normalized and logistic Elo agree for small differences and no draws, where a game's standard
/// deviation is ½ (Van den Bergh, *Comments on normalized Elo*).
pub const NORMALIZED_ELO_PER_DEVIATION: f64 = 800.0 / LN_10;

/// The Elo difference at which `score` is the expected score: `400 · log10(score / (1 - score))`.
///
/// Negative infinity for 0 and less, positive infinity for 1 and more.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score at an Elo difference: `1 / (1 + 10^(-elo/400))`.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_elo_are_inverse_to_each_other() {
        for elo in [-800.0, -100.0, -0.5, 0.0, 3.0, 191.0, 700.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn the_edges_are_infinite_and_nothing_is_nan() {
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert_eq!(elo_of_score(-0.1), f64::NEG_INFINITY);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(1.1), f64::INFINITY);
        assert_eq!(elo_of_score(0.5).to_string(), "0");
        assert_eq!(score_of_elo(f64::INFINITY), 1.0);
        assert_eq!(score_of_elo(f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn three_points_out_of_four_are_191_elo() {
        assert!((elo_of_score(0.75) - 190.848_501_9).abs() < 1e-6);
    }
}
