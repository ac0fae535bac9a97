//! The output of programs during a game.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};

use super::game::GameTask;
use super::record::GameRecord;
use crate::files;
use crate::game::Game;
use crate::hive::{ByColor, Color};

/// Appends the outputs of a game's programs to their engines' logs and, if the game ended badly, writes them into the run's
/// directory for such games.
pub(super) fn keep_outputs<G: Game>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    outputs: &ByColor<String>,
) {
    for color in Color::ALL {
        if let Err(error) = keep_side(task, record, color, &outputs[color]) {
            let (_, engine) = task.engine(color);
            log::warn!("cannot keep the output of {}: {error}", engine.name);
        }
    }
}

fn keep_side<G: Game>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    color: Color,
    output: &str,
) -> io::Result<()> {
    let (_, engine) = task.engine(color);
    if !engine.is_program() {
        return Ok(());
    }
    let side = G::SIDES[color];
    let heading = format!(
        "--- pair {}, game {}, {side}: {}\n",
        task.pair + 1,
        task.game_in_pair + 1,
        record.ending(G::SIDES)
    );
    let text = heading + output;
    if let Some(path) = engine.log() {
        let mut log = OpenOptions::new().create(true).append(true).open(path)?;
        // One call, so that games that end at the same time do not mix.
        log.write_all(text.as_bytes())?;
    }
    let bad_games = task.settings.programs.bad_game_output.as_deref();
    if let Some(folder) = bad_games.filter(|_| !record.end.is_regular()) {
        fs::create_dir_all(folder)?;
        let name = format!("{}-{side}.log", task.file_stem());
        files::replace(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Writes the dialogues with a game's programs into the run's directory for them.
pub(super) fn keep_dialogues<G: Game>(task: &GameTask<'_, G>, dialogues: &ByColor<&str>) {
    let Some(folder) = &task.settings.programs.protocol_log else {
        return;
    };
    for color in Color::ALL {
        let (_, engine) = task.engine(color);
        if !engine.is_program() {
            continue;
        }
        let path = folder.join(format!("{}-{}.log", task.file_stem(), G::SIDES[color]));
        let written = fs::create_dir_all(folder)
            .and_then(|()| files::replace(&path, dialogues[color].as_bytes()));
        if let Err(error) = written {
            log::warn!("cannot write {}: {error}", path.display());
        }
    }
}
