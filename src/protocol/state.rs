//! The state of a game as the server sends it after every ply.

use std::time::Duration;

use super::field::{WireField, read_pieces, write_pieces};
use super::moves::{MoveClass, WireMove};
use super::values::{color_name, parse_color, parse_integer};
use super::xml::{Element, ReadError, XmlWriter, once, required_attribute, required_element};
use crate::hive::contest::ContestPiece;
use crate::hive::{ByColor, Color};

/// `<state>`: nothing of it is checked but that it is all there; see [`WireState::position`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireState {
    /// Who began.
    pub start_player: Color,
    /// Plies played.
    pub turn: i64,
    /// Whose turn it is.
    pub current_player: Color,
    /// What the players call themselves.
    pub names: ByColor<String>,
    /// The board by `x` and then `y`, each from -5 on; `None` where there is no field.
    pub board: Vec<Vec<Option<WireField>>>,
    /// What each side has not placed yet.
    pub reserves: ByColor<Vec<ContestPiece>>,
    /// What led to this state; nothing did to the first.
    pub last_move: Option<WireMove>,
    /// How long the last move took. Only our own replays say so; no server does.
    pub last_move_time: Option<Duration>,
}

/// The attribute with the time of the last move, in milliseconds. Readers that do not know it skip it.
const LAST_MOVE_TIME: &str = "lastMoveMillis";

const RED_RESERVE: &str = "undeployedRedPieces";
const BLUE_RESERVE: &str = "undeployedBluePieces";

impl WireState {
    pub(super) fn read(element: Element<'_, '_>) -> Result<WireState, ReadError> {
        let [start_player, turn, current_player, last_move_time] = element.attributes([
            "startPlayerColor",
            "turn",
            "currentPlayerColor",
            LAST_MOVE_TIME,
        ])?;
        let start_player = parse_color(&required_attribute(start_player, "startPlayerColor")?)?;
        let turn = parse_integer(&required_attribute(turn, "turn")?)?;
        let current_player =
            parse_color(&required_attribute(current_player, "currentPlayerColor")?)?;
        let last_move_time = last_move_time.and_then(|text| parse_milliseconds(&text));
        let mut names = ByColor::<Option<String>>::default();
        let mut board = None;
        let mut reserves = ByColor::<Option<Vec<ContestPiece>>>::default();
        let mut last_move = None;
        element.for_each_child(|child| match child.name() {
            "red" => once(&mut names.red, read_name(&child)?, "red"),
            "blue" => once(&mut names.blue, read_name(&child)?, "blue"),
            "board" => once(&mut board, read_board(child)?, "board"),
            RED_RESERVE => once(&mut reserves.red, read_pieces(child)?, RED_RESERVE),
            BLUE_RESERVE => once(&mut reserves.blue, read_pieces(child)?, BLUE_RESERVE),
            "lastMove" => {
                let class = child.attribute("class")?;
                match MoveClass::from_name(&class) {
                    Some(class) => {
                        once(&mut last_move, WireMove::read(child, class)?, "lastMove")?;
                    }
                    None => log::debug!("ignored a last move of the class `{class}`"),
                }
                Ok(())
            }
            _ => {
                child.ignore();
                Ok(())
            }
        })?;
        Ok(WireState {
            start_player,
            turn,
            current_player,
            names: ByColor {
                red: required_element(names.red, "red")?,
                blue: required_element(names.blue, "blue")?,
            },
            board: required_element(board, "board")?,
            reserves: ByColor {
                red: required_element(reserves.red, RED_RESERVE)?,
                blue: required_element(reserves.blue, BLUE_RESERVE)?,
            },
            last_move,
            last_move_time,
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let mut tag = xml
            .element("state")
            .attribute("class", "state")
            .attribute("startPlayerColor", color_name(self.start_player))
            .attribute("turn", self.turn)
            .attribute("currentPlayerColor", color_name(self.current_player));
        if let Some(time) = self.last_move_time {
            tag = tag.attribute(
                LAST_MOVE_TIME,
                format_args!("{:.3}", 1e3 * time.as_secs_f64()),
            );
        }
        tag.children(|xml| {
            for (element, color) in [("red", Color::Red), ("blue", Color::Blue)] {
                xml.element(element)
                    .attribute("color", color_name(color))
                    .attribute("displayName", &self.names[color])
                    .empty();
            }
            xml.element("board").children(|xml| {
                for column in &self.board {
                    xml.element("fields").children(|xml| {
                        for field in column {
                            match field {
                                None => xml.element("null").empty(),
                                Some(field) => field.write(xml),
                            }
                        }
                    });
                }
            });
            for (element, color) in [(RED_RESERVE, Color::Red), (BLUE_RESERVE, Color::Blue)] {
                xml.element(element)
                    .children(|xml| write_pieces(xml, &self.reserves[color]));
            }
            if let Some(last_move) = &self.last_move {
                last_move.write(xml, "lastMove");
            }
        });
    }
}

/// A time that makes no sense is as good as none: it is nothing that the contest knows.
fn parse_milliseconds(text: &str) -> Option<Duration> {
    let milliseconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1e3).ok()
}

/// A player without a name is called nothing.
fn read_name(element: &Element<'_, '_>) -> Result<String, ReadError> {
    let [name] = element.attributes(["displayName"])?;
    Ok(name.unwrap_or_default().into_owned())
}

fn read_board(element: Element<'_, '_>) -> Result<Vec<Vec<Option<WireField>>>, ReadError> {
    let mut board = Vec::with_capacity(11);
    element.for_each_child(|child| {
        match child.name() {
            "fields" => board.push(read_column(child)?),
            _ => child.ignore(),
        }
        Ok(())
    })?;
    Ok(board)
}

fn read_column(element: Element<'_, '_>) -> Result<Vec<Option<WireField>>, ReadError> {
    let mut column = Vec::with_capacity(11);
    element.for_each_child(|child| {
        match child.name() {
            "field" => column.push(Some(WireField::read(child)?)),
            "null" => column.push(None),
            _ => child.ignore(),
        }
        Ok(())
    })?;
    Ok(column)
}
