//! Parses commands, applies them to the game and the options, and writes the answers.

use std::time::Duration;

use super::options::Options;
use wabe_engine::search::Limits;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::PlayError;
use wabe_hive::standard::{GameType, Position, StandardRecord};

/// Safety margin taken off the move time.
const MARGIN: Duration = Duration::from_millis(10);

/// Iterations at depth 0. Each further ply multiplies them by 4.
const NODES_OF_DEPTH_0: u64 = 32;

/// Default depth of `perft`.
const PERFT_DEPTH: u32 = 5;

const UNKNOWN: &str = "Invalid command. Try 'help' to see a list of valid commands.";
const NO_GAME: &str = "No game in progress. Try 'newgame' to start a new game.";
const GAME_OVER: &str = "The game is over. Try 'newgame' to start a new game.";

const HELP: &str = "\
info                          print name, version and expansions
newgame [TYPE or GAMESTRING]  start a game: Base, Base+M … Base+MLP
play MOVE                     play a move, such as wS1 or bG1 wS1-
pass                          pass
validmoves                    list all legal moves
bestmove time HH:MM:SS[.fff]  search for this time
bestmove seconds S            search for S seconds
bestmove depth N              search 32 · 4^N iterations
bestmove depthorseconds N S   search until either limit is reached
bestmove                      search until Ctrl-C or the next line
undo [N]                      take back N plies [default: 1]
options [get NAME]            show all options or one
options set NAME VALUE        set an option
perft [N]                     count move sequences up to N plies [default: 5]
exit                          exit the engine";

/// The result of a command, or the work that the session has to do for it.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// Print these lines and `ok`.
    Lines(Vec<String>),
    /// Print this line and `ok`. A new game has started.
    NewGame(String),
    /// Search a game with more than one legal move.
    Search(Box<StandardRecord>, Limits),
    /// Count move sequences up to this depth.
    Perft(Box<Position>, u32),
    /// End the session.
    Exit,
}

impl Reply {
    fn line(text: impl Into<String>) -> Reply {
        Reply::Lines(vec![text.into()])
    }

    /// An error line, sanitized because it may quote input.
    fn error(word: &str, text: &str) -> Reply {
        Reply::line(format!("{word} {}", printable(text, MAX_DETAIL)))
    }
}

/// The current game and options.
#[derive(Debug, Default)]
pub(super) struct Interpreter {
    /// Name and version of the engine; `None` for wabe itself. Others have their own player.
    pub(super) name: Option<String>,
    pub(super) game: Option<StandardRecord>,
    pub(super) options: Options,
}

impl Interpreter {
    /// Name and version, then the supported expansions.
    pub(super) fn info(&self) -> Vec<String> {
        let wabe = concat!("wabe ", env!("CARGO_PKG_VERSION"));
        vec![
            format!("id {}", self.name.as_deref().unwrap_or(wabe)),
            "Mosquito;Ladybug;Pillbug".to_owned(),
        ]
    }

    /// Executes a command: a word, ignoring case, and arguments separated by white space. The line
    /// must not be blank.
    pub(super) fn execute(&mut self, line: &str) -> Reply {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let words: Vec<&str> = rest.split_whitespace().collect();
        let word = word.to_ascii_lowercase();
        let reply = match (word.as_str(), &words[..]) {
            ("info", []) => Ok(Reply::Lines(self.info())),
            ("newgame", _) => self.new_game(rest),
            ("play", []) => Err("play needs a move.".to_owned()),
            ("play", _) => self.play(rest),
            ("pass", []) => self.play("pass"),
            ("validmoves", []) => self.running_game().map(|game| {
                let moves = game.legal_moves();
                let texts: Vec<String> = moves.iter().map(|&mv| game.write(mv)).collect();
                Reply::line(texts.join(";"))
            }),
            ("bestmove", _) => parse_limits(&words).and_then(|limits| self.best_move(limits)),
            ("undo", _) => self.undo(&words),
            ("options", _) => self.set_or_show_options(&words, rest),
            ("perft", _) => parse_perft_depth(&words)
                .and_then(|depth| Ok(Reply::Perft(Box::new(*self.game()?.position()), depth))),
            ("help", _) => Ok(Reply::Lines(HELP.lines().map(str::to_owned).collect())),
            ("exit" | "quit", _) => Ok(Reply::Exit),
            ("info" | "pass" | "validmoves", _) => Err(format!("{word} takes no arguments.")),
            _ => Err(UNKNOWN.to_owned()),
        };
        reply.unwrap_or_else(|error| Reply::error("err", &error))
    }

