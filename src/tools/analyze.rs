//! `wabe analyze`: searches positions, and reviews recorded games.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::game_file::{GameFile, input_path};
use super::moves::position_json;
use super::outputs::{check_output, write_file};
use super::signals::{StopFlag, exit_when_unread, stop_flag};
use crate::errors::{UsageError, describe};
use crate::exit::Exit;
use crate::values::at_least_one;
use crate::values::evaluator;
use wabe_arena::ArenaGame;
use wabe_board::protocol::Mark;
use wabe_board::{findings, offline_page, reviewed_move};
use wabe_engine::analysis::{Analysis, Analyzer, GameReview, ReviewedPly};
use wabe_engine::evaluation::NetworkFile;
use wabe_engine::search::{DEFAULT_MEMORY_MIB, Limits};
use wabe_hive::Color;
use wabe_hive::game::{Ending, Record, Side};
use wabe_records::diagram::DrawnGame;
use wabe_records::view::terminal::Line;
use wabe_records::with_game;
use wabe_records::{FileFormat, Glyph, Replay, Variation};

/// Default time per position.
const DEFAULT_TIME: Duration = Duration::from_millis(1800);

/// Default time per position when a whole game is reviewed.
const DEFAULT_REVIEW_TIME: Duration = Duration::from_millis(300);

/// Analyse positions, or review recorded games move by move
///
/// Ctrl-C ends the search and prints what it has found; an unfinished review writes no file.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Positions, games, or files that `wabe replay` reads
    #[arg(value_name = "POSITION|FILE", required = true)]
    subjects: Vec<PathBuf>,

    /// Only the Nth game of a file
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    nth: Option<usize>,

    /// Only the position after N plies of a recorded game
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Time per position, in ms [default: 1800; 300 in reviews]
    #[arg(long, value_name = "MS", value_parser = at_least_one::<u64>)]
    time: Option<u64>,

    /// Search iterations per position
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: Option<u64>,

    /// Moves to show: best of a position, worst of a game
    #[arg(long, default_value_t = 5, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    lines: u16,

    /// File for the review: .html, or .pgn for standard Hive
    #[arg(short, long, value_name = "FILE", conflicts_with = "ply")]
    output: Option<PathBuf>,

    /// Print one JSON object per position or game
    #[arg(long)]
    json: bool,

    /// Search threads (results vary with more than one)
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Network file to use instead of the built-in network
    #[arg(long, value_name = "FILE")]
    weights: Option<NetworkFile>,
}

impl Args {
    fn limits(&self, default_time: Duration) -> Limits {
        let time = self.time.map(Duration::from_millis);
        match (time, self.nodes) {
            (None, None) => Limits::Time(default_time),
            (time, nodes) => Limits::from_parts(time, nodes),
        }
    }

