//! Engines that are programs: one description for every kind of them.
//!
//! A kind has a file of its own, which says what it does with its options and how it plays, and a line in the list below.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::client;
use super::engine::ParseEngineError;
use super::error::GameError;
use super::game::GameTask;
use super::seat::Seat;
use super::uhp;
use crate::game::{Game, Protocol};
use crate::hive::Color;
use crate::text::{NAME, printable};

/// A program that plays.
///
/// The text form is the prefix of its kind with the command line, then options: `cmd:./start.sh time=500 dir=bots`. Each kind takes
/// some of `time=MS`, `depth=N`, `nodes=N`, `memory=MIB`, `seed=N` and `set='NAME VALUE'`, and all of them `dir=DIR`,
/// `env=NAME=VALUE`, `log=FILE`, `limit=memory:MIB`, `limit=cpu:SECONDS` and `limit=file:MIB`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSpec {
    /// Its kind.
    pub kind: ProgramKind,
    /// The program's name or path; a relative path begins at `directory`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Time for a move.
    pub move_time: Option<Duration>,
    /// Search depth for a move.
    pub depth: Option<u32>,
    /// Search iterations for a move.
    pub nodes: Option<u64>,
    /// Memory for its search, in MiB.
    pub memory_mib: Option<usize>,
    /// Decides everything random in it.
    pub seed: Option<u64>,
    /// The program's own options: names and values.
    pub settings: Vec<(String, String)>,
    /// The directory in which it is started, if not the present one.
    pub directory: Option<PathBuf>,
    /// Environment variables in addition to ours.
    pub environment: Vec<(String, String)>,
    /// The file to which its output is appended, game by game.
    pub log: Option<PathBuf>,
    /// Bounds on what it may take from the machine.
    pub limits: ProcessLimits,
}

/// Bounds on each process of a program. On Linux alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Memory of its own, in MiB.
    pub memory_mib: Option<u64>,
    /// Processor time, in seconds; a process that exceeds it is killed.
    pub cpu_seconds: Option<u64>,
    /// The longest file that it writes, its output included, in MiB.
    pub file_mib: Option<u64>,
}

/// The facts about a kind of program.
pub(super) struct Facts {
    /// The beginning of its text form.
    pub(super) prefix: &'static str,
    pub(super) protocol: Protocol,
    /// The options that it takes besides those of every program.
    pub(super) options: &'static [&'static str],
    /// True if the options make sense together.
    pub(super) check: fn(&ProgramSpec) -> Result<(), ParseEngineError>,
}

/// A kind of program.
pub(super) trait Program {
    const FACTS: Facts;

    /// Starts a program as a side of a game.
    fn start<G: Game>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<Box<dyn Seat<G>>, GameError>;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $kind:ty;)*) => {
        /// A kind of program: how it is spoken to, and told its limits.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProgramKind {
            $($(#[$doc])* $name,)*
        }

        impl ProgramKind {
            const ALL: &[ProgramKind] = &[$(ProgramKind::$name),*];

            pub(super) fn facts(self) -> &'static Facts {
                match self {
                    $(ProgramKind::$name => &<$kind as Program>::FACTS,)*
                }
            }
        }

        impl ProgramSpec {
            /// Starts the program as a side of the game.
            pub(super) fn start<G: Game>(
                &self,
                task: &GameTask<'_, G>,
                color: Color,
            ) -> Result<Box<dyn Seat<G>>, GameError> {
                match self.kind {
                    $(ProgramKind::$name => <$kind as Program>::start(self, task, color),)*
                }
            }
        }
    };
}

kinds! {
    /// `cmd:`, any contest client. It learns its limits from the placeholders of its command line, if at all.
    Client: client::AnyClient;
    /// `wabe:`, a build of this program as a contest client. It learns its limits from its arguments.
    Wabe: client::Wabe;
    /// `uhp:`, an engine of the Universal Hive Protocol.
    Uhp: uhp::Uhp;
}

impl ProgramKind {
    /// The kind that a text form with this first word has.
    pub(super) fn of_word(word: &str) -> Option<ProgramKind> {
        let mut kinds = ProgramKind::ALL.iter().copied();
        kinds.find(|kind| kind.split(word).is_some())
    }

