//! Game strings of the Universal Hive Protocol.

use super::moves::{WrittenMove, play_all};
use super::{ReadStandardError, StandardReplay};
use crate::hive::standard::notation::GameState;

/// Whether a text begins as game strings do.
pub(in crate::replay) fn begins_like_a_game_string(text: &str) -> bool {
    text.starts_with("Base")
}

/// Reads a game string, as far as its moves are legal. Of several, one a line, it reads the first.
///
/// # Errors
/// For an unknown game type.
pub fn read_game_string(text: &str) -> Result<StandardReplay, ReadStandardError> {
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let (line, first) = lines.next().unwrap_or((1, ""));
    let further_games = lines.count();
    let mut fields = first.split(';').map(str::trim);
    let game_type = fields
        .next()
        .unwrap_or_default()
        .parse()
        .map_err(|error| ReadStandardError::GameType { line, error })?;
    let result = fields.next().and_then(finished);
    // The turn follows from the moves.
    let moves: Vec<WrittenMove> = fields
        .skip(1)
        .filter(|text| !text.is_empty())
        .map(|text| WrittenMove {
            line,
            text: text.to_owned(),
        })
        .collect();
    let (game, damage) = play_all(game_type, &moves);
    Ok(StandardReplay {
        result,
        damage,
        further_games,
        ..StandardReplay::of_game(game)
    })
}

/// The state of a finished game that a word names.
pub(super) fn finished(word: &str) -> Option<GameState> {
    [GameState::Draw, GameState::WhiteWins, GameState::BlackWins]
        .into_iter()
        .find(|state| state.to_string() == word)
}
