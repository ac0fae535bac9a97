//! Specifications of engines, and their text form.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::EngineError;
use super::function::MoveFunction;
use super::program::{ProgramKind, ProgramSpec, quote, split_words};
use crate::ArenaGame;
use crate::Protocol;
use wabe_engine::evaluation::NetworkFile;
use wabe_engine::search::{PlayerKind, PlayerSpec};
use wabe_files::text::{MAX_NAME, printable, stored_as_text};

/// An engine of a run: a player and its name in tables.
///
/// The text form is split into words as in a shell. The first word is a [`PlayerSpec`] or a
/// [`ProgramSpec`], the others are options: `mcts:nodes=500 name=base`,
/// `cmd:'./bot/start.sh --fast' name=bot dir=bots`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineSpec {
    /// Name in tables and records.
    pub name: String,
    /// Built-in player or program.
    pub player: EnginePlayer,
}

/// The player of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum EnginePlayer {
    /// A player on a thread of this process.
    BuiltIn(PlayerSpec),
    /// A child process.
    Program(Box<ProgramSpec>),
    /// A function of this process. It has no text form.
    Function(MoveFunction),
}

impl EngineSpec {
    /// Parses the text form of an engine. Treats any other text as the command line of a program
    /// with the protocol of `G`. The engine's own options override those in `common`.
    ///
    /// # Errors
    /// When the text form is invalid, an option is unknown, a quote is unmatched, or a command line
    /// begins with a bare name that is not a program in `PATH`.
    pub fn from_command_line<G: ArenaGame>(
        text: &str,
        common: &[String],
    ) -> Result<EngineSpec, EngineError> {
        let engine = EngineSpec::parse_command_line::<G>(text, common)?;
        if let EnginePlayer::Program(program) = &engine.player
            && text.trim_start().starts_with(&program.program)
        {
            program.check_path()?;
        }
        Ok(engine)
    }

    fn parse_command_line<G: ArenaGame>(
        text: &str,
        common: &[String],
    ) -> Result<EngineSpec, EngineError> {
        let mut words = split_words(text)?;
        let first = words.first().cloned().unwrap_or_default();
        let (player, own) = PlayerSpec::split(&first);
        match player.parse::<PlayerKind>() {
            Ok(_) => {
                // `mcts:nodes=5` is short for `mcts nodes=5`.
                let own = own.map(str::to_owned);
                let options: Vec<String> = common.iter().cloned().chain(own).collect();
                words.splice(..1, std::iter::once(player.to_owned()).chain(options));
                return EngineSpec::from_words(&words);
            }
            Err(error) if player.eq_ignore_ascii_case("human") => return Err(error.into()),
            Err(_) => {}
        }
        if first.is_empty() {
            return EngineSpec::from_words(&[]);
        }
        if ProgramKind::from_word(&first).is_some() {
            words.splice(1..1, common.iter().cloned());
            return EngineSpec::from_words(&words);
        }
        let Some(program) = ProgramSpec::new(ProgramKind::for_protocol(G::PROTOCOL), words) else {
            return EngineSpec::from_words(&[]);
        };
        program.check_arguments()?;
        EngineSpec::with_options(EnginePlayer::Program(Box::new(program)), common)
    }

    fn from_words(words: &[String]) -> Result<EngineSpec, EngineError> {
        let Some((player, options)) = words.split_first() else {
            return Err(EngineError(
                "expected a built-in player, such as `mcts:nodes=500`, or a program, such as \
                 `cmd:./start.sh` or `uhp:'wabe uhp'`"
                    .to_owned(),
            ));
        };
        let player = match ProgramKind::from_word(player) {
            Some((kind, command)) => {
                let program = ProgramSpec::new(kind, split_words(command)?);
                let missing = || format!("`{player}`: expected a command line after the colon");
                let program = program.ok_or_else(|| EngineError(missing()))?;
                EnginePlayer::Program(Box::new(program))
            }
            None => EnginePlayer::BuiltIn(player.parse()?),
        };
        EngineSpec::with_options(player, options)
    }

