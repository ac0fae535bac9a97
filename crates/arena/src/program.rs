//! Engines that are programs: the text form and the options of every kind of them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::EngineError;
use crate::Protocol;
use wabe_files::text::{NAME, is_whole, printable};

/// A program that plays.
///
/// The text form is the prefix of its kind with the command line, then options: `cmd:./start.sh time=500 dir=bots`. Each kind takes
/// some of `time=MS`, `depth=N`, `nodes=N`, `memory=MIB`, `seed=N` and `set='NAME VALUE'`, and all of them `dir=DIR`,
/// `env=NAME=VALUE` and `log=FILE`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSpec {
    /// Its kind.
    pub kind: ProgramKind,
    /// The program's name or path; a relative path begins at its option `dir`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its options and their normalised values, in the order of [`OPTIONS`].
    options: Vec<(&'static str, String)>,
}

/// A kind of program: its protocol, and how it gets its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// `cmd:`, any contest client. It gets its limits only by placeholders in its command line.
    Client,
    /// `wabe:`, a build of this program as a contest client. It gets its limits as options.
    Wabe,
    /// `uhp:`, an engine of the Universal Hive Protocol.
    Uhp,
}

/// The properties of a kind of program.
pub(super) struct Facts {
    /// The beginning of its text form.
    prefix: &'static str,
    pub(super) protocol: Protocol,
    /// The options that it takes besides those of every program.
    options: &'static [&'static str],
}

impl ProgramKind {
    const ALL: [ProgramKind; 3] = [ProgramKind::Client, ProgramKind::Wabe, ProgramKind::Uhp];

    pub(super) fn facts(self) -> Facts {
        let (prefix, protocol, options): (_, _, &[&str]) = match self {
            ProgramKind::Client => ("cmd:", Protocol::Contest, LIMITS),
            ProgramKind::Wabe => ("wabe:", Protocol::Contest, LIMITS),
            ProgramKind::Uhp => ("uhp:", Protocol::Uhp, &["time", "depth", "set"]),
        };
        Facts {
            prefix,
            protocol,
            options,
        }
    }

    /// The kind whose prefix begins this word, and the rest of the word.
    pub(super) fn of_word(word: &str) -> Option<(ProgramKind, &str)> {
        ProgramKind::ALL.into_iter().find_map(|kind| {
            let prefix = kind.facts().prefix;
            let (start, rest) = word.split_at_checked(prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then_some((kind, rest))
        })
    }

    /// The usual kind of program for this protocol.
    pub(super) fn of_protocol(protocol: Protocol) -> Option<ProgramKind> {
        let mut kinds = ProgramKind::ALL.into_iter();
        kinds.find(|kind| kind.facts().protocol == protocol)
    }
}

/// The options with a contest client's limits.
pub(super) const LIMITS: &[&str] = &["time", "nodes", "memory", "seed"];

/// The form of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A whole number from 0.
    Number,
    /// A whole number from 1.
    Positive,
    Text,
    /// Two texts separated by this character.
    Pair(char),
}

/// The options: the name of each, the form of its value, and that form in words.
const OPTIONS: [(&str, Form, &str); 9] = [
    ("time", Form::Positive, "MS"),
    ("depth", Form::Number, "N"),
    ("nodes", Form::Positive, "N"),
    ("memory", Form::Positive, "MIB"),
    ("seed", Form::Number, "N"),
    ("set", Form::Pair(' '), "'NAME VALUE'"),
    ("dir", Form::Text, "DIR"),
    ("env", Form::Pair('='), "NAME=VALUE"),
    ("log", Form::Text, "FILE"),
];

/// Programs that run the file named after them.
const INTERPRETERS: [&str; 12] = [
    "bash", "dash", "deno", "dotnet", "java", "mono", "node", "perl", "php", "python", "ruby", "sh",
];

/// The options of every program.
const COMMON_OPTIONS: [&str; 3] = ["dir", "env", "log"];

