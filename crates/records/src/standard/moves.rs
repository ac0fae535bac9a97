//! Moves as spelled by other programs.

use std::collections::HashMap;

use crate::{Damage, Fault};
use wabe_hive::game::{PlayError, Record, Repetition};
use wabe_hive::hex::{Grid, WideTorus};
use wabe_hive::standard::{GameType, Kind, OpeningRule, StandardPiece};
use wabe_hive::standard::{MARKS, PieceName, ReadMoveError, StandardRecord};
use wabe_hive::{Color, IllegalMove, Piece, PieceKind};

/// The error for a move that cannot be read or is illegal.
pub(super) type MoveError = PlayError<ReadMoveError>;

/// A move as spelled in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenMove {
    /// Line number, from 1.
    pub(super) line: usize,
    /// The move in any supported spelling.
    pub(super) text: String,
}

/// Plays moves up to the first illegal one, which is reported as damage.
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
            damage = Some(Damage::at(*line, ply, Fault::of_move(text, error)));
            break;
        }
    }
    game.set_repetition(Repetition::Draw);
    (game, names, damage)
}

/// A game before its first ply. Repetitions do not end it, so that recordings can continue past
/// them.
pub(super) fn begin(game_type: GameType, opening: OpeningRule) -> StandardRecord {
    Record::standard(game_type, opening).with_repetition(Repetition::Ignore)
}

/// If `error` is about a queen on the first turn, replays the game with [`OpeningRule::Free`] and
/// returns `true`.
pub(super) fn allow_queen(game: &mut StandardRecord, error: &MoveError) -> bool {
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

/// Maps the piece names of a file to ours. The protocol numbers pieces of a kind in the order of
/// placement; in OpenSpiel, Kaggle, Board Game Arena and BoardSpace, players pick any number.
#[derive(Clone, Debug, Default)]
pub(super) struct FileNames(HashMap<(StandardPiece, u8), PieceName>);

impl FileNames {
    /// Our name for a piece of the file, if it is in play.
    pub(super) fn in_play(&self, piece: StandardPiece, number: u8) -> Option<PieceName> {
        self.0.get(&(piece, number)).copied()
    }

    /// Our name for a piece of the file: the piece in play, otherwise the next of its kind in hand.
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

    /// Records that the last ply moved or placed this piece of the file.
    pub(super) fn update(&mut self, game: &StandardRecord, piece: StandardPiece, number: u8) {
        let moved = game.position().rule_state().resting();
        if let Some(name) = moved.and_then(|cell| game.stack(cell).last()) {
            self.0.entry((piece, number)).or_insert(name);
        }
    }

    /// The names of the pieces that are in play in `game`, an earlier position of the same game.
    pub(super) fn at(&self, game: &StandardRecord) -> FileNames {
        let names = self.0.iter().map(|(&file_name, &name)| (file_name, name));
        FileNames(
            names
                .filter(|(_, name)| game.cell_of(*name).is_some())
                .collect(),
        )
    }
}

/// Plays a move in the spelling of the file: pieces may be numbered in any order, and a climb may
/// be written as a direction (`wB1 wS1-` onto an occupied cell).
pub(super) fn play(
    game: &mut StandardRecord,
    names: &mut FileNames,
    text: &str,
) -> Result<(), MoveError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (piece, target) = match words[..] {
        [piece] | [piece, "."] => (piece, None),
        [piece, target] => (piece, Some(target)),
        _ => return game.play_text(text),
    };
    let piece = FilePiece::read(piece).and_then(|piece| Some((piece.name()?, piece)));
    let target = target.map(parse_target);
    let (Some((written, piece)), None | Some(Some(_))) = (piece, target) else {
        // A pass, or an unreadable move.
        return game.play_text(text);
    };
    let owned = written.piece();
    let missing = PlayError::Read(ReadMoveError::NotInGame(written));
    let name = names.name(game, owned, piece.number).ok_or(missing)?;
    let (before, reference, after) = match target.flatten() {
        None => ("", None, ""),
        Some((before, reference, after)) => {
            let Some(written) = reference.name() else {
                return game.play_text(text);
            };
            let reference = names.in_play(written.piece(), reference.number);
            let missing = PlayError::Read(ReadMoveError::ReferenceInHand(written));
            (before, Some(reference.ok_or(missing)?), after)
        }
    };
    let target = reference.map_or_else(String::new, |piece| format!(" {before}{piece}{after}"));
    if let Err(error) = game.play_text(&format!("{name}{target}")) {
        let is_occupied = matches!(error, PlayError::Read(ReadMoveError::Occupied(_)));
        let below = reference.filter(|_| is_occupied);
        let below = below.and_then(|reference| top_of_target(game, before, reference, after));
        // The error of the climb would mention a piece that does not occur in the file.
        if below.is_none_or(|below| game.play_text(&format!("{name} {below}")).is_err()) {
            return Err(error);
        }
    }
    names.update(game, owned, piece.number);
    Ok(())
}

