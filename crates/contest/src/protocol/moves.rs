//! Moves in the two forms that clients send, and their translation to game moves.

use thiserror::Error;

use super::values::{WireCoordinates, WirePiece, decode_integer, is_true};
use super::xml::{Element, ReadError};
use wabe_files::text;
use wabe_hive::contest::Move;
use wabe_hive::hex::{Cell, ContestBoard, Grid};
use wabe_hive::{Color, Piece};

/// Maximum length of a hint, in bytes. Longer hints are truncated.
const MAX_HINT: usize = 4 << 10;

/// Maximum number of pieces stored per field in the long form.
const MAX_FIELD_PIECES: usize = 32;

/// A move with its hint, such as `<data class="setmove">…` or `<lastMove class="dragmove">…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMove {
    /// The player's comment on the move. The server forwards it to all clients in the room.
    pub hint: Option<String>,
    /// The move without its hint.
    pub action: WireAction,
}

/// A move without its hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireAction {
    /// `setmove`: puts a piece on the board.
    Set {
        /// Piece from the reserve.
        piece: WirePiece,
        /// Destination.
        destination: WirePlace,
    },
    /// `dragmove`: moves the top piece of a field.
    Drag {
        /// Origin.
        start: WirePlace,
        /// Destination.
        destination: WirePlace,
    },
    /// `skipmove`: a pass.
    Skip,
}

/// A field in a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WirePlace {
    /// Cube coordinates, possibly off the board.
    pub at: WireCoordinates,
    /// Contents of the field in the long form, `class="field"`. They have no effect, but the server
    /// echoes them.
    pub field: Option<FieldContents>,
}

/// The contents of a field in the long form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldContents {
    /// True if a bramble is on it.
    pub obstructed: bool,
    /// The pieces on it, bottom to top.
    pub pieces: Vec<WirePiece>,
}

/// Why a [`WireMove`] is not a move in any position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MoveError(String);

impl WireMove {
    /// The short form of the move `mv` by `mover`.
    pub fn new(mv: Move, mover: Color, hint: Option<String>) -> WireMove {
        let place = |cell| WirePlace::plain(WireCoordinates::from_hex(ContestBoard::hex(cell)));
        let action = match mv {
            Move::Place { kind, to } => WireAction::Set {
                piece: Piece::new(mover, kind).into(),
                destination: place(to),
            },
            Move::Drag { from, to } => WireAction::Drag {
                start: place(from),
                destination: place(to),
            },
            Move::Pass => WireAction::Skip,
        };
        WireMove { hint, action }
    }

    /// Translates the move for `mover`, without checking whether it is legal.
    ///
    /// # Errors
    /// When a field is off the board, or the piece belongs to the other side or has no kind.
    pub fn to_move(&self, mover: Color) -> Result<Move, MoveError> {
        match &self.action {
            WireAction::Set { piece, destination } => {
                let to = destination.cell("destination")?;
                if piece.owner != Some(mover) {
                    let problem = format!("{mover} cannot place a piece of the other side");
                    return Err(MoveError(problem));
                }
                let no_kind = || MoveError("the piece has no type".to_owned());
                let kind = piece.kind.ok_or_else(no_kind)?;
                Ok(Move::Place { kind, to })
            }
            WireAction::Drag { start, destination } => Ok(Move::Drag {
                from: start.cell("start")?,
                to: destination.cell("destination")?,
            }),
            WireAction::Skip => Ok(Move::Pass),
        }
    }

    /// Parses a move echoed by the server. Returns `None` if that fails, because the server accepts
    /// almost anything from players.
    pub(super) fn read_if_valid(element: &Element) -> Option<WireMove> {
        WireMove::read(element)
            .inspect_err(|error| log::debug!("ignored a move: {error}"))
            .ok()
    }

