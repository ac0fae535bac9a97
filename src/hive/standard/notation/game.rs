//! Games: a type, the plies played, and what they led to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::super::{GameType, Move, MoveList, Opening, ParseGameTypeError, Position, Wide};
use super::PieceName;
use super::move_text::{self, ReadMoveError};
use super::named_pieces::NamedPieces;
use super::repetition::{OCCURRENCES, PositionKey, Repetition};
use crate::hex::{Cell, CellSet};
use crate::hive::{Color, IllegalMove, Outcome, Placement, RuleBook};

/// A game of the standard rules, begun or finished.
///
/// Its text form is the protocol's game string, `Base+MLP;InProgress;White[2];wS1;bG1 wS1-`. On input, the state and the turn
/// are not looked at.
#[derive(Clone, Debug)]
pub struct Game {
    game_type: GameType,
    repetition: Repetition,
    position: Position,
    pieces: NamedPieces,
    plies: Vec<Ply>,
}

/// A ply and what was before it.
#[derive(Clone, Debug)]
struct Ply {
    mv: Move,
    text: String,
    before: Position,
    pieces_before: NamedPieces,
    /// Of the position before it.
    key: PositionKey,
}

/// How far a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameState {
    /// No ply played.
    NotStarted,
    /// Somebody has to move.
    InProgress,
    /// Nobody has won.
    Draw,
    /// White has.
    WhiteWins,
    /// Black has.
    BlackWins,
}

impl GameState {
    /// Whether there is nothing more to play.
    pub const fn is_over(self) -> bool {
        matches!(
            self,
            GameState::Draw | GameState::WhiteWins | GameState::BlackWins
        )
    }
}

impl fmt::Display for GameState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameState::NotStarted => "NotStarted",
            GameState::InProgress => "InProgress",
            GameState::Draw => "Draw",
            GameState::WhiteWins => "WhiteWins",
            GameState::BlackWins => "BlackWins",
        })
    }
}

/// Why a move cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayError {
    /// It means nothing here.
    #[error(transparent)]
    Text(#[from] ReadMoveError),
    /// The game has ended.
    #[error("The game is over. Try 'newgame' to start a new game.")]
    GameOver,
    /// A pass without need.
    #[error("You can't pass when you have valid moves.")]
    Pass,
    /// The queen on a side's first turn.
    #[error("The queen cannot be placed on the first turn.")]
    QueenTooEarly,
    /// Anything else where the queen has to be placed.
    #[error("The queen must be placed by the fourth turn.")]
    QueenDue,
    /// A move before the own queen is in play.
    #[error("No piece can be moved before the queen is placed.")]
    QueenFirst,
    /// Another side's piece out of reach of a pillbug.
    #[error("It is not the turn of that piece.")]
    WrongSide,
    /// The hive would fall apart.
    #[error("Moving that piece would break the hive.")]
    Pinned,
    /// The piece moved just now.
    #[error("That piece was moved just now and has to rest.")]
    Resting,
    /// Anything else.
    #[error("You can't move that piece there.")]
    Destination,
}

impl PlayError {
    /// Why `mv`, which is not legal, is not.
    fn of(position: &Position, mv: Move, error: &IllegalMove) -> PlayError {
        match (error, mv) {
            (IllegalMove::GameOver, _) => PlayError::GameOver,
            (IllegalMove::Pass, _) => PlayError::Pass,
            (IllegalMove::BeeTooEarly, _) => PlayError::QueenTooEarly,
            (IllegalMove::BeeDue, _) => PlayError::QueenDue,
            (IllegalMove::BeeFirst, _) if queen_is_due(position) => PlayError::QueenDue,
            (IllegalMove::BeeFirst, _) => PlayError::QueenFirst,
            (IllegalMove::NoOwnPiece(_), _) => PlayError::WrongSide,
            (IllegalMove::Pinned(_), _) => PlayError::Pinned,
            (IllegalMove::Resting(_), Move::Drag { from, .. }) => {
                if position.tops(position.side_to_move()).contains(from) {
                    PlayError::Resting
                } else {
                    PlayError::WrongSide
                }
            }
            _ => PlayError::Destination,
        }
    }
}

fn queen_is_due(position: &Position) -> bool {
    matches!(Wide::placement(position), Placement::BeeOnly(_))
}

/// Why a text is not a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseGameError {
    /// The first field.
    #[error(transparent)]
    GameType(#[from] ParseGameTypeError),
    /// A ply.
    #[error("ply {number}, `{text}`: {error}")]
    Ply {
        /// Counted from 1.
        number: usize,
        /// As it was written.
        text: String,
        /// What is wrong with it.
        error: PlayError,
    },
}

impl Game {
    /// A game before its first ply.
    pub fn new(game_type: GameType, opening: Opening, repetition: Repetition) -> Game {
        Game {
            game_type,
            repetition,
            position: game_type.start(opening),
            pieces: NamedPieces::default(),
            plies: Vec::new(),
        }
    }

    /// Reads a game string. Repetitions on the way do not end a game that was played on.
    ///
    /// # Errors
    /// For an unknown game type, and for a ply that cannot be read or is not legal.
    pub fn parse(
        text: &str,
        opening: Opening,
        repetition: Repetition,
    ) -> Result<Game, ParseGameError> {
        let mut fields = text.split(';').map(str::trim);
        let game_type = fields.next().unwrap_or_default().parse()?;
        let mut game = Game::new(game_type, opening, Repetition::Ignore);
        // State and turn.
        let plies = fields.skip(2);
        for (number, text) in (1..).zip(plies.filter(|text| !text.is_empty())) {
            game.play(text).map_err(|error| ParseGameError::Ply {
                number,
                text: text.to_owned(),
                error,
            })?;
        }
        game.repetition = repetition;
        Ok(game)
    }

