//! Engine options.

use super::machine;
use wabe_engine::evaluation::NetworkFile;
use wabe_engine::search::{Level, PlayerSpec};
use wabe_hive::game::Repetition;
use wabe_hive::standard::{OpeningRule, Standard};

/// Maximum of the option `Threads`.
pub(super) const MAX_THREADS: i64 = 256;

/// Maximum of the option `MemoryMiB`.
pub(super) const MAX_MEMORY_MIB: i64 = 65_536;

/// Value of `EvaluationFile` for the built-in network.
const BUILT_IN: &str = "BuiltIn";

/// Current values of all options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Search threads.
    pub threads: i64,
    /// Memory for the search tree, in MiB.
    pub memory_mib: i64,
    /// True to search between commands.
    pub pondering: bool,
    /// True to report the best move so far during a search.
    pub report_intermediate: bool,
    /// True if the third occurrence of a position is a draw.
    pub draw_by_repetition: bool,
    /// True if the queen may be placed on the first turn.
    pub queen_on_first_turn: bool,
    /// From 1 (beginner) to 10 (unlimited).
    pub strength: i64,
    /// A network and the path of its file; `None` for the built-in one.
    pub evaluation: Option<(String, NetworkFile)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: machine::cores(),
            memory_mib: machine::quarter_of_memory_mib(),
            pondering: false,
            report_intermediate: false,
            draw_by_repetition: true,
            queen_on_first_turn: false,
            strength: Level::MAX as i64,
            evaluation: None,
        }
    }
}

impl Options {
    /// The repetition rule for `draw_by_repetition`.
    pub fn repetition(&self) -> Repetition {
        if self.draw_by_repetition {
            Repetition::Draw
        } else {
            Repetition::Ignore
        }
    }

    /// The opening rule for `queen_on_first_turn`.
    pub fn opening(&self) -> OpeningRule {
        if self.queen_on_first_turn {
            OpeningRule::Free
        } else {
            OpeningRule::Tournament
        }
    }

    /// Maximum number of iterations per move at this strength; `None` if unlimited.
    pub fn max_nodes(&self) -> Option<u64> {
        self.level().and_then(Level::nodes)
    }

    /// The player with these options.
    pub(super) fn player(&self) -> PlayerSpec {
        let file = self.evaluation.as_ref().map(|(_, file)| file.clone());
        PlayerSpec {
            level: self.level(),
            threads: usize::try_from(self.threads).ok(),
            memory_mib: usize::try_from(self.memory_mib).ok(),
            weights: file,
            ..PlayerSpec::default()
        }
    }

    /// The player level for `strength`.
    pub fn level(&self) -> Option<Level> {
        Level::new(u64::try_from(self.strength).ok()?)
    }
}

enum Field {
    Bool(fn(&mut Options) -> &mut bool),
    /// An integer from 1 to this maximum.
    Int(fn(&mut Options) -> &mut i64, i64),
    Evaluation,
}

const TABLE: [(&str, Field); 8] = [
    ("Threads", Field::Int(|it| &mut it.threads, MAX_THREADS)),
    (
        "MemoryMiB",
        Field::Int(|it| &mut it.memory_mib, MAX_MEMORY_MIB),
    ),
    ("Pondering", Field::Bool(|it| &mut it.pondering)),
    (
        "ReportIntermediateBestMoves",
        Field::Bool(|it| &mut it.report_intermediate),
    ),
    (
        "DrawByRepetition",
        Field::Bool(|it| &mut it.draw_by_repetition),
    ),
    (
        "QueenOnFirstTurn",
        Field::Bool(|it| &mut it.queen_on_first_turn),
    ),
    (
        "Strength",
        Field::Int(|it| &mut it.strength, Level::MAX as i64),
    ),
    ("EvaluationFile", Field::Evaluation),
];

fn find(name: &str) -> Result<&'static (&'static str, Field), String> {
    TABLE
        .iter()
        .find(|(found, _)| found.eq_ignore_ascii_case(name))
        .ok_or_else(|| format!("The option \"{name}\" is not valid."))
}

