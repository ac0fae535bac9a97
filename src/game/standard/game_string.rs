//! Game strings of the Universal Hive Protocol: `Base+MLP;InProgress;White[2];wS1;bG1 wS1-`. The protocol has no form for games that begin
//! with another position. Their text is the game type and the plain form: `Base 2 - 0,0:rS;1,0:bS AAABBGGGQS/AAABBGGGQS moves wQ -wS1`.

use std::fmt;

use super::{ReadMoveError, StandardRecord};
use crate::game::{Ending, ReadRecordError, Record};
use crate::hive::Color;
use crate::hive::standard::{GameType, Opening, ParseGameTypeError};

/// The state of a game, in the protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameState {
    /// No ply has been played.
    NotStarted,
    /// The game is running.
    InProgress,
    /// The game is a draw.
    Draw,
    /// White has won.
    WhiteWins,
    /// Black has won.
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

    /// True if the game has ended.
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

/// The game string, or game type and plain form.
pub(super) fn write(record: &StandardRecord) -> String {
    if !record.has_game_string() {
        return format!("{} {}", record.variant(), record.plain_text());
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

/// The game type and the plain form, where a text begins with both.
fn split_plain(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    (!word.contains(';') && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((word, rest))
}

/// True for game type and plain form.
pub(crate) fn is_plain(text: &str) -> bool {
    split_plain(text).is_some()
}

fn game_type(word: &str) -> Result<GameType, ReadRecordError<ReadMoveError>> {
    let game_type = word.parse();
    game_type.map_err(|error: ParseGameTypeError| ReadRecordError::Variant(error.to_string()))
}

/// Reads a game string, ignoring its state and turn, or game type and plain form.
pub(super) fn read(
    text: &str,
    opening: Opening,
) -> Result<StandardRecord, ReadRecordError<ReadMoveError>> {
    if let Some((word, plain)) = split_plain(text) {
        let game_type = game_type(word)?;
        let record = StandardRecord::from_plain_text(plain)?;
        let least = record.variant();
        if !least.is_within(game_type) {
            let problem = format!("the position has pieces of {least}, not only of {game_type}");
            return Err(ReadRecordError::Variant(problem));
        }
        return Ok(record.of_variant(game_type));
    }
    let mut fields = text.split(';').map(str::trim);
    let game_type = game_type(fields.next().unwrap_or_default())?;
    let mut record = Record::standard(game_type, opening);
    record.play_texts(fields.skip(2))?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_that_begin_with_another_position_keep_it_and_their_type() {
        let position = "2 - 0,0:rS;1,0:bS AAABBGGGQS/AAABBGGGQS";
        for text in [
            format!("Base {position}"),
            format!("Base+M {position} moves wQ -wS1;bQ bS1-"),
        ] {
            let record: StandardRecord = text.parse().unwrap();
            assert_eq!(record.to_string(), text);
            assert_eq!(record.to_string().parse(), Ok(record));
        }
        for reserves in ["-/-", "-/B", "AAABBGGGQ/AAABBGGGQSS"] {
            let text = format!("Base 0 - - {reserves}");
            let record: StandardRecord = text.parse().unwrap();
            assert_eq!(record.to_string(), text);
        }
        let started: StandardRecord = "0 - - AAABBGGGQSS/AAABBGGGQSS".parse().unwrap();
        assert_eq!(started.to_string(), "Base;NotStarted;White[1]");
        let plain: StandardRecord = position.parse().unwrap();
        assert_eq!(plain.to_string(), format!("Base {position}"));
        let with_mosquito = position.replace("GQS", "GMQS");
        let error = format!("Base+L {with_mosquito}").parse::<StandardRecord>();
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("pieces of Base+M, not only of Base+L"),
            "{error}"
        );
        assert!("Base+X 2 - 0,0:rS".parse::<StandardRecord>().is_err());
    }
}
