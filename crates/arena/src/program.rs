//! Engines that run as programs: their kinds, options and text form.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::EngineError;
use crate::Protocol;
use wabe_files::text::{MAX_NAME, is_whole, printable};

/// A program with its arguments and options.
///
/// The text form is the kind's prefix and the command line, followed by options:
/// `cmd:./start.sh time=500 dir=bots`. All kinds accept `dir=DIR`, `env=NAME=VALUE` and `log=FILE`,
/// and some of `time=MS`, `depth=N`, `nodes=N`, `memory=MIB`, `seed=N` and `set='NAME VALUE'`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramSpec {
    /// Determines the protocol and how limits are passed.
    pub kind: ProgramKind,
    /// Name or path. Relative paths start at the option `dir`.
    pub program: String,
    /// Arguments; may contain placeholders such as `{time}`.
    pub arguments: Vec<String>,
    /// Index in [`OPTIONS`] and normalised value of each option, in ascending order.
    options: Vec<(usize, String)>,
}

/// A kind of program: its protocol and how limits are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// `cmd:`, a contest client. Gets limits only through placeholders.
    Client,
    /// `wabe:`, a build of wabe as a contest client. Gets limits as options.
    Wabe,
    /// `uhp:`, an engine of the Universal Hive Protocol.
    Uhp,
}

use ProgramKind::{Client, Uhp, Wabe};

impl ProgramKind {
    const ALL: [ProgramKind; 3] = [Client, Wabe, Uhp];

    /// Prefix of the text form.
    fn prefix(self) -> &'static str {
        match self {
            Client => "cmd:",
            Wabe => "wabe:",
            Uhp => "uhp:",
        }
    }

    pub(super) fn protocol(self) -> Protocol {
        match self {
            Client | Wabe => Protocol::Contest,
            Uhp => Protocol::Uhp,
        }
    }

    /// The kind for command lines without a prefix.
    pub(super) fn for_protocol(protocol: Protocol) -> ProgramKind {
        match protocol {
            Protocol::Contest => Client,
            Protocol::Uhp => Uhp,
        }
    }

    /// Splits the prefix of a kind from a word.
    pub(super) fn from_word(word: &str) -> Option<(ProgramKind, &str)> {
        ProgramKind::ALL.into_iter().find_map(|kind| {
            let (start, rest) = word.split_at_checked(kind.prefix().len())?;
            let is_prefix = start.eq_ignore_ascii_case(kind.prefix());
            is_prefix.then_some((kind, rest))
        })
    }
}

/// Limits that contest clients accept as options.
pub(super) const LIMITS: [&str; 4] = ["time", "nodes", "memory", "seed"];

/// Format of an option value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A whole number from 0.
    Number,
    /// A whole number from 1.
    Positive,
    Text,
    /// Two texts separated by this character. Such options may be repeated.
    Pair(char),
}

const CLIENTS: &[ProgramKind] = &[Client, Wabe];

/// Name, format, placeholder and accepted program kinds of each option.
const OPTIONS: [(&str, Form, &str, &[ProgramKind]); 9] = [
    ("time", Form::Positive, "MS", &ProgramKind::ALL),
    ("depth", Form::Number, "N", &[Uhp]),
    ("nodes", Form::Positive, "N", CLIENTS),
    ("memory", Form::Positive, "MIB", CLIENTS),
    ("seed", Form::Number, "N", CLIENTS),
    ("set", Form::Pair(' '), "'NAME VALUE'", &[Uhp]),
    ("dir", Form::Text, "DIR", &ProgramKind::ALL),
    ("env", Form::Pair('='), "NAME=VALUE", &ProgramKind::ALL),
    ("log", Form::Text, "FILE", &ProgramKind::ALL),
];

/// Interpreters. Their first argument is the program.
const INTERPRETERS: [&str; 12] = [
    "bash", "dash", "deno", "dotnet", "java", "mono", "node", "perl", "php", "python", "ruby", "sh",
];

