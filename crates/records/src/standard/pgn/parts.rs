//! A PGN text cut into tags, words, comments and signs.

use std::iter::Peekable;
use std::str::Chars;

use crate::Glyph;

/// A part of a PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `[Name "value"]`.
    Tag(String, String),
    /// `{…}` or `;…`, without the signs.
    Comment(String),
    /// A word of the moves' text.
    Word(String),
    /// `$1` to `$6`.
    Glyph(Glyph),
    /// `(`: a variation begins.
    Open,
    /// `)`: a variation ends.
    Close,
}

/// The parts of a PGN text, each with its line from 1. Other `$` signs and lines that begin with `%` are left out.
pub(super) struct Parts<'a> {
    characters: Peekable<Chars<'a>>,
    line: usize,
    begins_line: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn of(text: &'a str) -> Parts<'a> {
        Parts {
            characters: text.chars().peekable(),
            line: 1,
            begins_line: true,
        }
    }

    fn take(&mut self) -> Option<char> {
        let character = self.characters.next()?;
        self.begins_line = character == '\n';
        self.line += usize::from(character == '\n');
        Some(character)
    }

    /// Takes the text up to one of these characters or the end, and that character. Returns both.
    fn until(&mut self, is_end: impl Fn(char) -> bool) -> (String, Option<char>) {
        let mut text = String::new();
        while let Some(character) = self.take() {
            if is_end(character) {
                return (text, Some(character));
            }
            text.push(character);
        }
        (text, None)
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        let is_inside = |c: &char| !c.is_whitespace() && !matches!(c, '{' | ';' | '(' | ')' | '[');
        while let Some(character) = self.characters.next_if(is_inside) {
            word.push(character);
        }
        self.begins_line = false;
        word
    }

    /// Takes a tag: up to the bracket after the quotation mark that ends its value, or its line. The value may hold anything else, even
    /// quotation marks.
    fn tag(&mut self) -> Part {
        let mut line = String::new();
        let mut marks = 0;
        while let Some(character) = self.take() {
            let is_end = character == ']' && marks > 1 && line.ends_with('"');
            if is_end || character == '\n' {
                break;
            }
            marks += usize::from(character == '"');
            line.push(character);
        }
        let line = line.trim().trim_start_matches('[').trim_end_matches(']');
        let line = line.trim();
        let name_ends = |c: char| c.is_whitespace() || c == '"';
        let (name, value) = line.split_at(line.find(name_ends).unwrap_or(line.len()));
        let value = value.trim();
        let value = value.strip_prefix('"').unwrap_or(value);
        let value = value.strip_suffix('"').unwrap_or(value);
        Part::Tag(name.to_owned(), value.trim().to_owned())
    }
}

impl Iterator for Parts<'_> {
    type Item = (usize, Part);

    fn next(&mut self) -> Option<(usize, Part)> {
        loop {
            let begins_line = self.begins_line;
            let line = self.line;
            match *self.characters.peek()? {
                '[' => return Some((line, self.tag())),
                '{' => {
                    self.take();
                    let (text, _) = self.until(|c| c == '}');
                    return Some((line, Part::Comment(text.trim().to_owned())));
                }
                ';' => {
                    self.take();
                    let (text, _) = self.until(|c| c == '\n');
                    return Some((line, Part::Comment(text.trim().to_owned())));
                }
                '%' if begins_line => drop(self.until(|c| c == '\n')),
                '(' => {
                    self.take();
                    return Some((line, Part::Open));
                }
                ')' => {
                    self.take();
                    return Some((line, Part::Close));
                }
                c if c.is_whitespace() => drop(self.take()),
                _ => {
                    let word = self.word();
                    let Some(number) = word.strip_prefix('$') else {
                        return Some((line, Part::Word(word)));
                    };
                    let number = number.parse().ok().and_then(|n: usize| n.checked_sub(1));
                    if let Some(&glyph) = number.and_then(|index| Glyph::ALL.get(index)) {
                        return Some((line, Part::Glyph(glyph)));
                    }
                }
            }
        }
    }
}
