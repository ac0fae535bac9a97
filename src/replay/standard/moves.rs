//! Playing what a recording says.

use super::StandardDamage;
use super::loose_text::{FilePiece, reference};
use crate::hex::{Direction, Grid, WideTorus};
use crate::hive::standard::notation::{Game, PieceName, PlayError, ReadMoveError, Repetition};
use crate::hive::standard::{GameType, Kind, Opening};

/// A move as it is written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenMove {
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// The move's text.
    pub(super) text: String,
}

/// The game with all expansions of which there is a piece.
pub(super) fn game_type_of(pieces: impl IntoIterator<Item = PieceName>) -> GameType {
    let mut game_type = GameType::default();
    for name in pieces {
        match name.piece().kind {
            Kind::Mosquito => game_type.mosquito = true,
            Kind::Ladybug => game_type.ladybug = true,
            Kind::Pillbug => game_type.pillbug = true,
            Kind::Queen | Kind::Spider | Kind::Beetle | Kind::Grasshopper | Kind::Ant => {}
        }
    }
    game_type
}

/// Plays moves as far as they are legal. A game that begins with a queen was played where that is allowed.
pub(super) fn play_all(
    game_type: GameType,
    moves: &[WrittenMove],
) -> (Game, Option<StandardDamage>) {
    let (game, stopped) = play_under(Opening::Tournament, game_type, moves);
    match stopped {
        Some(Stopped {
            error: PlayError::QueenTooEarly,
            ..
        }) => {
            let (game, stopped) = play_under(Opening::Free, game_type, moves);
            (game, stopped.map(|stopped| stopped.damage))
        }
        _ => (game, stopped.map(|stopped| stopped.damage)),
    }
}

/// Where playing came to an end, and why.
struct Stopped {
    error: PlayError,
    damage: StandardDamage,
}

fn play_under(
    opening: Opening,
    game_type: GameType,
    moves: &[WrittenMove],
) -> (Game, Option<Stopped>) {
    // Repetitions on the way do not end a game that was played on.
    let mut game = Game::new(game_type, opening, Repetition::Ignore);
    let mut stopped = None;
    for (ply, WrittenMove { line, text }) in (1..).zip(moves) {
        if let Err(error) = play(&mut game, text) {
            stopped = Some(Stopped {
                damage: StandardDamage {
                    line: *line,
                    ply,
                    problem: format!("`{text}`: {}", reason(&error)),
                },
                error,
            });
            break;
        }
    }
    game.set_repetition(Repetition::Draw);
    (game, stopped)
}

/// Plays a move, also one that is spelled otherwise than the protocol wants it.
fn play(game: &mut Game, text: &str) -> Result<(), PlayError> {
    let Err(error) = game.play(text) else {
        return Ok(());
    };
    let respelled = match &error {
        PlayError::Text(_) => respelled(game, text),
        _ => None,
    };
    match respelled.map(|text| game.play(&text)) {
        Some(Ok(())) => Ok(()),
        // What could not even be read says less than what came of its other spelling.
        Some(Err(other)) if matches!(error, PlayError::Text(ReadMoveError::Form(_))) => Err(other),
        _ => Err(error),
    }
}

/// The move with `wM` for `wM1`, and a climb as the piece below for one that is written as a direction.
fn respelled(game: &Game, text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let name = FilePiece::read(words.next()?)?.name()?;
    let Some((before, piece, behind)) = words.next().and_then(reference) else {
        return Some(name.to_string());
    };
    let beside = piece.name()?;
    let direction = direction(before, behind)?;
    let cell = WideTorus::neighbour(game.cell_of(beside)?, direction)?;
    Some(match game.stack(cell).last() {
        Some(below) if below != name => format!("{name} {below}"),
        _ => format!("{name} {before}{beside}{behind}"),
    })
}

/// The direction that marks before or behind a piece stand for.
fn direction(before: &str, behind: &str) -> Option<Direction> {
    match (before, behind) {
        ("/", "") => Some(Direction::SouthWest),
        ("-", "") => Some(Direction::West),
        ("\\", "") => Some(Direction::NorthWest),
        ("", "/") => Some(Direction::NorthEast),
        ("", "-") => Some(Direction::East),
        ("", "\\") => Some(Direction::SouthEast),
        _ => None,
    }
}

/// Why a move of a recording cannot be played.
pub(super) fn reason(error: &PlayError) -> String {
    match error {
        PlayError::GameOver => "the game is over before it".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(moves: &str) -> String {
        let moves = moves.split(';').map(|text| WrittenMove {
            line: 1,
            text: text.to_owned(),
        });
        let (game, damage) = play_all(GameType::ALL[7], &moves.collect::<Vec<_>>());
        assert_eq!(damage, None);
        let texts: Vec<&str> = game.plies().map(|(_, text)| text).collect();
        texts.join(";")
    }

    #[test]
    fn other_spellings_mean_the_same_moves() {
        assert_eq!(played("wM1;bQ1 wM1-"), "wM;bQ wM-");
        assert_eq!(
            played("wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 -wS1;bA1 bQ-;wB1 -bS1"),
            "wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 /wQ;bA1 bQ-;wB1 wS1"
        );
    }
}
