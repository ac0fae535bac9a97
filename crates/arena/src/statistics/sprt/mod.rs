//! The sequential probability ratio test.

mod likelihood;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::Pentanomial;

/// Range of the hypotheses' Elo differences.
///
/// Wide enough for practical tests, and narrow enough to keep all scores strictly between 0 and 1.
const ELO_RANGE: RangeInclusive<f64> = -500.0..=500.0;

/// The unit of the hypotheses' Elo differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EloModel {
    /// Normalized Elo. The length of the test depends on the bounds, not on the share of draws.
    #[default]
    Normalized,
    /// Logistic Elo.
    Logistic,
}

/// State of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Undecided: more pairs are needed.
    Continue,
    /// No gain: the difference is at most `elo0`.
    AcceptH0,
    /// A gain: the difference is at least `elo1`.
    AcceptH1,
}

/// A sequential probability ratio test of two hypotheses about the Elo difference: `elo0` (H0) and
/// `elo1` (H1).
///
/// After every pair, the log-likelihood ratio (LLR) of the pairs so far is compared with two
/// bounds. If the difference is `elo0` or less, H1 is accepted with a probability of at most about
/// `alpha`. If it is `elo1` or more, H0 is accepted with at most about `beta`. Wald's bounds are
/// approximate, because the last pair exceeds them and variances are estimated. With
/// `alpha=0.05 beta=0.05`, these shares of 20,000 simulated matches accepted the wrong hypothesis:
///
/// | hypotheses | pairs | H1, normalized | H0, normalized | H1, logistic | H0, logistic |
/// |---|---|---|---|---|---|
/// | `elo0=0 elo1=40` | 210 | 4.7 % | 4.4 % | 4.8 % | 4.7 % |
/// | `elo0=0 elo1=100` | 36 | 4.4 % | 4.3 % | 4.1 % | 4.8 % |
/// | `elo0=0 elo1=200` | 12 | 3.0 % | 3.0 % | 1.3 % | 2.9 % |
///
/// The hypotheses fix the Elo difference but not, for instance, the share of drawn pairs. Both
/// likelihoods are therefore maxima over all distributions of pair scores with this Elo difference
/// (generalized SPRT of Li, Liu and Ying; Van den Bergh for the pentanomial distribution). fishtest
/// and fastchess use the same test.
///
/// The text form is `elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized`. The parser requires
/// only `elo0` and `elo1`, and accepts commas instead of spaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    pub(super) model: EloModel,
}

impl Sprt {
    /// Default of `alpha` and `beta`.
    pub const DEFAULT_ERROR: f64 = 0.05;

    /// Checks that `-500 <= elo0 < elo1 <= 500` and that both probabilities are above 0 and below
    /// ½.
    fn checked(self) -> Result<Sprt, String> {
        let Sprt { elo0, elo1, .. } = self;
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !ELO_RANGE.contains(&value) {
                return Err(format!(
                    "{name}={value} is out of range: expected an Elo difference from -500 to 500"
                ));
            }
        }
        if elo0 >= elo1 {
            return Err(format!("elo0={elo0} must be less than elo1={elo1}"));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!(
                    "{name}={value} is out of range: expected a probability above 0 and below 0.5"
                ));
            }
        }
        Ok(self)
    }

    /// H0 is accepted at or below this log-likelihood ratio: `ln(beta / (1 - alpha))`, always
    /// negative.
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// H1 is accepted at or above this log-likelihood ratio: `ln((1 - beta) / alpha)`, always
    /// positive.
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Natural logarithm of the ratio of the maximum likelihoods under H1 and H0. Always finite; 0
    /// without pairs.
    ///
    /// Scores that did not occur count as a thousandth of a pair, as in fishtest and fastchess.
    /// Otherwise a hypothesis could be impossible.
    pub fn log_likelihood_ratio(&self, pairs: Pentanomial) -> f64 {
        likelihood::log_likelihood_ratio(self.model, [self.elo0, self.elo1], pairs)
    }

    /// State of the test at a log-likelihood ratio.
    pub fn verdict(&self, log_likelihood_ratio: f64) -> Verdict {
        if log_likelihood_ratio >= self.upper_bound() {
            Verdict::AcceptH1
        } else if log_likelihood_ratio <= self.lower_bound() {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EloModel::Normalized => "normalized",
            EloModel::Logistic => "logistic",
        })
    }
}

impl FromStr for EloModel {
    type Err = String;