/// The top piece on the cell of a target: a reference piece with the marks before and after it.
fn top_of_target(
    game: &StandardRecord,
    before: &str,
    reference: PieceName,
    after: &str,
) -> Option<PieceName> {
    let mut marks = MARKS.into_iter();
    let (direction, ..) = marks.find(|&(_, b, a)| (b, a) == (before, after))?;
    let cell = WideTorus::neighbour(game.cell_of(reference)?, direction)?;
    game.stack(cell).last()
}

/// A piece as named in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePiece {
    /// The owner, if given.
    pub(super) color: Option<Color>,
    /// The kind, read from its letter.
    pub(super) kind: Kind,
    /// From 1. Always 1 for kinds with one piece per side.
    pub(super) number: u8,
}

impl FilePiece {
    /// Parses names with owner (`wA1`, `bq`) or without (`a1`, `Q`).
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

    /// The name in the protocol's notation; `None` without an owner.
    pub(super) fn name(self) -> Option<PieceName> {
        PieceName::new(Piece::new(self.color?, self.kind), self.number)
    }

    /// Sets the owner if the file does not give it.
    pub(super) fn owned_by(self, color: Option<Color>) -> FilePiece {
        FilePiece {
            color: self.color.or(color),
            ..self
        }
    }

    /// The piece, owned by `color` if the file does not give the owner.
    pub(super) fn owned(self, color: Color) -> StandardPiece {
        Piece::new(self.color.unwrap_or(color), self.kind)
    }
}

/// Parses `w` or `b`, ignoring case.
pub(super) fn color_of(letter: char) -> Option<Color> {
    match letter.to_ascii_lowercase() {
        'w' => Some(Color::Red),
        'b' => Some(Color::Blue),
        _ => None,
    }
}

/// Splits a target into the marks before the reference piece, the piece, and the marks after it.
/// Ignores a final dot, which some programs add to climbs.
pub(super) fn parse_target(text: &str) -> Option<(&str, FilePiece, &str)> {
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

    fn play_in_full_game(moves: &str) -> String {
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
    fn play_accepts_other_spellings() {
        assert_eq!(play_in_full_game("wM1;bQ1 wM1-"), "wM;bQ wM-");
        // A climb without marks, by a numbered piece that is the only one of its kind.
        let climb = "wS1;bB1 wS1-;wQ -wS1;bQ bB1-;wA1 -wQ;bM1 bB1/;wA2 -wA1;bM1 bB1";
        assert!(play_in_full_game(climb).ends_with("wA2 -wA1;bM bB1"));
        let onto_single = "wS1;bM1 wS1-;wQ -wS1;bQ bM1-;wA1 -wQ;bB1 bM1/;wA2 -wA1;bB1 bM1";
        assert!(play_in_full_game(onto_single).ends_with("wA2 -wA1;bB1 bM"));
        assert_eq!(
            play_in_full_game("wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 -wS1;bA1 bQ-;wB1 -bS1"),
            "wS1;bS1 wS1-;wQ \\wS1;bQ bS1-;wB1 /wQ;bA1 bQ-;wB1 wS1"
        );
        // Numbers as in OpenSpiel, Kaggle and Board Game Arena.
        assert_eq!(
            play_in_full_game("wS2;bA3 wS2-;wQ -wS2"),
            "wS1;bA1 wS1-;wQ -wS1"
        );
    }

    #[test]
    fn play_errors_name_the_invalid_part() {
        for (text, part) in [
            // The file's wS1 is still in hand: its wS2 is our wS1.
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
            let problem = damage.unwrap().fault.to_string();
            assert!(problem.contains(part), "{problem}");
            assert!(!problem.ends_with('.'), "{problem}");
        }
    }

    #[test]
    fn read_accepts_names_without_owner() {
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
