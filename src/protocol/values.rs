//! Attribute values: colours, kinds of piece, truth and numbers.

use super::xml::ReadError;
use crate::hive::Color;
use crate::hive::contest::Kind;

pub(super) const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Red => "RED",
        Color::Blue => "BLUE",
    }
}

/// The contest's server writes colours in both cases, depending on the message.
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
    Ok(match text {
        "BEE" => Kind::Bee,
        "SPIDER" => Kind::Spider,
        "BEETLE" => Kind::Beetle,
        "GRASSHOPPER" => Kind::Grasshopper,
        "ANT" => Kind::Ant,
        _ => return Err(ReadError::value(text, "a kind of piece")),
    })
}

pub(super) fn parse_bool(text: &str) -> Result<bool, ReadError> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(ReadError::value(text, "`true` or `false`")),
    }
}

pub(super) fn parse_integer(text: &str) -> Result<i64, ReadError> {
    text.parse()
        .map_err(|_| ReadError::value(text, "an integer"))
}