    /// The rest after the prefix, in any letter case.
    fn split(self, word: &str) -> Option<&str> {
        let prefix = self.facts().prefix;
        let (start, rest) = word.split_at_checked(prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then_some(rest)
    }

    /// The usual kind of programs that speak this protocol.
    pub(super) fn of_protocol(protocol: Protocol) -> Option<ProgramKind> {
        let mut kinds = ProgramKind::ALL.iter().copied();
        kinds.find(|kind| kind.facts().protocol == protocol)
    }
}

/// The options, and what their values are.
const OPTIONS: [(&str, &str); 10] = [
    ("time", "MS"),
    ("depth", "N"),
    ("nodes", "N"),
    ("memory", "MIB"),
    ("seed", "N"),
    ("set", "'NAME VALUE'"),
    ("dir", "DIR"),
    ("env", "NAME=VALUE"),
    ("log", "FILE"),
    ("limit", "memory:MIB|cpu:SECONDS|file:MIB"),
];

/// Programs that run the file after them.
const INTERPRETERS: [&str; 12] = [
    "bash", "dash", "deno", "dotnet", "java", "mono", "node", "perl", "php", "python", "ruby", "sh",
];

/// The options of every program.
const COMMON_OPTIONS: [&str; 4] = ["dir", "env", "log", "limit"];

impl ProgramSpec {
    /// A program without options; `None` without words.
    pub(super) fn new(kind: Option<ProgramKind>, words: Vec<String>) -> Option<ProgramSpec> {
        let mut words = words.into_iter();
        Some(ProgramSpec {
            kind: kind?,
            program: words.next()?,
            arguments: words.collect(),
            move_time: None,
            depth: None,
            nodes: None,
            memory_mib: None,
            seed: None,
            settings: Vec::new(),
            directory: None,
            environment: Vec::new(),
            log: None,
            limits: ProcessLimits::default(),
        })
    }

    /// Reads the first word of the text form; `None` if it is not that of a program.
    pub(super) fn parse_word(word: &str) -> Result<Option<ProgramSpec>, ParseEngineError> {
        let Some(kind) = ProgramKind::of_word(word) else {
            return Ok(None);
        };
        let command = kind.split(word).unwrap_or(word);
        match ProgramSpec::new(Some(kind), split_words(command)?) {
            Some(program) => Ok(Some(program)),
            None => Err(ParseEngineError(format!(
                "`{word}` needs the command line of a program"
            ))),
        }
    }

    /// Sets an option of the text form.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), ParseEngineError> {
        if !self.has_option(key) {
            return Err(self.unknown_option(key, value));
        }
        if ["time", "nodes", "memory"].contains(&key) && number::<u64>(key, value)? == 0 {
            let wrong = format!("`{key}={value}`: expected at least 1");
            return Err(ParseEngineError(wrong));
        }
        match key {
            "time" => self.move_time = Some(Duration::from_millis(number(key, value)?)),
            "depth" => self.depth = Some(number(key, value)?),
            "nodes" => self.nodes = Some(number(key, value)?),
            "memory" => self.memory_mib = Some(number(key, value)?),
            "seed" => self.seed = Some(number(key, value)?),
            "set" => {
                let setting = value.trim().split_once(char::is_whitespace);
                let setting = setting.filter(|(_, value)| !value.contains(char::is_control));
                let (name, value) = setting.ok_or_else(|| {
                    ParseEngineError(format!("`set={value}`: expected set='NAME VALUE'"))
                })?;
                self.settings
                    .push((name.to_owned(), value.trim_start().to_owned()));
            }
            "dir" => self.directory = Some(value.into()),
            "log" => self.log = Some(value.into()),
            "limit" => match value.split_once(':') {
                Some(("memory", mib)) => self.limits.memory_mib = Some(number(key, mib)?),
                Some(("cpu", seconds)) => self.limits.cpu_seconds = Some(number(key, seconds)?),
                Some(("file", mib)) => self.limits.file_mib = Some(number(key, mib)?),
                _ => {
                    return Err(ParseEngineError(format!(
                        "`limit={value}`: expected limit=memory:MIB, limit=cpu:SECONDS or limit=file:MIB"
                    )));
                }
            },
            "env" => {
                let variable = value.split_once('=').filter(|(name, _)| !name.is_empty());
                let (name, value) = variable.ok_or_else(|| {
                    ParseEngineError(format!(
                        "`env={value}` is not an environment variable: expected env=NAME=VALUE"
                    ))
                })?;
                self.environment.push((name.to_owned(), value.to_owned()));
            }
            _ => return Err(self.unknown_option(key, value)),
        }
        Ok(())
    }

    fn has_option(&self, key: &str) -> bool {
        COMMON_OPTIONS.contains(&key) || self.kind.facts().options.contains(&key)
    }

    fn unknown_option(&self, key: &str, value: &str) -> ParseEngineError {
        let known = OPTIONS.iter().filter(|(key, _)| self.has_option(key));
        let known: Vec<String> = known.map(|(key, of)| format!("{key}={of}")).collect();
        ParseEngineError(format!(
            "`{key}={value}` is not an option of a `{}` engine: expected name=NAME, {}",
            self.kind.facts().prefix,
            known.join(", ")
        ))
    }

    /// Checks that the options make sense together.
    pub(super) fn check(&self) -> Result<(), ParseEngineError> {
        (self.kind.facts().check)(self)
    }

