//! The players' actions in BoardSpace's SGF.

use super::super::moves::{FilePiece, color_of};
use wabe_hive::Color;

/// A field of BoardSpace's board, which wraps around after 26 columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// From 0, to the right.
    pub(super) column: i32,
    /// From 0, to the top left.
    pub(super) row: i32,
}

impl Field {
    /// Number of columns and of rows.
    pub(super) const SIZE: i32 = 26;

    /// Parses a column and a row number. The column is a letter. A number before it counts the
    /// columns beyond the edge.
    fn read(column: &str, row: &str) -> Option<Field> {
        let letter = column.chars().last().filter(char::is_ascii_alphabetic)?;
        let beyond = match column.strip_suffix(letter)? {
            "" => 0,
            digits => digits.parse::<u8>().ok()?.into(),
        };
        let letter = letter.to_ascii_uppercase();
        let column = i32::from(u8::try_from(letter).ok()?) - i32::from(b'A');
        let column = if letter == 'A' {
            column - beyond
        } else {
            column + beyond
        };
        let row: i16 = row.parse().ok()?;
        Some(Field {
            column: column.rem_euclid(Field::SIZE),
            row: i32::from(row).rem_euclid(Field::SIZE),
        })
    }
}

/// A piece with its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Put {
    /// The dropped piece.
    pub(super) piece: FilePiece,
    /// The target; `None` if invalid.
    pub(super) field: Option<Field>,
    /// The target, named by a neighbour or the piece below; `.` if there is neither.
    pub(super) reference: String,
}

/// An action of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Picks up a piece, from the board or from the reserve.
    Pick(FilePiece),
    /// Picks up the piece on a field.
    PickFrom(Option<FilePiece>, Option<Field>),
    /// Drops a piece.
    Put(Put),
    /// Takes back an unfinished action.
    TakeBack,
    /// Passes.
    Pass,
    /// Offers or declines a draw.
    DrawOffer,
    /// Agrees to a draw.
    AcceptDraw,
    /// Resigns.
    Resign,
    /// Has no effect on the game.
    Other,
}

impl Action {
    /// Parses the value of a player's property. Returns the action and whether it ends the turn, or
    /// `None` if it is invalid.
    pub(super) fn read(text: &str) -> Option<(Action, bool)> {
        let mut words = text.split_whitespace().peekable();
        let number = words.next_if(|word| word.bytes().all(|b| b.is_ascii_digit()));
        // Values without a number describe the player.
        if number.is_none() {
            return Some((Action::Other, false));
        }
        let command = words.next()?.to_ascii_lowercase();
        let words: Vec<&str> = words.collect();
        let side = |word: &str| word.chars().next().and_then(color_of);
        let action = match command.as_str() {
            "pick" => {
                let &[owner, _, piece] = words.get(..3)?.try_into().ok()?;
                Action::Pick(FilePiece::read(piece)?.owned_by(side(owner)))
            }
            "pickb" => {
                let field = Field::read(words.first()?, words.get(1)?);
                Action::PickFrom(words.get(2).and_then(|piece| FilePiece::read(piece)), field)
            }
            "dropb" | "pdropb" => Action::Put(put(None, &words)?),
            "move" | "pmove" | "movedone" | "pmovedone" => {
                let (owner, rest) = words.split_first()?;
                Action::Put(put(Some(side(owner)?), rest)?)
            }
            "drop" | "undo" | "reset" => Action::TakeBack,
            "pass" | "passdone" => Action::Pass,
            "offerdraw" | "declinedraw" => Action::DrawOffer,
            "acceptdraw" => Action::AcceptDraw,
            "resign" => Action::Resign,
            "done" | "start" | "edit" | "swap" | "playwhite" | "playblack" | "gameoverontime" => {
                Action::Other
            }
            // Requests to undo a move, and the answers.
            command if command.contains("undo") => Action::Other,
            _ => return None,
        };
        Some((action, command.ends_with("done")))
    }
}

/// Parses piece, column, row and reference.
fn put(owner: Option<Color>, words: &[&str]) -> Option<Put> {
    if words.len() > 4 {
        return None;
    }
    Some(Put {
        piece: FilePiece::read(words.first()?)?.owned_by(owner),
        field: Field::read(words.get(1)?, words.get(2)?),
        reference: words.get(3).copied().unwrap_or(".").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::standard::Kind;

    fn piece(color: Option<Color>, kind: Kind, number: u8) -> FilePiece {
        FilePiece {
            color,
            kind,
            number,
        }
    }

    #[test]
    fn read_ignores_case() {
        let put = |text| match Action::read(text) {
            Some((Action::Put(put), _)) => put,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(put("2 Dropb wS1 N 13 .").reference, ".");
        assert_eq!(
            put("7 dropb b1 N 12 wG1\\").piece,
            piece(None, Kind::Beetle, 1)
        );
        let thrown = put("64 pmove B Q L 16 -bP");
        assert_eq!(thrown.piece, piece(Some(Color::Blue), Kind::Queen, 1));
        assert_eq!(put("4 movedone B bA1 M 12").reference, ".");
        for (text, action) in [
            ("3 Done ", Some((Action::Other, true))),
            ("3 PASS", Some((Action::Pass, false))),
            ("3 PassDone", Some((Action::Pass, true))),
            ("id \"x\"", Some((Action::Other, false))),
            ("0 Start P0", Some((Action::Other, false))),
            ("9 dropb", None),
            ("9 dropb wS1 N 13 . wQ", None),
            ("9 unknown", None),
            ("9", None),
        ] {
            assert_eq!(Action::read(text), action, "{text}");
        }
    }
}
