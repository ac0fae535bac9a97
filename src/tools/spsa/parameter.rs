//! A parameter to tune, as an argument.

use wabe_arena::tuning::SpsaParameter;
use wabe_engine::search::{ParamInfo, Params};

/// Default shake of a parameter, as a share of its start.
const SHAKE_SHARE: f32 = 0.2;

fn info(name: &str) -> Option<&'static ParamInfo> {
    Params::ALL.iter().find(|info| info.name == name)
}

/// Reads `exploration` or `"exploration start=0.5 least=0.1 most=2 shake=0.1"`. The default start
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
    let (mut least, mut most) = (info.least, info.most);
    let mut shake = None;
    for word in words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let number = value.parse().ok().filter(|number: &f32| number.is_finite());
        let number = number.ok_or_else(|| format!("`{word}`: expected a number"));
        match key {
            "start" => start = number?,
            "least" => least = number?,
            "most" => most = number?,
            "shake" => shake = Some(number?),
            _ => {
                return Err(format!(
                    "`{word}` is not an option of a parameter: expected start=X, least=X, most=X or shake=X"
                ));
            }
        }
    }
    if least < info.least || most > info.most || least >= most {
        let (lowest, highest) = (info.least, info.most);
        return Err(format!(
            "{name}: expected a range within {lowest}..={highest}, found {least}..={most}"
        ));
    }
    if !(least..=most).contains(&start) {
        return Err(format!(
            "{name}: the start {start} is not in {least}..={most}"
        ));
    }
    let shake = shake.unwrap_or(SHAKE_SHARE * start);
    if !(shake > 0.0 && shake <= (most - least) / 2.0) {
        return Err(format!(
            "{name}: the shake {shake} is not more than 0 and at most half of {least}..={most}"
        ));
    }
    Ok(SpsaParameter {
        name: name.to_owned(),
        start: start.into(),
        least: least.into(),
        most: most.into(),
        perturbation: shake.into(),
    })
}

/// A tuned value, rounded to four significant digits and kept within the range.
pub(super) fn rounded(parameter: &SpsaParameter, value: f64) -> f32 {
    let rounded = format!("{value:.3e}").parse().unwrap_or(value);
    (rounded as f32).clamp(parameter.least as f32, parameter.most as f32)
}

/// The parameter's line in the table of the search's source, with another default.
pub(super) fn as_source(name: &str, default: f32) -> Option<String> {
    let ParamInfo { least, most, .. } = info(name)?;
    Some(format!("{name} = {default:?} in {least:?}..={most:?};"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_override_the_player_and_the_table() {
        let mut params = Params::default();
        params.set("exploration", "0.8").unwrap();
        for (text, expected) in [
            ("exploration", [0.8, 0.0, 10.0, 0.16]),
            (
                "exploration start=1 least=0.5 most=2 shake=0.25",
                [1.0, 0.5, 2.0, 0.25],
            ),
        ] {
            let tuned = parse(text, &params).unwrap();
            let found = [tuned.start, tuned.least, tuned.most, tuned.perturbation];
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
            ("exploration most=11", "0..=11"),
            ("exploration least=2 most=2", "2..=2"),
            ("exploration start=3 most=2", "start 3"),
            ("exploration start=0", "shake 0"),
            ("minimax_share shake=0.6", "shake 0.6"),
        ] {
            let error = parse(text, &Params::default()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn tuned_values_are_rounded_within_the_range() {
        let parameter = parse("prior_temperature most=0.5", &Params::default()).unwrap();
        let value = rounded(&parameter, 0.081_234_567);
        let source = "prior_temperature = 0.08123 in 0.001..=10.0;";
        assert_eq!(as_source(&parameter.name, value).unwrap(), source);
        assert_eq!(rounded(&parameter, 0.500_000_1), 0.5);
    }
}
