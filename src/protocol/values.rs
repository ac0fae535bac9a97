//! Values of attributes and elements: identifiers, colours, kinds of piece, coordinates, pieces, booleans and integers.

use std::fmt;

use super::xml::{Element, ReadError, XmlWriter, required_attribute};
use crate::hex::Hex;
use crate::hive::contest::{ContestPiece, Kind};
use crate::hive::{Color, Piece, PieceKind};
use crate::text;

/// A room's identifier, chosen by the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(pub String);

/// Admits one player to a reserved seat of a prepared room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReservationCode(pub String);

/// Made printable, which the identifier itself need not be.
impl fmt::Display for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::printable(&self.0, text::NAME))
    }
}

impl fmt::Display for ReservationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(super) const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Red => "RED",
        Color::Blue => "BLUE",
    }
}

/// The contest's server writes colours in upper or lower case, depending on the message.
pub(super) fn parse_color(text: &str) -> Result<Color, ReadError> {
    Color::ALL
        .into_iter()
        .find(|&color| text.eq_ignore_ascii_case(color_name(color)))
        .ok_or_else(|| ReadError::value(text, "a colour (RED or BLUE)"))
}

pub(super) const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Bee => "BEE",
        Kind::Spider => "SPIDER",
        Kind::Beetle => "BEETLE",
        Kind::Grasshopper => "GRASSHOPPER",
        Kind::Ant => "ANT",
    }
}

pub(super) fn parse_kind(text: &str) -> Result<Kind, ReadError> {
    Kind::ALL
        .iter()
        .copied()
        .find(|&kind| kind_name(kind) == text)
        .ok_or_else(|| ReadError::value(text, "a kind of piece"))
}

pub(super) fn parse_bool(text: &str) -> Result<bool, ReadError> {
    text.parse()
        .map_err(|_| ReadError::value(text, "`true` or `false`"))
}

pub(super) fn parse_integer(text: &str) -> Result<i64, ReadError> {
    text.parse()
        .map_err(|_| ReadError::value(text, "an integer"))
}

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
