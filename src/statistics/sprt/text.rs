//! The text form of a test.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{EloModel, InvalidSprt, Sprt};

/// Why a text is no sequential test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseSprtError {
    /// A part is not `name=value` with a known name.
    #[error(
        "`{0}` is no part of a sequential test: expected elo0=ELO, elo1=ELO, alpha=P, beta=P or model=MODEL"
    )]
    Part(String),
    /// A name occurs twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A value is no number.
    #[error("`{value}` is not a value for `{name}`: expected a number")]
    Number {
        /// The name.
        name: String,
        /// What was given.
        value: String,
    },
    /// A value is no Elo model.
    #[error("`{0}` is not an Elo model: expected `normalized` or `logistic`")]
    Model(String),
    /// A hypothesis is not given.
    #[error("`{0}` is missing: a sequential test needs elo0=ELO and elo1=ELO")]
    Missing(&'static str),
    /// The numbers do not make a test.
    #[error(transparent)]
    Invalid(#[from] InvalidSprt),
}

impl EloModel {
    const ALL: [EloModel; 2] = [EloModel::Normalized, EloModel::Logistic];
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
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<EloModel, ParseSprtError> {
        EloModel::ALL
            .into_iter()
            .find(|model| model.to_string() == text)
            .ok_or_else(|| ParseSprtError::Model(text.to_owned()))
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
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Sprt, ParseSprtError> {
        let mut numbers = ["elo0", "elo1", "alpha", "beta"].map(|name| (name, None));
        let mut model = None;
        let is_separator = |c: char| c == ',' || c.is_whitespace();
        for part in text.split(is_separator).filter(|part| !part.is_empty()) {
            let unknown = || ParseSprtError::Part(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(unknown)?;
            let twice = if name == "model" {
                model.replace(value.parse()?).is_some()
            } else {
                let number = value.parse::<f64>().map_err(|_| ParseSprtError::Number {
                    name: name.to_owned(),
                    value: value.to_owned(),
                });
                let slot = numbers.iter_mut().find(|(known, _)| *known == name);
                let (_, slot) = slot.ok_or_else(unknown)?;
                slot.replace(number?).is_some()
            };
            if twice {
                return Err(ParseSprtError::Twice(name.to_owned()));
            }
        }
        let [elo0, elo1, alpha, beta] = numbers;
        let required = |(name, value): (_, Option<f64>)| value.ok_or(ParseSprtError::Missing(name));
        Ok(Sprt::new(
            required(elo0)?,
            required(elo1)?,
            alpha.1.unwrap_or(Sprt::DEFAULT_ERROR),
            beta.1.unwrap_or(Sprt::DEFAULT_ERROR),
            model.unwrap_or_default(),
        )?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in [
            "elo0=0 elo1=10 alpha=0.05 beta=0.05 model=normalized",
            "elo0=-1.75 elo1=0.25 alpha=0.01 beta=0.1 model=logistic",
        ] {
            assert_eq!(text.parse::<Sprt>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn order_separators_and_defaults_are_free() {
        let expected = Sprt::new(-3.0, 1.0, 0.05, 0.05, EloModel::Normalized).unwrap();
        for text in [
            "elo0=-3 elo1=1",
            "elo1=1,elo0=-3",
            " elo1=1.0 ,, beta=5e-2\telo0=-3 ",
        ] {
            assert_eq!(text.parse::<Sprt>(), Ok(expected));
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let message = |text: &str| text.parse::<Sprt>().unwrap_err().to_string();
        assert!(message("elo0=0").contains("`elo1` is missing"));
        assert!(message("").contains("`elo0` is missing"));
        assert!(message("elo0=0 elo1=ten").contains("`ten` is not a value for `elo1`"));
        assert!(message("elo0=0 elo2=10").contains("`elo2=10`"));
        assert!(message("elo0=0 elo2=x").contains("`elo2=x`"));
        assert!(message("elo0=0 elo1").contains("`elo1`"));
        assert!(message("elo0=0 elo0=0 elo1=1").contains("`elo0` is given twice"));
        assert!(message("elo0=0 elo1=1 model=bayesian").contains("`bayesian`"));
        assert!(message("elo0=10 elo1=0").contains("less than"));
        assert!(message("elo0=nan elo1=0").contains("elo0=NaN"));
    }
}
