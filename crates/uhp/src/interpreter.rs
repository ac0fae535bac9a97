//! The effects of commands on the game and the options, and their answers.

use super::command::Command;
use super::options::Options;
use wabe_engine::search::Limits;
use wabe_files::text::{SENTENCE, printable};
use wabe_hive::game::PlayError;
use wabe_hive::standard::GameType;
use wabe_hive::standard::StandardRecord;

/// Time kept back for sending the move.
const RESERVE: std::time::Duration = std::time::Duration::from_millis(10);

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
#[derive(Debug)]
pub(super) enum Reply {
    /// These lines, and `ok` after them.
    Lines(Vec<String>),
    /// A search of the present position, which has several legal moves.
    Search(Limits),
    /// A count of the move sequences of the present position up to this length.
    Perft(u32),
    /// The end of the session.
    Exit,
}

impl Reply {
    fn line(text: impl Into<String>) -> Reply {
        Reply::Lines(vec![text.into()])
    }

    /// The answer to a command that cannot be carried out.
    pub(super) fn error(text: impl AsRef<str>) -> Reply {
        Reply::error_of("err", text.as_ref())
    }

    fn error_of(word: &str, text: &str) -> Reply {
        // One readable line, whatever the viewer sent.
        Reply::line(format!("{word} {}", printable(text, SENTENCE)))
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
    /// Carries out a command, except for searching and counting.
    pub(super) fn execute(&mut self, command: Command) -> Reply {
        let result = match command {
            Command::Info => Ok(Reply::Lines(info())),
            Command::NewGame(text) => self.new_game(&text),
            Command::Play(text) => return self.play(&text),
            Command::ValidMoves => self.running_game().map(|game| {
                let moves = game.legal_moves();
                let texts: Vec<String> = moves.iter().map(|&mv| game.write(mv)).collect();
                Reply::line(texts.join(";"))
            }),
            Command::BestMove(limits) => self.best_move(limits),
            Command::Undo(count) => self.undo(count),
            Command::Options => Ok(Reply::Lines(self.options.lines())),
            Command::Option(name) => self.options.line(&name).map(Reply::line),
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Perft(depth) => self.game().map(|_| Reply::Perft(depth)),
            Command::Help => Ok(Reply::Lines(HELP.lines().map(str::to_owned).collect())),
            Command::Exit => Ok(Reply::Exit),
        };
        result.unwrap_or_else(Reply::error)
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

    fn new_game(&mut self, text: &str) -> Result<Reply, String> {
        let opening = self.options.opening();
        let mut game = if text.is_empty() {
            StandardRecord::standard(GameType::default(), opening)
        } else {
            StandardRecord::from_game_string(text, opening).map_err(|error| error.to_string())?
        };
        game.set_repetition(self.options.repetition());
        let reply = Reply::line(game.to_string());
        self.game = Some(game);
        Ok(reply)
    }

    fn play(&mut self, text: &str) -> Reply {
        let game = match self.running_game() {
            Ok(game) => game,
            Err(error) => return Reply::error(error),
        };
        match game.play_text(text) {
            Ok(()) => Reply::line(game.to_string()),
            Err(PlayError::Over) => Reply::error(GAME_OVER),
            Err(error) => Reply::error_of("invalidmove", &error.to_string()),
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
        Ok(Reply::Search(Limits::from_parts(time, nodes)))
    }

    fn undo(&mut self, count: usize) -> Result<Reply, String> {
        let game = self.game()?;
        if game.undo(count) {
            Ok(Reply::line(game.to_string()))
        } else {
            Err(format!("Unable to undo {count} moves."))
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<Reply, String> {
        let line = self.options.set(name, value)?;
        let repetition = self.options.repetition();
        if let Some(game) = &mut self.game {
            game.set_repetition(repetition);
        }
        Ok(Reply::line(line))
    }
}
