//! Commands of a viewer, one a line.

use std::time::Duration;

use wabe_engine::search::Limits;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Names the engine.
    Info,
    /// Begins a game of a type or from a game string; for an empty text, the base game.
    NewGame(String),
    /// Plays a move.
    Play(String),
    /// Lists the legal moves.
    ValidMoves,
    /// Searches for a move.
    BestMove(Limits),
    /// Takes back plies.
    Undo(usize),
    /// Lists all options.
    Options,
    /// Shows an option.
    Option(String),
    /// Changes an option.
    SetOption { name: String, value: String },
    /// Counts move sequences.
    Perft(u32),
    /// Lists the commands.
    Help,
    /// Ends the engine.
    Exit,
}

/// Iterations of a search of depth 0; each further ply has four times as many.
const NODES_OF_DEPTH_0: u64 = 32;

const UNKNOWN: &str = "Invalid command. Try 'help' to see a list of valid commands.";

/// Reads a line that is not blank: a word in either case, then its arguments, separated by white space.
///
/// # Errors
/// The error's text for the viewer.
pub(super) fn parse(line: &str) -> Result<Command, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let word = word.to_ascii_lowercase();
    let command = match word.as_str() {
        "info" => Command::Info,
        "newgame" => return Ok(Command::NewGame(rest.to_owned())),
        "play" if rest.is_empty() => return Err("play needs a move.".to_owned()),
        "play" => return Ok(Command::Play(rest.to_owned())),
        "pass" => Command::Play("pass".to_owned()),
        "validmoves" => Command::ValidMoves,
        "bestmove" => return search_for(&words).map(Command::BestMove),
        "undo" => return undo(&words).map(Command::Undo),
        "options" => return options(&words, rest),
        "perft" => return perft(&words).map(Command::Perft),
        "help" => return Ok(Command::Help),
        "exit" | "quit" => return Ok(Command::Exit),
        _ => return Err(UNKNOWN.to_owned()),
    };
    if words.is_empty() {
        Ok(command)
    } else {
        Err(format!("{word} takes no arguments."))
    }
}

fn search_for(words: &[&str]) -> Result<Limits, String> {
    let expected =
        "bestmove takes `time hh:mm:ss`, `seconds S`, `depth N`, `depthorseconds N S`, or nothing.";
    let no_depth = |depth| format!("\"{depth}\" is not a depth.");
    let no_seconds = |seconds| format!("\"{seconds}\" is not a number of seconds.");
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    match (
        &lower.iter().map(String::as_str).collect::<Vec<_>>()[..],
        words,
    ) {
        ([], _) => Ok(Limits::Infinite),
        (["time", time], _) => parse_time(time)
            .map(Limits::Time)
            .ok_or_else(|| format!("\"{time}\" is not a time like 00:00:05.")),
        (["seconds", seconds], _) => parse_seconds(seconds)
            .map(Limits::Time)
            .ok_or_else(|| no_seconds(seconds)),
        (["depth", depth], _) => nodes_of(depth)
            .map(Limits::Nodes)
            .ok_or_else(|| no_depth(depth)),
        (["depthorseconds", depth, seconds], _) => {
            let nodes = nodes_of(depth).ok_or_else(|| no_depth(depth))?;
            let time = parse_seconds(seconds).ok_or_else(|| no_seconds(seconds))?;
            Ok(Limits::from_parts(Some(time), Some(nodes)))
        }
        _ => Err(expected.to_owned()),
    }
}

fn nodes_of(depth: &str) -> Option<u64> {
    let nodes = 4u64.checked_pow(depth.parse().ok()?).unwrap_or(u64::MAX);
    Some(nodes.saturating_mul(NODES_OF_DEPTH_0))
}

