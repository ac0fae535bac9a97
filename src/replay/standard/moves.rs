//! Moves as other programs write them.

use crate::game::standard::{MARKS, PieceName, ReadMoveError, StandardRecord};
use crate::game::{PlayError, Record, Repetition};
use crate::hex::{Grid, WideTorus};
use crate::hive::standard::{GameType, Kind, Opening, StandardPiece};
use crate::hive::{Color, IllegalMove, Piece, PieceKind};
use crate::replay::{Damage, Place};
use crate::text::{SENTENCE, printable};

/// The reason that a move cannot be played.
pub(super) type Unplayable = PlayError<ReadMoveError>;

/// The text of a move and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenMove {
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// The move's text.
    pub(super) text: String,
}

/// The game type with the expansions of these pieces.
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

/// Plays moves up to the first illegal one. A game that begins with a queen is played with [`Opening::Free`].
pub(super) fn play_all(
    game_type: GameType,
    moves: &[WrittenMove],
) -> (StandardRecord, Option<Damage>) {
    let mut played = play_under(Opening::Tournament, game_type, moves);
    if let (_, Some((error, _))) = &played
        && is_queen_too_early(error)
    {
        played = play_under(Opening::Free, game_type, moves);
    }
    let (game, stopped) = played;
    (game, stopped.map(|(_, damage)| damage))
}

/// A fault in a text.
pub(super) fn damage(line: usize, ply: usize, problem: String) -> Damage {
    Damage {
        place: Place::Line { line, ply },
        problem: printable(&problem, SENTENCE),
        further: 0,
    }
}

/// True if the move placed a queen on the first turn.
pub(super) fn is_queen_too_early(error: &Unplayable) -> bool {
    matches!(
        error,
        PlayError::Illegal {
            why: IllegalMove::BeeTooEarly,
            ..
        }
    )
}

/// The game, and the fault that ended playing.
fn play_under(
    opening: Opening,
    game_type: GameType,
    moves: &[WrittenMove],
) -> (StandardRecord, Option<(Unplayable, Damage)>) {
    // Repetitions on the way do not end the game.
    let mut game = Record::standard(game_type, opening).with_repetition(Repetition::Ignore);
    let mut stopped = None;
    for (ply, WrittenMove { line, text }) in (1..).zip(moves) {
        if let Err(error) = play(&mut game, text) {
            let problem = format!("`{text}`: {}", reason(&error));
            stopped = Some((error, damage(*line, ply, problem)));
            break;
        }
    }
    game.set_repetition(Repetition::Draw);
    (game, stopped)
}

/// Plays a move, even if its spelling differs from the protocol's.
pub(super) fn play(game: &mut StandardRecord, text: &str) -> Result<(), Unplayable> {
    let Err(error) = game.play_text(text) else {
        return Ok(());
    };
    let respelled = match &error {
        PlayError::Read(_) => respelled(game, text),
        _ => None,
    };
    let is_unreadable = matches!(
        error,
        PlayError::Read(ReadMoveError::Form(_) | ReadMoveError::Target { .. })
    );
    match respelled.map(|text| game.play_text(&text)) {
        Some(Ok(())) => Ok(()),
        // The error of the corrected spelling says more than a failure to read the text.
        Some(Err(other)) if is_unreadable => Err(other),
        _ => Err(error),
    }
}

/// Respells a move: `wM1` as `wM`, and a climb that is written as a direction by the piece below.
fn respelled(game: &StandardRecord, text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let name = FilePiece::read(words.next()?)?.name()?;
    let (before, piece, behind) = match words.next() {
        None | Some(".") => return Some(name.to_string()),
        Some(target) => reference(target)?,
    };
    let beside = piece.name()?;
    if before.is_empty() && behind.is_empty() {
        return Some(format!("{name} {beside}"));
    }
    let mut marks = MARKS.into_iter();
    let (direction, ..) = marks.find(|&(_, b, a)| (b, a) == (before, behind))?;
    let cell = WideTorus::neighbour(game.cell_of(beside)?, direction)?;
    Some(match game.stack(cell).last() {
        Some(below) if below != name => format!("{name} {below}"),
        _ => format!("{name} {before}{beside}{behind}"),
    })
}

/// The reason that a move of a recording cannot be played, worded to follow the move.
pub(super) fn reason(error: &Unplayable) -> String {
    match error {
        PlayError::Over => "the game is over before it".to_owned(),
        PlayError::Read(ReadMoveError::Target { target, .. }) => {
            format!("`{target}` is not a target like `wS1-`")
        }
        error => error.to_string().trim_end_matches('.').to_owned(),
    }
}

/// A piece as a file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePiece {
    /// The owner, if the file names it.
    pub(super) color: Option<Color>,
    /// Its kind.
    pub(super) kind: Kind,
    /// Its number, 1 for kinds of which there is one.
    pub(super) number: u8,
}

