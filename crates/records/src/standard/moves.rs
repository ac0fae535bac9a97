//! Moves as other programs write them.

use std::collections::HashMap;

use crate::Damage;
use wabe_hive::game::{PlayError, Record, Repetition};
use wabe_hive::hex::{Grid, WideTorus};
use wabe_hive::standard::{GameType, Kind, OpeningRule, StandardPiece};
use wabe_hive::standard::{MARKS, PieceName, ReadMoveError, StandardRecord};
use wabe_hive::{Color, IllegalMove, Piece, PieceKind};

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

/// Plays moves up to the first illegal one.
pub(super) fn play_all(
    game_type: GameType,
    moves: &[WrittenMove],
) -> (StandardRecord, FileNames, Option<Damage>) {
    let (mut game, mut names) = (
        begin(game_type, OpeningRule::Tournament),
        FileNames::default(),
    );
    let mut damage = None;
    for (ply, WrittenMove { line, text }) in (1..).zip(moves) {
        let mut played = play(&mut game, &mut names, text);
        if let Err(error) = &played
            && allow_queen(&mut game, error)
        {
            played = play(&mut game, &mut names, text);
        }
        if let Err(error) = played {
            let problem = format!("`{text}`: {}", reason(&error));
            damage = Some(Damage::at(*line, ply, problem));
            break;
        }
    }
    game.set_repetition(Repetition::Draw);
    (game, names, damage)
}

/// A game before its first ply. Repetitions on the way do not end it.
pub(super) fn begin(game_type: GameType, opening: OpeningRule) -> StandardRecord {
    Record::standard(game_type, opening).with_repetition(Repetition::Ignore)
}

/// Begins the game again with [`OpeningRule::Free`] if a move failed because it placed a queen on
/// the first turn. Returns `false` if it failed for another reason.
pub(super) fn allow_queen(game: &mut StandardRecord, error: &Unplayable) -> bool {
    let PlayError::Illegal {
        why: IllegalMove::BeeTooEarly,
        ..
    } = error
    else {
        return false;
    };
    let free = begin(game.variant(), OpeningRule::Free);
    let tournament = std::mem::replace(game, free);
    let texts = tournament.plies().iter().map(|ply| ply.text.as_str());
    game.play_texts(texts).is_ok()
}

/// Our names of the pieces that a file has placed. The protocol numbers pieces of a kind in the
/// order of their placement; OpenSpiel, Kaggle, Board Game Arena and BoardSpace number them as the
/// player took them.
#[derive(Clone, Debug, Default)]
pub(super) struct FileNames(HashMap<(StandardPiece, u8), PieceName>);

impl FileNames {
    /// Our name of the file's piece if it is in play.
    pub(super) fn in_play(&self, piece: StandardPiece, number: u8) -> Option<PieceName> {
        self.0.get(&(piece, number)).copied()
    }

    /// Our name of the file's piece, in play or as the next of its kind in hand.
    pub(super) fn name(
        &self,
        game: &StandardRecord,
        piece: StandardPiece,
        number: u8,
    ) -> Option<PieceName> {
        self.in_play(piece, number).or_else(|| {
            let left = game.position().reserve(piece.color).count(piece.kind);
            let placed = piece.kind.pieces_per_side().checked_sub(left)?;
            PieceName::new(piece, placed + 1)
        })
    }

    /// Notes that the last ply put the file's piece somewhere.
    pub(super) fn follow(&mut self, game: &StandardRecord, piece: StandardPiece, number: u8) {
        let moved = game.position().rule_state().resting();
        if let Some(name) = moved.and_then(|cell| game.stack(cell).last()) {
            self.0.entry((piece, number)).or_insert(name);
        }
    }

    /// The names at an earlier position of the same game.
    pub(super) fn at(&self, game: &StandardRecord) -> FileNames {
        let names = self.0.iter().map(|(&of_file, &name)| (of_file, name));
        FileNames(
            names
                .filter(|(_, name)| game.cell_of(*name).is_some())
                .collect(),
        )
    }
}