/// Reads a number of seconds, with a fraction or without.
fn parse_seconds(text: &str) -> Option<Duration> {
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = text.parse().ok().filter(|_| is_plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads `hh:mm:ss`, with a fraction of a second or without, as well as `mm:ss` and seconds alone.
fn parse_time(text: &str) -> Option<Duration> {
    let mut parts = text.rsplit(':');
    let mut total = parse_seconds(parts.next()?)?;
    for unit in [60, 3600] {
        if let Some(part) = parts.next() {
            let count: u32 = part.parse().ok()?;
            total = total.checked_add(Duration::from_secs(unit).checked_mul(count)?)?;
        }
    }
    parts.next().is_none().then_some(total)
}

fn undo(words: &[&str]) -> Result<usize, String> {
    match words {
        [] => Ok(1),
        [count] => match count.parse() {
            Ok(0) | Err(_) => Err(format!("Unable to undo {count} moves.")),
            Ok(count) => Ok(count),
        },
        _ => Err("undo takes one number.".to_owned()),
    }
}

fn options(words: &[&str], rest: &str) -> Result<Command, String> {
    let verb = words.first().map(|word| word.to_ascii_lowercase());
    match (verb.as_deref(), words) {
        (None, _) => Ok(Command::Options),
        (Some("get"), [_, name]) => Ok(Command::Option((*name).to_owned())),
        (Some("set"), [verb, name, _, ..]) => {
            // A value may hold spaces, as paths do.
            let tail = rest[verb.len()..].trim_start();
            Ok(Command::SetOption {
                name: (*name).to_owned(),
                value: tail[name.len()..].trim().to_owned(),
            })
        }
        _ => Err("options takes `get NAME`, `set NAME VALUE`, or nothing.".to_owned()),
    }
}

fn perft(words: &[&str]) -> Result<u32, String> {
    match words {
        [] => Ok(5),
        [depth] => depth
            .parse()
            .map_err(|_| format!("\"{depth}\" is not a depth.")),
        _ => Err("perft takes one number.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_either_case_and_with_any_white_space() {
        assert_eq!(parse("info"), Ok(Command::Info));
        assert_eq!(parse(" INFO\r"), Ok(Command::Info));
        assert_eq!(parse("NewGame"), Ok(Command::NewGame(String::new())));
        assert_eq!(
            parse("play \t wS1  bG1-"),
            Ok(Command::Play("wS1  bG1-".to_owned()))
        );
        assert_eq!(parse("pass"), Ok(Command::Play("pass".to_owned())));
        assert_eq!(parse("undo"), Ok(Command::Undo(1)));
        assert_eq!(parse("undo 3"), Ok(Command::Undo(3)));
        assert_eq!(parse("perft 4"), Ok(Command::Perft(4)));
        assert_eq!(
            parse("options  set Log  a b"),
            Ok(Command::SetOption {
                name: "Log".to_owned(),
                value: "a b".to_owned()
            })
        );
    }

    #[test]
    fn times_may_have_fractions_and_leave_out_hours() {
        let time = |text: &str| match parse(&format!("bestmove time {text}")) {
            Ok(Command::BestMove(Limits::Time(time))) => Some(time.as_millis()),
            _ => None,
        };
        assert_eq!(time("00:00:05"), Some(5_000));
        assert_eq!(time("01:02:03"), Some(3_723_000));
        assert_eq!(time("00:00:00.5"), Some(500));
        assert_eq!(time("00:00:00.1230000"), Some(123));
        assert_eq!(time("1:30"), Some(90_000));
        assert_eq!(time("0"), Some(0));
        for text in [
            "",
            "x",
            "-1",
            "00:00:-5",
            "1:2:3:4",
            "00:x:05",
            "inf",
            "nan",
            "1e9",
            "::",
            "99999999999999999999:00:00",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    /// The forms of nokamute 1.0.3; its clients also leave out the zero before the point.
    #[test]
    fn nokamutes_limits_are_read() {
        let limits = |text: &str| match parse(&format!("bestmove {text}")) {
            Ok(Command::BestMove(limits)) => Some((limits.time(), limits.nodes())),
            _ => None,
        };
        let time = |ms| Some(Duration::from_millis(ms));
        assert_eq!(limits("seconds 0.005"), Some((time(5), None)));
        assert_eq!(limits("SECONDS 60"), Some((time(60_000), None)));
        assert_eq!(limits("depthorseconds 2 .5"), Some((time(500), Some(512))));
        assert_eq!(
            limits("depthorseconds 99 0.230"),
            Some((time(230), Some(u64::MAX)))
        );
    }

    #[test]
    fn rubbish_is_an_error() {
        for line in [
            "x",
            "infos",
            "info 1",
            "play",
            "validmoves 1",
            "bestmove depth",
            "bestmove depth x",
            "bestmove depth -1",
            "bestmove time",
            "bestmove now",
            "bestmove seconds",
            "bestmove seconds x",
            "bestmove seconds 1:00",
            "bestmove seconds 2e1",
            "bestmove seconds 1 2",
            "bestmove depthorseconds",
            "bestmove depthorseconds x 1",
            "bestmove depthorseconds 1 x",
            "bestmove depthorseconds 1 1 1",
            "undo 0",
            "undo -1",
            "undo x",
            "undo 1 2",
            "options x",
            "options get",
            "options set A",
            "options get A B",
            "perft x",
            "perft 1 2",
            "🐝",
            "\u{0}",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