impl FilePiece {
    /// Reads `wA1`, `bq`, or, without a colour, `a1` and `Q`.
    pub(super) fn read(text: &str) -> Option<FilePiece> {
        let mut letters = text.chars();
        let first = letters.next()?;
        let second = letters.clone().next().filter(char::is_ascii_alphabetic);
        let (color, letter) = match second {
            Some(letter) => {
                letters.next();
                (Some(color_of(first)?), letter)
            }
            None => (None, first),
        };
        let number = match letters.as_str() {
            "" => 1,
            digits => digits.parse().ok().filter(|&number| number > 0)?,
        };
        Some(FilePiece {
            color,
            kind: Kind::from_letter(letter.to_ascii_uppercase())?,
            number,
        })
    }

    /// The piece's name, if the file names its owner.
    pub(super) fn name(self) -> Option<PieceName> {
        PieceName::new(Piece::new(self.color?, self.kind), self.number)
    }

    /// The piece, of `color` if the file does not name its owner.
    pub(super) fn of(self, color: Color) -> StandardPiece {
        Piece::new(self.color.unwrap_or(color), self.kind)
    }
}

/// The side that a letter stands for.
pub(super) fn color_of(letter: char) -> Option<Color> {
    match letter.to_ascii_lowercase() {
        'w' => Some(Color::Red),
        'b' => Some(Color::Blue),
        _ => None,
    }
}

/// The piece of a target, and the marks before and after it. A final dot, which marks a climb, is ignored.
pub(super) fn reference(text: &str) -> Option<(&str, FilePiece, &str)> {
    const MARKS: [char; 3] = ['/', '-', '\\'];
    let text = text.strip_suffix('.').unwrap_or(text);
    let start = text.len() - text.trim_start_matches(MARKS).len();
    let end = text.trim_end_matches(MARKS).len();
    let piece = FilePiece::read(text.get(start..end)?)?;
    Some((text.get(..start)?, piece, text.get(end..)?))
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
        let texts: Vec<&str> = game.plies().iter().map(|ply| ply.text.as_str()).collect();
        texts.join(";")
    }

    #[test]
    fn other_spellings_mean_the_same_moves() {
        assert_eq!(played("wM1;bQ1 wM1-"), "wM;bQ wM-");
        // A single piece with a number climbs onto a piece without marks.
        let climb = "wS1;bB1 wS1-;wQ -wS1;bQ bB1-;wA1 -wQ;bM1 bB1/;wA2 -wA1;bM1 bB1";
        assert!(played(climb).ends_with("wA2 -wA1;bM bB1"));
        let onto_single = "wS1;bM1 wS1-;wQ -wS1;bQ bM1-;wA1 -wQ;bB1 bM1/;wA2 -wA1;bB1 bM1";
        assert!(played(onto_single).ends_with("wA2 -wA1;bB1 bM"));
        assert_eq!(
            played("wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 -wS1;bA1 bQ-;wB1 -bS1"),
            "wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 /wQ;bA1 bQ-;wB1 wS1"
        );
    }

    #[test]
    fn the_part_of_a_move_that_cannot_be_read_is_named() {
        for (text, part) in [
            ("bG1 wX-", "`wX-` is not a target"),
            ("bG1 wS1+", "`wS1+` is not a target"),
            ("bX wS1-", "Unable to parse move \"bX wS1-\""),
            ("bG1 .", "has to go somewhere"),
            ("bG1", "has to go somewhere"),
            ("bG1 wA1-", "wA1 is not in play"),
        ] {
            let moves = ["wS1", text].map(|text| WrittenMove {
                line: 1,
                text: text.to_owned(),
            });
            let (_, damage) = play_all(GameType::default(), &moves);
            let problem = damage.unwrap().problem;
            assert!(problem.contains(part), "{problem}");
            assert!(!problem.ends_with('.'), "{problem}");
        }
    }

    fn piece(color: Option<Color>, kind: Kind, number: u8) -> FilePiece {
        FilePiece {
            color,
            kind,
            number,
        }
    }

    #[test]
    fn pieces_are_read_with_and_without_colour_and_number() {
        let read = FilePiece::read;
        assert_eq!(read("wA2"), Some(piece(Some(Color::Red), Kind::Ant, 2)));
        assert_eq!(read("bq"), Some(piece(Some(Color::Blue), Kind::Queen, 1)));
        assert_eq!(read("b1"), Some(piece(None, Kind::Beetle, 1)));
        assert_eq!(read("bb2"), Some(piece(Some(Color::Blue), Kind::Beetle, 2)));
        assert_eq!(
            read("wM1"),
            Some(piece(Some(Color::Red), Kind::Mosquito, 1))
        );
        assert_eq!(read("P"), Some(piece(None, Kind::Pillbug, 1)));
        for text in ["", "x1", "wX1", "rA1", "wA0", "wA1x", "é", "wAA"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn targets_fall_into_marks_and_piece() {
        let bug = piece(Some(Color::Red), Kind::Mosquito, 1);
        assert_eq!(reference("wM1/"), Some(("", bug, "/")));
        assert_eq!(reference("\\wM"), Some(("\\", bug, "")));
        assert_eq!(reference("wM1."), Some(("", bug, "")));
        for text in ["", ".", "-", "w", "--"] {
            assert_eq!(reference(text), None, "{text}");
        }
    }
}
