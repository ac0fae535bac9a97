//! Moves, in both forms that clients send, and their translation to moves of the game.

use std::fmt;

use thiserror::Error;

use super::values::{WireCoordinates, WirePiece, decode_integer, is_true};
use super::xml::{Element, ReadError, Value, XmlWriter, once, required_element};
use wabe_files::text;
use wabe_hive::contest::Move;
use wabe_hive::hex::{Cell, ContestBoard, Grid};
use wabe_hive::{Color, Piece};

/// Longest hint, in bytes; longer ones are cut.
const MAX_HINT: usize = 4 << 10;

/// Maximum number of pieces that are kept of a field in the long form.
const MAX_FIELD_PIECES: usize = 32;

/// A move with its hint, such as `<data class="setmove">…` or `<lastMove class="dragmove">…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMove {
    /// The player's comment on the move. The server forwards it to everybody.
    pub hint: Option<String>,
    /// The move itself.
    pub action: WireAction,
}

/// A move without its hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireAction {
    /// `setmove`: puts a piece on the board.
    Set {
        /// The piece.
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
    /// The coordinates.
    pub at: WireCoordinates,
    /// The field's contents in the long form, `class="field"`. They mean nothing, but the server echoes them.
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

/// The reason that a [`WireMove`] is not a move of the game in any position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The coordinates do not add up to 0.
    #[error("the {endpoint} {at} does not satisfy x + y + z = 0")]
    NotCube {
        /// The end of the move at fault.
        endpoint: Endpoint,
        /// Its coordinates.
        at: WireCoordinates,
    },
    /// The field is off the board.
    #[error("the {endpoint} {at} is not on the board")]
    OffBoard {
        /// The end of the move at fault.
        endpoint: Endpoint,
        /// Its coordinates.
        at: WireCoordinates,
    },
    /// The piece belongs to the other side.
    #[error("{0} cannot place a piece of the other side")]
    WrongOwner(Color),
    /// The piece to place has no kind.
    #[error("the piece has no type")]
    NoKind,
}

/// An end of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The start of the move.
    Start,
    /// The target of the move.
    Destination,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Endpoint::Start => "start",
            Endpoint::Destination => "destination",
        })
    }
}

/// The class of a move's element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveClass {
    Set,
    Drag,
    Skip,
}

impl MoveClass {
    pub(super) fn from_name(class: &str) -> Result<MoveClass, ReadError> {
        Ok(match class {
            "setmove" | "sc.plugin2020.SetMove" => MoveClass::Set,
            "dragmove" | "sc.plugin2020.DragMove" => MoveClass::Drag,
            "skipmove" | "sc.plugin2020.SkipMove" => MoveClass::Skip,
            _ => return Err(ReadError::value(class, "the class of a move")),
        })
    }
}

