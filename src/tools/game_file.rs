//! A file, or an argument, with recorded games or positions of any game.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use anyhow::{Context, bail};

use wabe_arena::ArenaGame;
use wabe_files::is_zip;
use wabe_records::games::{BEGINNING, GameName};
use wabe_records::{MAX_ARCHIVE, Replay, read};

/// A file or an argument, opened and read as far as its beginning.
pub(super) struct GameFile {
    /// Its name, for messages.
    pub(super) name: String,
    pub(super) game: GameName,
    /// True if it is an argument, not a file.
    pub(super) is_argument: bool,
    /// Its first bytes, a few thousand; of a ZIP archive all.
    pub(super) beginning: Vec<u8>,
    /// The whole content, including the beginning.
    content: Box<dyn Read>,
}

impl GameFile {
    /// Opens the file of that name; if there is no such file, reads the name itself as a position
    /// or a game.
    ///
    /// # Errors
    /// When there is no such file, and the name is not a game.
    pub(super) fn from_argument(subject: &Path) -> anyhow::Result<GameFile> {
        let text = subject
            .to_str()
            .filter(|_| matches!(subject.try_exists(), Ok(false)));
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
                bail!("wabe does not load links: save the game of `{text}` as a file")
            }
            None => bail!("no such file: `{text}`"),
        }
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn open(path: &Path) -> anyhow::Result<GameFile> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let cannot_read = || format!("cannot read {name}");
        let start = |most| {
            let mut bytes = Vec::new();
            let read = (&file).take(most).read_to_end(&mut bytes);
            read.map(|_| bytes).with_context(cannot_read)
        };
        let mut beginning = start(BEGINNING)?;
        if is_zip(&beginning) {
            // An archive's list of files is at its end. The reader reports one that is too large.
            beginning.extend(start(MAX_ARCHIVE)?);
        }
        Ok(GameFile {
            name,
            // The default's reader also reads recordings without their beginning, and reports other
            // files.
            game: GameName::from_recording(&beginning).unwrap_or_default(),
            is_argument: false,
            beginning: beginning.clone(),
            content: Box::new(Cursor::new(beginning).chain(BufReader::new(file))),
        })
    }

    /// Reads it unparsed, up to `most` bytes.
    pub(super) fn bytes(self, most: u64) -> anyhow::Result<Vec<u8>> {
        let GameFile { name, content, .. } = self;
        let mut bytes = Vec::new();
        let read = content.take(most + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {name}"))?;
        if bytes.len() as u64 > most {
            bail!("{name} is too large: {} MiB at most", most >> 20);
        }
        Ok(bytes)
    }

    /// Reads the game with this number, from 1, or all games without a number, at least one.
    /// Reports damaged ones on standard error.
    ///
    /// # Errors
    /// When there is no position in it, or no such game.
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
            eprintln!("wabe: {which} is damaged: {damage}; {positions} could be read");
        }
        let Some(number) = number else {
            return Ok(replays);
        };
        let index = number.checked_sub(1).filter(|&index| index < replays.len());
        let index = index.with_context(|| match replays.len() {
            1 => format!("{name} has one game, not {number}"),
            count => format!("{name} has {count} games, not {number}"),
        })?;
        let replay = replays.swap_remove(index);
        match &replay.damage {
            Some(damage) if replay.is_unreadable() => bail!("game {number} of {name}: {damage}"),
            _ => Ok(vec![replay]),
        }
    }
}
