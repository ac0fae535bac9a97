//! `wabe replay`: prints recorded games, or converts them to another format.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::game_file::GameFile;
use super::outputs::{cannot_write, check_output, color_mode};
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_board::offline_page;
use wabe_files::text::{printable, printable_lines};
use wabe_hive::Color;
use wabe_records::diagram::Diagram;
use wabe_records::view::svg;
use wabe_records::view::terminal::{ColorMode, Text, draw};
use wabe_records::with_game;
use wabe_records::{FileFormat, Replay};

/// Maximum length of a comment when printed, in characters.
const MAX_REMARK: usize = 4_000;

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
    #[arg(long, value_enum, value_name = "FORMAT")]
    export: Option<Form>,

    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "export")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Picture of one position: --ply, or the last
    Svg,
    /// Page with the whole game
    Html,
    /// All positions and comments as text
    Txt,
    /// All positions and comments as JSON; see docs/json.md
    Json,
    /// Text form of position and moves, contest only
    Record,
    /// Recording for the contest's viewers
    Xml,
    /// UHP game string, standard Hive only
    Uhp,
    /// PGN, standard Hive only
    Pgn,
}

impl Form {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or(String::new(), |value| value.get_name().to_owned())
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let file = GameFile::from_argument(&args.file)?;
    with_game!(file.game, |G, _variant| show::<G>((args, file)))
}

/// Prints or converts the games of a file.
fn show<G: ArenaGame>((args, file): (Args, GameFile)) -> anyhow::Result<Exit> {
    let name = file.name.clone();
    let mut replays = file.read::<G>(args.nth)?;
    let is_for_one = match args.export {
        Some(Form::Svg | Form::Html) => true,
        Some(Form::Json) => false,
        Some(Form::Txt) => args.ply.is_some(),
        Some(form) => !file_form::<G>(form)?.holds_several,
        None => args.ply.is_some(),
    };
    match replays.len() {
        1 => {}
        count if is_for_one => {
            eprintln!("wabe: first of {count} games in {name}; choose another with --nth N");
            replays.truncate(1);
        }
        count => eprintln!("wabe: {name} contains {count} games"),
    }
    let is_whole = replays.iter().all(|replay| replay.damage.is_none());
    if let Some(form) = args.export {
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
    let diagrams = replay.diagrams();
    let indices = match args.ply {
        Some(turn) => {
            let index = index_of(&args.file, &diagrams, turn)?;
            index..index + 1
        }
        None => 0..diagrams.len(),
    };
    let pages = indices.map(|index| page(replay, index, &diagrams[index], color_mode).to_string());
    Ok(pages.collect::<Vec<_>>().join("\n"))
}

/// Formats a position with its move, comment and other recorded data.
fn page<G: ArenaGame>(
    replay: &Replay<G>,
    index: usize,
    diagram: &Diagram,
    color_mode: ColorMode,
) -> Text {
    let (players, turn) = (replay.players(), diagram.turn);
    let plies = replay.record.plies();
    let mut heading = match index.checked_sub(1).and_then(|last| plies.get(last)) {
        Some(ply) => format!("{players}, ply {turn}: {}", ply.text),
        None => format!("{players}, after {turn} plies"),
    };
    if let Some(time) = replay.times.get(&index) {
        heading.push_str(&format!(", {:.3} s", time.as_secs_f64()));
    }
    let mut text = Text::new();
    text.push(heading);
    text = text.above(draw(diagram, color_mode));
    if let Some(remark) = replay.remarks.get(&index) {
        let remark = printable(remark, MAX_REMARK);
        text.push(format!("{}: {remark}", G::REMARK));
    }
    if index == plies.len() {
        text.push(replay.result_line());
        for color in Color::ALL {
            let times = replay.timing()[color];
            if times.moves > 0 {
                text.push(format!("{:<5} {times}", G::SIDES[color]));
            }
        }
    }
    text
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

/// The game's format with that name.
fn file_form<G: ArenaGame>(form: Form) -> anyhow::Result<&'static FileFormat<G>> {
    let mut forms = G::FORMATS.iter();
    forms.find(|own| own.name == form.name()).with_context(|| {
        let names: Vec<&str> = G::FORMATS.iter().map(|own| own.name).collect();
        let names = names.join(" or ");
        format!(
            "a game of {} cannot be written as {}, only as {names}",
            G::NAME,
            form.name()
        )
    })
}

/// Writes games in another format.
fn export<G: ArenaGame>(args: &Args, replays: &[Replay<G>], form: Form) -> anyhow::Result<()> {
    if args.ply.is_some() && !matches!(form, Form::Svg | Form::Txt) {
        bail!(UsageError::new(format!(
            "--export {} writes whole games: leave out --ply",
            form.name()
        )));
    }
    let Some(path) = &args.output else {
        let mut out = std::io::stdout().lock();
        return export_to(args, replays, form, |text| {
            out.write_all(printable_lines(text).as_bytes())
        });
    };
    check_output(path, [&*args.file])?;
    let written = wabe_files::replace_by(path, |file| {
        export_to(args, replays, form, |text| file.write_all(text.as_bytes()))
    });
    written.with_context(|| cannot_write(path))
}

/// Converts the games one at a time and passes each to `write`. Together their texts may be a
/// thousand times as large as the file.
fn export_to<G: ArenaGame>(
    args: &Args,
    replays: &[Replay<G>],
    form: Form,
    mut write: impl FnMut(&str) -> io::Result<()>,
) -> anyhow::Result<()> {
    let is_array = form == Form::Json && replays.len() > 1;
    let (before, between, after) = match form {
        Form::Json if is_array => ("[\n  ", ",\n  ", "\n]\n"),
        Form::Json => ("", "", "\n"),
        // Separator between games. The other formats with several games need none.
        Form::Txt | Form::Pgn => ("", "\n", ""),
        _ => ("", "", ""),
    };
    // Only these formats can contain the reason.
    let shows_damage = matches!(form, Form::Json | Form::Txt | Form::Html);
    let written = replays
        .iter()
        .filter(|replay| shows_damage || !replay.is_unreadable());
    write(before)?;
    for (index, replay) in written.enumerate() {
        if index > 0 {
            write(between)?;
        }
        let text = exported(args, replay, form)?;
        if is_array {
            write(&text.replace('\n', "\n  "))?;
        } else {
            write(&text)?;
        }
    }
    Ok(write(after)?)
}

/// Converts a game.
fn exported<G: ArenaGame>(args: &Args, replay: &Replay<G>, form: Form) -> anyhow::Result<String> {
    Ok(match form {
        Form::Json => format!("{:#}", replay.json()),
        Form::Svg => {
            let diagrams = replay.diagrams();
            let index = match args.ply {
                Some(turn) => index_of(&args.file, &diagrams, turn)?,
                None => diagrams.len() - 1,
            };
            svg::picture(&diagrams[index])
        }
        Form::Txt => printed(args, replay, ColorMode::Plain)?,
        Form::Html => offline_page(replay, None),
        _ => (file_form::<G>(form)?.write)(replay)
            .with_context(|| format!("{} supports only complete, finished games", form.name()))?,
    })
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}
