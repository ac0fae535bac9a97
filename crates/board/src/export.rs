//! Converts recorded games to other formats.

use std::io;

use crate::{BoardGame, offline_page};
use wabe_records::view::svg;
use wabe_records::view::terminal::{ColorMode, pages};
use wabe_records::{FileFormat, Replay};

/// A format to which recorded games can be converted.
#[derive(Clone, Copy, Debug)]
pub enum Form<G: BoardGame> {
    /// All positions and comments as JSON.
    Json,
    /// Picture of one position.
    Svg,
    /// Page with the whole game.
    Html,
    /// All positions and comments as text.
    Txt,
    /// A file format of the game.
    File(&'static FileFormat<G>),
}

impl<G: BoardGame> Form<G> {
    /// The formats of all games with their names and descriptions.
    const COMMON: [(Form<G>, &'static str, &'static str); 4] = [
        (
            Form::Svg,
            "svg",
            "Picture of one position, by default the last",
        ),
        (Form::Html, "html", "Page with the whole game"),
        (Form::Txt, "txt", "All positions and comments as text"),
        (
            Form::Json,
            "json",
            "All positions and comments as JSON; see docs/json.md",
        ),
    ];

    /// The formats of the game with their names and descriptions.
    fn all() -> impl Iterator<Item = (Form<G>, &'static str, &'static str)> {
        let own = G::FORMATS.iter();
        let own = own.map(|format| (Form::File(format), format.name, format.help));
        Form::COMMON.into_iter().chain(own)
    }

    /// Name and description of each format.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        Form::<G>::all().map(|(_, name, help)| (name, help))
    }

    /// The format with that name, which is also its file extension.
    pub fn from_name(name: &str) -> Option<Form<G>> {
        let found = Form::all().find(|&(_, known, _)| known == name);
        found.map(|(form, ..)| form)
    }

    /// True if a file can contain several games.
    pub fn holds_several(self) -> bool {
        match self {
            Form::Json | Form::Txt => true,
            Form::Svg | Form::Html => false,
            Form::File(format) => format.holds_several,
        }
    }

    /// Converts a game; a picture shows the last position. `None` if the format cannot express the
    /// game.
    pub fn convert(self, replay: &Replay<G>) -> Option<String> {
        Some(match self {
            Form::Json => format!("{:#}", replay.json()),
            Form::Svg => svg::picture(replay.diagrams().last()?),
            Form::Html => offline_page(replay, None),
            Form::Txt => pages(replay, ColorMode::Plain),
            Form::File(format) => return (format.write)(replay),
        })
    }

    /// Converts games one at a time by `convert` and passes each to `write`. Together their texts
    /// may be a thousand times as large as the recordings.
    ///
    /// # Errors
    /// Those of `convert` and `write`.
    pub fn write_all<E: From<io::Error>>(
        self,
        replays: &[Replay<G>],
        mut convert: impl FnMut(&Replay<G>) -> Result<String, E>,
        mut write: impl FnMut(&str) -> io::Result<()>,
    ) -> Result<(), E> {
        let is_array = matches!(self, Form::Json) && replays.len() != 1;
        let (before, between, after) = match self {
            Form::Json if is_array => ("[\n  ", ",\n  ", "\n]\n"),
            Form::Json => ("", "", "\n"),
            // Separator between games. The other formats with several games need none.
            Form::Txt => ("", "\n", ""),
            Form::File(format) if format.name == "pgn" => ("", "\n", ""),
            _ => ("", "", ""),
        };
        // Only these formats can contain the reason.
        let shows_damage = matches!(self, Form::Json | Form::Txt | Form::Html);
        let written = replays
            .iter()
            .filter(|replay| shows_damage || !replay.is_unreadable());
        write(before)?;
        for (index, replay) in written.enumerate() {
            if index > 0 {
                write(between)?;
            }
            let text = convert(replay)?;
            if is_array {
                write(&text.replace('\n', "\n  "))?;
            } else {
                write(&text)?;
            }
        }
        Ok(write(after)?)
    }
}