    /// Which pieces it is played with.
    pub fn game_type(&self) -> GameType {
        self.game_type
    }

    /// What the plies have led to.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The pieces on a cell by name, bottom to top.
    pub fn stack(&self, cell: Cell) -> impl Iterator<Item = PieceName> {
        self.pieces.on(cell)
    }

    /// Where a piece is; `None` while it is in hand.
    pub fn cell_of(&self, piece: PieceName) -> Option<Cell> {
        self.pieces.cell_of(piece)
    }

    /// Whether the game is a draw because a position occurred for the third time.
    pub fn is_drawn_by_repetition(&self) -> bool {
        self.position.outcome().is_none() && self.state() == GameState::Draw
    }

    /// The plies played.
    pub fn plies(&self) -> impl ExactSizeIterator<Item = (Move, &str)> {
        self.plies.iter().map(|ply| (ply.mv, ply.text.as_str()))
    }

    /// Whether the third occurrence of a position is a draw.
    pub fn repetition(&self) -> Repetition {
        self.repetition
    }

    /// Changes that.
    pub fn set_repetition(&mut self, repetition: Repetition) {
        self.repetition = repetition;
    }

    /// How far the game is.
    pub fn state(&self) -> GameState {
        match self.position.outcome() {
            Some(Outcome::Draw { .. }) => GameState::Draw,
            Some(Outcome::Win { winner, .. }) => match winner {
                Color::Red => GameState::WhiteWins,
                Color::Blue => GameState::BlackWins,
            },
            None if self.plies.is_empty() => GameState::NotStarted,
            None if self.is_repeated(&self.position) => GameState::Draw,
            None => GameState::InProgress,
        }
    }

    /// Whether `position`, the present one or one after it, is a draw by repetition.
    fn is_repeated(&self, position: &Position) -> bool {
        if self.repetition == Repetition::Ignore {
            return false;
        }
        let key = PositionKey::new(position, self.game_type);
        let earlier = self.plies.iter().filter(|ply| ply.key == key).count();
        earlier + 1 >= OCCURRENCES
    }

    /// Whether the game is drawn by repetition when `mv` is played.
    pub fn repeats(&self, mv: Move) -> bool {
        let after = self.position.after(mv);
        // The present position cannot come again before the other side has moved.
        after.outcome().is_none() && self.is_repeated(&after)
    }

    /// The legal moves; none when the game is over.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        if !self.state().is_over() {
            self.position.legal_moves(&mut moves);
        }
        moves
    }

    /// The move that the text means in the present position; it need not be legal.
    ///
    /// # Errors
    /// When it means nothing there.
    pub fn read(&self, text: &str) -> Result<Move, ReadMoveError> {
        move_text::read(text, &self.position, &self.pieces)
    }

    /// A move of the present position as the protocol writes it.
    pub fn write(&self, mv: Move) -> String {
        move_text::write(mv, &self.position, &self.pieces)
    }

    /// Writes moves that follow one another, as far as they are legal.
    pub fn write_line(&self, moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let (mut position, mut pieces) = (self.position, self.pieces.clone());
        let mut texts = Vec::new();
        for mv in moves {
            if position.check(mv).is_err() {
                break;
            }
            texts.push(move_text::write(mv, &position, &pieces));
            if let (Some(name), Some(to)) = (pieces.moved_by(&position, mv), mv.destination()) {
                pieces.put(name, to);
            }
            position.play(mv);
        }
        texts
    }

    /// Plays the move that the text means.
    ///
    /// # Errors
    /// When the text means no legal move; the game is unchanged then.
    pub fn play(&mut self, text: &str) -> Result<(), PlayError> {
        if self.state().is_over() {
            return Err(PlayError::GameOver);
        }
        let mv = self.read(text)?;
        self.position
            .check(mv)
            .map_err(|error| PlayError::of(&self.position, mv, &error))?;
        let ply = Ply {
            mv,
            text: self.write(mv),
            before: self.position,
            pieces_before: self.pieces.clone(),
            key: PositionKey::new(&self.position, self.game_type),
        };
        if let (Some(name), Some(to)) = (self.pieces.moved_by(&self.position, mv), mv.destination())
        {
            self.pieces.put(name, to);
        }
        self.position.play(mv);
        self.plies.push(ply);
        Ok(())
    }

    /// Takes back the last `count` plies. `false`, and nothing taken back, where there are not so many.
    #[must_use]
    pub fn undo(&mut self, count: usize) -> bool {
        let Some(keep) = self.plies.len().checked_sub(count) else {
            return false;
        };
        if let Some(first) = self.plies.drain(keep..).next() {
            self.position = first.before;
            self.pieces = first.pieces_before;
        }
        true
    }
}

/// Under the tournament's opening, with draws by repetition.
impl FromStr for Game {
    type Err = ParseGameError;

    fn from_str(text: &str) -> Result<Game, ParseGameError> {
        Game::parse(text, Opening::default(), Repetition::default())
    }
}

/// The game string.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.position.side_to_move() {
            Color::Red => "White",
            Color::Blue => "Black",
        };
        let turn = self.plies.len() / 2 + 1;
        write!(f, "{};{};{side}[{turn}]", self.game_type, self.state())?;
        self.plies
            .iter()
            .try_for_each(|ply| write!(f, ";{}", ply.text))
    }
}
