//! Commands, one per line: their effects on the game and the options, and their answers.

use std::time::Duration;

use super::options::Options;
use wabe_engine::search::Limits;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::PlayError;
use wabe_hive::standard::{GameType, Position, StandardRecord};

/// Time kept back for sending the move.
const RESERVE: Duration = Duration::from_millis(10);

/// Iterations of a search of depth 0; each further ply has four times as many.
const NODES_OF_DEPTH_0: u64 = 32;

/// Default depth of a count.
const PERFT_DEPTH: u32 = 5;

const UNKNOWN: &str = "Invalid command. Try 'help' to see a list of valid commands.";
const NO_GAME: &str = "No game in progress. Try 'newgame' to start a new game.";
const GAME_OVER: &str = "The game is over. Try 'newgame' to start a new game.";

const HELP: &str = "\
info                          who the engine is
newgame [TYPE or GAMESTRING]  begins a game: Base, Base+M … Base+MLP
play MOVE                     plays a move, such as wS1 or bG1 wS1-
pass                          plays a pass
validmoves                    the legal moves
bestmove time HH:MM:SS[.fff]  the best move that is found in that time
bestmove seconds S            the same, in seconds
bestmove depth N              the same, with 32 · 4^N iterations of the search
bestmove depthorseconds N S   the same, until the first of both limits
bestmove                      the same, until it is interrupted (Ctrl-C or the next line)
undo [N]                      takes back the last N plies
options [get NAME]            the options
options set NAME VALUE        changes one
perft [N]                     counts move sequences
exit                          ends the engine";

/// The effect of a command.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// These lines, and `ok` after them.
    Lines(Vec<String>),
    /// This line, and `ok` after it. A game has begun.
    NewGame(String),
    /// A search of a game with several legal moves.
    Search(Box<StandardRecord>, Limits),
    /// A count of the move sequences from a position up to this length.
    Perft(Box<Position>, u32),
    /// The end of the session.
    Exit,
}

impl Reply {
    fn line(text: impl Into<String>) -> Reply {
        Reply::Lines(vec![text.into()])
    }

    /// One readable line, whatever the viewer sent.
    fn error(word: &str, text: &str) -> Reply {
        Reply::line(format!("{word} {}", printable(text, MAX_DETAIL)))
    }
}

/// A game and options.
#[derive(Debug, Default)]
pub(super) struct Interpreter {
    pub(super) game: Option<StandardRecord>,
    pub(super) options: Options,
}

/// The engine's name and version, then the expansions that it plays.
pub(super) fn info() -> Vec<String> {
    vec![
        format!("id wabe {}", env!("CARGO_PKG_VERSION")),
        "Mosquito;Ladybug;Pillbug".to_owned(),
    ]
}

impl Interpreter {
    /// Carries out a line that is not blank, except for searching and counting: a word in either
    /// case, then its arguments, separated by white space.
    pub(super) fn execute(&mut self, line: &str) -> Reply {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let words: Vec<&str> = rest.split_whitespace().collect();
        let word = word.to_ascii_lowercase();
        let reply = match (word.as_str(), &words[..]) {
            ("info", []) => Ok(Reply::Lines(info())),
            ("newgame", _) => self.new_game(rest),
            ("play", []) => Err("play needs a move.".to_owned()),
            ("play", _) => self.play(rest),
            ("pass", []) => self.play("pass"),
            ("validmoves", []) => self.running_game().map(|game| {
                let moves = game.legal_moves();
                let texts: Vec<String> = moves.iter().map(|&mv| game.write(mv)).collect();
                Reply::line(texts.join(";"))
            }),
            ("bestmove", _) => search_for(&words).and_then(|limits| self.best_move(limits)),
            ("undo", _) => self.undo(&words),
            ("options", _) => self.set_or_show_options(&words, rest),
            ("perft", _) => perft(&words)
                .and_then(|depth| Ok(Reply::Perft(Box::new(*self.game()?.position()), depth))),
            ("help", _) => Ok(Reply::Lines(HELP.lines().map(str::to_owned).collect())),
            ("exit" | "quit", _) => Ok(Reply::Exit),
            ("info" | "pass" | "validmoves", _) => Err(format!("{word} takes no arguments.")),
            _ => Err(UNKNOWN.to_owned()),
        };
        reply.unwrap_or_else(|error| Reply::error("err", &error))
    }

