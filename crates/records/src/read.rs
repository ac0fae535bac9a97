//! Reads recordings: plain, gzipped or in a ZIP archive.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::collector::GameCollector;
use crate::games::BEGINNING;
use crate::{Damage, Fault, MAX_TEXT, Recorded, Replay, ReplayError};
use wabe_files::text::{MAX_NAME, decode, printable};
use wabe_hive::game::Game;

/// Opens a file. Returns the bytes from which its game is detected, and its complete contents.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn open(path: &Path) -> io::Result<(Vec<u8>, impl Read + Send + use<>)> {
    let file = File::open(path)?;
    let mut beginning = Vec::new();
    (&file).take(BEGINNING).read_to_end(&mut beginning)?;
    if wabe_files::is_zip(&beginning) {
        // The directory of an archive is at its end. `read` rejects archives that are too large.
        (&file).take(MAX_TEXT).read_to_end(&mut beginning)?;
    }
    let contents = Cursor::new(beginning.clone()).chain(BufReader::new(file));
    Ok((beginning, contents))
}

/// Reads all games of a plain or gzipped file, or of all files in a ZIP archive.
///
/// # Errors
/// When no position can be read.
pub fn read<G: Recorded>(source: impl Read) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    if source.fill_buf()?.is_empty() {
        return Err(ReplayError::Empty);
    }
    let mut source = wabe_files::unpacked(source)?;
    if wabe_files::is_zip(source.fill_buf().unwrap_or_default()) {
        read_archive(&mut source)
    } else {
        G::read_games(&mut source)
    }
}

/// Reads all games of a ZIP archive, in the order of its files.
fn read_archive<G: Recorded>(source: &mut dyn BufRead) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut replays = GameCollector::default();
    wabe_files::unzip(&read_bytes(source)?, |name, file| {
        let name = printable(name, MAX_NAME);
        match G::read_games(&mut BufReader::new(file)) {
            Ok(games) => games.into_iter().try_for_each(|mut game| {
                if let Some(damage) = &mut game.damage {
                    damage.file = Some(name.clone());
                }
                replays.push(game)
            }),
            Err(error) => {
                let damage = match error {
                    ReplayError::Unreadable(damage) => *damage,
                    ReplayError::NotARecording => Damage::at(1, 0, Fault::NotARecording),
                    error => Damage::at(1, 0, Fault::Other(error.to_string())),
                };
                replays.push_unreadable(Damage {
                    file: Some(name),
                    ..damage
                })
            }
        }
    })?;
    replays.finish()
}

/// Reads up to [`MAX_TEXT`] bytes.
fn read_bytes(source: &mut dyn BufRead) -> Result<Vec<u8>, ReplayError> {
    let mut bytes = Vec::new();
    source.take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(ReplayError::TooLarge);
    }
    Ok(bytes)
}

/// Reads a text, without its byte order mark.
pub(crate) fn read_text(source: &mut dyn BufRead) -> Result<String, ReplayError> {
    let text = decode(read_bytes(source)?);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Reads one record per line.
pub(crate) fn read_lines<G: Game>(text: &str) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut replays = GameCollector::default();
    for (line, text) in numbered_lines(text) {
        replays.push_record(line, text)?;
    }
    replays.finish()
}

/// Lines that are not blank, with their numbers from 1.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::Contest;

    #[test]
    fn records_end_at_illegal_moves() {
        let start = "0 - - QSSSBBGGAAA/QSSSBBGGAAA";
        let text = format!("{start} moves set A 0,0;set A 1,0 x;set A 2,0\nnonsense\n{start}\n");
        let replays = read::<Contest>(text.as_bytes()).unwrap();
        let damage = |index: usize| replays[index].damage.as_ref().map(ToString::to_string);
        assert_eq!(replays[0].positions(), 2);
        assert!(
            damage(0)
                .unwrap()
                .starts_with("line 1, ply 2: `set A 1,0 x`: ")
        );
        assert!(replays[1].is_unreadable());
        assert!(damage(1).unwrap().starts_with("line 2: not a position: "));
        assert_eq!(damage(2), None);
    }
}
