//! Game strings of the Universal Hive Protocol: `Base+MLP;InProgress;White[2];wS1;bG1 wS1-`.

use std::fmt;

use super::{ReadMoveError, StandardRecord};
use crate::game::{Ending, ReadRecordError, Record};
use crate::hex::CellSet;
use crate::hive::Color;
use crate::hive::standard::{GameType, Opening, ParseGameTypeError};

/// How far a game is, in the protocol's words.
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
    /// The states of finished games.
    pub const FINISHED: [GameState; 3] =
        [GameState::Draw, GameState::WhiteWins, GameState::BlackWins];

    /// The state of a game.
    pub fn of(record: &StandardRecord) -> GameState {
        match record.ending().map(Ending::winner) {
            Some(None) => GameState::Draw,
            Some(Some(Color::Red)) => GameState::WhiteWins,
            Some(Some(Color::Blue)) => GameState::BlackWins,
            None if record.plies().is_empty() => GameState::NotStarted,
            None => GameState::InProgress,
        }
    }

    /// The finished state that a word names.
    pub fn finished(word: &str) -> Option<GameState> {
        let mut states = GameState::FINISHED.into_iter();
        states.find(|state| state.to_string() == word)
    }

    /// True if there is nothing more to play.
    pub fn is_over(self) -> bool {
        GameState::FINISHED.contains(&self)
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

/// True if a text begins as game strings do.
pub(super) fn is_one(text: &str) -> bool {
    text.starts_with("Base")
}

/// The game string; the plain form of a game that begins with pieces on the board.
pub(super) fn write(record: &StandardRecord) -> String {
    if !record.start().occupied().is_empty() {
        return record.plain_text();
    }
    let side = match record.position().side_to_move() {
        Color::Red => "White",
        Color::Blue => "Black",
    };
    let turn = record.plies().len() / 2 + 1;
    let mut text = format!("{};{};{side}[{turn}]", record.variant(), record.state());
    for ply in record.plies() {
        text.push(';');
        text.push_str(&ply.text);
    }
    text
}

/// Reads a game string; its state and turn are not looked at.
pub(super) fn read(
    text: &str,
    opening: Opening,
) -> Result<StandardRecord, ReadRecordError<ReadMoveError>> {
    let mut fields = text.split(';').map(str::trim);
    let game_type: GameType = fields
        .next()
        .unwrap_or_default()
        .parse()
        .map_err(|error: ParseGameTypeError| ReadRecordError::Variant(error.to_string()))?;
    let mut record = Record::standard(game_type, opening);
    record.play_texts(fields.skip(2))?;
    Ok(record)
}
