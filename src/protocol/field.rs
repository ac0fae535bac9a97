//! Pieces and fields.

use super::values::{color_name, kind_name, parse_bool, parse_color, parse_integer, parse_kind};
use super::xml::{Element, ReadError, XmlWriter, required_attribute};
use crate::hive::Piece;
use crate::hive::contest::ContestPiece;

/// Cube coordinates as somebody sent them: they need not lie on the board, nor add up to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireCoordinates {
    /// First coordinate.
    pub x: i64,
    /// Second coordinate.
    pub y: i64,
    /// Third coordinate.
    pub z: i64,
}

/// A field of the board in a state: `<field x="-5" y="0" z="5" isObstructed="false">` and the pieces on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireField {
    /// Where it lies.
    pub at: WireCoordinates,
    /// Whether there is a bramble on it.
    pub obstructed: bool,
    /// The pieces, bottom to top.
    pub pieces: Vec<ContestPiece>,
}

impl std::fmt::Display for WireCoordinates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

impl WireField {
    pub(super) fn read(element: Element<'_, '_>) -> Result<WireField, ReadError> {
        let [x, y, z, obstructed] = element.attributes(["x", "y", "z", "isObstructed"])?;
        let at = WireCoordinates {
            x: parse_integer(&required_attribute(x, "x")?)?,
            y: parse_integer(&required_attribute(y, "y")?)?,
            z: parse_integer(&required_attribute(z, "z")?)?,
        };
        let obstructed = obstructed.map_or(Ok(false), |text| parse_bool(&text))?;
        Ok(WireField {
            at,
            obstructed,
            pieces: read_pieces(element)?,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("field")
            .attribute("x", self.at.x)
            .attribute("y", self.at.y)
            .attribute("z", self.at.z)
            .attribute("isObstructed", self.obstructed)
            .children(|xml| write_pieces(xml, &self.pieces));
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
    let mut pieces = Vec::new();
    element.for_each_child(|child| {
        match child.name() {
            "piece" => pieces.push(read_piece(&child)?),
            _ => child.ignore(),
        }
        Ok(())
    })?;
    Ok(pieces)
}

pub(super) fn write_pieces(xml: &mut XmlWriter<'_>, pieces: &[ContestPiece]) {
    for &piece in pieces {
        write_piece(xml, piece);
    }
}
