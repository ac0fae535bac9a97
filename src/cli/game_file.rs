//! A file with a recorded game or with a position.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use crate::hive::ByColor;
use crate::hive::contest::Position;
use crate::replay::{self, Ply, Replay};

/// What was in a file.
pub(super) enum GameFile {
    /// A position in its text form, on the file's first line that is not blank.
    Position(Position),
    /// A recorded game, whole or damaged.
    Recording(Replay),
}

impl GameFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When there is neither a position nor a game in it.
    pub(super) fn read(path: &Path) -> anyhow::Result<GameFile> {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        GameFile::read_from(BufReader::new(file)).with_context(|| format!("cannot read {name}"))
    }

    fn read_from(mut source: impl BufRead) -> anyhow::Result<GameFile> {
        let beginning = source.fill_buf()?.iter();
        let first = beginning.copied().find(|b| !b.is_ascii_whitespace());
        if first.is_some_and(|byte| byte.is_ascii_digit()) {
            let mut lines = source.lines();
            let line = lines.find(|line| !matches!(line, Ok(line) if line.trim().is_empty()));
            let position = line.unwrap_or(Ok(String::new()))?.trim().parse();
            return Ok(GameFile::Position(position.context("not a position")?));
        }
        Ok(GameFile::Recording(replay::read(source)?))
    }

    /// The recorded game, or one of nobody's with this position alone.
    pub(super) fn into_replay(self) -> Replay {
        match self {
            GameFile::Recording(replay) => replay,
            GameFile::Position(position) => Replay {
                names: ByColor::default(),
                plies: vec![Ply {
                    position,
                    last_move: None,
                    hint: None,
                    time: None,
                }],
                result: None,
                damage: None,
            },
        }
    }
}
