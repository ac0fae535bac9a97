//! The list of all games, which maps names to types.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use thiserror::Error;

use crate::Recorded;
use wabe_files::text::decode;
use wabe_hive::contest::{Contest, Deal};
use wabe_hive::game::Game;
use wabe_hive::standard::{GameType, Standard};

/// Evaluates an expression with the type and the variant of a [`GameName`]:
/// `with_game!(name, |G, variant| start::<G>(variant))`.
#[macro_export]
macro_rules! with_game {
    ($name:expr, |$game:ident, $variant:ident| $result:expr) => {
        match $name {
            $crate::games::GameName::Contest($variant) => {
                type $game = $crate::wabe_hive::contest::Contest;
                $result
            }
            $crate::games::GameName::Standard($variant) => {
                type $game = $crate::wabe_hive::standard::Standard;
                $result
            }
        }
    };
}

/// A game and its variant, named as on the command line and in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameName {
    /// Standard Hive, with its expansions.
    Standard(GameType),
    /// The contest's game, with the pieces per side.
    Contest(Deal),
}

/// All games in their default variants.
fn default_variants() -> impl Iterator<Item = GameName> {
    let standard = GameName::Standard(GameType::default());
    [standard, GameName::Contest(Deal::default())].into_iter()
}

/// The game's name if the variant is the default, otherwise the variant's name.
pub fn word_of<G: Game>(variant: G::Variant) -> String {
    if variant == G::Variant::default() {
        G::WORD.to_owned()
    } else {
        variant.to_string()
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_game!(*self, |G, variant| word_of::<G>(variant)))
    }
}

/// Number of bytes at the start of a file from which its game is detected.
pub const BEGINNING: u64 = 4096;

impl GameName {
    /// Detects the game of a file, record or position from the start of its text; `None` for
    /// unknown formats.
    pub fn from_beginning(beginning: &str) -> Option<GameName> {
        default_variants().find(|&game| with_game!(game, |G, _variant| G::is_recording(beginning)))
    }

    /// All variants of all games, standard Hive first.
    pub fn all() -> Vec<GameName> {
        let standard = Standard::variants().into_iter().map(GameName::Standard);
        let contest = Contest::variants().into_iter().map(GameName::Contest);
        standard.chain(contest).collect()
    }

    /// The help text of options that take a game.
    pub fn help() -> String {
        format!("The game: one of {}", GameName::words())
    }

    /// The names of all variants, comma-separated.
    pub fn words() -> String {
        let names: Vec<String> = GameName::all().iter().map(GameName::to_string).collect();
        names.join(", ")
    }

    /// Detects the game of a recording from its first bytes, compressed or not; `None` for unknown
    /// formats. ZIP archives must be complete. Archives inside of archives are not unpacked.
    pub fn from_recording(beginning: &[u8]) -> Option<GameName> {
        if wabe_files::is_zip(beginning) {
            let mut game = None;
            // The game's reader reports damage.
            let _ = wabe_files::unzip(beginning, |_, file| {
                game = game.or_else(|| GameName::from_text(file));
                Ok::<(), io::Error>(())
            });
            return game;
        }
        GameName::from_text(&mut *wabe_files::unpacked(beginning).ok()?)
    }

    /// Detects the game from the beginning of a text.
    fn from_text(text: &mut dyn Read) -> Option<GameName> {
        let mut beginning = Vec::new();
        // The game's reader reports damage.
        let _ = text.take(BEGINNING).read_to_end(&mut beginning);
        let text = decode(beginning);
        GameName::from_beginning(text.trim_start_matches('\u{feff}').trim_start())
    }
}

/// The contest with its default pieces.
impl Default for GameName {
    fn default() -> GameName {
        GameName::Contest(Deal::default())
    }
}

/// The error for an unknown game name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a game: expected one of {words}",
    words = GameName::words()
)]
pub struct ParseGameNameError(String);

impl ParseGameNameError {
    /// The unknown name.
    pub fn word(&self) -> &str {
        &self.0
    }
}

impl FromStr for GameName {
    type Err = ParseGameNameError;

    fn from_str(word: &str) -> Result<GameName, ParseGameNameError> {
        default_variants()
            .find(|game| game.to_string().eq_ignore_ascii_case(word))
            .or_else(|| word.parse().ok().map(GameName::Standard))
            .or_else(|| {
                word.to_ascii_lowercase()
                    .parse()
                    .ok()
                    .map(GameName::Contest)
            })
            .ok_or_else(|| ParseGameNameError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A ZIP archive with one file.
    fn archive(content: &[u8]) -> Vec<u8> {
        let mut writer = rawzip::ZipArchiveWriter::new(Vec::new());
        let (mut file, config) = writer.new_file("file").start().unwrap();
        let mut stored = config.wrap(&mut file);
        stored.write_all(content).unwrap();
        let (_, descriptor) = stored.finish().unwrap();
        file.finish(descriptor).unwrap();
        writer.finish().unwrap()
    }

    /// An archive can contain itself.
    #[test]
    fn nested_archives_are_not_unpacked() {
        let game = b"Base+MLP;NotStarted;White[1]";
        let standard = Some(GameName::Standard(GameType::default()));
        assert_eq!(GameName::from_recording(game), standard);
        assert_eq!(GameName::from_recording(&archive(game)), standard);
        assert_eq!(GameName::from_recording(&archive(&archive(game))), None);
    }

    #[test]
    fn game_names_ignore_case() {
        for (word, text) in [
            ("contest", "contest"),
            ("Contest", "contest"),
            ("Rulebook", "rulebook"),
            ("Base", "Base"),
            ("Base+MLP", "Base+MLP"),
            ("base+plm", "Base+MLP"),
        ] {
            assert_eq!(word.parse::<GameName>().unwrap().to_string(), text);
        }
        for word in ["", "chess", "Base+X"] {
            assert!(word.parse::<GameName>().is_err(), "{word}");
        }
    }
}