impl Options {
    /// The lines of all options.
    pub(super) fn lines(&self) -> Vec<String> {
        TABLE.iter().map(|entry| self.entry_line(entry)).collect()
    }

    /// The line of one option.
    ///
    /// # Errors
    /// When the option does not exist.
    pub(super) fn line(&self, name: &str) -> Result<String, String> {
        Ok(self.entry_line(find(name)?))
    }

    /// `Name;Type;Current;Default`, followed by the bounds of a number or the known values of
    /// `EvaluationFile`, which also accepts other files.
    fn entry_line(&self, (name, field): &(&str, Field)) -> String {
        let (mut options, mut default) = (self.clone(), Options::default());
        let bool_text = |value| if value { "True" } else { "False" };
        match field {
            Field::Bool(field) => format!(
                "{name};bool;{};{}",
                bool_text(*field(&mut options)),
                bool_text(*field(&mut default))
            ),
            Field::Int(field, max) => format!(
                "{name};int;{};{};1;{max}",
                field(&mut options),
                field(&mut default)
            ),
            Field::Evaluation => match options.evaluation {
                Some((path, _)) => format!("{name};enum;{path};{BUILT_IN};{BUILT_IN};{path}"),
                None => format!("{name};enum;{BUILT_IN};{BUILT_IN};{BUILT_IN}"),
            },
        }
    }

    /// Sets an option and returns its new line.
    ///
    /// # Errors
    /// When the option does not exist or the value is invalid. The option keeps its old value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<String, String> {
        let entry = find(name)?;
        let (name, field) = entry;
        let invalid =
            |expected: &str| format!("Invalid value \"{value}\" for {name}: expected {expected}.");
        match field {
            Field::Bool(field) => {
                let value = value.to_ascii_lowercase().parse();
                *field(self) = value.map_err(|_| invalid("True or False"))?;
            }
            Field::Int(field, max) => match value.parse() {
                Ok(value) if (1..=*max).contains(&value) => *field(self) = value,
                _ => return Err(invalid(&format!("a whole number from 1 to {max}"))),
            },
            Field::Evaluation if value.eq_ignore_ascii_case(BUILT_IN) => self.evaluation = None,
            // A semicolon separates values in the option's line.
            Field::Evaluation if value.contains(';') => {
                return Err("The file name must not contain a semicolon.".to_owned());
            }
            Field::Evaluation => {
                let file = value.parse::<NetworkFile>();
                let file = file.and_then(|file| file.evaluator::<Standard>().map(|_| file));
                let file = file.map_err(|error| error.to_string())?;
                self.evaluation = Some((value.to_owned(), file));
            }
        }
        Ok(self.entry_line(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_engine::evaluation::Network;

    #[test]
    fn option_lines_follow_the_protocol() {
        let lines = Options::default().lines();
        let cores = machine::cores();
        assert_eq!(lines[0], format!("Threads;int;{cores};{cores};1;256"));
        assert!(lines.contains(&"Pondering;bool;False;False".to_owned()));
        assert!(lines.contains(&"Strength;int;10;10;1;10".to_owned()));
    }

    #[test]
    fn invalid_values_change_nothing() {
        let mut options = Options::default();
        assert_eq!(
            options.set("strength", "2"),
            Ok("Strength;int;2;10;1;10".to_owned())
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
    fn evaluation_file_can_be_set_then_reset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my first.net");
        std::fs::write(&path, Network::first::<Standard>().to_bytes()).unwrap();
        let path = path.display().to_string();
        let mut options = Options::default();
        assert_eq!(
            options.set("EvaluationFile", &path),
            Ok(format!("EvaluationFile;enum;{path};BuiltIn;BuiltIn;{path}"))
        );
        let player = options.player();
        assert_eq!(player.weights, Some(path.parse().unwrap()));
        let line = "EvaluationFile;enum;BuiltIn;BuiltIn;BuiltIn".to_owned();
        assert_eq!(options.set("evaluationfile", "builtin"), Ok(line));
        assert_eq!(options, Options::default());
    }
}
