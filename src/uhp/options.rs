//! The options that a viewer sees and sets.

use crate::hive::standard::Opening;
use crate::hive::standard::notation::Repetition;

/// What the engine goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads that search.
    pub threads: i64,
    /// Memory for all their trees, in MiB.
    pub memory_mib: i64,
    /// Whether to search while the viewer is silent.
    pub pondering: bool,
    /// Whether to say what looks best while searching.
    pub report_intermediate: bool,
    /// Whether the third occurrence of a position is a draw.
    pub draw_by_repetition: bool,
    /// Whether the queen may be placed on the first turn.
    pub queen_on_first_turn: bool,
    /// From 1, for beginners, to 5, as strong as it gets.
    pub strength: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            memory_mib: 256,
            pondering: false,
            report_intermediate: false,
            draw_by_repetition: true,
            queen_on_first_turn: false,
            strength: 5,
        }
    }
}

impl Options {
    /// The rule for repetitions.
    pub fn repetition(&self) -> Repetition {
        if self.draw_by_repetition {
            Repetition::Draw
        } else {
            Repetition::Ignore
        }
    }

    /// The rule for first turns.
    pub fn opening(&self) -> Opening {
        if self.queen_on_first_turn {
            Opening::Free
        } else {
            Opening::Tournament
        }
    }

    /// The most iterations that the strength allows for a move.
    pub fn most_nodes(&self) -> Option<u64> {
        match self.strength {
            ..=1 => Some(10),
            2 => Some(60),
            3 => Some(400),
            4 => Some(3_000),
            _ => None,
        }
    }
}

/// An option's name and how to read and set it.
struct Entry {
    name: &'static str,
    field: Field,
}

enum Field {
    Bool(fn(&mut Options) -> &mut bool),
    Int {
        field: fn(&mut Options) -> &mut i64,
        min: i64,
        max: i64,
    },
}

const TABLE: [Entry; 7] = [
    Entry {
        name: "Threads",
        field: Field::Int {
            field: |options| &mut options.threads,
            min: 1,
            max: 256,
        },
    },
    Entry {
        name: "MemoryMiB",
        field: Field::Int {
            field: |options| &mut options.memory_mib,
            min: 1,
            max: 65_536,
        },
    },
    Entry {
        name: "Pondering",
        field: Field::Bool(|options| &mut options.pondering),
    },
    Entry {
        name: "ReportIntermediateBestMoves",
        field: Field::Bool(|options| &mut options.report_intermediate),
    },
    Entry {
        name: "DrawByRepetition",
        field: Field::Bool(|options| &mut options.draw_by_repetition),
    },
    Entry {
        name: "QueenOnFirstTurn",
        field: Field::Bool(|options| &mut options.queen_on_first_turn),
    },
    Entry {
        name: "Strength",
        field: Field::Int {
            field: |options| &mut options.strength,
            min: 1,
            max: 5,
        },
    },
];

fn bool_text(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

impl Entry {
    /// `Name;Type;Current;Default` and, for a number, its bounds.
    fn line(&self, mut options: Options) -> String {
        let (name, mut default) = (self.name, Options::default());
        match self.field {
            Field::Bool(field) => format!(
                "{name};bool;{};{}",
                bool_text(*field(&mut options)),
                bool_text(*field(&mut default))
            ),
            Field::Int { field, min, max } => format!(
                "{name};int;{};{};{min};{max}",
                field(&mut options),
                field(&mut default)
            ),
        }
    }

    /// Sets the option; `false` where there is no such value.
    fn set(&self, options: &mut Options, value: &str) -> bool {
        match self.field {
            Field::Bool(field) => match value.to_ascii_lowercase().parse() {
                Ok(value) => *field(options) = value,
                Err(_) => return false,
            },
            Field::Int { field, min, max } => match value.parse() {
                Ok(value) if (min..=max).contains(&value) => *field(options) = value,
                _ => return false,
            },
        }
        true
    }
}

fn find(name: &str) -> Result<&'static Entry, String> {
    TABLE
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| format!("The option \"{name}\" is not valid."))
}

impl Options {
    /// The line of every option.
    pub(super) fn lines(&self) -> Vec<String> {
        TABLE.iter().map(|entry| entry.line(*self)).collect()
    }

    /// The line of one option.
    ///
    /// # Errors
    /// Where there is no such option.
    pub(super) fn line(&self, name: &str) -> Result<String, String> {
        Ok(find(name)?.line(*self))
    }

    /// Changes an option and says what it is then.
    ///
    /// # Errors
    /// Where there is no such option or no such value of it; nothing is changed then.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<String, String> {
        let entry = find(name)?;
        if entry.set(self, value) {
            Ok(entry.line(*self))
        } else {
            let line = entry.line(*self);
            Err(format!("\"{value}\" is no value for {line}."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_form_that_viewers_read() {
        let lines = Options::default().lines();
        assert_eq!(lines[0], "Threads;int;1;1;1;256");
        assert!(lines.contains(&"Pondering;bool;False;False".to_owned()));
        assert!(lines.contains(&"Strength;int;5;5;1;5".to_owned()));
    }

    #[test]
    fn values_are_set_or_refused() {
        let mut options = Options::default();
        assert_eq!(
            options.set("strength", "2"),
            Ok("Strength;int;2;5;1;5".to_owned())
        );
        assert_eq!(
            options.set("Pondering", "true"),
            Ok("Pondering;bool;True;False".to_owned())
        );
        let before = options;
        for (name, value) in [
            ("Strength", "0"),
            ("Strength", "x"),
            ("Pondering", "1"),
            ("Nothing", "1"),
        ] {
            assert!(options.set(name, value).is_err());
        }
        assert_eq!(options, before);
    }
}