    pub(super) fn read(element: &Element) -> Result<WireMove, ReadError> {
        let destination = |element: &Element| element.one("destination", WirePlace::read);
        let class = element.class().unwrap_or_default();
        let action = match class {
            "setmove" | "sc.plugin2020.SetMove" => {
                element.check(&[], &["hint", "piece", "destination"])?;
                WireAction::Set {
                    piece: element.one("piece", WirePiece::read)?,
                    destination: destination(element)?,
                }
            }
            "dragmove" | "sc.plugin2020.DragMove" => {
                element.check(&[], &["hint", "start", "destination"])?;
                WireAction::Drag {
                    start: element.one("start", WirePlace::read)?,
                    destination: destination(element)?,
                }
            }
            "skipmove" | "sc.plugin2020.SkipMove" => {
                element.check(&[], &["hint"])?;
                WireAction::Skip
            }
            _ => return Err(ReadError::value(class, "the class of a move")),
        };
        let hint = element.optional("hint", read_hint)?.flatten();
        Ok(WireMove { hint, action })
    }

    pub(super) fn to_element(&self, name: &'static str) -> Element {
        let (class, parts) = match &self.action {
            WireAction::Set { piece, destination } => {
                let parts = vec![piece.to_element(), destination.to_element("destination")];
                ("setmove", parts)
            }
            WireAction::Drag { start, destination } => {
                let destination = destination.to_element("destination");
                ("dragmove", vec![start.to_element("start"), destination])
            }
            WireAction::Skip => ("skipmove", Vec::new()),
        };
        let hint = self.hint.as_ref();
        Element::new(name)
            .with("class", class)
            .with_children(hint.map(|hint| Element::new("hint").with_text(hint)))
            .with_children(parts)
    }
}

/// Parses a hint. Returns `None` for the class `null`.
fn read_hint(element: &Element) -> Result<Option<String>, ReadError> {
    match element.class() {
        None | Some("string" | "java.lang.String") => {
            Ok(Some(text::cut(element.text().to_owned(), MAX_HINT)))
        }
        Some("null") => Ok(None),
        Some(class) => Err(ReadError::value(class, "the class of a hint")),
    }
}

impl WirePlace {
    /// A field in the short form.
    pub const fn plain(at: WireCoordinates) -> WirePlace {
        WirePlace { at, field: None }
    }

    fn cell(&self, name: &str) -> Result<Cell, MoveError> {
        let at = self.at;
        if !at.is_cube() {
            let problem = format!("the {name} {at} does not satisfy x + y + z = 0");
            return Err(MoveError(problem));
        }
        let cell = at.hex().and_then(ContestBoard::cell);
        cell.ok_or_else(|| MoveError(format!("the {name} {at} is not on the board")))
    }

    /// Missing coordinates are 0.
    fn read(element: &Element) -> Result<WirePlace, ReadError> {
        let is_field = match element.class() {
            None | Some("sc.plugin2020.util.CubeCoordinates") => false,
            Some("field" | "sc.plugin2020.Field") => true,
            Some(class) => return Err(ReadError::value(class, "the class of coordinates")),
        };
        let elements: &[&str] = if is_field { &["piece", "null"] } else { &[] };
        element.check(&["x", "y", "z", "isObstructed"], elements)?;
        let integer = |name| element.value(name).map_or(Ok(0), decode_integer);
        let pieces = element
            .children
            .iter()
            .filter_map(|child| match &*child.name {
                "piece" => Some(WirePiece::read(child)),
                "null" => Some(Ok(WirePiece::default())),
                _ => None,
            });
        let mut pieces = pieces.collect::<Result<Vec<WirePiece>, ReadError>>()?;
        pieces.truncate(MAX_FIELD_PIECES);
        Ok(WirePlace {
            at: WireCoordinates {
                x: integer("x")?,
                y: integer("y")?,
                z: integer("z")?,
            },
            field: is_field.then(|| FieldContents {
                obstructed: element.value("isObstructed").is_some_and(is_true),
                pieces,
            }),
        })
    }

    fn to_element(&self, name: &'static str) -> Element {
        let WireCoordinates { x, y, z } = self.at;
        let field = self.field.as_ref();
        let pieces = field.iter().flat_map(|field| &field.pieces);
        Element::new(name)
            .with_some("class", field.map(|_| "field"))
            .with("x", x)
            .with("y", y)
            .with("z", z)
            .with_some("isObstructed", field.map(|field| field.obstructed))
            .with_children(pieces.map(|piece| piece.to_element()))
    }
}
