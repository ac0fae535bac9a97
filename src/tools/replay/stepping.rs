//! Stepping through a game with keys.

use std::io::{Write, stdout};

use anyhow::Context;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read as read_event};
use crossterm::{cursor, execute, terminal};

use super::super::Exit;
use super::super::signals::on_signals;
use super::super::terminal_size::terminal_size;
use super::page::Page;
use wabe_records::Album;
use wabe_records::scene::Scene;
use wabe_records::view::terminal::{Line, Look, Size, Text, board_line};

const KEYS: &str = "← → one ply   ↑ ↓ ten   Home End   q quits";
const KEYS_WITH_SCROLLING: &str = "← → one ply   ↑ ↓ ten   Home End   j k scroll   q quits";

/// The middle line of the contest's board.
const MIDDLE_LINE: usize = 12;

/// Shows the game until the user quits. Standard input and output must be a terminal.
pub(super) fn step_through(album: &Album, look: Look) -> anyhow::Result<()> {
    let last = album.pages.len() - 1;
    let mut index = 0;
    let mut scrolled = 0;
    let _screen = RawScreen::enter()?;
    loop {
        let size = terminal_size().unwrap_or(USUAL_SIZE);
        let page = Page::within(album, index, look, size.columns);
        let focus = focus(&album.pages[index].scene);
        let frame = frame(page, focus, &mut scrolled, size);
        show(&frame)?;
        let before = index;
        match next_key()? {
            Key::Quit => return Ok(()),
            Key::By(plies) => index = index.saturating_add_signed(plies).min(last),
            Key::First => index = 0,
            Key::Last => index = last,
            Key::Scroll(lines) => scrolled += lines,
            Key::Redraw => {}
        }
        if index != before {
            scrolled = 0;
        }
    }
}

/// Restores the terminal, however the stepping ends.
struct RawScreen;

