//! Showing one drawing after the other.

use std::io::{self, Write};

use super::Text;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters in a line.
    pub columns: usize,
    /// Lines.
    pub rows: usize,
}

/// Shows drawings, each instead of the one before, or below it if they do not fit.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    /// The number of lines that the next drawing will replace, and the size they were drawn for.
    shown: Option<(usize, Size)>,
}

impl<W: Write> Screen<W> {
    /// An empty screen.
    pub fn new(out: W) -> Screen<W> {
        Screen { out, shown: None }
    }

    /// Shows a drawing. `size` is the terminal's present size, or `None` outside a terminal, where
    /// every drawing goes below the one before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, drawing: &Text, size: Option<Size>) -> io::Result<()> {
        let Some(size) = size else {
            return self.print(drawing);
        };
        let mut text = match self.shown.take() {
            Some((lines, same)) if same == size => format!("\u{1b}[{lines}F"),
            // A terminal wraps its lines again when it is resized: the old drawing may be anywhere.
            Some(_) => "\u{1b}[H\u{1b}[2J".to_owned(),
            None => String::new(),
        };
        // Each line overwrites an old one and then clears its rest: clearing first would flicker.
        for line in &drawing.0 {
            text.push_str(&format!("{}\u{1b}[K\n", line.cut(size.columns)));
        }
        text.push_str("\u{1b}[J");
        self.shown = (drawing.0.len() < size.rows).then_some((drawing.0.len(), size));
        self.write(&text)
    }

    /// Prints permanent text below everything shown so far.
    ///
    /// # Errors
    /// When it cannot be written.
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
    fn drawings_replace_the_one_before() {
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
    fn resizing_clears_the_screen() {
        let written = shown(&[(&["a"], size(5, 10)), (&["too long"], size(3, 10))]);
        assert_eq!(written[1], "\u{1b}[H\u{1b}[2Jtoo\u{1b}[K\n\u{1b}[J");
    }

    #[test]
    fn a_low_terminal_scrolls() {
        let low = size(4, 2);
        let lines = "a\u{1b}[K\nb\u{1b}[K\n\u{1b}[J";
        assert_eq!(
            shown(&[(&["a", "b"], low), (&["a", "b"], low)]),
            [lines, lines]
        );
    }
}
