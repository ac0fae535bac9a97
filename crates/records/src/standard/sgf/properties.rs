//! The parser for SGF properties.

use std::iter::Peekable;
use std::str::Chars;

/// `NAME[value]`. Further values of the same name are separate properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Line number, from 1.
    pub(super) line: usize,
    /// In capitals.
    pub(super) name: String,
    /// Unescaped.
    pub(super) value: String,
}

/// One game of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileGame {
    /// All properties in the order of the file.
    pub(super) properties: Vec<Property>,
    /// False if the closing parenthesis is missing or there are too many properties.
    pub(super) is_complete: bool,
    /// Line number of the last character.
    pub(super) last_line: usize,
}

/// Maximum number of properties per game: ten per ply of a game of maximum length.
const MAX_PROPERTIES: usize = 100_000;

/// Iterates over the games of a text, at least one. Skips other text.
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
                        game.is_complete = game.properties.len() <= MAX_PROPERTIES;
                        game.last_line = self.line;
                        return Some(game);
                    }
                }
                ';' => name.clear(),
                '[' => {
                    let line = self.line;
                    if let Some(value) = self.value()
                        && depth > 0
                        // One extra property marks the game as incomplete.
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

    /// Consumes a value with its closing bracket; `None` if the text ends within the value.
    ///
    /// A backslash escapes the next character, except before the last bracket of a line, because
    /// some programs do not escape backslashes.
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

    /// True if the rest of the line is a bracket and white space.
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

    #[test]
    fn value_accepts_unescaped_backslashes() {
        let text = "(;P0[3 x wS1\\]\n;P1[4 done]\n)";
        let game = FileGames::new(text).next().unwrap();
        let values: Vec<&str> = game.properties.iter().map(|p| p.value.as_str()).collect();
        assert_eq!(values, ["3 x wS1\\", "4 done"]);
    }

    #[test]
    fn unclosed_games_are_incomplete() {
        let games = FileGames::new("(;A[1](;B[2]))(;C[3])\n(;D[4]");
        let games = games.map(|game| (game.properties.len(), game.is_complete, game.last_line));
        let games: Vec<_> = games.collect();
        assert_eq!(games, [(2, true, 1), (1, true, 1), (1, false, 2)]);
        for text in ["", "(", "(;A[", "(;A[\\", "]"] {
            let games: Vec<_> = FileGames::new(text).collect();
            assert!(games.len() == 1 && !games[0].is_complete, "{text}");
        }
    }

    #[test]
    fn games_with_too_many_properties_are_incomplete() {
        for (count, is_complete) in [(MAX_PROPERTIES, true), (MAX_PROPERTIES + 1, false)] {
            let text = format!("(;{})", "A[1]".repeat(count));
            assert_eq!(
                FileGames::new(&text).next().unwrap().is_complete,
                is_complete
            );
        }
    }
}
