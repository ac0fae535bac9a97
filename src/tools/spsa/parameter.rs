//! A parameter to tune, as an argument.

use std::str::FromStr;

use wabe_arena::tuning::SpsaParameter;
use wabe_engine::search::{ParamInfo, Params};

/// Default shake of a parameter, as a share of its start.
const SHAKE_SHARE: f32 = 0.2;

/// `exploration` or `"exploration start=0.5 least=0.1 most=2 shake=0.1"`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParameterArg {
    info: &'static ParamInfo,
    start: Option<f32>,
    least: f32,
    most: f32,
    shake: Option<f32>,
}

fn names() -> String {
    let names: Vec<&str> = Params::ALL.iter().map(|info| info.name).collect();
    names.join(", ")
}

impl FromStr for ParameterArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ParameterArg, String> {
        let mut words = text.split_whitespace();
        let name = words
            .next()
            .ok_or_else(|| format!("a parameter of the search is needed: {}", names()))?;
        let info = Params::ALL.iter().find(|info| info.name == name);
        let info = info.ok_or_else(|| {
            let names = names();
            format!("`{name}` is not a parameter of the search: expected one of {names}")
        })?;
        let mut parameter = ParameterArg {
            info,
            start: None,
            least: info.least,
            most: info.most,
            shake: None,
        };
        for word in words {
            let unknown = || {
                format!(
                    "`{word}` is not an option of a parameter: expected start=X, least=X, most=X or shake=X"
                )
            };
            let (key, value) = word.split_once('=').ok_or_else(unknown)?;
            let number = value.parse().ok().filter(|number: &f32| number.is_finite());
            let number = number.ok_or_else(|| format!("`{word}`: expected a number"));
            match key {
                "start" => parameter.start = Some(number?),
                "least" => parameter.least = number?,
                "most" => parameter.most = number?,
                "shake" => parameter.shake = Some(number?),
                _ => return Err(unknown()),
            }
        }
        let ParameterArg { least, most, .. } = parameter;
        if least < info.least || most > info.most || least >= most {
            let (lowest, highest) = (info.least, info.most);
            return Err(format!(
                "{name}: {least}..={most} is no range within {lowest}..={highest}"
            ));
        }
        Ok(parameter)
    }
}

impl ParameterArg {
    /// The parameter, with its start from `params` unless it sets one.
    pub(super) fn with_start_in(&self, params: &Params) -> Result<SpsaParameter, String> {
        let &ParameterArg {
            info, least, most, ..
        } = self;
        let name = info.name;
        let start = self.start.or_else(|| params.get(name));
        let start = start.unwrap_or(info.default);
        if !(least..=most).contains(&start) {
            return Err(format!(
                "{name}: the start {start} is not in {least}..={most}"
            ));
        }
        let shake = self.shake.unwrap_or(SHAKE_SHARE * start);
        if !(shake > 0.0 && shake <= (most - least) / 2.0) {
            return Err(format!(
                "{name}: the shake {shake} is not more than 0 and at most half of {least}..={most}"
            ));
        }
        Ok(SpsaParameter {
            name: name.to_owned(),
            start: f64::from(start),
            least: f64::from(least),
            most: f64::from(most),
            perturbation: f64::from(shake),
        })
    }

    /// A tuned value, rounded to four significant digits and kept within the range.
    pub(super) fn rounded(&self, value: f64) -> f32 {
        let rounded = format!("{value:.3e}").parse().unwrap_or(value);
        (rounded as f32).clamp(self.least, self.most)
    }

    /// The parameter's line in the table of the search's source, with another default.
    pub(super) fn as_source(&self, default: f32) -> String {
        let ParamInfo {
            name, least, most, ..
        } = self.info;
        format!("{name} = {default:?} in {least:?}..={most:?};")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_comes_from_the_player_and_the_table() {
        let mut params = Params::default();
        params.set("exploration", "0.8").unwrap();
        let parameter: ParameterArg = "exploration".parse().unwrap();
        let tuned = parameter.with_start_in(&params).unwrap();
        assert_eq!(
            (tuned.start as f32, tuned.least as f32, tuned.most as f32),
            (0.8, 0.0, 10.0)
        );
        assert!((tuned.perturbation - 0.16).abs() < 1e-6);
        let parameter: ParameterArg = "exploration start=1 least=0.5 most=2 shake=0.25"
            .parse()
            .unwrap();
        let tuned = parameter.with_start_in(&params).unwrap();
        assert_eq!(
            (tuned.start, tuned.least, tuned.most, tuned.perturbation),
            (1.0, 0.5, 2.0, 0.25)
        );
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |text: &str| {
            let parameter = text.parse::<ParameterArg>();
            let tuned = parameter.and_then(|p| p.with_start_in(&Params::default()));
            tuned.unwrap_err()
        };
        for (text, part) in [
            ("", "exploration, prior_temperature"),
            ("depth", "`depth`"),
            ("exploration 3", "`3`"),
            ("exploration stop=3", "`stop=3`"),
            ("exploration start=much", "`start=much`"),
            ("exploration start=inf", "`start=inf`"),
            ("exploration most=11", "0..=11"),
            ("exploration least=-1", "-1..=10"),
            ("exploration least=2 most=2", "2..=2"),
            ("exploration start=3 most=2", "start 3"),
            ("exploration start=0", "shake 0"),
            ("exploration shake=-1", "shake -1"),
            ("minimax_share shake=0.6", "shake 0.6"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }

    #[test]
    fn tuned_values_are_printed_as_the_table_has_them() {
        let parameter: ParameterArg = "prior_temperature most=0.5".parse().unwrap();
        let rounded = parameter.rounded(0.081_234_567);
        assert_eq!(rounded, 0.08123);
        assert_eq!(
            parameter.as_source(rounded),
            "prior_temperature = 0.08123 in 0.001..=10.0;"
        );
        assert_eq!(parameter.rounded(0.500_000_1), 0.5);
    }
}