    fn analyzer<G: ArenaGame>(
        &self,
        default_time: Duration,
        memory_mib: usize,
        stop: &StopFlag,
    ) -> anyhow::Result<Analyzer<G>> {
        let evaluator = evaluator(self.weights.as_ref())?;
        let analyzer = Analyzer::new(
            self.threads.into(),
            &evaluator,
            self.limits(default_time),
            memory_mib,
        );
        Ok(analyzer.with_stop(stop.shared()))
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    if let Some(path) = &args.output {
        let inputs = args.subjects.iter().map(|subject| input_path(subject));
        check_output(
            path,
            inputs.chain(args.weights.as_ref().map(NetworkFile::path)),
        )?;
    }
    if args.output.is_none() {
        exit_when_unread();
    }
    let stop = stop_flag()?;
    let mut exit = Exit::Success;
    for (number, subject) in args.subjects.iter().enumerate() {
        let Some(file) = or_report(&args, GameFile::from_argument(subject))? else {
            exit = Exit::Failure;
            continue;
        };
        let game = file.game;
        let is_first = number == 0;
        match with_game!(game, |G, _variant| analyze::<G>((
            &args, file, is_first, &stop
        )))? {
            Exit::Success => {}
            Exit::Failure => exit = Exit::Failure,
            other => return Ok(other),
        }
    }
    Ok(exit)
}

/// Of several files, an unreadable one is reported and skipped.
fn or_report<T>(args: &Args, result: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
    match result {
        Err(error) if args.subjects.len() > 1 => {
            eprintln!("wabe: {}", describe(&error));
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// Analyses a file or an argument. Prints a blank line first unless `is_first`.
fn analyze<G: ArenaGame>(
    (args, file, mut is_first, stop): (&Args, GameFile, bool, &StopFlag),
) -> anyhow::Result<Exit> {
    let (name, is_argument) = (file.name.clone(), file.is_argument);
    let Some(replays) = or_report(args, file.read::<G>(args.nth))? else {
        return Ok(Exit::Failure);
    };
    let is_reviewed =
        |replay: &Replay<G>| args.ply.is_none() && !is_argument && replay.positions() > 1;
    let are_several = args.subjects.len() > 1 || replays.len() > 1;
    if let Some(path) = &args.output {
        let [replay] = &replays[..] else {
            bail!(UsageError::new(
                "--output takes a single game: choose one with --nth"
            ));
        };
        if are_several || !is_reviewed(replay) {
            bail!(UsageError::new(
                "--output needs one recorded game to review"
            ));
        }
        review_form::<G>(path)?;
    }
    if replays.len() > 1 {
        eprintln!("wabe: {name} contains {} games", replays.len());
    }
    let mut exit = Exit::Success;
    for replay in &replays {
        if replay.is_unreadable() {
            exit = Exit::Failure;
            continue;
        }
        if !args.json && !std::mem::take(&mut is_first) {
            writeln!(io::stdout())?;
        }
        match args.ply {
            Some(_) if replay.positions() == 1 => {
                bail!(UsageError::new(
                    "--ply needs a recorded game, found a single position"
                ))
            }
            Some(turn) => {
                let record = replay.at_turn(turn);
                let last = replay.record.position().turn();
                let missing = || {
                    format!("{name} has no position after {turn} plies; the last is after {last}")
                };
                match record {
                    Some(record) => position(args, &record, stop)?,
                    None if are_several => {
                        eprintln!("wabe: {}", missing());
                        exit = Exit::Failure;
                    }
                    None => bail!(missing()),
                }
            }
            None if is_reviewed(replay) => review(args, replay, stop)?,
            // The last position of a damaged recording is unknown.
            None if replay.damage.is_some() => {}
            None => position(args, &replay.record, stop)?,
        }
        if let Some(exit) = stop.exit() {
            return Ok(exit);
        }
        if replay.damage.is_some() && args.ply.is_none() {
            exit = Exit::Failure;
        }
    }
    Ok(exit)
}

/// Prints the analysis of a game's current position.
fn position<G: ArenaGame>(args: &Args, record: &Record<G>, stop: &StopFlag) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if !args.json {
        // The history only matters if repetition does.
        match G::REPETITION_LIMIT {
            Some(_) => writeln!(out, "{record}")?,
            None => writeln!(out, "{}", record.position())?,
        }
        if record.is_over() {
            writeln!(out, "{}", record.describe_state())?;
            return Ok(());
        }
    }
    let started = Instant::now();
    let mut analyzer = args.analyzer(DEFAULT_TIME, DEFAULT_MEMORY_MIB, stop)?;
    let analysis = analyzer.analyze(record, args.lines.into());
    if args.json {
        let mut line = position_json(record);
        let game = DrawnGame::new(record.clone());
        let findings = findings(
            &game,
            &[],
            &analysis.lines,
            analysis.nodes,
            started.elapsed(),
        );
        line["findings"] = serde_json::to_value(findings)?;
        writeln!(out, "{line}")?;
    } else {
        let side = G::SIDES[record.position().side_to_move()];
        writeln!(out, "{}", heading(side, &analysis))?;
        write!(out, "{}", analysis.table(record))?;
    }
    Ok(())
}

/// Heading of an analysis: side to move, search size, and order of the moves.
fn heading<G: ArenaGame>(side: Side, analysis: &Analysis<G>) -> String {
    let searched = format!("{side} to move, {} iterations", analysis.nodes);
    match analysis.forced {
        0 => format!("{searched}; scores are {side}'s; ranked by proof, then visits"),
        1 => format!("{searched} after the only legal move; the score is {side}'s"),
        plies => format!("{searched} after {plies} forced plies; the score is {side}'s"),
    }
}

/// Prints a table of all moves of a recorded game, and its worst moves.
fn review<G: ArenaGame>(args: &Args, replay: &Replay<G>, stop: &StopFlag) -> anyhow::Result<()> {
    let analyzer = || args.analyzer(DEFAULT_REVIEW_TIME, DEFAULT_MEMORY_MIB / 2, stop);
    let mut review = GameReview::new(replay.record.clone(), 0, analyzer()?, analyzer()?);
    let show_progress = io::stderr().is_terminal();
    while !review.is_over() {
        if show_progress {
            let (done, all) = review.progress();
            eprint!("\rposition {} of {all} ", done + 1);
        }
        review.step();
        if stop.is_set() {
            break;
        }
    }
    let reviewed: Vec<_> = review.plies().map(|(_, ply)| ply).collect();
    if show_progress {
        eprint!("\n");
    }
    let moves: Vec<_> = (1..).zip(&reviewed).map(reviewed_move).collect();
    let mut out = io::stdout().lock();
    let printed = if args.json {
        let mut line = position_json(&replay.record);
        line["plies"] = serde_json::to_value(&moves)?;
        writeln!(out, "{line}")
    } else {
        print_review(args, replay, &reviewed, &mut out)
    };
    if !review.is_over() {
        let (done, all) = review.progress();
        let unwritten = |path: &PathBuf| format!(", {} is not written", path.display());
        let unwritten = args.output.as_ref().map_or_else(String::new, unwritten);
        eprintln!("wabe: the review was stopped at position {done} of {all}{unwritten}");
        return Ok(printed?);
    }
    // Write the file even if standard output is closed.
    if let Some(path) = &args.output {
        let text = match review_form::<G>(path)? {
            None => offline_page(replay, Some(&moves)),
            Some(form) => {
                let annotated = annotated(replay, &reviewed);
                (form.write)(&annotated)
                    .context("PGN supports only games that start from the empty board")?
            }
        };
        write_file(path, text)?;
    }
    Ok(printed?)
}

/// The review's file format by extension; `None` for HTML.
fn review_form<G: ArenaGame>(path: &Path) -> anyhow::Result<Option<FileFormat<G>>> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let path = path.display();
    match extension.to_str() {
        Some("html") => Ok(None),
        Some("pgn") => {
            let form = G::FORMATS.iter().find(|form| form.name == "pgn").copied();
            let missing = || format!("{path}: {} games cannot be written as PGN", G::NAME);
            form.map(Some).with_context(missing)
        }
        _ => bail!(UsageError::new(format!(
            "--output {path}: expected a name that ends in .html or .pgn"
        ))),
    }
}

/// Adds evaluations, scores and better moves to the comments of a recorded game.
fn annotated<G: ArenaGame>(replay: &Replay<G>, reviewed: &[ReviewedPly<G>]) -> Replay<G> {
    let mut replay = replay.clone();
    for (before, ply) in reviewed.iter().enumerate() {
        let position = before + 1;
        let mut words = format!("{} {}", G::SIDES[Color::Red], ply.red_after);
        if let Some(mistake) = &ply.mistake {
            words += &format!(", {:.1}% given away", 100.0 * mistake.loss);
            let better = Variation {
                after: before,
                moves: vec![mistake.better.text.clone()],
                ..Variation::default()
            };
            if !replay.variations.contains(&better) {
                replay.variations.push(better);
            }
        }
        let remark = replay.remarks.entry(position).or_default();
        if !remark.lines().any(|line| line == words) {
            if !remark.is_empty() {
                remark.push('\n');
            }
            remark.push_str(&words);
        }
        let glyph = match Mark::from_loss(ply.loss(), ply.mistake.is_none()) {
            Mark::Best | Mark::Good => continue,
            Mark::Inaccuracy => Glyph::Inaccuracy,
            Mark::Mistake => Glyph::Mistake,
            Mark::Blunder => Glyph::Blunder,
        };
        replay.glyphs.entry(position).or_insert(glyph);
    }
    replay
}

/// Prints the review's table and the worst moves.
fn print_review<G: ArenaGame>(
    args: &Args,
    replay: &Replay<G>,
    reviewed: &[ReviewedPly<G>],
    out: &mut impl Write,
) -> io::Result<()> {
    // `Line` escapes control characters in names.
    writeln!(out, "{}", Line::from(replay.players()))?;
    write!(out, "{}", table(reviewed))?;
    let ending = replay.record.ending().map(Ending::sentence::<G>);
    let stated = || replay.stated.as_ref().map(|_| replay.result_line());
    if let Some(ending) = ending.or_else(stated) {
        writeln!(out, "{}", Line::from(ending))?;
    }
    let mut worst: Vec<_> = reviewed
        .iter()
        .filter(|ply| ply.mistake.is_some())
        .collect();
    worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
    if !worst.is_empty() {
        writeln!(out, "\nworst moves:")?;
    }
    for ply in worst.into_iter().take(args.lines.into()) {
        writeln!(out, "{} ({})", row(ply), G::SIDES[Color::to_move(ply.turn)])?;
    }
    Ok(())
}

/// The table row of a ply.
fn row<G: ArenaGame>(ply: &ReviewedPly<G>) -> String {
    let (loss, better) = match &ply.mistake {
        None => ("-".to_owned(), ""),
        Some(mistake) => (
            format!("{:.1}%", 100.0 * mistake.loss),
            mistake.better.text.as_str(),
        ),
    };
    let (turn, score) = ((ply.turn + 1).to_string(), ply.red_after.to_string());
    line([&turn, &ply.played.text, &score, &loss, better])
}

/// One line per ply, one per position that no earlier line covers, and a legend.
fn table<G: ArenaGame>(reviewed: &[ReviewedPly<G>]) -> String {
    let side = G::SIDES[Color::Red].to_string();
    let mut text = line(["ply", "played", &side, "lost", "better"]) + "\n";
    let mut last_turn = None;
    for ply in reviewed {
        if last_turn != Some(ply.turn) {
            let (turn, score) = (ply.turn.to_string(), ply.red_before.to_string());
            text += &format!("{}\n", line([&turn, "", &score, "", ""]));
        }
        text += &format!("{}\n", row(ply));
        last_turn = Some(ply.turn + 1);
    }
    text + &format!(
        "\
{side:9}  {side}'s expected score after the move, backed up from later positions; win, draw and loss are proven
lost       expected score lost against the better move
better     best other move, if the played one lost something
"
    )
}

fn line([ply, played, score, loss, better]: [&str; 5]) -> String {
    let line = format!("{ply:>3}  {played:16}  {score:>6}  {loss:>9}  {better}");
    line.trim_end().to_owned()
}