impl WireMove {
    /// The move `mv` by `mover`, in the short form.
    pub fn new(mv: Move, mover: Color, hint: Option<String>) -> WireMove {
        let place = |cell| WirePlace::plain(WireCoordinates::of(ContestBoard::hex(cell)));
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

    /// Translates the move for `mover`, without checking that it is legal.
    ///
    /// # Errors
    /// When it names a field off the board, or a piece of the other side or of no kind.
    pub fn to_move(&self, mover: Color) -> Result<Move, MoveError> {
        match &self.action {
            WireAction::Set { piece, destination } => {
                let to = destination.cell(Endpoint::Destination)?;
                if piece.owner != Some(mover) {
                    return Err(MoveError::WrongOwner(mover));
                }
                let kind = piece.kind.ok_or(MoveError::NoKind)?;
                Ok(Move::Place { kind, to })
            }
            WireAction::Drag { start, destination } => Ok(Move::Drag {
                from: start.cell(Endpoint::Start)?,
                to: destination.cell(Endpoint::Destination)?,
            }),
            WireAction::Skip => Ok(Move::Pass),
        }
    }

    /// Reads a move that the server repeats. It may be anything that the server accepted from a
    /// player: `None` if it cannot be read.
    pub(super) fn read_if_valid(element: Element<'_, '_>) -> Option<WireMove> {
        let class = element.attribute("class");
        let class = class.and_then(|class| MoveClass::from_name(&class));
        class
            .and_then(|class| WireMove::read(element, class))
            .inspect_err(|error| log::debug!("ignored a move: {error}"))
            .ok()
    }

    /// Reads an element of this class.
    pub(super) fn read(element: Element<'_, '_>, class: MoveClass) -> Result<WireMove, ReadError> {
        let mut hint = None;
        let mut piece = None;
        let mut start = None;
        let mut destination = None;
        element.for_each_child(|child| match (child.name(), class) {
            ("hint", _) => once(&mut hint, read_hint(child)?, "hint"),
            ("piece", MoveClass::Set) => once(&mut piece, WirePiece::read(child)?, "piece"),
            ("start", MoveClass::Drag) => once(&mut start, WirePlace::read(child)?, "start"),
            ("destination", MoveClass::Set | MoveClass::Drag) => {
                once(&mut destination, WirePlace::read(child)?, "destination")
            }
            _ => child.ignore(),
        })?;
        let hint = hint.flatten();
        let action = match class {
            MoveClass::Set => WireAction::Set {
                piece: required_element(piece, "piece")?,
                destination: required_element(destination, "destination")?,
            },
            MoveClass::Drag => WireAction::Drag {
                start: required_element(start, "start")?,
                destination: required_element(destination, "destination")?,
            },
            MoveClass::Skip => WireAction::Skip,
        };
        Ok(WireMove { hint, action })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>, element: &'static str) {
        xml.element(element)
            .attribute("class", self.action.class())
            .children(|xml| {
                if let Some(hint) = &self.hint {
                    xml.element("hint").text(hint);
                }
                match &self.action {
                    WireAction::Set { piece, destination } => {
                        piece.write(xml);
                        destination.write(xml, "destination");
                    }
                    WireAction::Drag { start, destination } => {
                        start.write(xml, "start");
                        destination.write(xml, "destination");
                    }
                    WireAction::Skip => {}
                }
            });
    }
}

/// Reads a hint; `None` for one of the class `null`.
fn read_hint(element: Element<'_, '_>) -> Result<Option<String>, ReadError> {
    match element.class()?.as_deref() {
        None | Some("string" | "java.lang.String") => {
            Ok(Some(text::cut(element.text()?, MAX_HINT)))
        }
        Some("null") => Ok(None),
        Some(class) => Err(ReadError::value(class, "the class of a hint")),
    }
}

impl WireAction {
    fn class(&self) -> &'static str {
        match self {
            WireAction::Set { .. } => "setmove",
            WireAction::Drag { .. } => "dragmove",
            WireAction::Skip => "skipmove",
        }
    }
}

impl WirePlace {
    /// The short form.
    pub const fn plain(at: WireCoordinates) -> WirePlace {
        WirePlace { at, field: None }
    }

    fn cell(&self, endpoint: Endpoint) -> Result<Cell, MoveError> {
        let at = self.at;
        if !at.is_cube() {
            return Err(MoveError::NotCube { endpoint, at });
        }
        let cell = at.hex().and_then(ContestBoard::cell);
        cell.ok_or(MoveError::OffBoard { endpoint, at })
    }

    /// Missing coordinates are 0.
    fn read(element: Element<'_, '_>) -> Result<WirePlace, ReadError> {
        let is_field = match element.class()?.as_deref() {
            None | Some("sc.plugin2020.util.CubeCoordinates") => false,
            Some("field" | "sc.plugin2020.Field") => true,
            Some(class) => return Err(ReadError::value(class, "the class of coordinates")),
        };
        let mut pieces = Vec::new();
        let [x, y, z, obstructed] =
            element.read_object(["x", "y", "z", "isObstructed"], |child| {
                let piece = match child.name() {
                    "piece" if is_field => WirePiece::read(child)?,
                    "null" if is_field => WirePiece::default(),
                    _ => return child.ignore(),
                };
                if pieces.len() < MAX_FIELD_PIECES {
                    pieces.push(piece);
                }
                Ok(())
            })?;
        let integer =
            |value: Option<Value>| value.map_or(Ok(0), |value| decode_integer(&value.text));
        Ok(WirePlace {
            at: WireCoordinates {
                x: integer(x)?,
                y: integer(y)?,
                z: integer(z)?,
            },
            field: is_field.then(|| FieldContents {
                obstructed: obstructed.is_some_and(|value| is_true(&value.text)),
                pieces,
            }),
        })
    }

    fn write(&self, xml: &mut XmlWriter<'_>, element: &'static str) {
        let mut tag = xml.element(element);
        if self.field.is_some() {
            tag = tag.attribute("class", "field");
        }
        let WireCoordinates { x, y, z } = self.at;
        let tag = tag.attribute("x", x).attribute("y", y).attribute("z", z);
        match &self.field {
            None => tag.empty(),
            Some(field) => tag
                .attribute("isObstructed", field.obstructed)
                .children(|xml| field.pieces.iter().for_each(|piece| piece.write(xml))),
        }
    }
}
