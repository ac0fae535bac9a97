//! The start of games, from the options.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};

use crate::tools::game_file::GameFile;
use wabe_contest::protocol::WireMove;
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;
use wabe_hive::contest::{BRAMBLE_COUNT, Contest, Deal};
use wabe_hive::game::Ending;
use wabe_hive::hex::{BoardSet, CellSet, ContestBoard, Grid, Hex};
use wabe_records::Replay;
use wabe_records::games::GameName;

#[derive(Debug, clap::Args)]
pub(super) struct StartArgs {
    /// Which pieces players get: `server` (3 spiders, 2 grasshoppers) or `rulebook` (2 and 3)
    #[arg(long, default_value_t)]
    deal: Deal,

    /// The three brambles of every game [default: drawn for each]
    #[arg(long, value_name = "X,Y;X,Y;X,Y", allow_hyphen_values = true)]
    brambles: Option<Brambles>,

    /// Start every game from this file: a recorded game (.xml or .xml.gz), or a position in its
    /// text form
    #[arg(long, value_name = "FILE", conflicts_with_all = ["deal", "brambles"])]
    load_game: Option<PathBuf>,

    /// Start from the recorded game's position after N plies [default: the first one]
    #[arg(long, value_name = "N", requires = "load_game")]
    turn: Option<u16>,
}

impl StartArgs {
    pub(super) fn source(&self) -> anyhow::Result<StartSource> {
        match &self.load_game {
            Some(path) => {
                let context = || format!("cannot start from {}", path.display());
                let file = GameFile::open(path).with_context(context)?;
                let start = start_in(file, self.turn).with_context(context)?;
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
            bail!("{BRAMBLE_COUNT} different fields are needed, not {count}");
        }
        Ok(Brambles(fields))
    }
}

fn start_in(file: GameFile, turn: Option<u16>) -> anyhow::Result<Start> {
    let GameName::Contest(_) = file.game else {
        bail!("it is a game of standard Hive, not of the contest");
    };
    let replays = file.read::<Contest>(None)?;
    let replay = replays.first().context("there is no game in it")?;
    if let (true, Some(damage)) = (replay.is_unreadable(), &replay.damage) {
        bail!("{damage}");
    }
    let start = start_of(replay, turn)?;
    if let Some(outcome) = start.position.outcome() {
        let ending = Ending::Rules(outcome).sentence::<Contest>();
        bail!("the game is over there: {ending}");
    }
    Ok(start)
}

/// The recorded position at `turn`, or the first one.
fn start_of(replay: &Replay<Contest>, turn: Option<u16>) -> anyhow::Result<Start> {
    let mut found = None;
    let mut index = 0;
    replay.for_each_position(|moment| {
        let position = *moment.record.position();
        if found.is_none() && turn.is_none_or(|turn| turn == position.turn()) {
            let last = moment.record.plies().last().map(|ply| ply.mv);
            found = Some((index, position, last));
        }
        index += 1;
    });
    let (index, position, last_move) = found.with_context(|| {
        let last = replay.record.position().turn();
        match turn {
            Some(turn) if turn < last => {
                format!("the position after {turn} plies is missing in it")
            }
            _ => format!("its positions end after {last} plies"),
        }
    })?;
    let mover = position.side_to_move().opponent();
    let hint = replay.remarks.get(&index);
    Ok(Start {
        position,
        last_move: last_move.map(|mv| WireMove::new(mv, mover, hint.cloned())),
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
