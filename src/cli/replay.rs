//! `wabe replay`: steps through a recorded game, or writes it in another form.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read as read_event};
use crossterm::terminal::{self, Clear, ClearType};
use crossterm::{cursor, execute};

use super::Exit;
use crate::replay::{self, Replay, export};
use crate::view::svg;
use crate::view::terminal::{Look, draw};

/// Step through a recorded game in the terminal, or write it in another form
///
/// Reads what the contest's server and its viewer record (.xml, .xml.gz), also when it is cut off. In a terminal, the arrow
/// keys, Home and End step through the game and q quits; elsewhere every position is printed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The recorded game
    file: PathBuf,

    /// Print only the position after N plies
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Print every position, also in a terminal
    #[arg(long, conflicts_with = "ply")]
    all: bool,

    /// Write another form: svg is a picture of one position (--ply, or the last), html a page with the whole game
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "all")]
    export: Option<Form>,

    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "export")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Svg,
    Html,
    Txt,
    Json,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let name = args.file.display();
    let file = File::open(&args.file).with_context(|| format!("cannot open {name}"))?;
    let replay = replay::read(file).with_context(|| format!("cannot read {name}"))?;
    if let Some(form) = args.export {
        write_out(&exported(&args, &replay, form)?, args.output.as_deref())?;
    } else if let Some(turn) = args.ply {
        print(&shown(
            &replay,
            index_of(&args.file, &replay, turn)?,
            look(),
        ))?;
    } else if args.all || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        print(&everything(&replay, look()))?;
    } else {
        step_through(&replay)?;
    }
    Ok(match &replay.damage {
        None => Exit::Success,
        Some(damage) => {
            eprintln!(
                "wabe: {name} is damaged: {damage}; {} positions could be read",
                replay.plies.len()
            );
            Exit::Failure
        }
    })
}

fn index_of(path: &Path, replay: &Replay, turn: u16) -> anyhow::Result<usize> {
    let found = replay
        .plies
        .iter()
        .position(|ply| ply.position.turn() == turn);
    found.with_context(|| format!("{} has no position after {turn} plies", path.display()))
}

fn exported(args: &Args, replay: &Replay, form: Form) -> anyhow::Result<String> {
    let chosen = match args.ply {
        Some(turn) => Some(index_of(&args.file, replay, turn)?),
        None => None,
    };
    Ok(match (form, chosen) {
        (Form::Svg, chosen) => {
            let ply = &replay.plies[chosen.unwrap_or(replay.plies.len() - 1)];
            svg::picture(&ply.position, ply.last_move)
        }
        (Form::Txt, Some(index)) => shown(replay, index, Look::Plain),
        (Form::Txt, None) => everything(replay, Look::Plain),
        (Form::Html | Form::Json, Some(_)) => {
            bail!("a page and a JSON file hold the whole game: leave out --ply")
        }
        (Form::Html, None) => export::page(replay),
        (Form::Json, None) => format!("{:#}\n", export::json(replay)),
    })
}

fn write_out(text: &str, path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
        }
        None => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
    }
}

/// Colours where standard output shows them.
fn look() -> Look {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => Look::Plain,
        _ => Look::Color,
    }
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(anstream::stdout().lock().write_all(text.as_bytes())?)
}

fn everything(replay: &Replay, look: Look) -> String {
    let positions: Vec<String> = (0..replay.plies.len())
        .map(|index| shown(replay, index, look))
        .collect();
    positions.join("\n")
}

/// A position with everything that the recording says about it.
fn shown(replay: &Replay, index: usize, look: Look) -> String {
    let ply = &replay.plies[index];
    let names = &replay.names;
    let mut text = format!("{} (red) against {} (blue), ", names.red, names.blue);
    match ply.last_move {
        Some(mv) => text.push_str(&format!("ply {}: {mv}\n", ply.position.turn())),
        None => text.push_str(&format!("after {} plies\n", ply.position.turn())),
    }
    text.push_str(&draw(&ply.position, ply.last_move, look).to_string());
    if let Some(hint) = &ply.hint {
        text.push_str(&format!("hint: {hint}\n"));
    }
    if index + 1 == replay.plies.len() {
        text.push_str(&format!("{}\n", export::result_line(replay)));
    }
    text
}

/// Gives the terminal back as it was, however the stepping ends.
struct RawScreen;

impl RawScreen {
    fn enter() -> anyhow::Result<RawScreen> {
        terminal::enable_raw_mode().context("cannot read single keys")?;
        let screen = RawScreen;
        execute!(
            std::io::stdout(),
            terminal::EnterAlternateScreen,
            cursor::Hide
        )?;
        Ok(screen)
    }
}

impl Drop for RawScreen {
    fn drop(&mut self) {
        let _ = execute!(
            std::io::stdout(),
            cursor::Show,
            terminal::LeaveAlternateScreen
        );
        let _ = terminal::disable_raw_mode();
    }
}

fn step_through(replay: &Replay) -> anyhow::Result<()> {
    let last = replay.plies.len() - 1;
    let mut index = 0;
    let _screen = RawScreen::enter()?;
    loop {
        let text = shown(replay, index, look()) + "\n← → one ply   ↑ ↓ ten   Home End   q quits\n";
        execute!(
            std::io::stdout(),
            cursor::MoveTo(0, 0),
            Clear(ClearType::All)
        )?;
        // A raw terminal does not return to the first column by itself.
        print(&text.replace('\n', "\r\n"))?;
        std::io::stdout().flush()?;
        index = match next_key()? {
            Key::Quit => return Ok(()),
            Key::By(plies) => index.saturating_add_signed(plies).min(last),
            Key::First => 0,
            Key::Last => last,
            Key::Redraw => index,
        };
    }
}

enum Key {
    Quit,
    By(isize),
    First,
    Last,
    Redraw,
}

fn next_key() -> anyhow::Result<Key> {
    loop {
        let KeyEvent {
            code,
            modifiers,
            kind,
            ..
        } = match read_event()? {
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
            _ => continue,
        });
    }
}
