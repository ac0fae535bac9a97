//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// The two-sided 95 % quantile: a normal variable is within this many standard deviations of its mean in 95 % of cases.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable is below `x`.
pub(super) fn cumulative(x: f64) -> f64 {
    libm::erfc(-x * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_cuts_off_2_5_percent_on_each_side() {
        assert!((cumulative(Z_95) - 0.975).abs() < 1e-15);
        assert!((cumulative(-Z_95) - 0.025).abs() < 1e-15);
        assert_eq!(cumulative(0.0), 0.5);
        assert_eq!(cumulative(f64::INFINITY), 1.0);
        assert_eq!(cumulative(f64::NEG_INFINITY), 0.0);
    }
}