impl Form {
    /// The normalised value; an error says what was expected.
    fn check(self, value: &str) -> Result<String, &'static str> {
        let number = |text: &str| match text.parse::<u64>() {
            Err(_) if is_whole(text) => Err("a smaller number: this one is too large"),
            number => number.map_err(|_| "a whole number"),
        };
        match self {
            Form::Text => Ok(value.to_owned()),
            Form::Number => Ok(number(value)?.to_string()),
            Form::Positive => match number(value)? {
                0 => Err("at least 1"),
                number => Ok(number.to_string()),
            },
            Form::Pair('=') => match value.split_once('=') {
                Some(("", _)) | None => Err("env=NAME=VALUE"),
                Some(_) => Ok(value.to_owned()),
            },
            Form::Pair(_) => match value.trim().split_once(char::is_whitespace) {
                Some((name, value)) if !value.contains(char::is_control) => {
                    Ok(format!("{name} {}", value.trim_start()))
                }
                _ => Err("set='NAME VALUE'"),
            },
        }
    }
}

impl ProgramSpec {
    /// A program without options; `None` without words.
    pub(super) fn new(kind: Option<ProgramKind>, words: Vec<String>) -> Option<ProgramSpec> {
        let mut words = words.into_iter();
        Some(ProgramSpec {
            kind: kind?,
            program: words.next()?,
            arguments: words.collect(),
            options: Vec::new(),
        })
    }

    /// Reads the first word of the text form; `None` if it is not a program.
    pub(super) fn parse_word(word: &str) -> Result<Option<ProgramSpec>, EngineError> {
        let Some((kind, command)) = ProgramKind::of_word(word) else {
            return Ok(None);
        };
        match ProgramSpec::new(Some(kind), split_words(command)?) {
            Some(program) => Ok(Some(program)),
            None => Err(EngineError(format!(
                "`{word}` needs the command line of a program"
            ))),
        }
    }

