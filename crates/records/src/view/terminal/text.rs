//! Lines of styled text.

use std::fmt;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use wabe_files::text::visible;

/// A line of styled spans. Control characters become blanks, so that untrusted text can neither
/// break the line nor control the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<(Style, String)>);

impl Line {
    /// Same as the default.
    pub fn new() -> Line {
        Line::default()
    }

    /// Appends unstyled text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Line {
        self.styled(Style::new(), text)
    }

    /// Appends styled text.
    #[must_use]
    pub fn styled(mut self, style: Style, text: impl Into<String>) -> Line {
        self.push(style, &text.into());
        self
    }

    pub(super) fn push(&mut self, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        let printable = text.chars().map(visible);
        match self.0.last_mut() {
            Some((last, before)) if *last == style => before.extend(printable),
            _ => self.0.push((style, printable.collect())),
        }
    }

    /// Width in terminal columns.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// Truncates the line to a number of columns.
    #[must_use]
    pub fn cut(&self, columns: usize) -> Line {
        let mut left = columns;
        let mut line = Line::new();
        for (style, text) in &self.0 {
            for character in text.chars() {
                let width = character.width().unwrap_or(0);
                if width > left {
                    return line;
                }
                left -= width;
                line.push(*style, character.encode_utf8(&mut [0; 4]));
            }
        }
        line
    }

    fn pad_to(&mut self, width: usize) {
        let missing = width.saturating_sub(self.width());
        self.push(Style::new(), &" ".repeat(missing));
    }
}

/// Writes the line with escape sequences, without unstyled trailing blanks.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Blanks in a styled span stay, because the span ends with an escape sequence.
        let part = |(style, text): &(Style, String)| format!("{style}{text}{style:#}");
        let line: String = self.0.iter().map(part).collect();
        f.write_str(line.trim_end_matches(' '))
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::new().text(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::new().text(text)
    }
}

/// A block of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub(super) Vec<Line>);

impl Text {
    /// Same as the default.
    pub fn new() -> Text {
        Text::default()
    }

    /// Appends a line.
    pub fn push(&mut self, line: impl Into<Line>) {
        self.0.push(line.into());
    }

    /// Appends `right` to the right of this text, `gap` columns apart.
    #[must_use]
    pub fn beside(mut self, right: Text, gap: usize) -> Text {
        let width = self.0.iter().map(Line::width).max().unwrap_or(0);
        if self.0.len() < right.0.len() {
            self.0.resize(right.0.len(), Line::new());
        }
        for (line, added) in self.0.iter_mut().zip(right.0) {
            line.pad_to(width + gap);
            for (style, text) in added.0 {
                line.push(style, &text);
            }
        }
        self
    }

    /// Appends the lines of `below`.
    #[must_use]
    pub fn above(mut self, below: Text) -> Text {
        self.0.extend(below.0);
        self
    }
}

impl FromIterator<Line> for Text {
    fn from_iter<I: IntoIterator<Item = Line>>(lines: I) -> Text {
        Text(lines.into_iter().collect())
    }
}

/// Ends every line with a line feed.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_counts_wide_characters_twice() {
        assert_eq!(Line::from("蜂bee").width(), 5);
    }

    #[test]
    fn control_characters_become_blanks() {
        let line = Line::from("a\u{1b}[2J\nb").styled(Style::new().bold(), "\r");
        assert_eq!(line.to_string(), "a [2J b\u{1b}[1m \u{1b}[0m");
    }

    #[test]
    fn cut_respects_wide_characters() {
        let line = Line::from("a").styled(Style::new().bold(), "蜂b").text("c");
        let cut = |columns| line.cut(columns).to_string();
        assert_eq!(cut(9), line.to_string());
        assert_eq!(cut(4), "a\u{1b}[1m蜂b\u{1b}[0m");
        assert_eq!(cut(3), "a\u{1b}[1m蜂\u{1b}[0m");
        assert_eq!(cut(2), "a");
    }

    #[test]
    fn display_trims_unstyled_blanks() {
        let line = Line::new().styled(Style::new().bold(), "b ").text("  ");
        assert_eq!(line.to_string(), "\u{1b}[1mb \u{1b}[0m");
    }
}
