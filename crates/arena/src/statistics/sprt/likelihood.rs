//! Maximum likelihood of multinomial observations under a hypothesis about their mean.
//!
//! Let `p̂` be the observed frequencies. Among all distributions `p` with `Σ pᵢ φᵢ = 0`, the
//! likelihood of the observations is greatest for `pᵢ = p̂ᵢ / (1 + θ φᵢ)`, where `θ` is the root of
//! `Σ p̂ᵢ φᵢ / (1 + θ φᵢ)` that makes all `pᵢ` positive (Van den Bergh, *Comparing the
//! approximations…*, Proposition 1.1, with `φᵢ = aᵢ - s`).
//!
//! - Logistic Elo states the mean score `s`: `φᵢ = aᵢ - s`, where the `aᵢ` are the possible scores.
//! - Normalized Elo states how many standard deviations the mean is above ½: `μ - ½ = t σ`. With
//!   `xᵢ = aᵢ - ½` and `τ = t / √(1 + t²)` this is the same as `E[x] = τ √E[x²]`. Since
//!   `√m = min over c of (m/c + c) / 2`, attained at `c = √m`, it is equivalent to the linear
//!   condition with `φᵢ = xᵢ - τ (xᵢ²/c + c) / 2` at `c = √E[x²]`. That `c` is found by iteration:
//!   the best distribution for one `c` gives the next. (*Comments on normalized Elo*, section 4.1,
//!   iterates over mean and deviation instead, towards the same distribution.)

use super::super::tally::PAIR_SCORES;
use super::super::{NORMALIZED_ELO_PER_DEVIATION, Pentanomial, score_of_elo};
use super::EloModel;

/// Count used for a score that was never observed.
const PSEUDO_COUNT: f64 = 1e-3;

/// Enough for any hypothesis within the limits. Usually a handful suffices.
const MAX_ITERATIONS: usize = 200;

/// Log-likelihood ratio of the second Elo difference to the first.
pub(super) fn log_likelihood_ratio(model: EloModel, elos: [f64; 2], observed: Pentanomial) -> f64 {
    if observed.pairs() == 0 {
        return 0.0;
    }
    let counts = observed.without_zeros(PSEUDO_COUNT);
    let total: f64 = counts.iter().sum();
    let frequencies = counts.map(|count| count / total);
    let [h0, h1] = elos.map(|elo| match model {
        EloModel::Logistic => tilt_to_mean(&frequencies, score_of_elo(elo)),
        EloModel::Normalized => {
            // A pair has two games.
            let deviations = 2f64.sqrt() * elo / NORMALIZED_ELO_PER_DEVIATION;
            tilt_to_deviations(&frequencies, deviations)
        }
    });
    let terms = (0..5).map(|i| counts[i] * (h0[i] / h1[i]).ln());
    terms.sum()
}

/// The factors `p̂ᵢ / pᵢ` for the most likely distribution with this mean, which must be strictly
/// between 0 and 1.
fn tilt_to_mean(frequencies: &[f64; 5], mean: f64) -> [f64; 5] {
    tilt(frequencies, &PAIR_SCORES.map(|score| score - mean))
}

/// The factors `p̂ᵢ / pᵢ` for the most likely distribution whose mean is `deviations` of its
/// standard deviations above ½.
///
/// Distributions nearer to ½ than that form a convex set. So if the mean has to be moved towards ½,
/// there is one maximum. If it has to be moved away from ½ there may be several, depending on which
/// rare score becomes more frequent. The iteration therefore also starts from the solution for each
/// single score: if only 0 and one `x` occur, `E[x] = τ √E[x²]` at `c = τ x`.
fn tilt_to_deviations(frequencies: &[f64; 5], deviations: f64) -> [f64; 5] {
    let tau = deviations / deviations.hypot(1.0);
    let x = PAIR_SCORES.map(|score| score - 0.5);
    let mean: f64 = frequencies.iter().zip(&x).map(|(p, x)| p * x).sum();
    let observed_scale = root_mean_square(frequencies, &x);
    let mut best = iterate_scale(frequencies, &x, tau, observed_scale);
    if (mean - tau * observed_scale) * tau < 0.0 {
        // The likelihood falls as this rises: it is the sum of ln p̂ minus that of ln p.
        let loss = |factors: &[f64; 5]| -> f64 {
            let terms = frequencies.iter().zip(factors);
            terms.map(|(p, factor)| p * factor.ln()).sum()
        };
        for single_x in x.into_iter().filter(|&x| x > 0.0) {
            let other = iterate_scale(frequencies, &x, tau, tau.abs() * single_x);
            if loss(&other) < loss(&best) {
                best = other;
            }
        }
    }
    best
}

/// Tilts to the linear condition for `scale` (`c` above), then for the scale of the result, until
/// it no longer changes.
fn iterate_scale(frequencies: &[f64; 5], x: &[f64; 5], tau: f64, start: f64) -> [f64; 5] {
    // Below this, no distribution meets the linear condition: every φ has the same sign.
    let smallest = smallest_scale(x, tau);
    let mut scale = start.max(smallest);
    let mut factors = [1.0; 5];
    for _ in 0..MAX_ITERATIONS {
        let phi = x.map(|x| x - tau * (x * x / scale + scale) / 2.0);
        factors = tilt(frequencies, &phi);
        let p = std::array::from_fn(|i| frequencies[i] / factors[i]);
        let next = root_mean_square(&p, x).max(smallest);
        // The likelihood is stationary there: its error is the square of this.
        if (next - scale).abs() <= 1e-8 * scale {
            break;
        }
        scale = next;
    }
    factors
}

fn root_mean_square(p: &[f64; 5], x: &[f64; 5]) -> f64 {
    let squares = p.iter().zip(x).map(|(p, x)| p * x * x);
    squares.sum::<f64>().sqrt()
}

