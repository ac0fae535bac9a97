//! Estimates with confidence intervals, and the distribution and scales behind them.

use std::fmt;

/// An estimate and its 95 % confidence interval.
///
/// A bound may be infinite, and so may the value, at that end: a player who has won every game may be arbitrarily strong.
/// Nothing is ever NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// `value` with the same margin to both sides.
    pub(super) fn symmetric(value: f64, margin: f64) -> Estimate {
        Estimate {
            value,
            low: value - margin,
            high: value + margin,
        }
    }

    /// Half the width of the interval, as printed after a `±`; infinite if a bound is.
    pub fn margin(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// True if `value` lies in the interval.
    pub fn covers(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The same estimate through an increasing function.
    pub(super) fn map(self, increasing: impl Fn(f64) -> f64) -> Estimate {
        Estimate {
            value: increasing(self.value),
            low: increasing(self.low),
            high: increasing(self.high),
        }
    }

    /// The same estimate from the other side's view.
    #[must_use]
    pub fn negated(self) -> Estimate {
        Estimate {
            value: 0.0 - self.value,
            low: 0.0 - self.high,
            high: 0.0 - self.low,
        }
    }
}

/// `5.11 ± 3.90`, or `inf [270.36, inf]` where a bound is infinite; with the formatter's precision, 2 digits by default.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let Estimate { value, low, high } = self;
        if self.margin().is_finite() {
            write!(f, "{value:.digits$} ± {:.digits$}", self.margin())
        } else {
            write!(f, "{value:.digits$} [{low:.digits$}, {high:.digits$}]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_prints_its_margin_or_its_bounds() {
        let estimate = Estimate::symmetric(5.111, 3.904);
        assert_eq!(estimate.to_string(), "5.11 ± 3.90");
        assert_eq!(format!("{estimate:.1}"), "5.1 ± 3.9");
        let unbounded = Estimate {
            value: f64::INFINITY,
            low: 270.4,
            high: f64::INFINITY,
        };
        assert_eq!(format!("{unbounded:.0}"), "inf [270, inf]");
        assert_eq!(format!("{:.0}", unbounded.negated()), "-inf [-inf, -270]");
    }
}
