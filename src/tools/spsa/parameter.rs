//! Parses a parameter to tune.

use wabe_arena::tuning::SpsaParameter;
use wabe_engine::search::{ParamInfo, Params};

/// Default step of a parameter, as a share of its start.
const STEP_SHARE: f32 = 0.2;

fn info(name: &str) -> Option<&'static ParamInfo> {
    Params::ALL.iter().find(|info| info.name == name)
}

/// Reads `exploration` or `"exploration start=0.5 min=0.1 max=2 step=0.1"`. The default start
/// is that of `params`, the default range that of the search.
pub(super) fn parse(text: &str, params: &Params) -> Result<SpsaParameter, String> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let Some(info) = info(name) else {
        let names: Vec<&str> = Params::ALL.iter().map(|info| info.name).collect();
        let names = names.join(", ");
        return Err(format!(
            "`{name}` is not a parameter of the search: expected one of {names}"
        ));
    };
    let mut start = params.get(name).unwrap_or(info.default);
    let (mut min, mut max) = (info.min, info.max);
    let mut step = None;
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = value.parse().ok().filter(|number: &f32| number.is_finite());
        let number = number.ok_or_else(|| format!("`{word}`: expected a number"));
        match key {
            "start" => start = number?,
            "min" => min = number?,
            "max" => max = number?,
            "step" => step = Some(number?),
            _ => {
                return Err(format!(
                    "`{word}` is not an option of a parameter: expected start=X, min=X, max=X or step=X"
                ));
            }
        }
    }
    if min < info.min || max > info.max || min >= max {
        let (lowest, highest) = (info.min, info.max);
        return Err(format!(
            "{name}: expected a range within {lowest}..={highest}, found {min}..={max}"
        ));
    }
    if !(min..=max).contains(&start) {
        return Err(format!("{name}: the start {start} is not in {min}..={max}"));
    }
    let step = step.unwrap_or(STEP_SHARE * start);
    if !(step > 0.0 && step <= (max - min) / 2.0) {
        return Err(format!(
            "{name}: the step {step} must be above 0 and at most half of {min}..={max}"
        ));
    }
    Ok(SpsaParameter {
        name: name.to_owned(),
        start: start.into(),
        min: min.into(),
        max: max.into(),
        perturbation: step.into(),
    })
}

/// Rounds a tuned value to four significant digits, within its range.
pub(super) fn rounded(parameter: &SpsaParameter, value: f64) -> f32 {
    let rounded = format!("{value:.3e}").parse().unwrap_or(value);
    (rounded as f32).clamp(parameter.min as f32, parameter.max as f32)
}

/// The parameter's line in the source of the search, with a new default.
pub(super) fn as_source(name: &str, default: f32) -> Option<String> {
    let ParamInfo { min, max, .. } = info(name)?;
    Some(format!("{name} = {default:?} in {min:?}..={max:?};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_override_player_or_table() {
        let mut params = Params::default();
        params.set("exploration", "0.8").unwrap();
        for (text, expected) in [
            ("exploration", [0.8, 0.0, 10.0, 0.16]),
            (
                "exploration start=1 min=0.5 max=2 step=0.25",
                [1.0, 0.5, 2.0, 0.25],
            ),
        ] {
            let tuned = parse(text, &params).unwrap();
            let found = [tuned.start, tuned.min, tuned.max, tuned.perturbation];
            let differ = |(a, b): (f64, f64)| (a - b).abs() > 1e-6;
            assert!(
                !found.into_iter().zip(expected).any(differ),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn errors_name_the_option_or_the_range() {
        for (text, part) in [
            ("", "exploration, prior_temperature"),
            ("depth", "`depth`"),
            ("exploration 3", "`3`"),
            ("exploration stop=3", "`stop=3`"),
            ("exploration start=much", "`start=much`"),
            ("exploration max=11", "0..=11"),
            ("exploration min=2 max=2", "2..=2"),
            ("exploration start=3 max=2", "start 3"),
            ("exploration start=0", "step 0"),
            ("minimax_share step=0.6", "step 0.6"),
        ] {
            let error = parse(text, &Params::default()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn tuned_values_are_rounded_within_the_range() {
        let parameter = parse("prior_temperature max=0.5", &Params::default()).unwrap();
        let value = rounded(&parameter, 0.081_234_567);
        let source = "prior_temperature = 0.08123 in 0.001..=10.0;";
        assert_eq!(as_source(&parameter.name, value).unwrap(), source);
        assert_eq!(rounded(&parameter, 0.500_000_1), 0.5);
    }
}