/// The smallest `c` for which some `φᵢ` has the sign of `x`'s larger end, plus a tiny margin.
///
/// For one `x > 0`, `x - τ (x²/c + c) / 2` is positive if `c` is between `f x` and `x / f` with
/// `f = τ / (1 + √(1 - τ²))`; within the limits of the hypotheses those ranges overlap.
fn smallest_scale(x: &[f64], tau: f64) -> f64 {
    let smallest_positive = x.iter().copied().filter(|&x| x > 0.0).fold(0.5, f64::min);
    smallest_positive * tau.abs() / (1.0 + (1.0 - tau * tau).sqrt()) * (1.0 + 1e-6)
}

/// The factors `1 + θ φᵢ = p̂ᵢ / pᵢ` for the most likely `p` with `Σ pᵢ φᵢ = 0`. `φ` must have both
/// signs.
fn tilt(frequencies: &[f64; 5], phi: &[f64; 5]) -> [f64; 5] {
    let theta = multiplier(frequencies, phi);
    phi.map(|phi| 1.0 + theta * phi)
}

/// The root `θ` of `Σ p̂ᵢ φᵢ / (1 + θ φᵢ)` between the poles next to 0, where it falls from `+∞` to
/// `-∞`.
///
/// Uses Newton's method, and bisection for steps that would leave the interval.
fn multiplier(frequencies: &[f64; 5], phi: &[f64; 5]) -> f64 {
    let largest = phi.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let smallest = phi.iter().copied().fold(-f64::MIN_POSITIVE, f64::min);
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mut theta = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (frequency, phi) in frequencies.iter().zip(phi) {
            let part = phi / (1.0 + theta * phi);
            value += frequency * part;
            slope -= frequency * part * part;
        }
        if value > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta - value / slope;
        let next = if low < newton && newton < high {
            newton
        } else {
            low + (high - low) / 2.0
        };
        let step = (next - theta).abs();
        theta = next;
        if step <= 1e-15 * theta.abs() {
            break;
        }
    }
    theta
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mean(p: &[f64; 5], value: impl Fn(f64) -> f64) -> f64 {
        let scores = PAIR_SCORES;
        p.iter().zip(scores).map(|(p, a)| p * value(a)).sum()
    }

    /// Distance of the mean of `p` above ½, in its standard deviations.
    fn deviations(p: &[f64; 5]) -> f64 {
        let mu = mean(p, |a| a);
        (mu - 0.5) / mean(p, |a| (a - mu).powi(2)).sqrt()
    }

    fn frequencies(counts: [u64; 5]) -> [f64; 5] {
        let counts = Pentanomial::new(counts).without_zeros(PSEUDO_COUNT);
        let total: f64 = counts.iter().sum();
        counts.map(|count| count / total)
    }

    fn divide(p_hat: &[f64; 5], factors: [f64; 5]) -> [f64; 5] {
        std::array::from_fn(|i| p_hat[i] / factors[i])
    }

    fn counts() -> impl Strategy<Value = [u64; 5]> {
        let count = prop_oneof![Just(0u64), 0..5u64, 0..300u64, 0..10_000u64];
        proptest::array::uniform5(count)
            .prop_filter("observations", |counts| counts.iter().sum::<u64>() > 0)
    }

    proptest! {
        #[test]
        fn tilt_to_mean_reaches_the_mean(counts in counts(), elo in -500.0..500.0f64) {
            let p_hat = frequencies(counts);
            let score = score_of_elo(elo);
            let p = divide(&p_hat, tilt_to_mean(&p_hat, score));
            prop_assert!(p.iter().all(|&p| p > 0.0));
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{p:?}");
            prop_assert!((mean(&p, |a| a) - score).abs() < 1e-6, "{p:?}");
        }

        #[test]
        fn tilt_to_deviations_reaches_the_deviations(counts in counts(), t in -2.035..2.035f64) {
            let p_hat = frequencies(counts);
            let p = divide(&p_hat, tilt_to_deviations(&p_hat, t));
            prop_assert!(p.iter().all(|&p| p > 0.0));
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{p:?}");
            prop_assert!((deviations(&p) - t).abs() < 1e-5, "{p:?} {}", deviations(&p));
        }

        /// With rare scores there may be several maxima; the iteration must find the highest.
        #[test]
        fn tilt_to_deviations_finds_the_global_maximum(counts in counts(), t in 0.0..2.035f64) {
            let p_hat = frequencies(counts);
            let x = PAIR_SCORES.map(|score| score - 0.5);
            let tau = t / t.hypot(1.0);
            if mean(&p_hat, |a| a - 0.5) >= tau * root_mean_square(&p_hat, &x) {
                return Ok(());
            }
            let loss = |factors: [f64; 5]| (0..5).map(|i| p_hat[i] * factors[i].ln()).sum::<f64>();
            let found = loss(tilt_to_deviations(&p_hat, t));
            let smallest = smallest_scale(&x, tau);
            for step in 0..=40 {
                let scale = smallest * (0.5 / smallest).powf(f64::from(step) / 40.0);
                let phi = x.map(|x| x - tau * (x * x / scale + scale) / 2.0);
                prop_assert!(found <= loss(tilt(&p_hat, &phi)) + 1e-9, "{scale}");
            }
        }

        #[test]
        fn ratios_are_always_finite(counts in counts(), elo0 in -500.0..499.0f64, gap in 0.5..100.0f64) {
            for model in [EloModel::Logistic, EloModel::Normalized] {
                let elos = [elo0, (elo0 + gap).min(500.0)];
                let ratio = log_likelihood_ratio(model, elos, Pentanomial::new(counts));
                prop_assert!(ratio.is_finite());
            }
        }
    }
}