    fn from_str(text: &str) -> Result<EloModel, String> {
        match text {
            "normalized" => Ok(EloModel::Normalized),
            "logistic" => Ok(EloModel::Logistic),
            _ => Err(format!(
                "`{text}` is not an Elo model: expected `normalized` or `logistic`"
            )),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let mut numbers = ["elo0", "elo1", "alpha", "beta"].map(|name| (name, None));
        let mut model = None;
        let is_separator = |c: char| c == ',' || c.is_whitespace();
        for part in text.split(is_separator).filter(|part| !part.is_empty()) {
            let unknown = || {
                format!(
                    "`{part}` is not an SPRT option: expected elo0=ELO, elo1=ELO, alpha=P, beta=P \
                     or model=MODEL"
                )
            };
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            let is_repeated = if name == "model" {
                model.replace(value.parse()?).is_some()
            } else {
                let number = value.parse::<f64>().map_err(|_| {
                    format!("`{value}` is not a value for `{name}`: expected a number")
                });
                let slot = numbers.iter_mut().find(|(known, _)| *known == name);
                let (_, slot) = slot.ok_or_else(unknown)?;
                slot.replace(number?).is_some()
            };
            if is_repeated {
                return Err(format!("`{name}` is set twice"));
            }
        }
        let [elo0, elo1, alpha, beta] = numbers;
        let required = |(name, value): (&str, Option<f64>)| {
            let missing = || format!("missing {name} (expected elo0=ELO elo1=ELO)");
            value.ok_or_else(missing)
        };
        let test = Sprt {
            elo0: required(elo0)?,
            elo1: required(elo1)?,
            alpha: alpha.1.unwrap_or(Sprt::DEFAULT_ERROR),
            beta: beta.1.unwrap_or(Sprt::DEFAULT_ERROR),
            model: model.unwrap_or_default(),
        };
        test.checked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_decide_the_verdict() {
        let sprt = "elo0=0 elo1=10".parse::<Sprt>().unwrap();
        assert!((sprt.upper_bound() - 2.944_438_98).abs() < 1e-8);
        assert!((sprt.lower_bound() + 2.944_438_98).abs() < 1e-8);
        assert_eq!(sprt.verdict(2.94), Verdict::Continue);
        assert_eq!(sprt.verdict(2.95), Verdict::AcceptH1);
        assert_eq!(sprt.verdict(-2.94), Verdict::Continue);
        assert_eq!(sprt.verdict(-2.95), Verdict::AcceptH0);

        let careful = "elo0=0 elo1=10 alpha=0.01 beta=0.1"
            .parse::<Sprt>()
            .unwrap();
        assert!((careful.upper_bound() - 90f64.ln()).abs() < 1e-12);
        assert!((careful.lower_bound() - (0.1 / 0.99f64).ln()).abs() < 1e-12);
    }

    #[test]
    fn parser_accepts_any_order_or_separator() {
        let expected = Sprt {
            elo0: -3.0,
            elo1: 1.0,
            alpha: 0.05,
            beta: 0.05,
            model: EloModel::Normalized,
        };
        for text in [
            "elo0=-3 elo1=1",
            "elo1=1,elo0=-3",
            " elo1=1.0 ,, beta=5e-2\telo0=-3 ",
        ] {
            assert_eq!(text.parse::<Sprt>(), Ok(expected));
        }
    }

    #[test]
    fn parse_errors_name_the_option() {
        let message = |text: &str| text.parse::<Sprt>().unwrap_err().to_string();
        assert!(message("elo0=0").contains("missing elo1"));
        assert!(message("").contains("missing elo0"));
        assert!(message("elo0=0 elo1=ten").contains("`ten` is not a value for `elo1`"));
        assert!(message("elo0=0 elo2=10").contains("`elo2=10`"));
        assert!(message("elo0=0 elo2=x").contains("`elo2=x`"));
        assert!(message("elo0=0 elo1").contains("`elo1`"));
        assert!(message("elo0=0 elo0=0 elo1=1").contains("`elo0` is set twice"));
        assert!(message("elo0=0 elo1=1 model=bayesian").contains("`bayesian`"));
        assert!(message("elo0=10 elo1=0").contains("less than"));
        assert!(message("elo0=nan elo1=0").contains("elo0=NaN"));
        assert!(message("elo0=0 elo1=501").contains("elo1=501"));
        assert!(message("elo0=0 elo1=5 alpha=0").contains("alpha=0 "));
        assert!(message("elo0=0 elo1=5 beta=0.5").contains("beta=0.5"));
    }
}
