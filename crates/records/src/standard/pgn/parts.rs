//! The lexer for PGN.

use crate::Glyph;

/// A token of a PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, &'a str),
    /// The text of `{…}` or `;…`.
    Comment(&'a str),
    /// A word of the movetext.
    Word(&'a str),
    /// `$1` to `$6`.
    Glyph(Glyph),
    /// `(`
    Open,
    /// `)`
    Close,
}

/// Iterates over the tokens of a PGN text with their line numbers from 1. Skips unknown `$` glyphs
/// and lines that start with `%`.
pub(super) struct Parts<'a> {
    rest: &'a str,
    line: usize,
    begins_line: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(text: &'a str) -> Parts<'a> {
        Parts {
            rest: text,
            line: 1,
            begins_line: true,
        }
    }

    /// Consumes the text up to `end`, or all of it.
    fn take(&mut self, end: Option<usize>) -> &'a str {
        let (taken, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        self.line += taken.matches('\n').count();
        self.begins_line = taken.ends_with('\n');
        taken
    }

    /// Consumes a comment that ends with this character.
    fn comment(&mut self, end: char) -> Part<'a> {
        self.take(Some(1));
        let text = self.take(self.rest.find(end));
        self.take(self.rest.chars().next().map(char::len_utf8));
        Part::Comment(text.trim())
    }

    /// Consumes a tag up to `"]` or the end of the line. The value may contain anything else,
    /// including unescaped quotation marks.
    fn tag(&mut self) -> Part<'a> {
        let mut marks = 0;
        let mut before = ' ';
        let end = self.rest.find(|character: char| {
            let is_end = character == ']' && marks > 1 && before == '"';
            marks += usize::from(character == '"');
            before = character;
            is_end || character == '\n'
        });
        let tag = self.take(end.map(|end| end + 1)).trim();
        let tag = tag.trim_start_matches('[').trim_end_matches(']').trim();
        let name_ends = |c: char| c.is_whitespace() || c == '"';
        let (name, value) = tag.split_at(tag.find(name_ends).unwrap_or(tag.len()));
        let value = value.trim();
        let value = value.strip_prefix('"').unwrap_or(value);
        let value = value.strip_suffix('"').unwrap_or(value);
        Part::Tag(name, value.trim())
    }

    /// Consumes a word or a glyph. Returns `None` for an unknown glyph.
    fn word(&mut self) -> Option<Part<'a>> {
        let ends = |c: char| c.is_whitespace() || matches!(c, '{' | ';' | '(' | ')' | '[');
        let word = self.take(self.rest.find(ends));
        let Some(number) = word.strip_prefix('$') else {
            return Some(Part::Word(word));
        };
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        Glyph::ALL.get(index).copied().map(Part::Glyph)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = (usize, Part<'a>);

    fn next(&mut self) -> Option<(usize, Part<'a>)> {
        loop {
            let line = self.line;
            let part = match self.rest.chars().next()? {
                '[' => Some(self.tag()),
                '{' => Some(self.comment('}')),
                ';' => Some(self.comment('\n')),
                '%' if self.begins_line => {
                    self.comment('\n');
                    None
                }
                '(' => {
                    self.take(Some(1));
                    Some(Part::Open)
                }
                ')' => {
                    self.take(Some(1));
                    Some(Part::Close)
                }
                c if c.is_whitespace() => {
                    self.take(Some(c.len_utf8()));
                    None
                }
                _ => self.word(),
            };
            if let Some(part) = part {
                return Some((line, part));
            }
        }
    }
}
