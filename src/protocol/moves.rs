//! Moves, in both forms that clients send.

use super::field::{WireCoordinates, read_piece, read_pieces, write_piece, write_pieces};
use super::values::{parse_bool, parse_integer};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};
use crate::hive::contest::ContestPiece;

/// A move with its hint: `<data class="setmove">…`, `<lastMove class="dragmove">…` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireMove {
    /// What the player thought, if it says so. The server hands it on to everybody.
    pub hint: Option<String>,
    /// What is done.
    pub action: WireAction,
}

/// What a move does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireAction {
    /// `setmove`: puts a piece on the board.
    Set {
        /// The piece.
        piece: ContestPiece,
        /// Where.
        destination: WirePlace,
    },
    /// `dragmove`: moves the top piece of a field.
    Drag {
        /// From here.
        start: WirePlace,
        /// To there.
        destination: WirePlace,
    },
    /// `skipmove`: does nothing.
    Skip,
}

/// A field named by a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WirePlace {
    /// Where it is.
    pub at: WireCoordinates,
    /// What the sender says about the field if it sent the long form, `class="field"`. Nobody needs it, but the server echoes
    /// it.
    pub field: Option<FieldContents>,
}

/// What a long form says about a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldContents {
    /// Whether there is a bramble on it.
    pub obstructed: bool,
    /// The pieces on it, bottom to top.
    pub pieces: Vec<ContestPiece>,
}

/// The class of a move's element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveClass {
    Set,
    Drag,
    Skip,
}

impl MoveClass {
    pub(super) fn from_name(class: &str) -> Option<MoveClass> {
        Some(match class {
            "setmove" => MoveClass::Set,
            "dragmove" => MoveClass::Drag,
            "skipmove" => MoveClass::Skip,
            _ => return None,
        })
    }
}

impl WireMove {
    /// Reads an element whose class says that it is a move.
    pub(super) fn read(element: Element<'_, '_>, class: MoveClass) -> Result<WireMove, ReadError> {
        let mut hint = None;
        let mut piece = None;
        let mut start = None;
        let mut destination = None;
        element.for_each_child(|child| match child.name() {
            "hint" => once(&mut hint, child.text()?, "hint"),
            "piece" => once(&mut piece, read_piece(&child)?, "piece"),
            "start" => once(&mut start, WirePlace::read(child)?, "start"),
            "destination" => once(&mut destination, WirePlace::read(child)?, "destination"),
            _ => {
                child.ignore();
                Ok(())
            }
        })?;
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
                        write_piece(xml, *piece);
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

    fn read(element: Element<'_, '_>) -> Result<WirePlace, ReadError> {
        let [class, x, y, z, obstructed] =
            element.attributes(["class", "x", "y", "z", "isObstructed"])?;
        let at = WireCoordinates {
            x: parse_integer(&required_attribute(x, "x")?)?,
            y: parse_integer(&required_attribute(y, "y")?)?,
            z: parse_integer(&required_attribute(z, "z")?)?,
        };
        if class.as_deref() != Some("field") {
            return Ok(WirePlace::plain(at));
        }
        let obstructed = obstructed.map_or(Ok(false), |text| parse_bool(&text))?;
        Ok(WirePlace {
            at,
            field: Some(FieldContents {
                obstructed,
                pieces: read_pieces(element)?,
            }),
        })
    }

    fn write(&self, xml: &mut XmlWriter<'_>, element: &'static str) {
        let tag = xml.element(element);
        let WireCoordinates { x, y, z } = self.at;
        match &self.field {
            None => tag
                .attribute("x", x)
                .attribute("y", y)
                .attribute("z", z)
                .empty(),
            Some(field) => tag
                .attribute("class", "field")
                .attribute("x", x)
                .attribute("y", y)
                .attribute("z", z)
                .attribute("isObstructed", field.obstructed)
                .children(|xml| write_pieces(xml, &field.pieces)),
        }
    }
}
