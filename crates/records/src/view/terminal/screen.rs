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

impl Size {
    /// True if a drawing of this height fits, with a line below it for the cursor.
    pub fn has_room_for(self, height: usize) -> bool {
        height < self.rows
    }
}

/// Shows drawings, each in place of the one before, or below it if they do not fit.
#[derive(Debug)]
pub struct Screen<W> {
    out: W,
    /// The text printed last, above the drawing.
    above: Text,
    /// The drawing that the next one will replace.
    shown: Option<Shown>,
}

/// A drawing in a terminal.
#[derive(Clone, Copy, Debug)]
struct Shown {
    lines: usize,
    size: Size,
}

impl<W: Write> Screen<W> {
    /// An empty screen.
    pub fn new(out: W) -> Screen<W> {
        Screen {
            out,
            above: Text::new(),
            shown: None,
        }
    }

    /// Shows a drawing. `size` is the terminal's present size, or `None` outside a terminal, where every drawing goes below
    /// the one before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, drawing: &Text, size: Option<Size>) -> io::Result<()> {
        let Some(size) = size else {
            return self.write(&drawing.to_string());
        };
        let replaces = size.has_room_for(drawing.height());
        let mut text = String::new();
        match self.shown.take() {
            Some(shown) if replaces && shown.size == size => {
                text.push_str(&format!("\u{1b}[{}F", shown.lines));
            }
            // A terminal that changes its size wraps lines anew: the place of the old drawing is unknown.
            Some(_) => {
                text.push_str("\u{1b}[H\u{1b}[2J");
                if size.has_room_for(self.above.height() + drawing.height()) {
                    push_lines(&mut text, &self.above, size);
                }
            }
            None => {}
        }
        push_lines(&mut text, drawing, size);
        if replaces {
            text.push_str("\u{1b}[J");
            self.shown = Some(Shown {
                lines: drawing.height(),
                size,
            });
        }
        self.write(&text)
    }

    /// Prints permanent text below everything shown so far.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn print(&mut self, text: &Text) -> io::Result<()> {
        self.shown = None;
        self.above = text.clone();
        self.write(&text.to_string())
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// The lines, cut to the terminal's width. Each overwrites an old one and then clears its rest: clearing first would flicker.
fn push_lines(text: &mut String, drawing: &Text, size: Size) {
    for line in drawing.lines() {
        text.push_str(&line.cut(size.columns).to_string());
        text.push_str("\u{1b}[K\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

    fn text(lines: &[&str]) -> Text {
        let mut text = Text::new();
        for &line in lines {
            text.push(line);
        }
        text
    }

    fn size(columns: usize, rows: usize) -> Option<Size> {
        Some(Size { columns, rows })
    }

    /// What is written for each drawing, after the line `above`.
    fn shown(drawings: &[(&[&str], Option<Size>)]) -> Vec<String> {
        let mut screen = Screen::new(Vec::new());
        screen.print(&text(&["above"])).unwrap();
        let written = drawings.iter().map(|(lines, size)| {
            screen.out.clear();
            screen.show(&text(lines), *size).unwrap();
            String::from_utf8(screen.out.clone()).unwrap()
        });
        written.collect()
    }

    #[test]
    fn outside_of_a_terminal_drawings_stand_one_below_the_other() {
        assert_eq!(
            shown(&[(&["a", "b"], None), (&["c"], None)]),
            ["a\nb\n", "c\n"]
        );
    }

    #[test]
    fn a_drawing_goes_back_over_the_lines_of_the_one_before_and_is_cut() {
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
    fn after_a_change_of_size_everything_is_drawn_anew_at_the_new_width() {
        for other in [size(3, 10), size(9, 10), size(5, 9)] {
            let columns = other.unwrap().columns;
            let cut = |line: &str| line.chars().take(columns).collect::<String>();
            assert_eq!(
                shown(&[(&["a"], size(5, 10)), (&["too long"], other)])[1],
                format!(
                    "{CLEAR}{}\u{1b}[K\n{}\u{1b}[K\n\u{1b}[J",
                    cut("above"),
                    cut("too long")
                )
            );
        }
    }

    #[test]
    fn what_stands_above_gives_way_to_the_drawing() {
        let drawings: [(&[&str], _); 2] = [(&["a"], size(5, 10)), (&["b", "c"], size(5, 3))];
        assert_eq!(
            shown(&drawings)[1],
            format!("{CLEAR}b\u{1b}[K\nc\u{1b}[K\n\u{1b}[J")
        );
    }

    #[test]
    fn a_terminal_that_is_too_low_scrolls_and_one_that_grows_replaces_again() {
        let drawing: &[&str] = &["long line", "b"];
        let (low, high) = (size(4, 2), size(4, 3));
        let written = shown(&[
            (drawing, low),
            (drawing, low),
            (drawing, high),
            (drawing, high),
        ]);
        let lines = "long\u{1b}[K\nb\u{1b}[K\n";
        assert_eq!(
            written,
            [
                lines.to_owned(),
                lines.to_owned(),
                format!("{lines}\u{1b}[J"),
                format!("\u{1b}[2F{lines}\u{1b}[J")
            ]
        );
    }
}
