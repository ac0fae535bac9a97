//! `wabe moves`: lists the legal moves of a position. Also encodes positions as JSON.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::game_file::GameFile;
use crate::exit::Exit;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_board::view;
use wabe_hive::game::{Ending, Record};
use wabe_hive::{Move, PieceKind};
use wabe_records::diagram::DrawnGame;
use wabe_records::with_game;

/// List the legal moves of a position
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Position, game, or file that `wabe replay` reads
    #[arg(value_name = "POSITION|FILE")]
    subject: PathBuf,

    /// Nth game of the file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one::<usize>)]
    nth: usize,

    /// Position after N plies [default: the last]
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Print a JSON object (see docs/json.md)
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let file = GameFile::from_argument(&args.subject)?;
    let game = file.game;
    with_game!(game, |G, _variant| print_moves::<G>((args, file)))
}

fn print_moves<G: ArenaGame>((args, file): (Args, GameFile)) -> anyhow::Result<Exit> {
    let name = file.name.clone();
    let replays = file.read::<G>(Some(args.nth))?;
    let replay = replays.first().context("the file contains no games")?;
    // The fault has already been reported.
    if replay.damage.is_some() && args.ply.is_none() {
        bail!("the game is incomplete: choose a position with --ply");
    }
    let record = match args.ply {
        None => replay.record.clone(),
        Some(ply) => replay
            .at_turn(ply)
            .with_context(|| format!("{name} has no position after {ply} plies"))?,
    };
    let legal = record.legal_moves();
    let texts: Vec<String> = legal.iter().map(|&mv| record.write(mv)).collect();
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut line = position_json(&record);
        line["moves"] = texts.into();
        line["view"] = serde_json::to_value(view(&DrawnGame::new(record)))?;
        writeln!(out, "{line}")?;
        return Ok(Exit::Success);
    }
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    for (text, &mv) in texts.iter().zip(legal.iter()) {
        let line = format!("{text:width$}  {}", note(&record, mv));
        writeln!(out, "{}", line.trim_end())?;
    }
    if legal.is_empty() {
        writeln!(out, "{}", record.describe_state())?;
    }
    Ok(Exit::Success)
}

/// Encodes a position as JSON: its text form, or that of the game if repetition matters, and the
/// result.
pub(super) fn position_json<G: ArenaGame>(record: &Record<G>) -> Value {
    let position = match G::REPETITION_LIMIT {
        Some(_) => record.to_string(),
        None => record.position().to_string(),
    };
    let winner = record.ending().map(Ending::winner);
    let result = winner.map(|winner| winner.map_or("draw", |side| G::SIDES[side].name()));
    json!({ "position": position, "result": result })
}

/// Details that the text of a move omits: the moved piece, the piece below it, and the end of
/// the game.
fn note<G: ArenaGame>(record: &Record<G>, mv: Move<G>) -> String {
    let position = record.position();
    let side = position.side_to_move();
    let piece = |at| {
        let piece = position.top(at)?;
        let name = piece.kind.name();
        Some(if piece.color == side {
            name.to_owned()
        } else {
            format!("{}'s {name}", G::SIDES[piece.color])
        })
    };
    let pieces = match mv {
        Move::Pass | Move::Place { .. } => None,
        Move::Drag { from, to } => piece(from).map(|moved| match piece(to) {
            Some(below) => format!("{moved} onto {below}"),
            None => moved,
        }),
    };
    let mut after = record.clone();
    let ending = after.play(mv).ok().and_then(|()| after.ending());
    let ending = ending.map(|ending| ending.sentence::<G>());
    pieces
        .into_iter()
        .chain(ending)
        .collect::<Vec<_>>()
        .join(": ")
}
