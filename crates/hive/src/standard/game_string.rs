//! Game strings of the Universal Hive Protocol: `Base+MLP;InProgress;White[2];wS1;bG1 wS1-`. Type,
//! state and turn may be missing, as in hivegame.com's imports and nokamute's game logs:
//! `wS1;bG1 wS1-`.
//!
//! UHP has no format for games with another start position. They are written as the game type and
//! the plain form: `Base 2 - 0,0:rS;1,0:bS AAABBGGGQS/AAABBGGGQS moves wQ -wS1`.

use std::fmt;

use super::{PieceName, ReadMoveError, StandardRecord};
use crate::game::{ReadRecordError, Record};
use crate::standard::{GameType, Kind, OpeningRule};
use crate::{Color, ParseError, PieceKind};

/// The state of a game in UHP.
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
    /// True if the game has ended.
    pub fn is_over(self) -> bool {
        !matches!(self, GameState::NotStarted | GameState::InProgress)
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

/// True if a text begins like a game string: with a game type or a first move.
pub fn is_game_string(text: &str) -> bool {
    let first = text.split([';', '\n']).next().unwrap_or_default();
    let mut words = first.split_whitespace();
    text.starts_with("Base")
        || (words.next().is_some_and(|word| parse_name(word).is_some())
            && words.next().is_none_or(|word| word == "."))
}

/// The parts of a game string.
pub struct Fields<'t> {
    /// The game type, extended by the expansions that the moves use: hivegame.com's strings may
    /// omit them.
    pub game_type: GameType,
    /// The state, if it is given.
    pub state: Option<GameState>,
    /// The moves, unchecked.
    pub moves: Vec<&'t str>,
}

/// Splits a game string and keeps its first `max_moves` moves, unchecked.
pub fn fields(text: &str, max_moves: usize) -> Result<Fields<'_>, ParseError> {
    let is_move = |field: &str| {
        let word = field.split_whitespace().next().unwrap_or_default();
        parse_name(word).is_some() || word.eq_ignore_ascii_case("pass")
    };
    let state_of = |field: &str| {
        let states = [
            GameState::NotStarted,
            GameState::InProgress,
            GameState::Draw,
            GameState::WhiteWins,
            GameState::BlackWins,
        ];
        let mut states = states.into_iter();
        states.find(|state| state.to_string().eq_ignore_ascii_case(field))
    };
    let is_turn = |field: &&str| {
        let side = field.split('[').next().unwrap_or_default();
        ["", "White", "Black"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(side))
    };
    let mut fields = text.split(';').map(str::trim).peekable();
    let game_type = match fields.next_if(|field| !is_move(field)) {
        Some(field) => field.parse()?,
        None => GameType::default(),
    };
    let state = fields.next_if(|field| field.is_empty() || state_of(field).is_some());
    // The turn follows from the moves.
    fields.next_if(is_turn);
    let moves: Vec<&str> = fields
        .filter(|field| !field.is_empty())
        .take(max_moves)
        .collect();
    let names = moves
        .iter()
        .filter_map(|mv| parse_name(mv.split_whitespace().next()?));
    Ok(Fields {
        game_type: game_type.with(names.map(|name| name.piece().kind)),
        state: state.and_then(state_of),
        moves,
    })
}

fn parse_name(word: &str) -> Option<PieceName> {
    word.parse().ok()
}

/// Writes the game string, or the game type and the plain form if UHP has no format.
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

/// Splits a text into game type and plain form; `None` for other texts.
fn split_plain(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    (!word.contains(';') && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((word, rest))
}

/// True if a text is a game type followed by the plain form.
pub fn is_plain(text: &str) -> bool {
    split_plain(text).is_some()
}

/// Reads a game string, or game type and plain form.
pub(super) fn read(
    text: &str,
    opening: OpeningRule,
) -> Result<StandardRecord, ReadRecordError<ReadMoveError>> {
    if let Some((word, plain)) = split_plain(text) {
        let game_type: GameType = word.parse()?;
        let record = StandardRecord::from_plain_text(plain)?;
        let required = record.variant();
        if Kind::ALL
            .iter()
            .any(|&kind| required.has(kind) && !game_type.has(kind))
        {
            return Err(ReadRecordError::OtherVariant {
                required: required.to_string(),
                stated: game_type.to_string(),
            });
        }
        return Ok(record.with_variant(game_type));
    }
    let Fields {
        game_type, moves, ..
    } = fields(text, usize::MAX)?;
    let mut record = Record::standard(game_type, opening);
    record.play_texts(moves)?;
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_may_be_incomplete() {
        for text in [
            "wS1;bG1 wS1-",
            "wS1 .;bG1 wS1-;",
            "Base;wS1;bG1 wS1-",
            "Base;InProgress;wS1;bG1 wS1-",
            "Base;;;wS1;bG1 wS1-",
        ] {
            let record: StandardRecord = text.parse().unwrap();
            let expected = "Base;InProgress;White[2];wS1;bG1 wS1-";
            assert_eq!(record.to_string(), expected, "{text}");
        }
        for text in ["wS1 bG1-;bG1 wS1-", "bee", "b", "wS1x", "pass;wS1"] {
            assert!(!is_game_string(text), "{text}");
        }
    }

    #[test]
    fn moves_extend_the_game_type() {
        for (text, game_type) in [
            ("Base;InProgress;White[2];wM;bL wM-", "Base+ML"),
            ("Base+M;;;wP1;bA1 wP1-", "Base+MP"),
            ("wP;bA1 wP-", "Base+P"),
        ] {
            let record: StandardRecord = text.parse().unwrap();
            assert_eq!(record.variant().to_string(), game_type);
            assert_eq!(record.plies().len(), 2);
        }
    }

    #[test]
    fn plain_form_keeps_the_start_position() {
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
            error.contains("pieces of Base+M, but the game type is Base+L"),
            "{error}"
        );
        assert!("Base+X 2 - 0,0:rS".parse::<StandardRecord>().is_err());
    }
}
