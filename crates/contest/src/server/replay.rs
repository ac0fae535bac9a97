//! Replay files of finished games.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;

use crate::protocol::GAME_TYPE;
use crate::room::{FinishedGame, write_game};
use wabe_hive::{ByColor, Color};

/// Maximum length of a player's name in a file name, in bytes. File systems allow 255 for the whole
/// name.
const MAX_NAME_BYTES: usize = 80;

/// Writes a game to a new file in `directory`, which is created if necessary. The name contains
/// `now`, the local time. The file appears only when it is complete.
///
/// # Errors
/// When the file cannot be written.
pub fn write_replay(directory: &Path, game: &FinishedGame, now: DateTime) -> io::Result<PathBuf> {
    let stem = file_stem(GAME_TYPE, &game.names, now);
    wabe_files::write_new(directory, (&stem, "xml"), |file| {
        write_game(BufWriter::new(file), game)
    })
}

/// File name of a replay without extension. `now` is the local time.
pub fn file_stem(game: &str, names: &ByColor<String>, now: DateTime) -> String {
    let [red, blue] = Color::ALL.map(|color| file_name_part(&names[color]));
    let now = now.strftime("%Y.%m.%d_%H_%M_%S");
    format!("replay_{game}_{red}_{blue}_{now}")
}

/// Replaces characters in a player's name that are special to file systems or shells.
fn file_name_part(name: &str) -> String {
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

    #[test]
    fn file_names_follow_the_contest() {
        let ends = jiff::civil::date(2020, 2, 3).at(4, 5, 6, 7);
        for (red, blue, expected) in [
            ("Rot 1", "Ü", "Rot_1_Ü".to_owned()),
            ("../../etc", "a\\b:c\0\n*", ".._.._etc_a_b_c___".to_owned()),
            (
                &"ä".repeat(1000),
                &"𝕊".repeat(1000),
                format!("{}_{}", "ä".repeat(40), "𝕊".repeat(20)),
            ),
        ] {
            let [red, blue] = [red, blue].map(str::to_owned);
            let stem = file_stem(GAME_TYPE, &ByColor { red, blue }, ends);
            let expected = format!("replay_swc_2020_hive_{expected}_2020.02.03_04_05_06");
            assert_eq!(stem, expected);
        }
    }
}