    fn with_options(
        mut player: EnginePlayer,
        options: &[String],
    ) -> Result<EngineSpec, EngineError> {
        let mut name = None;
        for option in options {
            let (key, value) = option.split_once('=').ok_or_else(|| {
                let hint = match &player {
                    EnginePlayer::BuiltIn(_) | EnginePlayer::Function(_) => String::new(),
                    EnginePlayer::Program(program) => program.quoting_hint(option),
                };
                EngineError(format!(
                    "`{option}` is not an option: expected NAME=VALUE{hint}"
                ))
            })?;
            match &mut player {
                _ if key == "name" && !value.is_empty() => name = Some(value.to_owned()),
                EnginePlayer::BuiltIn(spec) => spec.set(key, value)?,
                EnginePlayer::Program(program) => program.set(key, value)?,
                EnginePlayer::Function(_) => {
                    return Err(EngineError(format!(
                        "`{option}`: a function has no options"
                    )));
                }
            }
        }
        if let EnginePlayer::Program(program) = &player {
            program.check()?;
        }
        if let Some(name) = &name
            && *name != printable(name, MAX_NAME)
        {
            return Err(EngineError(format!(
                "`name={}…` is too long or contains unprintable characters",
                printable(name, 20)
            )));
        }
        Ok(EngineSpec {
            name: name.unwrap_or_else(|| player.default_name()),
            player,
        })
    }

    /// Sets the time per move of a program that has no limit.
    ///
    /// # Errors
    /// When the time is shorter than a millisecond.
    pub fn set_default_time(&mut self, time: Duration) -> Result<(), EngineError> {
        match &mut self.player {
            EnginePlayer::Program(program) => program.set_default_time(time),
            EnginePlayer::BuiltIn(_) | EnginePlayer::Function(_) => Ok(()),
        }
    }

    /// True if the engine runs as a child process.
    pub fn is_program(&self) -> bool {
        matches!(self.player, EnginePlayer::Program(_))
    }

    /// File to which the engine's output is appended.
    pub fn log(&self) -> Option<&Path> {
        match &self.player {
            EnginePlayer::BuiltIn(_) | EnginePlayer::Function(_) => None,
            EnginePlayer::Program(program) => program.text("log").map(Path::new),
        }
    }

    /// The engine's network file.
    pub fn weights(&self) -> Option<&Path> {
        match &self.player {
            EnginePlayer::BuiltIn(spec) => spec.weights.as_ref().map(NetworkFile::path),
            EnginePlayer::Program(_) | EnginePlayer::Function(_) => None,
        }
    }

    /// Checks that the engine plays `G`.
    ///
    /// # Errors
    /// When its protocol or its network is for another game.
    pub fn check_plays<G: ArenaGame>(&self) -> Result<(), EngineError> {
        let program = match &self.player {
            EnginePlayer::BuiltIn(spec) => {
                return match spec.weights.as_ref().map(|file| file.evaluator::<G>()) {
                    Some(Err(error)) => Err(EngineError(error.to_string())),
                    _ => Ok(()),
                };
            }
            EnginePlayer::Function(_) => return Ok(()),
            EnginePlayer::Program(program) => program,
        };
        let protocol = program.kind.protocol();
        if protocol == G::PROTOCOL {
            return Ok(());
        }
        Err(EngineError(match protocol {
            Protocol::Uhp => {
                format!("`{self}` plays standard Hive: set the game, such as --game Base+MLP")
            }
            Protocol::Contest => format!(
                "`{self}` is a contest client and does not play standard Hive: expected a built-in \
                 player or a UHP engine, such as uhp:'wabe uhp'"
            ),
        }))
    }
}

impl EnginePlayer {
    fn default_name(&self) -> String {
        match self {
            EnginePlayer::BuiltIn(spec) => spec.to_string(),
            EnginePlayer::Program(program) => program.file_name(),
            EnginePlayer::Function(_) => "function".to_owned(),
        }
    }
}

