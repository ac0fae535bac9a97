//! Showing one drawing after the other.

use std::io::{self, Write};

use super::Text;

/// Where drawings are shown, each in place of the one before or each below it.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    mode: ScreenMode,
    /// Lines of the drawing that the next one will replace.
    shown: usize,
}

/// Where on a screen a drawing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenMode {
    /// Each replaces the one before; lines are cut to this many columns. Needs a terminal, higher than the drawings.
    Replace {
        /// The terminal's width.
        columns: usize,
    },
    /// Each goes below the one before.
    Append,
}

impl<W: Write> Screen<W> {
    /// An empty screen.
    pub fn new(out: W, mode: ScreenMode) -> Screen<W> {
        Screen {
            out,
            mode,
            shown: 0,
        }
    }

    /// Shows a drawing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, drawing: &Text) -> io::Result<()> {
        let ScreenMode::Replace { columns } = self.mode else {
            return self.print(drawing);
        };
        // Every line replaces the old one before its rest is cleared: clearing first would flicker.
        let mut text = String::new();
        if self.shown > 0 {
            text.push_str(&format!("\u{1b}[{}F", self.shown));
        }
        for line in drawing.lines() {
            text.push_str(&line.cut(columns).to_string());
            text.push_str("\u{1b}[K\n");
        }
        text.push_str("\u{1b}[J");
        self.out.write_all(text.as_bytes())?;
        self.shown = drawing.height();
        self.out.flush()
    }

    /// Prints below everything that has been shown, to stay there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&mut self, text: &Text) -> io::Result<()> {
        self.out.write_all(text.to_string().as_bytes())?;
        self.shown = 0;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[&str]) -> Text {
        let mut text = Text::new();
        for &line in lines {
            text.push(line);
        }
        text
    }

    fn shown(mode: ScreenMode, drawings: &[Text]) -> String {
        let mut out = Vec::new();
        let mut screen = Screen::new(&mut out, mode);
        for drawing in drawings {
            screen.show(drawing).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn appended_drawings_stand_one_below_the_other() {
        let drawings = [text(&["a", "b"]), text(&["c"])];
        assert_eq!(shown(ScreenMode::Append, &drawings), "a\nb\nc\n");
    }

    #[test]
    fn a_replacing_drawing_goes_back_over_the_lines_of_the_one_before() {
        let drawings = [text(&["a", "too long"]), text(&["c"])];
        assert_eq!(
            shown(ScreenMode::Replace { columns: 5 }, &drawings),
            "a\u{1b}[K\ntoo l\u{1b}[K\n\u{1b}[J\u{1b}[2Fc\u{1b}[K\n\u{1b}[J"
        );
    }
}
