//! Values of attributes and elements: identifiers, colours, pieces and their kinds, coordinates,
//! booleans and integers.

use std::fmt;

use super::xml::{Element, ReadError};
use wabe_files::text;
use wabe_hive::contest::{ContestPiece, Kind};
use wabe_hive::hex::Hex;
use wabe_hive::{Color, Piece, PieceKind};

/// Identifies a room; chosen by the server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(pub String);

/// Code that admits a player to a reserved seat of a prepared room.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReservationCode(pub String);

/// Replaces unprintable characters.
impl fmt::Display for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::printable(&self.0, text::MAX_NAME))
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

/// Ignores case, because the contest's server writes colours in either case.
pub(super) fn parse_color(text: &str) -> Result<Color, ReadError> {
    Color::ALL
        .into_iter()
        .find(|&color| text.eq_ignore_ascii_case(color_name(color)))
        .ok_or_else(|| not_a_color(text))
}

fn not_a_color(text: &str) -> ReadError {
    ReadError::value(text, "a colour (RED or BLUE)")
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

fn parse_kind(text: &str) -> Result<Kind, ReadError> {
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

/// True for `true` in any case, as in Java.
pub(super) fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

pub(super) fn parse_integer(text: &str) -> Result<i64, ReadError> {
    text.parse()
        .map_err(|_| ReadError::value(text, "an integer"))
}

/// Parses a 32-bit integer from a client like the contest's server, with Java's `Long.decode`:
/// decimal, `0x1f`, `#1f` or octal `037`, with or without a sign. Values up to 2^32 - 1 wrap
/// around.
pub(super) fn decode_integer(text: &str) -> Result<i64, ReadError> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let hexadecimal = ["0x", "0X", "#"]
        .iter()
        .find_map(|p| digits.strip_prefix(p));
    let (digits, radix) = match (hexadecimal, digits.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (digits, 10),
    };
    // The standard parser would accept a second sign.
    let value = Some(digits)
        .filter(|digits| !digits.starts_with(['+', '-']))
        .and_then(|digits| i64::from_str_radix(digits, radix).ok())
        .map(|value| if is_negative { -value } else { value })
        .filter(|value| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(value))
        .ok_or_else(|| ReadError::value(text, "an integer"))?;
    let wraps = value > i64::from(i32::MAX);
    Ok(if wraps { value - (1 << 32) } else { value })
}

/// Cube coordinates as received. They may be off the board, and their sum may differ from 0.
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
    pub fn from_hex(hex: Hex) -> WireCoordinates {
        WireCoordinates {
            x: hex.x.into(),
            y: hex.y.into(),
            z: hex.z().into(),
        }
    }

    /// The hex at `x` and `y`, ignoring `z`; `None` if they do not fit into an `i8`.
    pub fn hex(self) -> Option<Hex> {
        let (x, y) = (i8::try_from(self.x).ok()?, i8::try_from(self.y).ok()?);
        Some(Hex::new(x, y))
    }

    /// True if the sum of the coordinates is 0.
    pub fn is_cube(self) -> bool {
        let WireCoordinates { x, y, z } = self;
        i128::from(x) + i128::from(y) + i128::from(z) == 0
    }

    /// Reads the attributes `x`, `y` and `z`.
    pub(super) fn read(element: &Element) -> Result<WireCoordinates, ReadError> {
        let integer = |name| parse_integer(element.attribute(name)?);
        Ok(WireCoordinates {
            x: integer("x")?,
            y: integer("y")?,
            z: integer("z")?,
        })
    }
}

impl fmt::Display for WireCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

fn read_piece(element: &Element) -> Result<ContestPiece, ReadError> {
    let color = parse_color(element.attribute("owner")?)?;
    let kind = parse_kind(element.attribute("type")?)?;
    Ok(Piece::new(color, kind))
}

/// A piece in a move as received. Owner or kind may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WirePiece {
    /// The owner, which the contest's server compares with the side to move.
    pub owner: Option<Color>,
    /// `type` in the protocol.
    pub kind: Option<Kind>,
}

impl From<ContestPiece> for WirePiece {
    fn from(piece: ContestPiece) -> WirePiece {
        WirePiece {
            owner: Some(piece.color),
            kind: Some(piece.kind),
        }
    }
}

/// Formats a piece like the contest's server.
impl fmt::Display for WirePiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (owner, kind) = self.names();
        write!(f, "Piece(owner={owner}, type={kind})")
    }
}

impl WirePiece {
    /// Names of owner and kind; `null` if missing.
    pub fn names(self) -> (&'static str, &'static str) {
        (
            self.owner.map_or("null", color_name),
            self.kind.map_or("null", kind_name),
        )
    }

    pub(super) fn read(element: &Element) -> Result<WirePiece, ReadError> {
        match element.class() {
            None | Some("piece" | "sc.plugin2020.Piece") => {}
            Some(class) => return Err(ReadError::value(class, "the class of a piece")),
        }
        element.check(&["owner", "type"], &[])?;
        let owner = element.constant("owner").map(|name| {
            let color = Color::ALL.into_iter().find(|&c| color_name(c) == name);
            color.ok_or_else(|| not_a_color(&name))
        });
        let kind = element.constant("type").map(|name| parse_kind(&name));
        Ok(WirePiece {
            owner: owner.transpose()?,
            kind: kind.transpose()?,
        })
    }

    pub(super) fn to_element(self) -> Element {
        Element::new("piece")
            .with_some("owner", self.owner.map(color_name))
            .with_some("type", self.kind.map(kind_name))
    }
}

/// Reads pieces and skips invalid ones. A forged move can put a piece without a kind on the board.
pub(super) fn read_pieces(element: &Element) -> Result<Vec<ContestPiece>, ReadError> {
    let pieces = element.each("piece", |child| Ok(read_piece(child).ok()))?;
    Ok(pieces.into_iter().flatten().collect())
}