    fn game(&mut self) -> Result<&mut StandardRecord, String> {
        self.game.as_mut().ok_or_else(|| NO_GAME.to_owned())
    }

    fn running_game(&mut self) -> Result<&mut StandardRecord, String> {
        let game = self.game()?;
        if game.is_over() {
            return Err(GAME_OVER.to_owned());
        }
        Ok(game)
    }

    /// Begins a game of a type or from a game string; for an empty text, the base game.
    fn new_game(&mut self, text: &str) -> Result<Reply, String> {
        let opening = self.options.opening();
        let mut game = if text.is_empty() {
            StandardRecord::standard(GameType::default(), opening)
        } else {
            StandardRecord::from_game_string(text, opening).map_err(|error| error.to_string())?
        };
        game.set_repetition(self.options.repetition());
        let reply = Reply::NewGame(game.to_string());
        self.game = Some(game);
        Ok(reply)
    }

    fn play(&mut self, text: &str) -> Result<Reply, String> {
        let game = self.running_game()?;
        match game.play_text(text) {
            Ok(()) => Ok(Reply::line(game.to_string())),
            Err(PlayError::Over) => Err(GAME_OVER.to_owned()),
            Err(error) => Ok(Reply::error("invalidmove", &error.to_string())),
        }
    }

    fn best_move(&mut self, limits: Limits) -> Result<Reply, String> {
        let most_nodes = self.options.most_nodes();
        let game = self.running_game()?;
        if let [only] = game.legal_moves()[..] {
            return Ok(Reply::line(game.write(only)));
        }
        let time = limits.time().map(|time| time.saturating_sub(RESERVE));
        let nodes = [limits.nodes(), most_nodes].into_iter().flatten().min();
        Ok(Reply::Search(
            Box::new(game.clone()),
            Limits::from_parts(time, nodes),
        ))
    }

    fn undo(&mut self, words: &[&str]) -> Result<Reply, String> {
        let count = match words {
            [] => "1",
            [count] => count,
            _ => return Err("undo takes one number.".to_owned()),
        };
        let plies = count.parse().unwrap_or(0);
        let game = self.game()?;
        if plies > 0 && game.undo(plies) {
            Ok(Reply::line(game.to_string()))
        } else {
            Err(format!("Unable to undo {count} moves."))
        }
    }

    fn set_or_show_options(&mut self, words: &[&str], rest: &str) -> Result<Reply, String> {
        let verb = words.first().map(|word| word.to_ascii_lowercase());
        match (verb.as_deref(), words) {
            (None, _) => Ok(Reply::Lines(self.options.lines())),
            (Some("get"), [_, name]) => self.options.line(name).map(Reply::line),
            (Some("set"), [verb, name, _, ..]) => {
                // A value may hold spaces, as paths do.
                let tail = rest[verb.len()..].trim_start();
                let line = self.options.set(name, tail[name.len()..].trim())?;
                let repetition = self.options.repetition();
                if let Some(game) = &mut self.game {
                    game.set_repetition(repetition);
                }
                Ok(Reply::line(line))
            }
            _ => Err("options takes `get NAME`, `set NAME VALUE`, or nothing.".to_owned()),
        }
    }
}

fn search_for(words: &[&str]) -> Result<Limits, String> {
    let expected =
        "bestmove takes `time hh:mm:ss`, `seconds S`, `depth N`, `depthorseconds N S`, or nothing.";
    let no_depth = |depth: &str| format!("\"{depth}\" is not a depth.");
    let no_seconds = |seconds: &str| format!("\"{seconds}\" is not a number of seconds.");
    let kind = words.first().map(|kind| kind.to_ascii_lowercase());
    match (kind.as_deref(), words.get(1..).unwrap_or_default()) {
        (None, _) => Ok(Limits::Infinite),
        (Some("time"), [time]) => parse_time(time)
            .map(Limits::Time)
            .ok_or_else(|| format!("\"{time}\" is not a time like 00:00:05.")),
        (Some("seconds"), [seconds]) => parse_seconds(seconds)
            .map(Limits::Time)
            .ok_or_else(|| no_seconds(seconds)),
        (Some("depth"), [depth]) => nodes_for_depth(depth)
            .map(Limits::Nodes)
            .ok_or_else(|| no_depth(depth)),
        (Some("depthorseconds"), [depth, seconds]) => {
            let nodes = nodes_for_depth(depth).ok_or_else(|| no_depth(depth))?;
            let time = parse_seconds(seconds).ok_or_else(|| no_seconds(seconds))?;
            Ok(Limits::from_parts(Some(time), Some(nodes)))
        }
        _ => Err(expected.to_owned()),
    }
}