impl Form {
    /// Normalises a value. On error, returns the expected format.
    fn check(self, value: &str) -> Result<String, &'static str> {
        match self {
            Form::Text => Ok(value.to_owned()),
            Form::Number | Form::Positive => match value.parse::<u64>() {
                Ok(0) if self == Form::Positive => Err("at least 1"),
                Ok(number) => Ok(number.to_string()),
                Err(_) if is_whole(value) => Err("a smaller number: this one is too large"),
                Err(_) => Err("a whole number"),
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
    /// A program without options; `None` if `words` is empty.
    pub(super) fn new(kind: ProgramKind, words: Vec<String>) -> Option<ProgramSpec> {
        let mut words = words.into_iter();
        Some(ProgramSpec {
            kind,
            program: words.next()?,
            arguments: words.collect(),
            options: Vec::new(),
        })
    }

    /// Sets an option, replacing an earlier value. `set` and `env` accumulate values instead.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), EngineError> {
        let index = self
            .option_index(key)
            .ok_or_else(|| self.unknown_option(key, value))?;
        let (_, form, ..) = OPTIONS[index];
        let value = form
            .check(value)
            .map_err(|expected| EngineError(format!("`{key}={value}`: expected {expected}")))?;
        if !matches!(form, Form::Pair(_)) {
            self.options.retain(|(other, _)| *other != index);
        }
        self.options.push((index, value));
        self.options.sort_by_key(|(index, _)| *index);
        Ok(())
    }

    /// Sets a numeric option unless it is already set.
    pub(super) fn set_default(&mut self, key: &str, number: u64) -> Result<(), EngineError> {
        match self.number(key) {
            Some(_) => Ok(()),
            None => self.set(key, &number.to_string()),
        }
    }

    /// Sets the time per move unless the program already has a limit.
    pub(super) fn set_default_time(&mut self, time: Duration) -> Result<(), EngineError> {
        if self.text("nodes").or(self.text("depth")).is_some() {
            return Ok(());
        }
        self.set_default("time", u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Checks that a bare name is a program in `PATH`.
    pub(super) fn check_path(&self) -> Result<(), EngineError> {
        let name = &self.program;
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let file_name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let is_there =
            |folder: PathBuf| folder.join(name).is_file() || folder.join(&file_name).is_file();
        if name.contains(['/', '\\']) || std::env::split_paths(&paths).any(is_there) {
            return Ok(());
        }
        Err(EngineError(format!(
            "`{}` is not a built-in player (random, greedy, mcts), nor a program in PATH{}",
            printable(name, MAX_NAME),
            local_file_hint(name)
        )))
    }

    /// Index of an option in [`OPTIONS`], if this kind of program accepts it.
    fn option_index(&self, key: &str) -> Option<usize> {
        let accepts = |kinds: &[ProgramKind]| kinds.contains(&self.kind);
        (OPTIONS.iter()).position(|(name, _, _, kinds)| *name == key && accepts(kinds))
    }

    /// Checks that no argument of an unquoted command line looks like an option of the engine.
    pub(super) fn check_arguments(&self) -> Result<(), EngineError> {
        let is_option = |word: &&String| {
            let key = word.split_once('=').map(|(key, _)| key);
            key.is_some_and(|key| key == "name" || self.option_index(key).is_some())
        };
        let prefix = self.kind.prefix();
        match self.arguments.iter().find(is_option) {
            None => Ok(()),
            Some(option) => Err(EngineError(format!(
                "`{option}` is ambiguous: expected {prefix}'COMMAND' {option} for an option of the \
                 engine, or {prefix}'COMMAND {option}' for an argument of the program"
            ))),
        }
    }

    fn unknown_option(&self, key: &str, value: &str) -> EngineError {
        if (self.kind, key) == (Uhp, "nodes") {
            return EngineError(format!(
                "`{key}={value}`: the Universal Hive Protocol has no node limit; use time=MS or \
                 depth=N"
            ));
        }
        let mut known = "name=NAME".to_owned();
        for (name, _, value, _) in OPTIONS
            .iter()
            .filter(|(name, ..)| self.option_index(name).is_some())
        {
            known += &format!(", {name}={value}");
        }
        let prefix = self.kind.prefix();
        EngineError(format!(
            "`{key}={value}` is not an option of a `{prefix}` engine: expected {known}"
        ))
    }

    /// True if the command line contains `{option}`.
    pub(super) fn has_placeholder(&self, option: &str) -> bool {
        let placeholder = format!("{{{option}}}");
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| argument.contains(&placeholder))
    }

    /// Checks that the options are consistent. A UHP engine takes one limit at most. A contest
    /// client needs a value for every placeholder, and a placeholder for every value. Time and seed
    /// have defaults. The time needs no placeholder, because the referee enforces it.
    pub(super) fn check(&self) -> Result<(), EngineError> {
        if self.text("time").is_some() && self.text("depth").is_some() {
            let problem = "a UHP engine takes only one of time= and depth=";
            return Err(EngineError(problem.to_owned()));
        }
        for option in LIMITS {
            let is_set = self.text(option).is_some();
            let has_placeholder = self.has_placeholder(option);
            if self.kind == Client && is_set && !has_placeholder && option != "time" {
                return Err(EngineError(format!(
                    "{option}= has no effect without {{{option}}} in the command line"
                )));
            }
            let needs_value = self.kind != Uhp && ["nodes", "memory"].contains(&option);
            if needs_value && has_placeholder && !is_set {
                return Err(EngineError(format!(
                    "{{{option}}} in a command line needs a value: {option}=…"
                )));
            }
        }
        Ok(())
    }

    /// The path to execute. Windows resolves relative paths against the current folder, so they are
    /// joined with `dir` there.
    pub(super) fn path(&self) -> PathBuf {
        let path = Path::new(&self.program);
        match self.text("dir") {
            Some(directory) if cfg!(windows) && path.components().count() > 1 => {
                Path::new(directory).join(path)
            }
            _ => path.to_owned(),
        }
    }

    /// First word of the text form, without quotes.
    pub(super) fn word(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        let words: Vec<_> = words.map(|word| quote(word)).collect();
        format!("{}{}", self.kind.prefix(), words.join(" "))
    }

    /// Hint for an unquoted command line, where `word` was taken for an option.
    pub(super) fn quoting_hint(&self, word: &str) -> String {
        let prefix = self.kind.prefix();
        let command = self.word();
        let command = command.strip_prefix(prefix).unwrap_or(&command);
        format!("; a command line of several words needs quotes: {prefix}'{command} {word}'")
    }

    /// Names and values of all options, for the text form.
    pub(super) fn options(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let options = self.options.iter();
        options.map(|(index, value)| (OPTIONS[*index].0, value.as_str()))
    }

    /// The values of an option.
    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let options = self.options().filter(move |(option, _)| *option == name);
        options.map(|(_, value)| value)
    }

    /// The value of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values(name).last()
    }

