//! The properties of an SGF text.

use std::iter::Peekable;
use std::str::Chars;

/// `NAME[value]`; each of several values counts as a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// The name, in capitals.
    pub(super) name: String,
    /// The value, unescaped.
    pub(super) value: String,
}

/// A game of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileGame {
    /// Its properties in the order of the file.
    pub(super) properties: Vec<Property>,
    /// True if the game's bracket is closed.
    pub(super) is_whole: bool,
    /// The line on which it ends.
    pub(super) last_line: usize,
}

/// Largest number of properties of a game: ten for each ply of the longest. A game with more is not
/// whole.
const MAX_PROPERTIES: usize = 100_000;

/// The games of a text, at least one, each read when it is asked for. Other text is skipped.
pub(super) struct FileGames<'a> {
    characters: Peekable<Chars<'a>>,
    line: usize,
    has_begun: bool,
}

impl Iterator for FileGames<'_> {
    type Item = FileGame;

    fn next(&mut self) -> Option<FileGame> {
        let mut game = FileGame::default();
        let mut depth = 0_usize;
        let mut name = String::new();
        while let Some(character) = self.take() {
            match character {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.has_begun = true;
                        game.is_whole = game.properties.len() <= MAX_PROPERTIES;
                        game.last_line = self.line;
                        return Some(game);
                    }
                }
                ';' => name.clear(),
                '[' => {
                    let line = self.line;
                    if let Some(value) = self.value()
                        && depth > 0
                        // One property too many shows that there are more.
                        && game.properties.len() <= MAX_PROPERTIES
                    {
                        let name = name.clone();
                        game.properties.push(Property { line, name, value });
                    }
                }
                c if c.is_ascii_alphanumeric() => {
                    name = c.to_ascii_uppercase().to_string();
                    while let Some(c) = self.characters.next_if(char::is_ascii_alphanumeric) {
                        name.push(c.to_ascii_uppercase());
                    }
                }
                _ => {}
            }
        }
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        game.last_line = self.line;
        (depth > 0 || is_first).then_some(game)
    }
}

impl<'a> FileGames<'a> {
    pub(super) fn new(text: &'a str) -> FileGames<'a> {
        FileGames {
            characters: text.chars().peekable(),
            line: 1,
            has_begun: false,
        }
    }

    fn take(&mut self) -> Option<char> {
        let character = self.characters.next()?;
        self.line += usize::from(character == '\n');
        Some(character)
    }

    /// Takes a value with its closing bracket. A backslash escapes the next character, but before
    /// the last bracket of a line it stands for itself: not every program escapes it. `None` if the
    /// text ends within the value.
    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        while let Some(character) = self.take() {
            match character {
                ']' => return Some(value),
                '\\' if self.is_last_bracket_of_line() => value.push('\\'),
                '\\' => value.extend(self.take()),
                c => value.push(c),
            }
        }
        None
    }

    /// True if a bracket comes next, and then nothing but white space up to the end of the line.
    fn is_last_bracket_of_line(&self) -> bool {
        let mut ahead = self.characters.clone();
        ahead.next() == Some(']')
            && ahead
                .find(|c| *c == '\n' || !c.is_whitespace())
                .is_none_or(|c| c == '\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(usize, String, String)> {
        let properties = FileGames::new(text).next().unwrap().properties.into_iter();
        properties
            .map(|property| (property.line, property.name, property.value))
            .collect()
    }

    #[test]
    fn a_backslash_that_nobody_escaped_stands_for_itself() {
        let text = "(;P0[3 x wS1\\]\n;P1[4 done]\n)";
        assert_eq!(of(text)[0].2, "3 x wS1\\");
        assert_eq!(of(text)[1].2, "4 done");
    }

    #[test]
    fn all_games_are_read_and_an_open_one_is_not_whole() {
        let games = FileGames::new("(;A[1](;B[2]))(;C[3])\n(;D[4]");
        let of = |game: &FileGame| (game.properties.len(), game.is_whole, game.last_line);
        let games: Vec<_> = games.map(|game| of(&game)).collect();
        assert_eq!(games, [(2, true, 1), (1, true, 1), (1, false, 2)]);
        for text in ["", "(", "(;A[", "(;A[\\", "]"] {
            let games: Vec<_> = FileGames::new(text).collect();
            assert!(games.len() == 1 && !games[0].is_whole, "{text}");
        }
    }

    #[test]
    fn a_game_with_too_many_properties_is_not_whole() {
        for (count, is_whole) in [(MAX_PROPERTIES, true), (MAX_PROPERTIES + 1, false)] {
            let text = format!("(;{})", "A[1]".repeat(count));
            assert_eq!(FileGames::new(&text).next().unwrap().is_whole, is_whole);
        }
    }
}
