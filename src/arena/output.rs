//! The output of programs during a game.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::engine::EnginePlayer;
use super::game::GameTask;
use super::record::GameRecord;
use crate::game::Game;
use crate::hive::Color;

/// Most of a program's output in one game that is kept: its end, in bytes.
const KEPT_BYTES: u64 = 1 << 20;

/// Appends what the programs of a game have written to their engines' logs and, if the game ended badly, puts it into the
/// run's directory for such games. `output` gives what a side has written.
pub(super) fn keep_output<G: Game>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    output: impl Fn(Color) -> io::Result<Vec<u8>>,
) {
    for color in Color::ALL {
        if let Err(error) = keep_side(task, record, color, &output) {
            let (_, engine) = task.engine(color);
            log::warn!("cannot keep what {} has written: {error}", engine.name);
        }
    }
}

fn keep_side<G: Game>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    color: Color,
    output: impl Fn(Color) -> io::Result<Vec<u8>>,
) -> io::Result<()> {
    let log = match &task.engine(color).1.player {
        EnginePlayer::BuiltIn(_) => return Ok(()),
        EnginePlayer::Program(program) => &program.log,
        EnginePlayer::Uhp(program) => &program.log,
    };
    let bad_games = task.settings.programs.bad_game_output.as_deref();
    let bad_games = bad_games.filter(|_| !record.end.is_regular());
    if log.is_none() && bad_games.is_none() {
        return Ok(());
    }
    let side = task.sides()[color];
    let heading = format!(
        "--- pair {}, game {}, {side}: {}\n",
        task.pair + 1,
        task.game_in_pair + 1,
        record.ending(task.sides())
    );
    let text = [heading.as_bytes(), &output(color)?].concat();
    if let Some(path) = log {
        let mut log = OpenOptions::new().create(true).append(true).open(path)?;
        // One call, so that games that end at the same time do not mix.
        log.write_all(&text)?;
    }
    if let Some(folder) = bad_games {
        fs::create_dir_all(folder)?;
        fs::write(
            folder.join(format!("{}-{side}.log", task.file_stem())),
            &text,
        )?;
    }
    Ok(())
}

/// The end of a file; nothing for one that does not exist, since its program was never started.
pub(super) fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        file => file?,
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(KEPT_BYTES)))?;
    file.take(KEPT_BYTES).read_to_end(&mut bytes)?;
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    Ok(bytes)
}