    /// Sets an option of the text form.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), EngineError> {
        let place = OPTIONS.iter().position(|(name, ..)| *name == key);
        let Some((place, (name, form, _))) = place
            .filter(|_| self.has_option(key))
            .and_then(|place| Some((place, *OPTIONS.get(place)?)))
        else {
            return Err(self.unknown_option(key, value));
        };
        let value = form
            .check(value)
            .map_err(|expected| EngineError(format!("`{key}={value}`: expected {expected}")))?;
        // Programs may have several variables and settings.
        if !matches!(form, Form::Pair(_)) {
            self.options.retain(|(other, _)| *other != name);
        }
        let is_before = |(other, _): &(&str, String)| {
            let other = OPTIONS.iter().position(|(name, ..)| name == other);
            other <= Some(place)
        };
        let index = self.options.partition_point(is_before);
        self.options.insert(index, (name, value));
        Ok(())
    }

    /// Sets a number unless it is already set.
    pub(super) fn set_default(&mut self, key: &str, number: u64) -> Result<(), EngineError> {
        match self.number(key) {
            Some(_) => Ok(()),
            None => self.set(key, &number.to_string()),
        }
    }

    /// True if a word of the command line looks like an option of the engine.
    pub(super) fn is_option(&self, word: &str) -> bool {
        let key = word.split_once('=').map(|(key, _)| key);
        key.is_some_and(|key| key == "name" || self.has_option(key))
    }

    /// The error for a bare command line with such a word.
    pub(super) fn ambiguous(&self, option: &str) -> EngineError {
        let prefix = self.kind.facts().prefix;
        EngineError(format!(
            "`{option}` may be an option of the engine, {prefix}'COMMAND' {option}, or an argument of the program, {prefix}'COMMAND {option}'"
        ))
    }

    fn has_option(&self, key: &str) -> bool {
        COMMON_OPTIONS.contains(&key) || self.kind.facts().options.contains(&key)
    }

    fn unknown_option(&self, key: &str, value: &str) -> EngineError {
        if (self.kind, key) == (ProgramKind::Uhp, "nodes") {
            return EngineError(format!(
                "`{key}={value}`: the Universal Hive Protocol has no node limit; use time=MS or depth=N"
            ));
        }
        let known = OPTIONS.iter().filter(|(name, ..)| self.has_option(name));
        let known: Vec<String> = known.map(|(name, _, of)| format!("{name}={of}")).collect();
        EngineError(format!(
            "`{key}={value}` is not an option of a `{}` engine: expected name=NAME, {}",
            self.kind.facts().prefix,
            known.join(", ")
        ))
    }

    /// True if the command line has this option's placeholder, `{option}`.
    pub(super) fn has_placeholder(&self, option: &str) -> bool {
        let placeholder = format!("{{{option}}}");
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| argument.contains(&placeholder))
    }

    /// Checks that the options make sense together.
    pub(super) fn check(&self) -> Result<(), EngineError> {
        match self.kind {
            ProgramKind::Client | ProgramKind::Wabe => self.check_placeholders(),
            ProgramKind::Uhp if self.text("time").is_some() && self.text("depth").is_some() => Err(
                EngineError("a UHP engine takes only one of time= and depth=".to_owned()),
            ),
            ProgramKind::Uhp => Ok(()),
        }
    }

    /// Checks that every placeholder has a value and that every value reaches the client. A seed can be drawn. A time is always set:
    /// the referee enforces it even if the client does not get it.
    fn check_placeholders(&self) -> Result<(), EngineError> {
        for &option in LIMITS {
            let is_set = self.text(option).is_some();
            let has_placeholder = self.has_placeholder(option);
            let is_passed_anyway = option == "time" || self.kind == ProgramKind::Wabe;
            if is_set && !has_placeholder && !is_passed_anyway {
                return Err(EngineError(format!(
                    "{option}= has no effect without {{{option}}} in the command line"
                )));
            }
            if ["nodes", "memory"].contains(&option) && has_placeholder && !is_set {
                return Err(EngineError(format!(
                    "{{{option}}} in a command line needs a value: {option}=…"
                )));
            }
        }
        Ok(())
    }

    /// The path to start it by. Windows resolves a relative one against the current folder, not the program's.
    pub(super) fn path(&self) -> PathBuf {
        let path = Path::new(&self.program);
        match self.text("dir") {
            Some(directory) if cfg!(windows) && path.components().count() > 1 => {
                Path::new(directory).join(path)
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

    /// Advice for a command line without quotes, a word of which was read as an option.
    pub(super) fn quoting_hint(&self, word: &str) -> String {
        let prefix = self.kind.facts().prefix;
        let command = self.word();
        let command = command.strip_prefix(prefix).unwrap_or(&command);
        format!("; a command line of several words needs quotes: {prefix}'{command} {word}'")
    }

    /// The options of the text form.
    pub(super) fn options(&self) -> &[(&'static str, String)] {
        &self.options
    }

    /// The values of an option.
    fn values(&self, name: &str) -> impl DoubleEndedIterator<Item = &str> {
        let options = self.options.iter();
        let of_name = options.filter(move |(option, _)| *option == name);
        of_name.map(|(_, value)| value.as_str())
    }

    /// The value of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values(name).next_back()
    }

    /// The number of an option.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// The time for a move.
    pub(super) fn move_time(&self) -> Option<Duration> {
        self.number("time").map(Duration::from_millis)
    }

    /// The program's own settings: names and values.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values("set").filter_map(|value| value.split_once(' '))
    }

    /// The environment variables that are added to ours.
    pub(super) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values("env").filter_map(|value| value.split_once('='))
    }

    /// The program's name without its path; the script's name if the program is an interpreter.
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

/// Splits a text into words as in a shell. On Windows a backslash separates folders and escapes nothing.
pub fn split_words(text: &str) -> Result<Vec<String>, EngineError> {
    split(text, cfg!(windows))
}

fn split(text: &str, has_plain_backslash: bool) -> Result<Vec<String>, EngineError> {
    // No command line holds this character.
    const BACKSLASH: &str = "\0";
    let wrong = |_| EngineError(format!("`{text}` has a quote without its partner"));
    if !has_plain_backslash {
        return shell_words::split(text).map_err(wrong);
    }
    let words = shell_words::split(&text.replace('\\', BACKSLASH)).map_err(wrong)?;
    let restored = words.iter().map(|word| word.replace(BACKSLASH, "\\"));
    Ok(restored.collect())
}

/// Quotes a word that [`split_words`] would change, on every system in the same way: a backslash never escapes.
pub(super) fn quote(word: &str) -> Cow<'_, str> {
    match shell_words::quote(word) {
        Cow::Owned(_) => Cow::Owned(format!("'{}'", word.replace('\'', r#"'"'"'"#))),
        plain => plain,
    }
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
