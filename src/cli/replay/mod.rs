//! `wabe replay`: steps through a recorded game, or writes it in another form.

mod page;
mod stepping;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::Exit;
use super::game_file::GameFile;
use crate::replay::{Album, Recording, StandardReplay};
use crate::view::svg;
use crate::view::terminal::Look;
use page::Page;

/// Step through a recorded game in the terminal, or write it in another form
///
/// Reads what the contest's server and its viewer record (.xml, .xml.gz), also when it is damaged or cut off, positions in
/// their text form, and games of standard Hive: game strings of the Universal Hive Protocol, PGN as MzingaViewer and
/// hivegame.com write it, SGF from BoardSpace. In a terminal, the arrow keys, Home and End step through the game and q quits;
/// elsewhere every position is printed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A file with the recorded game, or a game string (in quotes)
    #[arg(value_name = "FILE|GAME")]
    file: PathBuf,

    /// Print only the position after N plies
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Print every position, also in a terminal
    #[arg(long, conflicts_with = "ply")]
    all: bool,

    /// Write another form: svg is a picture of one position (--ply, or the last), html a page with the whole game; uhp is a game
    /// string and pgn portable game notation, both of standard Hive
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "all")]
    export: Option<Form>,

    /// Where to write it [default: standard output]
    #[arg(
        short,
        long,
        value_name = "FILE",
        requires = "export",
        conflicts_with = "all"
    )]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Svg,
    Html,
    Txt,
    Json,
    Uhp,
    Pgn,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let file = GameFile::named(&args.file)?;
    file.warn(&args.file);
    let recording = file.into_recording();
    let album = recording.album();
    if let Some(form) = args.export {
        write_out(
            &exported(&args, &recording, &album, form)?,
            args.output.as_deref(),
        )?;
    } else if let Some(turn) = args.ply {
        let index = index_of(&args.file, &album, turn)?;
        print(&Page::new(&album, index, look()).into_text().to_string())?;
    } else if args.all || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        print(&everything(&album, look()))?;
    } else {
        stepping::step_through(&album, look())?;
    }
    Ok(match recording.damage() {
        None => Exit::Success,
        Some(_) => Exit::Failure,
    })
}

fn index_of(path: &Path, album: &Album, turn: u16) -> anyhow::Result<usize> {
    let turns = || album.pages.iter().map(|page| page.scene.turn);
    turns().position(|found| found == turn).with_context(|| {
        let name = path.display();
        match turns().min().zip(turns().max()) {
            Some((first, last)) if first <= turn && turn <= last => {
                format!("the position after {turn} plies is missing in {name}")
            }
            Some((first, last)) => {
                format!("{name} has no position after {turn} plies, only after {first} to {last}")
            }
            None => format!("{name} has no position after {turn} plies"),
        }
    })
}

fn exported(
    args: &Args,
    recording: &Recording,
    album: &Album,
    form: Form,
) -> anyhow::Result<String> {
    let chosen = match args.ply {
        Some(turn) => Some(index_of(&args.file, album, turn)?),
        None => None,
    };
    Ok(match (form, chosen) {
        (Form::Svg, chosen) => {
            let page = &album.pages[chosen.unwrap_or(album.pages.len() - 1)];
            svg::picture(&page.scene)
        }
        (Form::Txt, Some(index)) => Page::new(album, index, Look::Plain).into_text().to_string(),
        (Form::Txt, None) => everything(album, Look::Plain),
        (Form::Html | Form::Json | Form::Uhp | Form::Pgn, Some(_)) => {
            bail!("this form holds the whole game: leave out --ply")
        }
        (Form::Uhp, None) => format!("{}\n", standard(recording)?.game),
        (Form::Pgn, None) => standard(recording)?.pgn(),
        (Form::Html, None) => album.web_page(),
        (Form::Json, None) => format!("{:#}\n", recording.json()),
    })
}

fn standard(recording: &Recording) -> anyhow::Result<&StandardReplay> {
    match recording {
        Recording::Standard(replay) => Ok(replay),
        Recording::Contest(_) => bail!("only games of standard Hive can be written in this form"),
    }
}

fn write_out(text: &str, path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
        }
        None => std::io::stdout()
            .lock()
            .write_all(text.as_bytes())
            .context("cannot write to standard output"),
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
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Every position, an empty line between two of them.
fn everything(album: &Album, look: Look) -> String {
    let pages: Vec<String> = (0..album.pages.len())
        .map(|index| Page::new(album, index, look).into_text().to_string())
        .collect();
    pages.join("\n")
}
