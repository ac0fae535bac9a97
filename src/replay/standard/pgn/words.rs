//! PGN's text in parts.

use std::iter::Peekable;
use std::str::Chars;

/// A part of a PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `[Name "value"]`.
    Tag(String, String),
    /// `{…}` or `;…`, without the signs.
    Comment(String),
    /// A word of the moves' text.
    Word(String),
}

/// The parts of a PGN text, each with its line from 1. Variations, `$1` and lines that begin with `%` are left out.
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

    /// What comes before one of these characters or the end, and that character, which is taken too.
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
        let is_inside = |c: &char| !c.is_whitespace() && !matches!(c, '{' | ';' | '(' | '[');
        while let Some(character) = self.characters.next_if(is_inside) {
            word.push(character);
        }
        self.begins_line = false;
        word
    }

    /// Goes past a variation, with those within it and their comments.
    fn skip_variation(&mut self) {
        let mut depth = 0_usize;
        while let Some(character) = self.take() {
            match character {
                '(' => depth += 1,
                ')' if depth <= 1 => return,
                ')' => depth -= 1,
                '{' => drop(self.until(|c| c == '}')),
                _ => {}
            }
        }
    }

    /// The tag whose line this is. Anything may stand in the value, quotation marks too.
    fn tag(&mut self) -> Part {
        let (line, _) = self.until(|c| c == '\n');
        let line = line.trim().trim_start_matches('[').trim_end_matches(']');
        let (name, value) = line
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((line, ""));
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
                '(' => self.skip_variation(),
                c if c.is_whitespace() => drop(self.take()),
                _ => {
                    let word = self.word();
                    if !word.starts_with('$') {
                        return Some((line, Part::Word(word)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_tags_words_and_comments_with_their_lines() {
        let text = "[White \"a \"b\" c\"]\n% no\n[Round]\n\n1. wS1 $4 {two\nlines} 2.bG1 /wS1;end\n(x (y {)}) z) 1-0";
        let parts: Vec<(usize, Part)> = Parts::of(text).collect();
        let tag = |name: &str, value: &str| Part::Tag(name.to_owned(), value.to_owned());
        let word = |word: &str| Part::Word(word.to_owned());
        let comment = |text: &str| Part::Comment(text.to_owned());
        assert_eq!(
            parts,
            [
                (1, tag("White", "a \"b\" c")),
                (3, tag("Round", "")),
                (5, word("1.")),
                (5, word("wS1")),
                (5, comment("two\nlines")),
                (6, word("2.bG1")),
                (6, word("/wS1")),
                (6, comment("end")),
                (7, word("1-0")),
            ]
        );
    }

    #[test]
    fn what_does_not_end_ends_with_the_text() {
        for text in ["[", "{", "(", "((", ";", "%", "[x", "$"] {
            assert!(Parts::of(text).count() <= 1, "{text}");
        }
    }
}
