//! The file formats of a game.

use std::io::BufRead;

use crate::{Replay, ReplayError};
use wabe_hive::game::Game;

/// A game whose recordings can be read and written.
pub trait Recorded: Game {
    /// JSON key and display name of a comment on a position.
    const REMARK: &'static str = "comment";

    /// The writable file formats, the default first.
    const FORMATS: &'static [FileFormat<Self>];

    /// True if `text`, the start of a file, looks like a recording of this game.
    fn is_recording(text: &str) -> bool;

    /// Reads all games of an unpacked file, each up to its first error.
    ///
    /// # Errors
    /// When no position can be read.
    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Self>>, ReplayError>;
}

/// A file format for recordings of a game.
#[derive(Clone, Copy, Debug)]
pub struct FileFormat<G: Game> {
    /// Name of the format and file extension.
    pub name: &'static str,
    /// Description for users.
    pub help: &'static str,
    /// True if files of several games can be concatenated.
    pub holds_several: bool,
    /// Writes a game; `None` if the format cannot express it.
    pub write: fn(&Replay<G>) -> Option<String>,
}

impl<G: Game> FileFormat<G> {
    /// One record per line.
    pub const RECORD: FileFormat<G> = FileFormat {
        name: "record",
        help: "Text form of position and moves, contest only",
        holds_several: true,
        write: |replay| Some(format!("{}\n", replay.record)),
    };
}
