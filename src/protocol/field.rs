//! Coordinates and pieces.

use std::fmt;

use super::values::{color_name, kind_name, parse_color, parse_integer, parse_kind};
use super::xml::{Element, ReadError, XmlWriter, required_attribute};
use crate::hex::Hex;
use crate::hive::Piece;
use crate::hive::contest::ContestPiece;

/// Cube coordinates as received: they may lie off the board, and need not add up to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireCoordinates {
    /// First coordinate.
    pub x: i64,
    /// Second coordinate.
    pub y: i64,
    /// Third coordinate.
    pub z: i64,
}

impl WireCoordinates {
    /// The coordinates of `hex`.
    pub fn of(hex: Hex) -> WireCoordinates {
        WireCoordinates {
            x: hex.x.into(),
            y: hex.y.into(),
            z: hex.z().into(),
        }
    }

    /// From the attributes `x`, `y` and `z`.
    pub(super) fn parse(
        [x, y, z]: [Option<impl AsRef<str>>; 3],
    ) -> Result<WireCoordinates, ReadError> {
        Ok(WireCoordinates {
            x: parse_integer(required_attribute(x, "x")?.as_ref())?,
            y: parse_integer(required_attribute(y, "y")?.as_ref())?,
            z: parse_integer(required_attribute(z, "z")?.as_ref())?,
        })
    }
}

impl fmt::Display for WireCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

pub(super) fn read_piece(element: &Element<'_, '_>) -> Result<ContestPiece, ReadError> {
    let [owner, kind] = element.attributes(["owner", "type"])?;
    Ok(Piece::new(
        parse_color(&required_attribute(owner, "owner")?)?,
        parse_kind(&required_attribute(kind, "type")?)?,
    ))
}

pub(super) fn write_piece(xml: &mut XmlWriter<'_>, piece: ContestPiece) {
    xml.element("piece")
        .attribute("owner", color_name(piece.color))
        .attribute("type", kind_name(piece.kind))
        .empty();
}

pub(super) fn read_pieces(element: Element<'_, '_>) -> Result<Vec<ContestPiece>, ReadError> {
    element.read_each("piece", |child| read_piece(&child))
}

pub(super) fn write_pieces(
    xml: &mut XmlWriter<'_>,
    pieces: impl IntoIterator<Item = ContestPiece>,
) {
    for piece in pieces {
        write_piece(xml, piece);
    }
}
