//! Start positions of games, from the options.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::tools::game_file::GameFile;
use wabe_contest::protocol::WireMove;
use wabe_contest::room::Start;
use wabe_contest::server::StartSource;
use wabe_hive::contest::Contest;
use wabe_hive::game::Ending;
use wabe_records::Replay;
use wabe_records::games::GameName;

#[derive(Debug, clap::Args)]
pub(super) struct StartArgs {
    /// Pieces per player: contest (3 spiders, 2 grasshoppers) or rulebook (2 and 3)
    #[arg(long, default_value_t, value_name = "GAME", value_parser = contest_game)]
    game: GameName,

    /// Start each game from this recording or position
    #[arg(long, value_name = "FILE|POSITION", conflicts_with = "game")]
    load_game: Option<PathBuf>,

    /// Position after N plies of the recording [default: its first]
    #[arg(long, value_name = "N", requires = "load_game")]
    ply: Option<u16>,
}

fn contest_game(text: &str) -> Result<GameName, &'static str> {
    match text.parse() {
        Ok(game @ GameName::Contest(_)) => Ok(game),
        _ => Err("expected contest or rulebook"),
    }
}

impl StartArgs {
    pub(super) fn source(&self) -> anyhow::Result<StartSource> {
        match &self.load_game {
            Some(path) => {
                let context = || format!("cannot start from {}", path.display());
                let file = GameFile::from_argument(path).with_context(context)?;
                let start = start_in(file, self.ply).with_context(context)?;
                Ok(StartSource::Loaded(Box::new(start)))
            }
            None => match self.game {
                GameName::Contest(deal) => Ok(StartSource::Dealt(deal)),
                GameName::Standard(_) => bail!("standard Hive is not a contest game"),
            },
        }
    }
}

fn start_in(file: GameFile, turn: Option<u16>) -> anyhow::Result<Start> {
    let GameName::Contest(_) = file.game else {
        bail!("expected a contest game, found standard Hive");
    };
    let replays = file.read::<Contest>(None)?;
    let replay = replays.first().context("no games found")?;
    if let (true, Some(damage)) = (replay.is_unreadable(), &replay.damage) {
        bail!("{damage}");
    }
    let start = start_of(replay, turn)?;
    if let Some(outcome) = start.position.outcome() {
        let ending = Ending::Rules(outcome).sentence::<Contest>();
        bail!("the game is already over at this position: {ending}");
    }
    Ok(start)
}

/// The recorded position after `turn` plies; by default the first.
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
                format!("no position after {turn} plies")
            }
            _ => format!("the recording ends after {last} plies"),
        }
    })?;
    let mover = position.side_to_move().opponent();
    let hint = replay.remarks.get(&index);
    Ok(Start {
        position,
        last_move: last_move.map(|mv| WireMove::new(mv, mover, hint.cloned())),
    })
}