    /// The path from which to start it. Windows looks for a relative one from the present folder, whatever the program's will be.
    pub(super) fn path(&self) -> PathBuf {
        let path = Path::new(&self.program);
        match &self.directory {
            Some(directory) if cfg!(windows) && path.components().count() > 1 => {
                directory.join(path)
            }
            _ => path.to_owned(),
        }
    }

    /// The first word of the text form, without quotes around it.
    pub(super) fn word(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words: Vec<_> = words.map(|word| quote(word)).collect();
        format!("{}{}", self.kind.facts().prefix, words.join(" "))
    }

    /// The options of the text form.
    pub(super) fn options(&self) -> Vec<(&'static str, String)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let pairs = |pairs: &[(String, String)], separator: &str| {
            let pairs = pairs.iter();
            let texts = pairs.map(|(name, value)| format!("{name}{separator}{value}"));
            texts.collect::<Vec<_>>()
        };
        let mut options = Vec::new();
        let mut add = |key, values: Vec<String>| {
            options.extend(values.into_iter().map(|value| (key, value)));
        };
        let one = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
        add(
            "time",
            one(self.move_time.map(|t| t.as_millis().to_string())),
        );
        add("depth", one(self.depth.map(|depth| depth.to_string())));
        add("nodes", one(self.nodes.map(|nodes| nodes.to_string())));
        add("memory", one(self.memory_mib.map(|mib| mib.to_string())));
        add("seed", one(self.seed.map(|seed| seed.to_string())));
        add("set", pairs(&self.settings, " "));
        add("dir", one(path(&self.directory)));
        add("env", pairs(&self.environment, "="));
        add("log", one(path(&self.log)));
        let limits = [
            ("memory", self.limits.memory_mib),
            ("cpu", self.limits.cpu_seconds),
            ("file", self.limits.file_mib),
        ];
        let limits = limits.map(|(what, most)| most.map(|most| format!("{what}:{most}")));
        add("limit", limits.into_iter().flatten().collect());
        options
    }

    /// True if it has this option.
    pub(super) fn has(&self, option: &str) -> bool {
        self.options().iter().any(|(name, _)| *name == option)
    }

    /// The program's name without the path; that of the script, if an interpreter is the program.
    pub(super) fn file_name(&self) -> String {
        let last = |path: &str| {
            let name = Path::new(path).file_name().unwrap_or(path.as_ref());
            printable(&name.to_string_lossy(), NAME)
        };
        let program = last(&self.program);
        let version = |c: char| c.is_ascii_digit() || c == '.';
        let stem = program.trim_end_matches(".exe").trim_end_matches(version);
        let mut files = self.arguments.iter().filter(|word| !word.starts_with('-'));
        match files.next() {
            Some(script) if INTERPRETERS.contains(&stem) && !script.contains(' ') => last(script),
            _ => program,
        }
    }
}

/// Splits a text into words as a shell would. On Windows a backslash stands between folders and escapes nothing.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, ParseEngineError> {
    split(text, cfg!(windows))
}

fn split(text: &str, has_plain_backslash: bool) -> Result<Vec<String>, ParseEngineError> {
    // No command line holds this character.
    const BACKSLASH: &str = "\0";
    let wrong = |_| ParseEngineError(format!("`{text}` has a quote without its partner"));
    if !has_plain_backslash {
        return shell_words::split(text).map_err(wrong);
    }
    let words = shell_words::split(&text.replace('\\', BACKSLASH)).map_err(wrong)?;
    let restored = words.iter().map(|word| word.replace(BACKSLASH, "\\"));
    Ok(restored.collect())
}

/// Quotes a word where [`split_words`] would change it: on every system the same, so without a backslash as an escape.
pub(super) fn quote(word: &str) -> Cow<'_, str> {
    match shell_words::quote(word) {
        Cow::Owned(_) => Cow::Owned(format!("'{}'", word.replace('\'', r#"'"'"'"#))),
        plain => plain,
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, ParseEngineError> {
    let wrong = |_| ParseEngineError(format!("`{key}={value}`: expected a whole number"));
    value.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_stands_between_folders_on_windows() {
        let text = r#"C:\bots\x.exe "C:\my bots\y.jar" '\\host\z' a\ b"#;
        assert_eq!(
            split(text, true).unwrap(),
            [
                r"C:\bots\x.exe",
                r"C:\my bots\y.jar",
                r"\\host\z",
                r"a\",
                "b"
            ]
        );
        assert_eq!(split(r"a\ b", false).unwrap(), ["a b"]);
        assert!(split(r#""C:\bots\"#, true).is_err());
    }

    #[test]
    fn quoted_words_are_the_same_on_every_system() {
        for word in [
            "plain",
            r"C:\bots\x.exe",
            r"\\host\my bots",
            "it's",
            r"'\''",
            "",
            r#"a "b" c"#,
        ] {
            for has_plain_backslash in [false, true] {
                assert_eq!(split(&quote(word), has_plain_backslash).unwrap(), [word]);
            }
        }
    }
}
