//! The options of the engine.

use crate::evaluation::{NetworkEvaluator, NetworkFile, NetworkFileError};
use crate::game::Repetition;
use crate::hive::standard::{Opening, Wide};
use crate::search::Level;

/// An evaluation and its source; by default the built-in one.
#[derive(Clone, Debug)]
pub struct EvaluationSource {
    /// The network's file; `None` for the built-in one.
    path: Option<String>,
    evaluator: NetworkEvaluator<Wide>,
}

impl EvaluationSource {
    /// Reads a file.
    ///
    /// # Errors
    /// When it does not hold a network for standard Hive.
    pub fn read(path: &str) -> Result<EvaluationSource, String> {
        if path.contains(';') {
            // A semicolon separates values in the option's line.
            return Err("The name of the file must not contain a semicolon.".to_owned());
        }
        let file: Result<NetworkFile, NetworkFileError> = path.parse();
        let evaluator = file.and_then(|file| file.evaluator());
        Ok(EvaluationSource {
            path: Some(path.to_owned()),
            evaluator: evaluator.map_err(|error| error.to_string())?,
        })
    }

    /// The evaluator.
    pub(super) fn evaluator(&self) -> &NetworkEvaluator<Wide> {
        &self.evaluator
    }
}

impl Default for EvaluationSource {
    fn default() -> EvaluationSource {
        EvaluationSource {
            path: None,
            evaluator: NetworkEvaluator::built_in(),
        }
    }
}

impl PartialEq for EvaluationSource {
    fn eq(&self, other: &EvaluationSource) -> bool {
        self.path == other.path && self.evaluator.network() == other.evaluator.network()
    }
}

/// The option's value for the built-in evaluation.
const BUILT_IN: &str = "BuiltIn";

/// The options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Threads of the search.
    pub threads: i64,
    /// Memory for the tree, in MiB.
    pub memory_mib: i64,
    /// True to ponder while no command is due.
    pub pondering: bool,
    /// True to report the best move so far during a search.
    pub report_intermediate: bool,
    /// True if the third occurrence of a position is a draw.
    pub draw_by_repetition: bool,
    /// True if the queen may be placed on the first turn.
    pub queen_on_first_turn: bool,
    /// Strength, from 1 for beginners to 8 without a limit.
    pub strength: i64,
    /// The evaluation.
    pub evaluation: EvaluationSource,
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
            strength: Level::ALL.len() as i64,
            evaluation: EvaluationSource::default(),
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
        self.level().and_then(|level| level.nodes)
    }

    /// The level of strength.
    pub fn level(&self) -> Option<Level> {
        Level::numbered(usize::try_from(self.strength).ok()?)
    }
}

/// An option's name and field.
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
    Evaluation,
}

const TABLE: [Entry; 8] = [
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
            max: Level::ALL.len() as i64,
        },
    },
    Entry {
        name: "EvaluationFile",
        field: Field::Evaluation,
    },
];

fn bool_text(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

impl Entry {
    /// `Name;Type;Current;Default`, then the bounds of a number, or the known values of the evaluation; any file is allowed too.
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
            Field::Evaluation => {
                let path = options.evaluation.path;
                let current = path.as_deref().unwrap_or(BUILT_IN);
                let known = match &path {
                    Some(path) => format!("{BUILT_IN};{path}"),
                    None => BUILT_IN.to_owned(),
                };
                format!("{name};enum;{current};{BUILT_IN};{known}")
            }
        }
    }

    /// Sets the option.
    ///
    /// # Errors
    /// When the option does not accept the value; nothing is changed then.
    fn set(&self, options: &mut Options, value: &str) -> Result<(), String> {
        let no_value = |line| Err(format!("\"{value}\" is no value for {line}."));
        match self.field {
            Field::Bool(field) => match value.to_ascii_lowercase().parse() {
                Ok(value) => *field(options) = value,
                Err(_) => return no_value(self.line(options.clone())),
            },
            Field::Int { field, min, max } => match value.parse() {
                Ok(value) if (min..=max).contains(&value) => *field(options) = value,
                _ => return no_value(self.line(options.clone())),
            },
            Field::Evaluation => {
                options.evaluation = if value.eq_ignore_ascii_case(BUILT_IN) {
                    EvaluationSource::default()
                } else {
                    EvaluationSource::read(value)?
                };
            }
        }
        Ok(())
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
        TABLE.iter().map(|entry| entry.line(self.clone())).collect()
    }

    /// The line of one option.
    ///
    /// # Errors
    /// When there is no such option.
    pub(super) fn line(&self, name: &str) -> Result<String, String> {
        Ok(find(name)?.line(self.clone()))
    }

    /// Changes an option and returns its new line.
    ///
    /// # Errors
    /// When there is no such option, or it does not accept the value; nothing is changed then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<String, String> {
        let entry = find(name)?;
        entry.set(self, value)?;
        Ok(entry.line(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Evaluator, Network};

    #[test]
    fn lines_have_the_form_that_viewers_read() {
        let lines = Options::default().lines();
        assert_eq!(lines[0], "Threads;int;1;1;1;256");
        assert!(lines.contains(&"Pondering;bool;False;False".to_owned()));
        assert!(lines.contains(&"Strength;int;8;8;1;8".to_owned()));
    }

    #[test]
    fn values_are_set_or_refused() {
        let mut options = Options::default();
        assert_eq!(
            options.set("strength", "2"),
            Ok("Strength;int;2;8;1;8".to_owned())
        );
        assert_eq!(
            options.set("Pondering", "true"),
            Ok("Pondering;bool;True;False".to_owned())
        );
        let before = options.clone();
        for (name, value) in [
            ("Strength", "0"),
            ("Strength", "x"),
            ("Pondering", "1"),
            ("Nothing", "1"),
            ("EvaluationFile", "no such file"),
            ("EvaluationFile", "a;b"),
            ("EvaluationFile", ""),
        ] {
            assert!(options.set(name, value).is_err());
        }
        assert_eq!(options, before);
    }

    #[test]
    fn an_evaluation_comes_from_a_file_and_is_given_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my first.net");
        std::fs::write(&path, Network::first::<Wide>().to_bytes()).unwrap();
        let path = path.display().to_string();
        let mut options = Options::default();
        assert_eq!(
            options.set("EvaluationFile", &path),
            Ok(format!("EvaluationFile;enum;{path};BuiltIn;BuiltIn;{path}"))
        );
        let start = "0 - - QSSBBGGGAAA/QSSBBGGGAAA".parse().unwrap();
        let judge = |options: &Options| options.evaluation.evaluator().evaluate(&start);
        assert_ne!(judge(&options), judge(&Options::default()));
        let line = "EvaluationFile;enum;BuiltIn;BuiltIn;BuiltIn".to_owned();
        assert_eq!(options.set("evaluationfile", "builtin"), Ok(line));
        assert_eq!(options, Options::default());
    }
}
