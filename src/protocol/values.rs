//! Values of attributes: identifiers, colours, kinds of piece, booleans and integers.

use std::fmt;

use super::xml::ReadError;
use crate::hive::Color;
use crate::hive::contest::Kind;

/// A room's identifier, chosen by the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(pub String);

/// Admits one player to a reserved seat of a prepared room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReservationCode(pub String);

impl fmt::Display for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    let kinds = [
        Kind::Bee,
        Kind::Spider,
        Kind::Beetle,
        Kind::Grasshopper,
        Kind::Ant,
    ];
    kinds
        .into_iter()
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
