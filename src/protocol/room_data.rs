//! What a server says about a game: the `<data>` of a room message.

use super::moves::{MoveClass, WireMove};
use super::result::GameResult;
use super::state::WireState;
use super::values::parse_color;
use super::xml::{Element, ReadError, XmlWriter, once, required_element};
use crate::hive::Color;

/// The contents of a room message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerData {
    /// The client's colour.
    Welcome(Color),
    /// The state of the game.
    State(Box<WireState>),
    /// It is the client's turn.
    MoveRequest,
    /// A request was refused.
    Error {
        /// Why.
        message: String,
        /// The refused move.
        original: Option<WireMove>,
    },
    /// The game is over.
    Result(Box<GameResult>),
    /// The game is paused; what comes with it is ignored.
    Paused,
    /// A class that this program does not know; it never writes one.
    Unknown(String),
}

const MOVE_REQUEST: &str = "sc.framework.plugins.protocol.MoveRequest";

impl ServerData {
    pub(super) fn read(element: Element<'_, '_>) -> Result<ServerData, ReadError> {
        let class = element.attribute("class")?;
        Ok(match &*class {
            "welcomeMessage" => ServerData::Welcome(parse_color(&element.attribute("color")?)?),
            "memento" => ServerData::State(Box::new(read_state(element)?)),
            MOVE_REQUEST => ServerData::MoveRequest,
            "error" => ServerData::Error {
                message: element.attribute("message")?.into_owned(),
                original: read_original(element)?,
            },
            "result" => ServerData::Result(Box::new(GameResult::read(element)?)),
            "paused" => ServerData::Paused,
            class => {
                log::debug!("ignored data of the class `{class}`");
                ServerData::Unknown(class.to_owned())
            }
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let class = match self {
            ServerData::Welcome(_) => "welcomeMessage",
            ServerData::State(_) => "memento",
            ServerData::MoveRequest => MOVE_REQUEST,
            ServerData::Error { .. } => "error",
            ServerData::Result(_) => "result",
            ServerData::Paused => "paused",
            ServerData::Unknown(_) => return,
        };
        let tag = xml.element("data").attribute("class", class);
        match self {
            ServerData::Welcome(color) => tag.attribute("color", color).empty(),
            ServerData::State(state) => tag.children(|xml| state.write(xml)),
            ServerData::Error { message, original } => {
                tag.attribute("message", message).children(|xml| {
                    if let Some(original) = original {
                        original.write(xml, "originalRequest");
                    }
                });
            }
            ServerData::Result(result) => tag.children(|xml| result.write(xml)),
            ServerData::MoveRequest | ServerData::Paused | ServerData::Unknown(_) => tag.empty(),
        }
    }
}

fn read_state(element: Element<'_, '_>) -> Result<WireState, ReadError> {
    let mut state = None;
    element.for_each_child(|child| match child.name() {
        "state" => once(&mut state, WireState::read(child)?, "state"),
        _ => {
            child.ignore();
            Ok(())
        }
    })?;
    required_element(state, "state")
}

fn read_original(element: Element<'_, '_>) -> Result<Option<WireMove>, ReadError> {
    let mut original = None;
    element.for_each_child(|child| match child.name() {
        "originalRequest" => {
            let [class] = child.attributes(["class"])?;
            match MoveClass::from_name(class.as_deref().unwrap_or_default()) {
                Some(class) => once(
                    &mut original,
                    WireMove::read(child, class)?,
                    "originalRequest",
                ),
                None => {
                    child.ignore();
                    Ok(())
                }
            }
        }
        _ => {
            child.ignore();
            Ok(())
        }
    })?;
    Ok(original)
}
