//! What games start from, by options.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};

use crate::hex::{BoardSet, CellSet, ContestBoard, Grid, Hex};
use crate::hive::Color;
use crate::hive::contest::{BRAMBLE_COUNT, Deal, Position};
use crate::protocol::WireMove;
use crate::replay::{Recording, Replay};
use crate::server::{Start, StartSource};

use super::super::game_file::GameFile;

#[derive(Debug, clap::Args)]
pub(super) struct StartArgs {
    /// Which pieces players get: `server` (3 spiders, 2 grasshoppers) or `rulebook` (2 and 3)
    #[arg(long, default_value_t)]
    deal: Deal,

    /// The three brambles of every game [default: drawn for each]
    #[arg(long, value_name = "X,Y;X,Y;X,Y", allow_hyphen_values = true)]
    brambles: Option<Brambles>,

    /// Start every game from this file: a recorded game (.xml or .xml.gz), or a position in its text form
    #[arg(long, value_name = "FILE", conflicts_with_all = ["deal", "brambles"])]
    load_game: Option<PathBuf>,

    /// Of a recorded game, start from the position after N plies [default: the first one]
    #[arg(long, value_name = "N", requires = "load_game")]
    turn: Option<u16>,
}

impl StartArgs {
    pub(super) fn source(&self) -> anyhow::Result<StartSource> {
        match &self.load_game {
            Some(path) => {
                let start = start_in(GameFile::read(path)?, self.turn)
                    .with_context(|| format!("cannot start from {}", path.display()))?;
                Ok(StartSource::Loaded(Box::new(start)))
            }
            None => Ok(StartSource::Dealt {
                deal: self.deal,
                brambles: self.brambles.map(|Brambles(fields)| fields),
            }),
        }
    }
}

/// Three different fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Brambles(BoardSet);

impl FromStr for Brambles {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Brambles> {
        let mut fields = BoardSet::EMPTY;
        for part in text.split(';') {
            let hex: Hex = part.trim().parse()?;
            let field = ContestBoard::cell(hex)
                .ok_or_else(|| anyhow!("({hex}) is not a field of the board"))?;
            fields.insert(field);
        }
        let count = fields.count_cells();
        if count != BRAMBLE_COUNT {
            bail!("these are {count} different fields, not {BRAMBLE_COUNT}");
        }
        Ok(Brambles(fields))
    }
}

fn start_in(file: GameFile, turn: Option<u16>) -> anyhow::Result<Start> {
    let start = match file {
        GameFile::Position(position) => from_position(position, turn)?,
        GameFile::Recording(Recording::Contest(replay)) => from_recording(&replay, turn)?,
        GameFile::GameString(_) | GameFile::Recording(Recording::Standard(_)) => {
            bail!("it is a game of standard Hive, not of the contest")
        }
    };
    if let Some(outcome) = start.position.outcome() {
        bail!("the game is over there: {outcome}");
    }
    Ok(start)
}

fn from_position(position: Position, turn: Option<u16>) -> anyhow::Result<Start> {
    match turn {
        Some(turn) if turn != position.turn() => {
            bail!("its position is the one after {} plies", position.turn())
        }
        _ => Ok(Start {
            position,
            last_move: None,
        }),
    }
}

fn from_recording(recording: &Replay, turn: Option<u16>) -> anyhow::Result<Start> {
    if let Some(damage) = &recording.damage {
        log::warn!("the recording is damaged: {damage}");
    }
    let ply = match turn {
        None => recording.plies.first(),
        Some(turn) => recording.at_turn(turn),
    };
    let ply = ply.with_context(|| match turn {
        Some(turn) if turn < recording.last().position.turn() => {
            format!("the position after {turn} plies is missing in it")
        }
        _ => {
            let last = recording.last().position.turn();
            format!("its positions end after {last} plies")
        }
    })?;
    let mover = Color::to_move(ply.position.turn()).opponent();
    let last_move = ply.last_move;
    Ok(Start {
        position: ply.position,
        last_move: last_move.map(|mv| WireMove::new(mv, mover, ply.hint.clone())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brambles_are_three_different_fields_of_the_board() {
        let Brambles(fields) = "0,0; -5,5;5,-5".parse().unwrap();
        let mut hexes: Vec<Hex> = fields.into_iter().map(ContestBoard::hex).collect();
        hexes.sort();
        assert_eq!(hexes, [Hex::new(-5, 5), Hex::new(0, 0), Hex::new(5, -5)]);
        for text in [
            "",
            "0,0",
            "0,0;0,1;0,0",
            "0,0;0,1;5,5",
            "0,0;0,1;0,2;0,3",
            "a;b;c",
        ] {
            assert!(text.parse::<Brambles>().is_err(), "{text}");
        }
    }
}
