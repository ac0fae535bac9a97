//! The parameters of the search, in one table.

use std::fmt;

use crate::Playable;

/// The description of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ParamInfo {
    /// Name in options and text forms.
    pub name: &'static str,
    /// Smallest allowed value.
    pub min: f32,
    /// Largest allowed value.
    pub max: f32,
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $min:literal..=$max:literal;)*) => {
        /// Tunable parameters of the search. Each line of their table gives name, default and
        /// range.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Params {
            $($(#[$doc])* pub $name: f32,)*
        }

        $(const _: () = assert!($min <= $default && $default <= $max);)*

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $default,)* }
            }
        }

        impl Params {
            /// Every parameter, in the order of the fields.
            pub(crate) const ALL: &'static [ParamInfo] = &[
                $(ParamInfo {
                    name: stringify!($name),
                    min: $min,
                    max: $max,
                },)*
            ];

            fn slot(&mut self, name: &str) -> Option<&mut f32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

params! {
    /// Weight of a move's prior against its expected score in PUCT.
    exploration = 0.5 in 0.0..=10.0;
    /// Difference in expected score that makes a prior e times larger: the softmax's temperature.
    prior_temperature = 0.08 in 0.001..=10.0;
    /// Weight of the network's policy in the priors, if it has one.
    policy = 1.0 in 0.0..=10.0;
    /// Share of the minimax value in a node's expected score; the rest is the mean over its visits.
    minimax_share = 0.5 in 0.0..=1.0;
    /// Maximum share of the root's visits for moves with too few visits for their rank.
    root_share = 0.0 in 0.0..=0.5;
    /// Relative size of the priors' noise, which makes games with different seeds differ.
    prior_jitter = 0.05 in 0.0..=10.0;
}

impl Params {
    /// The default parameters for `G`.
    pub fn for_game<G: Playable>() -> Params {
        Params {
            exploration: G::EXPLORATION,
            ..Params::default()
        }
    }
}

/// Values for some of the parameters. The text form is `name=value`, separated by `,`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParamChanges([Option<f32>; Params::ALL.len()]);

impl ParamChanges {
    /// Changes a parameter by its name.
    ///
    /// # Errors
    /// If the name is unknown or the text is not a number in the parameter's range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut changes = Params::ALL.iter().zip(&mut self.0);
        let Some((info, change)) = changes.find(|(info, _)| info.name == name) else {
            let problem = format!("`{name}` is not a parameter of the search");
            return Err(problem);
        };
        let ParamInfo { min, max, .. } = *info;
        let number = value.parse::<f32>().ok();
        let number = number.filter(|number| (min..=max).contains(number));
        *change = Some(number.ok_or_else(|| {
            format!("`{value}` is not a value for {name}: expected a number from {min} to {max}")
        })?);
        Ok(())
    }

    /// `params` with these changes.
    #[must_use]
    pub fn apply_to(self, mut params: Params) -> Params {
        for (info, value) in self.changed() {
            if let Some(slot) = params.slot(info.name) {
                *slot = value;
            }
        }
        params
    }

    fn changed(self) -> impl Iterator<Item = (&'static ParamInfo, f32)> {
        let all = Params::ALL.iter().zip(self.0);
        all.filter_map(|(info, value)| Some((info, value?)))
    }
}

impl fmt::Display for ParamChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (info, value)) in self.changed().enumerate() {
            let separator = if i == 0 { "" } else { "," };
            write!(f, "{separator}{}={value}", info.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_rejects_unknown_names_or_values() {
        let mut changes = ParamChanges::default();
        assert_eq!(changes.to_string(), "");
        assert_eq!(changes.apply_to(Params::default()), Params::default());
        changes.set("minimax_share", "0.25").unwrap();
        changes.set("exploration", "0.5").unwrap();
        for (name, value) in [
            ("minimax_share", "1.5"),
            ("exploration", "x"),
            ("exploration", "NaN"),
            ("depth", "1"),
        ] {
            assert!(changes.set(name, value).is_err(), "{name}={value}");
        }
        assert_eq!(changes.to_string(), "exploration=0.5,minimax_share=0.25");
        let base = Params {
            exploration: 0.9,
            prior_jitter: 0.1,
            ..Params::default()
        };
        let changed = changes.apply_to(base);
        assert_eq!((changed.exploration, changed.minimax_share), (0.5, 0.25));
        assert_eq!(changed.prior_jitter, 0.1);
    }
}
