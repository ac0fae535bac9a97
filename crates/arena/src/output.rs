//! The output of programs during a game, and the dialogues with them.

use crate::ArenaGame;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use super::game::GameTask;
use super::record::GameRecord;
use super::seat::ProgramOutput;

use wabe_hive::{ByColor, Color};

/// Keeps what a game's programs have written: in their engines' logs and, if the game ended badly, in the run's directory for such games.
/// Dialogues go into their own directory.
pub(super) fn keep_outputs<G: ArenaGame>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    outputs: &ByColor<ProgramOutput>,
) {
    for color in Color::ALL {
        let (_, engine) = task.engines[color];
        if engine.is_program()
            && let Err(error) = keep_side(task, record, color, &outputs[color])
        {
            log::warn!("cannot keep the output of {}: {error}", engine.name);
        }
    }
}

fn keep_side<G: ArenaGame>(
    task: &GameTask<'_, G>,
    record: &GameRecord,
    color: Color,
    written: &ProgramOutput,
) -> io::Result<()> {
    let (_, engine) = task.engines[color];
    let side = G::SIDES[color];
    let (game, ending) = (task.number, record.ending(G::SIDES));
    let text = format!("--- {game}, {side}: {ending}\n{}", written.output);
    if let Some(path) = engine.log() {
        // A single call, so that games that end at the same time do not mix.
        let log = OpenOptions::new().create(true).append(true).open(path);
        log.and_then(|mut log| log.write_all(text.as_bytes()))
            .map_err(|error| about(path, &error))?;
    }
    let stem = format!("{}-{side}", task.number.stem());
    let write = |folder: &Path, text: &str| {
        wabe_files::write_new(folder, (&stem, "log"), |mut file| {
            file.write_all(text.as_bytes())
        })
        .map(drop)
        .map_err(|error| about(&folder.join(format!("{stem}.log")), &error))
    };
    let programs = &task.settings.programs;
    if let (Some(folder), false) = (&programs.bad_game_output, record.end.is_regular()) {
        write(folder, &text)?;
    }
    match (&programs.protocol_log, written.dialogue.as_str()) {
        // The dialogue of an engine that is asked line by line is its output.
        (Some(folder), "") => write(folder, &written.output),
        (Some(folder), dialogue) => write(folder, dialogue),
        (None, _) => Ok(()),
    }
}

/// An error that names its file.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
