//! Opens files and arguments with recorded games or positions of any game.

use std::io::{self, Cursor, Read};
use std::path::Path;

use anyhow::{Context, bail};

use wabe_arena::ArenaGame;
use wabe_records::games::GameName;
use wabe_records::{Replay, read};

/// The file of an argument, which on Unix is standard input for `-`.
pub(super) fn input_path(argument: &Path) -> &Path {
    match argument.to_str() {
        Some("-") if cfg!(unix) => Path::new("/dev/stdin"),
        _ => argument,
    }
}

/// An opened file or argument, of which only the beginning has been read.
pub(super) struct GameFile {
    /// Name for messages.
    pub(super) name: String,
    pub(super) game: GameName,
    /// True for an argument, false for a file.
    pub(super) is_argument: bool,
    /// First few thousand bytes; a ZIP archive completely.
    pub(super) beginning: Vec<u8>,
    /// Complete content, including the beginning.
    content: Box<dyn Read>,
}

impl GameFile {
    /// Opens the file `subject`, on Unix standard input if it is `-`. If the file does not exist,
    /// parses `subject` as a position or game.
    ///
    /// # Errors
    /// When the file does not exist and `subject` is not a position or game.
    pub(super) fn from_argument(subject: &Path) -> anyhow::Result<GameFile> {
        let subject = input_path(subject);
        let is_missing = match subject.try_exists() {
            Ok(exists) => !exists,
            // Games may be too long for a file name.
            Err(error) => error.kind() == io::ErrorKind::InvalidFilename,
        };
        let text = subject.to_str().filter(|_| is_missing);
        let Some(text) = text else {
            return GameFile::open(subject);
        };
        let is_link = text.contains("://");
        let is_game = is_link || text.contains([' ', ';']) || text.parse::<GameName>().is_ok();
        match GameName::from_beginning(text.trim_start()).filter(|_| is_game) {
            Some(game) => Ok(GameFile {
                name: format!("`{text}`"),
                game,
                is_argument: true,
                beginning: text.as_bytes().to_vec(),
                content: Box::new(Cursor::new(text.to_owned())),
            }),
            None if is_link => {
                bail!("wabe does not download games: save `{text}` as a file")
            }
            None => bail!("no such file: `{text}`"),
        }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn open(path: &Path) -> anyhow::Result<GameFile> {
        let name = path.display().to_string();
        let opened = wabe_records::open(path).with_context(|| format!("cannot read {name}"));
        let (beginning, content) = opened?;
        Ok(GameFile {
            name,
            // The default game's parser also reads recordings without a header, and reports files
            // in unknown formats.
            game: GameName::from_recording(&beginning).unwrap_or_default(),
            is_argument: false,
            beginning,
            content: Box::new(content),
        })
    }

    /// Returns the raw content, at most `max_bytes` bytes.
    pub(super) fn bytes(self, max_bytes: u64) -> anyhow::Result<Vec<u8>> {
        let GameFile { name, content, .. } = self;
        let mut bytes = Vec::new();
        let read = content.take(max_bytes + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {name}"))?;
        if bytes.len() as u64 > max_bytes {
            bail!("{name} is larger than {} MiB", max_bytes >> 20);
        }
        Ok(bytes)
    }

    /// Parses the game with this number, from 1, or all games. Returns at least one, and reports
    /// damaged games on standard error.
    ///
    /// # Errors
    /// When the file contains no position, or fewer games.
    pub(super) fn read<G: ArenaGame>(
        self,
        number: Option<usize>,
    ) -> anyhow::Result<Vec<Replay<G>>> {
        let name = &self.name;
        let mut replays = read::<G>(self.content).with_context(|| format!("cannot read {name}"))?;
        for (number, replay) in (1..).zip(&replays) {
            let Some(damage) = &replay.damage else {
                continue;
            };
            let which = match replays.len() {
                1 => name.clone(),
                _ => format!("game {number} of {name}"),
            };
            if replay.is_unreadable() {
                eprintln!("wabe: {which} cannot be read: {damage}");
                continue;
            }
            let positions = match replay.positions() {
                1 => "1 position".to_owned(),
                n => format!("{n} positions"),
            };
            if self.is_argument {
                // The argument is a single line, unless it is a list of moves.
                let damage = damage.to_string();
                let problem = damage.strip_prefix("line 1, ").unwrap_or(&damage);
                eprintln!("wabe: {problem}; {positions} could be read");
                continue;
            }
            eprintln!("wabe: {which} is damaged: {damage}; {positions} could be read");
        }
        let Some(number) = number else {
            return Ok(replays);
        };
        let index = number.checked_sub(1).filter(|&index| index < replays.len());
        let index = index.with_context(|| match replays.len() {
            1 => format!("{name} contains one game: cannot read game {number}"),
            count => format!("{name} contains {count} games: cannot read game {number}"),
        })?;
        let replay = replays.swap_remove(index);
        match &replay.damage {
            Some(damage) if replay.is_unreadable() => bail!("game {number} of {name}: {damage}"),
            _ => Ok(vec![replay]),
        }
    }
}
