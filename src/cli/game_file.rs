//! A file, or an argument, with a recorded game or with a position.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use anyhow::{Context, bail};

use crate::hive::ByColor;
use crate::hive::contest::Position;
use crate::replay::{Ply, Recording, Replay, StandardReplay, read_game_string};

/// How many bytes tell a position from a recording.
const BEGINNING: u64 = 256;

/// What was in a file.
pub(super) enum GameFile {
    /// A contest's position in its text form, on the file's first line that is not blank.
    Position(Position),
    /// A game string in place of a file's name.
    GameString(Box<StandardReplay>),
    /// A recorded game, whole or damaged.
    Recording(Recording),
}

impl GameFile {
    /// Reads the file of that name, or, where there is none, a position or a game string that stands in its place.
    ///
    /// # Errors
    /// When there is neither a position nor a game in it.
    pub(super) fn named(subject: &Path) -> anyhow::Result<GameFile> {
        let text = subject
            .to_str()
            .filter(|_| matches!(subject.try_exists(), Ok(false)));
        match text {
            Some(text) if begins_like_a_game_string(text) => {
                let replay = read_game_string(text)
                    .with_context(|| format!("`{text}` is not a game string"))?;
                Ok(GameFile::GameString(Box::new(replay)))
            }
            Some(text) if text.contains(' ') => match text.parse() {
                Ok(position) => Ok(GameFile::Position(position)),
                Err(error) => bail!("`{text}` is not a position: {error}"),
            },
            Some(text) => bail!("cannot open {text}: there is no file `{text}`"),
            None => GameFile::read(subject),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When there is neither a position nor a game in it.
    pub(super) fn read(path: &Path) -> anyhow::Result<GameFile> {
        let name = path.display();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        GameFile::read_from(BufReader::new(file)).with_context(|| format!("cannot read {name}"))
    }

    fn read_from(mut source: impl Read + 'static) -> anyhow::Result<GameFile> {
        let mut beginning = Vec::new();
        (&mut source).take(BEGINNING).read_to_end(&mut beginning)?;
        let is_position = begins_like_a_position(&beginning);
        let mut whole = Cursor::new(beginning).chain(source);
        if !is_position {
            return Ok(GameFile::Recording(Recording::read(whole)?));
        }
        let mut text = String::new();
        whole.read_to_string(&mut text)?;
        let mut lines = text.lines().map(str::trim);
        let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let position = line.parse().context("not a position")?;
        Ok(GameFile::Position(position))
    }

    /// Says on standard error what is wrong with a recording, and whether there are further games in its file.
    pub(super) fn warn(&self, subject: &Path) {
        let name = subject.display();
        let (damage, positions, further_games) = match self {
            GameFile::Position(_) => return,
            GameFile::Recording(recording) => (
                recording.damage().map(ToString::to_string),
                recording.positions(),
                recording.further_games(),
            ),
            GameFile::GameString(replay) => (
                replay.damage.as_ref().map(ToString::to_string),
                replay.plies() + 1,
                replay.further_games,
            ),
        };
        if let Some(damage) = damage {
            eprintln!("wabe: {name} is damaged: {damage}; {positions} positions could be read");
        }
        match further_games {
            0 => {}
            1 => eprintln!("wabe: of the two games in {name}, this is the first"),
            count => eprintln!(
                "wabe: of the {} games in {name}, this is the first",
                count + 1
            ),
        }
    }

    /// The recorded game, or one of nobody's with this position alone.
    pub(super) fn into_recording(self) -> Recording {
        match self {
            GameFile::Recording(recording) => recording,
            GameFile::GameString(replay) => Recording::Standard(replay),
            GameFile::Position(position) => Recording::Contest(Box::new(Replay {
                names: ByColor::default(),
                plies: vec![Ply {
                    position,
                    last_move: None,
                    hint: None,
                    time: None,
                }],
                result: None,
                damage: None,
            })),
        }
    }
}

/// Whether an argument is meant as a game string: `Base`, or something with `;` behind that.
fn begins_like_a_game_string(text: &str) -> bool {
    text == "Base" || text.starts_with("Base+") || text.starts_with("Base;")
}

/// A position begins with its turn.
fn begins_like_a_position(beginning: &[u8]) -> bool {
    let text = beginning.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && text.get(digits) != Some(&b'.')
}