/// Plays a move in a file's spelling: pieces numbered in any order, and a climb as a direction,
/// `wB1 wS1-` with a piece there.
pub(super) fn play(
    game: &mut StandardRecord,
    names: &mut FileNames,
    text: &str,
) -> Result<(), Unplayable> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (piece, target) = match words[..] {
        [piece] | [piece, "."] => (piece, None),
        [piece, target] => (piece, Some(target)),
        _ => return game.play_text(text),
    };
    let piece = FilePiece::read(piece).and_then(|piece| Some((piece.name()?, piece)));
    let target = target.map(reference);
    let (Some((written, piece)), None | Some(Some(_))) = (piece, target) else {
        // A pass, or an unreadable move.
        return game.play_text(text);
    };
    let owned = written.piece();
    let missing = PlayError::Read(ReadMoveError::NotInGame(written));
    let name = names.name(game, owned, piece.number).ok_or(missing)?;
    let (before, beside, behind) = match target.flatten() {
        None => ("", None, ""),
        Some((before, beside, behind)) => {
            let Some(written) = beside.name() else {
                return game.play_text(text);
            };
            let beside = names.in_play(written.piece(), beside.number);
            let missing = PlayError::Read(ReadMoveError::ReferenceInHand(written));
            (before, Some(beside.ok_or(missing)?), behind)
        }
    };
    let target = beside.map_or_else(String::new, |beside| format!(" {before}{beside}{behind}"));
    if let Err(error) = game.play_text(&format!("{name}{target}")) {
        let is_occupied = matches!(error, PlayError::Read(ReadMoveError::Occupied(_)));
        let below = beside.filter(|_| is_occupied);
        let below = below.and_then(|beside| top_beside(game, before, beside, behind));
        // The climb's own error would speak of a piece that the file does not name.
        if below.is_none_or(|below| game.play_text(&format!("{name} {below}")).is_err()) {
            return Err(error);
        }
    }
    names.follow(game, owned, piece.number);
    Ok(())
}

/// The topmost piece on the cell that a target with marks means.
fn top_beside(
    game: &StandardRecord,
    before: &str,
    beside: PieceName,
    behind: &str,
) -> Option<PieceName> {
    let mut marks = MARKS.into_iter();
    let (direction, ..) = marks.find(|&(_, b, a)| (b, a) == (before, behind))?;
    let cell = WideTorus::neighbour(game.cell_of(beside)?, direction)?;
    game.stack(cell).last()
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

    /// The piece with an owner, if that is known.
    pub(super) fn owned_by(self, color: Option<Color>) -> FilePiece {
        FilePiece {
            color: self.color.or(color),
            ..self
        }
    }

    /// The piece, of `color` if the file does not name its owner.
    pub(super) fn owned(self, color: Color) -> StandardPiece {
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

/// The piece of a target, and the marks before and after it. A final dot, which marks a climb, is
/// ignored.
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
        let (game, _, damage) = play_all(GameType::ALL[7], &moves.collect::<Vec<_>>());
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
        // As OpenSpiel, Kaggle and Board Game Arena number pieces.
        assert_eq!(played("wS2;bA3 wS2-;wQ -wS2"), "wS1;bA1 wS1-;wQ -wS1");
    }

    #[test]
    fn the_part_of_a_move_that_cannot_be_read_is_named() {
        for (text, part) in [
            // The file's wS1 is in hand, although ours is in play.
            ("bG1 wS1-", "wS1 is not in play"),
            ("bG1 wX-", "`wX-` is not a target"),
            ("bG1 wS2+", "`wS2+` is not a target"),
            ("bX wS1-", "Unable to parse move \"bX wS1-\""),
            ("bG1 .", "needs a target"),
            ("bG1", "needs a target"),
            ("bG1 wA1-", "wA1 is not in play"),
            ("bG1 wA9-", "`wA9-` is not a target"),
            ("bG1 \\wS2-", "`\\wS1-` is not a target"),
            (
                "bG1 wS1- wQ -wS1",
                "Unable to parse move \"bG1 wS1- wQ -wS1\"",
            ),
            ("pass wS1", "Unable to parse move \"pass wS1\""),
            ("wS9 wS1-", "Unable to parse move \"wS9 wS1-\""),
            ("bM wS1-", "bM is not in this game"),
        ] {
            let moves = ["wS2", text].map(|text| WrittenMove {
                line: 1,
                text: text.to_owned(),
            });
            let (.., damage) = play_all(GameType::default(), &moves);
            let problem = damage.unwrap().problem;
            assert!(problem.contains(part), "{problem}");
            assert!(!problem.ends_with('.'), "{problem}");
        }
    }

    #[test]
    fn pieces_are_read_with_and_without_colour_and_number() {
        let read = FilePiece::read;
        for (text, color, kind, number) in [
            ("wA2", Some(Color::Red), Kind::Ant, 2),
            ("bq", Some(Color::Blue), Kind::Queen, 1),
            ("b1", None, Kind::Beetle, 1),
            ("bb2", Some(Color::Blue), Kind::Beetle, 2),
            ("P", None, Kind::Pillbug, 1),
        ] {
            let piece = FilePiece {
                color,
                kind,
                number,
            };
            assert_eq!(read(text), Some(piece));
        }
        for text in ["", "x1", "wX1", "rA1", "wA0", "wA1x", "é", "wAA"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