    /// The value of a numeric option.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Time per move from the option `time`.
    pub(super) fn move_time(&self) -> Option<Duration> {
        self.number("time").map(Duration::from_millis)
    }

    /// Names and values of the UHP options to set.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values("set").filter_map(|value| value.split_once(' '))
    }

    /// Names and values of additional environment variables.
    pub(super) fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values("env").filter_map(|value| value.split_once('='))
    }

    /// File name of the program. For an interpreter, of the script.
    pub(super) fn file_name(&self) -> String {
        let last = |path: &str| {
            let name = Path::new(path).file_name().unwrap_or(path.as_ref());
            printable(&name.to_string_lossy(), MAX_NAME)
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

/// Hint for a name without a slash that is a file in the working directory. Such names are searched
/// for in `PATH` only.
pub fn local_file_hint(name: &str) -> String {
    if !name.contains('/') && Path::new(name).is_file() {
        format!(" (the file here is `./{name}`)")
    } else {
        String::new()
    }
}

/// Splits a text into words like a shell. On Windows, backslashes are path separators and do not
/// escape.
pub fn split_words(text: &str) -> Result<Vec<String>, EngineError> {
    split(text, cfg!(windows))
}

fn split(text: &str, has_plain_backslash: bool) -> Result<Vec<String>, EngineError> {
    // Never occurs in a command line.
    const BACKSLASH: &str = "\0";
    let unmatched = |_| EngineError(format!("`{text}`: unmatched quote"));
    if !has_plain_backslash {
        return shell_words::split(text).map_err(unmatched);
    }
    let words = shell_words::split(&text.replace('\\', BACKSLASH)).map_err(unmatched)?;
    let restored = words.iter().map(|word| word.replace(BACKSLASH, "\\"));
    Ok(restored.collect())
}

/// Quotes a word if [`split_words`] would change it on some system. Does not use backslashes, so
/// that the result is the same on all systems.
pub(super) fn quote(word: &str) -> Cow<'_, str> {
    match split(word, false) {
        Ok(words) if words == [word] => Cow::Borrowed(word),
        _ => Cow::Owned(format!("'{}'", word.replace('\'', r#"'"'"'"#))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_keeps_backslashes_on_windows() {
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
    fn quoted_words_split_alike_on_every_system() {
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