fn nodes_for_depth(depth: &str) -> Option<u64> {
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
    let is_clock = text.contains(':');
    if is_clock && total >= Duration::from_secs(60) {
        return None;
    }
    for (unit, limit) in [(60, 60), (3600, u32::MAX)] {
        if let Some(part) = parts.next() {
            let count: u32 = part.parse().ok().filter(|&count| count < limit)?;
            total = total.checked_add(Duration::from_secs(unit).checked_mul(count)?)?;
        }
    }
    parts.next().is_none().then_some(total)
}

fn perft(words: &[&str]) -> Result<u32, String> {
    match words {
        [] => Ok(PERFT_DEPTH),
        [depth] => depth
            .parse()
            .map_err(|_| format!("\"{depth}\" is not a depth.")),
        _ => Err("perft takes one number.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reply in a game with several moves.
    fn reply(line: &str) -> Reply {
        let mut interpreter = Interpreter::default();
        interpreter.execute("newgame Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-");
        interpreter.execute(line)
    }

    fn limits(text: &str) -> Option<(Option<Duration>, Option<u64>)> {
        match reply(&format!("bestmove {text}")) {
            Reply::Search(_, limits) => Some((limits.time(), limits.nodes())),
            _ => None,
        }
    }

    #[test]
    fn commands_ignore_case_and_white_space() {
        assert_eq!(reply(" INFO\r"), Reply::Lines(info()));
        assert!(matches!(reply("Perft \t 4"), Reply::Perft(_, 4)));
        assert_eq!(reply("undo"), reply("UNDO  1"));
        assert_eq!(reply("play \t wA1  -wQ"), reply("play wA1 -wQ"));
        let strength = Reply::line("Strength;int;3;8;1;8");
        assert_eq!(reply("options  SET strength  3"), strength);
    }

    #[test]
    fn search_times_are_read() {
        for (text, milliseconds) in [
            ("time 00:00:05", 5_000),
            ("time 01:02:03", 3_723_000),
            ("time 00:00:00.5", 500),
            ("time 00:00:00.1230000", 123),
            ("time 1:30", 90_000),
            ("seconds 0.025", 25),
            ("SECONDS 60", 60_000),
        ] {
            let time = Duration::from_millis(milliseconds) - RESERVE;
            assert_eq!(limits(text), Some((Some(time), None)), "{text}");
        }
    }

    /// The forms of nokamute 1.0.3; its clients also leave out the zero before the point.
    #[test]
    fn depths_become_iterations() {
        let time = |ms| Some(Duration::from_millis(ms) - RESERVE);
        assert_eq!(limits("depth 2"), Some((None, Some(512))));
        let both = Some((time(500), Some(512)));
        assert_eq!(limits("depthorseconds 2 .5"), both);
        let most = Some((time(230), Some(u64::MAX)));
        assert_eq!(limits("depthorseconds 99 0.230"), most);
    }

    #[test]
    fn invalid_lines_are_errors() {
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
            "bestmove time x",
            "bestmove time -1",
            "bestmove time 00:00:-5",
            "bestmove time 1:2:3:4",
            "bestmove time inf",
            "bestmove time 1e9",
            "bestmove time ::",
            "bestmove time 99999999999999999999:00:00",
            "bestmove now",
            "bestmove seconds",
            "bestmove seconds 1:00",
            "bestmove seconds 2e1",
            "bestmove seconds 1 2",
            "bestmove depthorseconds 1 x",
            "bestmove depthorseconds 1 1 1",
            "undo 0",
            "undo -1",
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
            let reply = reply(line);
            let is_error = matches!(&reply, Reply::Lines(lines) if lines[0].starts_with("err "));
            assert!(is_error, "{line}: {reply:?}");
        }
    }
}
