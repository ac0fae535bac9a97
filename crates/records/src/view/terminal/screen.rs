//! Redrawing in place.

use std::io::{self, Write};

use super::Text;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters per line.
    pub columns: usize,
    /// Number of lines.
    pub rows: usize,
}

/// Shows drawings. Each replaces the last one, or is printed below it if that did not fit the
/// terminal's height.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    /// Number of lines that the next drawing replaces, and the terminal size they were drawn for.
    shown: Option<(usize, Size)>,
}

impl<W: Write> Screen<W> {
    /// Writes nothing yet.
    pub fn new(out: W) -> Screen<W> {
        Screen { out, shown: None }
    }

    /// Shows a drawing. `size` is the current size of the terminal. If it is `None`, the output is
    /// not a terminal, and the drawing is appended.
    ///
    /// # Errors
    /// When writing fails.
    pub fn show(&mut self, drawing: &Text, size: Option<Size>) -> io::Result<()> {
        let Some(size) = size else {
            return self.print(drawing);
        };
        let mut text = match self.shown.take() {
            Some((lines, same)) if same == size => format!("\u{1b}[{lines}F"),
            // Resizing rewraps lines, so the position of the old drawing is unknown.
            Some(_) => "\u{1b}[H\u{1b}[2J".to_owned(),
            None => String::new(),
        };
        // Clearing after each line instead of before avoids flicker.
        for line in &drawing.0 {
            text.push_str(&format!("{}\u{1b}[K\n", line.cut(size.columns)));
        }
        text.push_str("\u{1b}[J");
        self.shown = (drawing.0.len() < size.rows).then_some((drawing.0.len(), size));
        self.write(&text)
    }

    /// Prints text that later drawings do not replace.
    ///
    /// # Errors
    /// When writing fails.
    pub fn print(&mut self, text: &Text) -> io::Result<()> {
        self.shown = None;
        self.write(&text.to_string())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes written for each drawing.
    fn shown(drawings: &[(&[&str], Option<Size>)]) -> Vec<String> {
        let mut screen = Screen::new(Vec::new());
        let written = drawings.iter().map(|(lines, size)| {
            screen.out.clear();
            let text: Text = lines.iter().map(|&line| line.into()).collect();
            screen.show(&text, *size).unwrap();
            String::from_utf8(screen.out.clone()).unwrap()
        });
        written.collect()
    }

    fn size(columns: usize, rows: usize) -> Option<Size> {
        Some(Size { columns, rows })
    }

    #[test]
    fn show_replaces_the_last_drawing() {
        let small = size(5, 10);
        assert_eq!(
            shown(&[(&["a", "too long"], small), (&["c"], small)]),
            [
                "a\u{1b}[K\ntoo l\u{1b}[K\n\u{1b}[J",
                "\u{1b}[2Fc\u{1b}[K\n\u{1b}[J"
            ]
        );
    }

    #[test]
    fn show_clears_the_screen_after_resizing() {
        let written = shown(&[(&["a"], size(5, 10)), (&["too long"], size(3, 10))]);
        assert_eq!(written[1], "\u{1b}[H\u{1b}[2Jtoo\u{1b}[K\n\u{1b}[J");
    }

    #[test]
    fn show_appends_drawings_that_do_not_fit() {
        let small = size(4, 2);
        let lines = "a\u{1b}[K\nb\u{1b}[K\n\u{1b}[J";
        assert_eq!(
            shown(&[(&["a", "b"], small), (&["a", "b"], small)]),
            [lines, lines]
        );
    }
}
