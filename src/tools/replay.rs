//! `wabe replay`: prints recorded games, or converts them to another format.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::game_file::{GameFile, input_path};
use super::outputs::{cannot_write, check_output, color_mode};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_board::Form;
use wabe_files::text::printable_lines;
use wabe_hive::contest::Contest;
use wabe_hive::standard::Standard;
use wabe_records::Replay;
use wabe_records::diagram::Diagram;
use wabe_records::view::svg;
use wabe_records::view::terminal::{ColorMode, page, pages};
use wabe_records::with_game;

/// Print recorded games, or convert them
///
/// Reads contest recordings (.xml, .xml.gz), UHP game strings, move lists, PGN (MzingaViewer,
/// hivegame.com), SGF and ZIP archives (BoardSpace), analyses of hivegame.com, and positions or
/// games in text form, one per line. Damaged recordings are read up to the damage. To step through
/// a game, use `wabe board FILE`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File of recorded games, position, or game in quotes
    #[arg(value_name = "FILE|GAME")]
    file: PathBuf,

    /// Only the Nth game of the file
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    nth: Option<usize>,

    /// Only the position after N plies
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Convert to this format
    #[arg(long, value_parser = formats(), value_name = "FORMAT")]
    export: Option<String>,

    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "export")]
    output: Option<PathBuf>,
}

/// The formats of both games.
fn formats() -> PossibleValuesParser {
    let mut formats: Vec<_> = Form::<Contest>::names().collect();
    for format in Form::<Standard>::names() {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let value = |(name, help)| PossibleValue::new(name).help(help);
    PossibleValuesParser::new(formats.into_iter().map(value))
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let file = GameFile::from_argument(&args.file)?;
    with_game!(file.game, |G, _variant| show::<G>((args, file)))
}

/// Prints or converts the games of a file.
fn show<G: ArenaGame>((args, file): (Args, GameFile)) -> anyhow::Result<Exit> {
    let name = file.name.clone();
    let mut replays = file.read::<G>(args.nth)?;
    let form = args.export.as_deref().map(form_of::<G>).transpose()?;
    let is_for_one = match form {
        Some(form) if !form.holds_several() => true,
        Some(Form::Txt) | None => args.ply.is_some(),
        Some(_) => false,
    };
    match replays.len() {
        1 => {}
        count if is_for_one => {
            eprintln!("wabe: first of {count} games in {name}; choose another with --nth N");
            replays.retain(|replay| !replay.is_unreadable());
            replays.truncate(1);
        }
        count => eprintln!("wabe: {name} contains {count} games"),
    }
    let is_whole = replays.iter().all(|replay| replay.damage.is_none());
    if let Some(form) = form {
        export(&args, &replays, form)?;
    } else {
        for (number, replay) in replays.iter().enumerate() {
            let gap = if number > 0 { "\n" } else { "" };
            let text = printed(&args, replay, color_mode())?;
            print(&format!("{gap}{text}"))?;
        }
    }
    Ok(Exit::success_if(is_whole))
}

/// Formats the position after `--ply`, or all positions.
fn printed<G: ArenaGame>(
    args: &Args,
    replay: &Replay<G>,
    color_mode: ColorMode,
) -> anyhow::Result<String> {
    let Some(turn) = args.ply else {
        return Ok(pages(replay, color_mode));
    };
    let diagrams = replay.diagrams();
    let index = index_of(&args.file, &diagrams, turn)?;
    Ok(page(replay, index, &diagrams[index], color_mode).to_string())
}

fn index_of(path: &Path, diagrams: &[Diagram], turn: u16) -> anyhow::Result<usize> {
    let turns = || diagrams.iter().map(|diagram| diagram.turn);
    turns().position(|found| found == turn).with_context(|| {
        let name = path.display();
        match turns().min().zip(turns().max()) {
            Some((first, last)) => {
                format!("{name} has no position after {turn} plies, only after {first} to {last}")
            }
            None => format!("{name} has no position after {turn} plies"),
        }
    })
}

/// The format with that name.
fn form_of<G: ArenaGame>(name: &str) -> anyhow::Result<Form<G>> {
    Form::from_name(name).with_context(|| {
        let names: Vec<&str> = G::FORMATS.iter().map(|own| own.name).collect();
        let names = names.join(" or ");
        format!(
            "a game of {} cannot be written as {name}: expected {names}",
            G::NAME
        )
    })
}

/// Writes games in another format.
fn export<G: ArenaGame>(args: &Args, replays: &[Replay<G>], form: Form<G>) -> anyhow::Result<()> {
    let name = args.export.as_deref().unwrap_or_default();
    if args.ply.is_some() && !matches!(form, Form::Svg | Form::Txt) {
        bail!(UsageError::new(format!(
            "--export {name} writes whole games: leave out --ply"
        )));
    }
    let convert = |replay: &Replay<G>| {
        if let Some(turn) = args.ply
            && matches!(form, Form::Svg)
        {
            let diagrams = replay.diagrams();
            let index = index_of(&args.file, &diagrams, turn)?;
            return Ok(svg::picture(&diagrams[index]));
        }
        if matches!(form, Form::Txt) {
            return printed(args, replay, ColorMode::Plain);
        }
        let text = form.convert(replay);
        text.with_context(|| format!("{name} supports only games that start from the empty board"))
    };
    let Some(path) = &args.output else {
        let mut out = std::io::stdout().lock();
        return form.write_all(replays, convert, |text| {
            out.write_all(printable_lines(text).as_bytes())
        });
    };
    check_output(path, [input_path(&args.file)])?;
    let written = wabe_files::replace_by(path, |file| {
        form.write_all(replays, convert, |text| file.write_all(text.as_bytes()))
    });
    written.with_context(|| cannot_write(path))
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