impl RawScreen {
    fn enter() -> anyhow::Result<RawScreen> {
        on_signals(|signal| {
            drop(RawScreen);
            std::process::exit(Exit::from(signal) as i32);
        })?;
        terminal::enable_raw_mode().context("cannot read single keys")?;
        let screen = RawScreen;
        execute!(stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for RawScreen {
    fn drop(&mut self) {
        let _ = execute!(stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// The assumed size of a terminal that does not report its own.
const USUAL_SIZE: Size = Size {
    columns: 80,
    rows: 24,
};

/// The line of the picture that must be visible: the destination of the last move, or the middle of the board.
fn focus(scene: &Scene) -> usize {
    let somewhere = || scene.piles.first().map(|pile| pile.spot);
    let spot = scene.moved_to.or_else(somewhere);
    spot.map_or(MIDDLE_LINE, |spot| board_line(scene, spot))
}

/// The page as it fits the terminal: the picture is cut to the lines around the focus, moved by `scrolled`, and remarks are wrapped.
/// `scrolled` is limited to the ends of the picture.
fn frame(page: Page, focus: usize, scrolled: &mut isize, size: Size) -> Vec<Line> {
    let Size { columns, rows } = size;
    let heading = page.heading.lines();
    let picture = page.picture.lines();
    let mut remarks = wrapped(&page.remarks, columns);
    let rows = rows.saturating_sub(heading.len() + 1);
    remarks.truncate(rows.saturating_sub(picture.len()).max(rows / 3));
    let seen = rows.saturating_sub(remarks.len()).min(picture.len());
    let most = picture.len() - seen;
    let centred = focus.saturating_sub(seen / 2).min(most);
    let top = centred.saturating_add_signed(*scrolled).min(most);
    *scrolled = top as isize - centred as isize;
    let keys = if most > 0 { KEYS_WITH_SCROLLING } else { KEYS };
    let shown = picture.iter().skip(top).take(seen).cloned();
    let mut frame: Vec<Line> = heading.iter().cloned().chain(shown).collect();
    frame.extend(remarks);
    frame.push(keys.into());
    frame.iter().map(|line| line.cut(columns)).collect()
}

/// The text with its long lines broken between words.
fn wrapped(text: &Text, columns: usize) -> Vec<Line> {
    text.lines()
        .iter()
        .flat_map(|line| {
            let line = line.to_string();
            let parts = textwrap::wrap(&line, columns.max(1)).into_iter();
            parts
                .map(|part| part.into_owned().into())
                .collect::<Vec<Line>>()
        })
        .collect()
}

fn show(frame: &[Line]) -> anyhow::Result<()> {
    let lines: Vec<String> = frame.iter().map(|line| format!("{line}\u{1b}[K")).collect();
    // Overwriting line by line does not flicker. A raw terminal does not return to the first column by itself.
    let text = format!("\u{1b}[H{}\u{1b}[J", lines.join("\r\n"));
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

enum Key {
    Quit,
    By(isize),
    First,
    Last,
    Scroll(isize),
    Redraw,
}

fn next_key() -> anyhow::Result<Key> {
    loop {
        let KeyEvent {
            code,
            modifiers,
            kind,
            ..
        } = match read_event().context("cannot read keys")? {
            Event::Key(key) => key,
            Event::Resize(..) => return Ok(Key::Redraw),
            _ => continue,
        };
        if kind == KeyEventKind::Release {
            continue;
        }
        return Ok(match code {
            KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
            KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
            KeyCode::Right | KeyCode::Char(' ' | 'l') | KeyCode::Enter => Key::By(1),
            KeyCode::Left | KeyCode::Char('h') | KeyCode::Backspace => Key::By(-1),
            KeyCode::Down | KeyCode::PageDown => Key::By(10),
            KeyCode::Up | KeyCode::PageUp => Key::By(-10),
            KeyCode::Home => Key::First,
            KeyCode::End => Key::Last,
            KeyCode::Char('j') => Key::Scroll(1),
            KeyCode::Char('k') => Key::Scroll(-1),
            _ => continue,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page whose picture has the line numbers as its lines.
    fn page(remarks: &str) -> Page {
        let mut heading = Text::new();
        heading.push("heading");
        let picture = (0..25).map(|i| Line::from(format!("line {i}"))).collect();
        let mut text = Text::new();
        text.push(remarks);
        Page {
            heading,
            picture,
            remarks: text,
        }
    }

    fn shown(
        page: Page,
        focus: usize,
        scrolled: &mut isize,
        columns: usize,
        rows: usize,
    ) -> Vec<String> {
        let frame = frame(page, focus, scrolled, Size { columns, rows });
        frame.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_high_terminal_shows_everything() {
        let lines = shown(page("remark"), 3, &mut 0, 80, 40);
        assert_eq!(lines[0], "heading");
        assert_eq!(lines[25], "line 24");
        assert_eq!(lines[26..], ["remark", KEYS]);
    }

    #[test]
    fn a_low_terminal_shows_heading_focus_remarks_and_keys() {
        for (focus, first) in [(0, "line 0"), (12, "line 2"), (24, "line 4")] {
            let lines = shown(page("remark"), focus, &mut 0, 80, 24);
            assert_eq!(lines.len(), 24);
            assert_eq!(lines[..2], ["heading", first]);
            assert_eq!(lines[22..], ["remark", KEYS_WITH_SCROLLING]);
            assert!(lines.contains(&format!("line {focus}")));
        }
    }

    #[test]
    fn scrolling_ends_with_the_picture() {
        let mut scrolled = -100;
        assert_eq!(
            shown(page("remark"), 12, &mut scrolled, 80, 24)[1],
            "line 0"
        );
        assert_eq!(scrolled, -2);
        scrolled = 100;
        assert_eq!(
            shown(page("remark"), 12, &mut scrolled, 80, 24)[1],
            "line 4"
        );
        assert_eq!(scrolled, 2);
    }

    #[test]
    fn no_terminal_is_too_small() {
        let long = "a remark of many words. ".repeat(20);
        for (columns, rows) in [(1, 1), (3, 2), (10, 5), (40, 12), (200, 3)] {
            let lines = shown(page(&long), 12, &mut 0, columns, rows);
            assert!(lines.len() <= rows.max(2), "{lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= columns));
        }
    }

    #[test]
    fn long_remarks_are_broken_between_words() {
        let lines = shown(page("one two three four"), 12, &mut 0, 10, 40);
        assert_eq!(lines[26..29], ["one two", "three four", "← → one pl"]);
    }
}