    /// Maximum number of iterations per move; `None` if the strength is unlimited, or if the player
    /// is not wabe's own.
    pub(super) fn max_nodes(&self) -> Option<u64> {
        self.options.max_nodes().filter(|_| self.name.is_none())
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

    /// Starts a game from a game type or a game string; the base game if `text` is empty.
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
        let max_nodes = self.max_nodes();
        let game = self.running_game()?;
        if let [only] = game.legal_moves()[..] {
            return Ok(Reply::line(game.write(only)));
        }
        let time = limits.time().map(|time| time.saturating_sub(MARGIN));
        let nodes = [limits.nodes(), max_nodes].into_iter().flatten().min();
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
                // Values such as paths may contain spaces.
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

fn parse_limits(words: &[&str]) -> Result<Limits, String> {
    let expected =
        "bestmove takes `time hh:mm:ss`, `seconds S`, `depth N`, `depthorseconds N S`, or nothing.";
    let invalid_depth = |depth: &str| format!("\"{depth}\" is not a depth.");
    let invalid_seconds = |seconds: &str| format!("\"{seconds}\" is not a number of seconds.");
    let kind = words.first().map(|kind| kind.to_ascii_lowercase());
    match (kind.as_deref(), words.get(1..).unwrap_or_default()) {
        (None, _) => Ok(Limits::Infinite),
        (Some("time"), [time]) => parse_time(time)
            .map(Limits::Time)
            .ok_or_else(|| format!("\"{time}\" is not a time like 00:00:05.")),
        (Some("seconds"), [seconds]) => parse_seconds(seconds)
            .map(Limits::Time)
            .ok_or_else(|| invalid_seconds(seconds)),
        (Some("depth"), [depth]) => nodes_for_depth(depth)
            .map(Limits::Nodes)
            .ok_or_else(|| invalid_depth(depth)),
        (Some("depthorseconds"), [depth, seconds]) => {
            let nodes = nodes_for_depth(depth).ok_or_else(|| invalid_depth(depth))?;
            let time = parse_seconds(seconds).ok_or_else(|| invalid_seconds(seconds))?;
            Ok(Limits::from_parts(Some(time), Some(nodes)))
        }
        _ => Err(expected.to_owned()),
    }
}

fn nodes_for_depth(depth: &str) -> Option<u64> {
    let nodes = 4u64.checked_pow(depth.parse().ok()?).unwrap_or(u64::MAX);
    Some(nodes.saturating_mul(NODES_OF_DEPTH_0))
}

/// Parses seconds, with an optional fraction.
fn parse_seconds(text: &str) -> Option<Duration> {
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = text.parse().ok().filter(|_| is_plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Parses `hh:mm:ss`, `mm:ss` or seconds, with an optional fraction.
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

fn parse_perft_depth(words: &[&str]) -> Result<u32, String> {
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

    /// Executes a command in a game with more than one legal move.
    fn execute(line: &str) -> Reply {
        let mut interpreter = Interpreter::default();
        interpreter.execute("newgame Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-");
        interpreter.execute(line)
    }

    fn search_limits(text: &str) -> Option<(Option<Duration>, Option<u64>)> {
        match execute(&format!("bestmove {text}")) {
            Reply::Search(_, limits) => Some((limits.time(), limits.nodes())),
            _ => None,
        }
    }

    #[test]
    fn commands_ignore_case_and_white_space() {
        assert_eq!(
            execute(" INFO\r"),
            Reply::Lines(Interpreter::default().info())
        );
        assert!(matches!(execute("Perft \t 4"), Reply::Perft(_, 4)));
        assert_eq!(execute("undo"), execute("UNDO  1"));
        assert_eq!(execute("play \t wA1  -wQ"), execute("play wA1 -wQ"));
        let strength = Reply::line("Strength;int;3;10;1;10");
        assert_eq!(execute("options  SET strength  3"), strength);
    }

    #[test]
    fn bestmove_parses_times() {
        for (text, milliseconds) in [
            ("time 00:00:05", 5_000),
            ("time 01:02:03", 3_723_000),
            ("time 00:00:00.5", 500),
            ("time 00:00:00.1230000", 123),
            ("time 1:30", 90_000),
            ("seconds 0.025", 25),
            ("SECONDS 60", 60_000),
        ] {
            let time = Duration::from_millis(milliseconds) - MARGIN;
            assert_eq!(search_limits(text), Some((Some(time), None)), "{text}");
        }
    }

    /// As in nokamute 1.0.3, whose clients also write `.5` for `0.5`.
    #[test]
    fn bestmove_converts_depths_to_iterations() {
        let time = |ms| Some(Duration::from_millis(ms) - MARGIN);
        assert_eq!(search_limits("depth 2"), Some((None, Some(512))));
        let both = Some((time(500), Some(512)));
        assert_eq!(search_limits("depthorseconds 2 .5"), both);
        let max = Some((time(230), Some(u64::MAX)));
        assert_eq!(search_limits("depthorseconds 99 0.230"), max);
    }

    #[test]
    fn strength_does_not_limit_other_players() {
        for (name, nodes) in [(None, Some(1)), (Some("bot 1.0".to_owned()), None)] {
            let mut interpreter = Interpreter {
                name,
                ..Interpreter::default()
            };
            for line in ["newgame", "play wS1", "options set Strength 1"] {
                interpreter.execute(line);
            }
            let Reply::Search(_, limits) = interpreter.execute("bestmove") else {
                panic!("no search");
            };
            assert_eq!((limits.time(), limits.nodes()), (None, nodes));
        }
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
            let reply = execute(line);
            let is_error = matches!(&reply, Reply::Lines(lines) if lines[0].starts_with("err "));
            assert!(is_error, "{line}: {reply:?}");
        }
    }
}
