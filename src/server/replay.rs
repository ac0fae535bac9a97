//! Replays in the format of the contest's server.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;

use super::room::finished_game::FinishedGame;
use crate::files;
use crate::hive::{ByColor, Color};
use crate::protocol::{
    GAME_TYPE, GameResult, RoomId, STREAM_CLOSE, STREAM_OPEN, ServerData, ServerMessage, WireState,
};

/// Most bytes of a player's name in a file name. File systems allow 255 for the whole.
const MAX_NAME_BYTES: usize = 80;

/// Writes a game to a new file in `directory`, which is created if missing. The file's name contains `now`, the local time. The file
/// appears when it is complete.
///
/// # Errors
/// When the file system fails.
pub fn write_replay(directory: &Path, game: &FinishedGame, now: DateTime) -> io::Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let stem = file_stem(&game.names, now);
    let mut number = 1u32;
    loop {
        let name = match number {
            1 => format!("{stem}.xml"),
            _ => format!("{stem}_{number}.xml"),
        };
        let path = directory.join(name);
        let mut file = files::begin(&path)?;
        write_game(BufWriter::new(&mut file), game)?;
        match files::keep_new(file, &path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => {
                number += 1;
            }
            result => return result.map(|()| path),
        }
    }
}

/// Writes a game in the contest's replay format. One addition: every state but the first has the time of its last move,
/// `lastMoveMillis`.
///
/// # Errors
/// When writing fails.
pub fn write_game(out: impl Write, game: &FinishedGame) -> io::Result<()> {
    write_states(out, &game.room, game.states(), Some(&game.result))
}

/// Writes states in the contest's replay format, and the result if there is one.
///
/// # Errors
/// When writing fails.
pub fn write_states(
    mut out: impl Write,
    room: &RoomId,
    states: impl Iterator<Item = WireState>,
    result: Option<&GameResult>,
) -> io::Result<()> {
    out.write_all(STREAM_OPEN.as_bytes())?;
    let mut text = String::new();
    let states = states.map(|state| ServerData::State(Box::new(state)));
    let result = result.map(|result| ServerData::Result(Box::new(result.clone())));
    for data in states.chain(result) {
        let room = room.clone();
        text.clear();
        ServerMessage::Room { room, data }.write_at(&mut text, 0);
        out.write_all(text.as_bytes())?;
    }
    out.write_all(STREAM_CLOSE.as_bytes())?;
    out.flush()
}

fn file_stem(names: &ByColor<String>, now: DateTime) -> String {
    let [red, blue] = Color::ALL.map(|color| file_name_part(&names[color]));
    let now = now.strftime("%Y.%m.%d_%H_%M_%S");
    format!("replay_{GAME_TYPE}_{red}_{blue}_{now}")
}

/// A player's name with every character replaced that is special to file systems or shells.
pub(crate) fn file_name_part(name: &str) -> String {
    let mut part = String::new();
    for character in name.chars() {
        let is_plain = character.is_alphanumeric() || matches!(character, '-' | '.');
        let character = if is_plain { character } else { '_' };
        if part.len() + character.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        part.push(character);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(red: &str, blue: &str) -> String {
        let names = ByColor {
            red: red.to_owned(),
            blue: blue.to_owned(),
        };
        file_stem(&names, jiff::civil::date(2020, 2, 3).at(4, 5, 6, 7))
    }

    #[test]
    fn files_are_called_as_the_contests_server_calls_them() {
        assert_eq!(
            stem("Rot 1", "Ü"),
            "replay_swc_2020_hive_Rot_1_Ü_2020.02.03_04_05_06"
        );
    }

    #[test]
    fn names_cannot_leave_the_directory() {
        assert_eq!(
            stem("../../etc/passwd", "a\\b:c\0\n*"),
            "replay_swc_2020_hive_.._.._etc_passwd_a_b_c____2020.02.03_04_05_06"
        );
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let stem = stem(&"ä".repeat(1000), &"𝕊".repeat(1000));
        assert!(stem.len() < 240, "{} bytes", stem.len());
        assert!(stem.contains(&"ä".repeat(MAX_NAME_BYTES / 2)));
    }
}