impl FromStr for EngineSpec {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<EngineSpec, EngineError> {
        EngineSpec::from_words(&split_words(text)?)
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.player {
            EnginePlayer::BuiltIn(spec) => f.write_str(&quote(&spec.to_string()))?,
            EnginePlayer::Program(program) => f.write_str(&quote(&program.word()))?,
            EnginePlayer::Function(_) => f.write_str("function")?,
        }
        if self.name != self.player.default_name() {
            write!(f, " name={}", quote(&self.name))?;
        }
        if let EnginePlayer::Program(program) = &self.player {
            for (key, value) in program.options() {
                write!(f, " {key}={}", quote(value))?;
            }
        }
        Ok(())
    }
}

stored_as_text!(EngineSpec, EngineError);

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_engine::evaluation::Network;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    #[test]
    fn engines_round_trip() {
        for text in [
            "greedy",
            "mcts:nodes=5 name=base",
            "mcts:time=10 name='the new one'",
            "cmd:./start.sh",
            "'cmd:java -jar '\"'\"'my bot.jar'\"'\"'' name=bot time=500 dir='my bots' env=A=1 env='B=x y' log=bot.log",
            "wabe:old/wabe name=old nodes=500 memory=64 seed=7",
            "'uhp:nokamute uhp' name=other time=1000 set='TableSizeMiB 64' set='Verbose False' dir=bots env=A=1 log=l",
            "uhp:./start.sh depth=3",
        ] {
            assert_eq!(text.parse::<EngineSpec>().unwrap().to_string(), text);
        }
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.net", "my a.net", "it's.net", "a=#1.net"] {
            let path = folder.path().join(name);
            std::fs::write(&path, Network::first::<Contest>().to_bytes()).unwrap();
            let words = ["mcts".to_owned(), format!("weights={}", path.display())];
            let spec = EngineSpec::from_words(&words).unwrap();
            assert!(spec.to_string().parse() == Ok(spec), "{name}");
        }
    }

    #[test]
    fn command_lines_use_the_games_protocol() {
        let contest = |text| EngineSpec::parse_command_line::<Contest>(text, &[]);
        for (text, engine) in [
            ("mcts:nodes=5", "mcts:nodes=5"),
            ("MCTS:nodes=5 name=x", "mcts:nodes=5 name=x"),
            ("Random", "random"),
            ("'CMD:./bot' name=x", "cmd:./bot name=x"),
            ("./greedy", "cmd:./greedy"),
            ("mcts-client", "cmd:mcts-client"),
            ("java -jar bot.jar", "'cmd:java -jar bot.jar'"),
            ("wabe:./wabe nodes=5", "wabe:./wabe nodes=5"),
        ] {
            assert_eq!(contest(text).unwrap().to_string(), engine);
        }
        assert_eq!(
            contest("../bots/'my bot'/start.sh --fast").unwrap().name,
            "start.sh"
        );
        let standard = EngineSpec::parse_command_line::<Standard>("nokamute uhp", &[]).unwrap();
        assert_eq!(standard.to_string(), "'uhp:nokamute uhp'");
        for (text, part) in [
            ("  ", "built-in player"),
            ("mcts:depth=3", "`depth=3`"),
            ("mcts:", "`` is not an option"),
            ("mcts:nodes=5,,seed=3", "`` is not an option"),
            ("Human", "wabe board"),
            ("greedy name='a\x1b[2Jb'", "unprintable"),
            ("bot 'x", "quote"),
            ("cmd:", "command line"),
            ("python3 bot.py name=x", "cmd:'COMMAND' name=x "),
        ] {
            let message = contest(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn command_lines_reject_unknown_bare_names() {
        let contest = |text| EngineSpec::from_command_line::<Contest>(text, &[]);
        for text in ["gredy", "gredy --fast", "Cargo.toml"] {
            let message = contest(text).unwrap_err().to_string();
            assert!(message.contains("(random, greedy, mcts)"), "{message}");
            let guesses = message.ends_with("(the file here is `./Cargo.toml`)");
            assert_eq!(guesses, text == "Cargo.toml", "{message}");
        }
        for text in ["./gredy", "cmd:gredy", "greedy"] {
            assert!(contest(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn default_times_keep_own_limits() {
        for (text, engine) in [
            ("cmd:bot", "cmd:bot time=70"),
            ("cmd:bot time=5", "cmd:bot time=5"),
            ("wabe:bot nodes=5", "wabe:bot nodes=5"),
            ("uhp:bot depth=3", "uhp:bot depth=3"),
            ("greedy", "greedy"),
        ] {
            let mut spec: EngineSpec = text.parse().unwrap();
            spec.set_default_time(Duration::from_millis(70)).unwrap();
            assert_eq!(spec.to_string(), engine);
        }
    }

    #[test]
    fn own_options_override_common_ones() {
        let common = ["nodes=5".to_owned(), "memory=64".to_owned()];
        for (text, engine) in [
            ("mcts", "mcts:nodes=5,memory=64"),
            ("mcts:nodes=9", "mcts:nodes=9,memory=64"),
            ("mcts nodes=9 name=x", "mcts:nodes=9,memory=64 name=x"),
            ("wabe:./wabe nodes=9", "wabe:./wabe nodes=9 memory=64"),
        ] {
            let spec = EngineSpec::parse_command_line::<Contest>(text, &common).unwrap();
            assert_eq!(spec.to_string(), engine);
        }
        let timed = ["time=100".to_owned()];
        let bare = EngineSpec::parse_command_line::<Standard>("nokamute uhp", &timed).unwrap();
        assert_eq!(bare.to_string(), "'uhp:nokamute uhp' time=100");
        assert!(
            EngineSpec::parse_command_line::<Contest>("./bot", &["depth=3".to_owned()]).is_err()
        );
    }

    #[test]
    fn default_names_skip_interpreters() {
        for (text, name) in [
            ("python3 bots/clever.py --fast", "clever.py"),
            ("/usr/bin/java -jar 'my bot.jar'", "java"),
            ("java -Xmx1g -jar bot.jar", "bot.jar"),
            ("sh -c 'exec ./bot'", "sh"),
            ("./start.sh x", "start.sh"),
            ("cmd:'python3 bot.py' name=deep", "deep"),
        ] {
            let engine = EngineSpec::parse_command_line::<Contest>(text, &[]).unwrap();
            assert_eq!(engine.name, name, "{text}");
        }
    }

    #[test]
    fn parse_errors_name_the_problem() {
        let message = |text: &str| text.parse::<EngineSpec>().unwrap_err().to_string();
        for (text, part) in [
            ("", "built-in player"),
            ("mcts nam=x", "`nam=x`"),
            ("mcts name='x", "quote"),
            ("minimax", "`minimax`"),
            ("mcts nodes=many", "`nodes=many`"),
            ("mcts:nodes=0", "`nodes=0`: expected at least 1"),
            ("greedy time=0", "`time=0`: expected at least 1"),
            ("cmd:bot time=0", "`time=0`: expected at least 1"),
            ("greedy dir=x", "`dir=x`"),
            ("greedy x", "`x`"),
            ("cmd:", "command line"),
            ("\"cmd:bot 'x\"", "quote"),
            ("cmd:bot env=A", "`env=A`"),
            ("cmd:bot limit=cpu:5", "`limit=cpu:5` is not an option"),
            ("cmd:bot time=99999999999999999999", "too large"),
            ("mcts:nodes=99999999999999999999", "too large"),
            ("mcts:memory=0", "`memory=0`: expected at least 1"),
            ("cmd:bot nodes=5", "{nodes}"),
            ("'cmd:bot {memory}'", "memory="),
            ("uhp:", "command line"),
            ("uhp:bot memory=5", "depth=N"),
            ("uhp:bot depth=-1", "`depth=-1`"),
            ("uhp:bot depth=1 time=1", "only one of"),
            ("uhp:bot nodes=500", "no node limit; use time=MS or depth=N"),
            ("uhp:bot set=Threads", "set='NAME VALUE'"),
            ("uhp:bot env=A", "`env=A`"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }
}
