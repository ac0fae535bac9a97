//! Replay files of a run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::engine::EngineSpec;
use super::game::GameNumber;
use super::record::{GameEnd, GameRecord, PairRecord};
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_hive::ByColor;
use wabe_hive::game::{Adjudication, Record};
use wabe_records::{Replay, StatedResult};

/// Writes the replays of a pair to files such as `pair-3-game-2.xml`, or `pair-3-game-2_2.xml` if
/// that file contains another game. Returns the games with their paths, `None` if a game cannot be
/// replayed.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write_replays<G: ArenaGame>(
    folder: &Path,
    pair: &PairRecord,
    engines: &[EngineSpec],
) -> io::Result<Vec<(GameNumber, Option<PathBuf>)>> {
    let games = pair.numbered_games().map(|(number, game)| {
        let encoded = encode_game::<G>(&pair.opening, game, engines);
        let path = encoded.map(|encoded| write(folder, &number.stem(), encoded));
        Ok((number, path.transpose()?))
    });
    games.collect()
}

/// Writes a file, unless it exists, and returns its path.
fn write(folder: &Path, stem: &str, (extension, text): (&str, String)) -> io::Result<PathBuf> {
    let name = (stem, extension);
    // When a run is resumed, its replays exist already.
    for path in wabe_files::numbered_paths(folder, name) {
        match fs::metadata(&path) {
            Ok(found) if found.len() != text.len() as u64 => {}
            Ok(_) if fs::read(&path)? == text.as_bytes() => return Ok(path),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    wabe_files::write_new(folder, name, |mut file| file.write_all(text.as_bytes()))
}

/// Encodes a recorded game with [`encode_replay`]. Returns `None` if it cannot be replayed.
fn encode_game<G: ArenaGame>(
    opening: &str,
    game: &GameRecord,
    engines: &[EngineSpec],
) -> Option<(&'static str, String)> {
    let opening: Record<G> = opening.parse().ok()?;
    let name = |color| engines.get(game.engine(color)).map(|e| e.name.clone());
    let names = ByColor::from_fn(|color| name(color).unwrap_or_default());
    encode_replay(&replay_of(&opening, game, names)?)
}

/// Encodes a replay in the game's own format. Returns the file extension and the text.
pub fn encode_replay<G: ArenaGame>(replay: &Replay<G>) -> Option<(&'static str, String)> {
    let form = G::FORMATS.first()?;
    Some((form.name, (form.write)(replay)?))
}

/// The replay of a game that started from `opening`; `None` if the record is inconsistent.
fn replay_of<G: ArenaGame>(
    opening: &Record<G>,
    game: &GameRecord,
    names: ByColor<String>,
) -> Option<Replay<G>> {
    let mut record = opening.clone();
    let texts = game.moves.split(';').filter(|text| !text.is_empty());
    let mut replay = Replay::new(opening.clone());
    for (i, text) in texts.enumerate() {
        record.play_text(text).ok()?;
        let position = record.plies().len();
        let hint = Hint {
            score: game.scores.get(i)?.map(|score| f64::from(score) / 1000.0),
            nodes: game.nodes.get(i).copied().filter(|&nodes| nodes > 0),
            ..Hint::default()
        };
        if hint != Hint::default() {
            replay.remarks.insert(position, hint.to_string());
        }
        let time = Duration::from_micros(*game.micros.get(i)?);
        replay.times.insert(position, time);
    }
    replay.names = names;
    replay.record = record;
    game.conclude(&mut replay);
    Some(replay)
}

impl GameRecord {
    /// Adds the result to a replay of the game's moves, unless it follows from them.
    pub fn conclude<G: ArenaGame>(&self, replay: &mut Replay<G>) {
        let winner = self.result.winner();
        let record = &mut replay.record;
        match self.end {
            GameEnd::Agreement => record.set_agreement(Some(Adjudication::Draw)),
            GameEnd::Resignation => record
                .set_agreement(winner.map(|winner| Adjudication::Resignation(winner.opponent()))),
            _ if record.is_over() => {}
            end => {
                // The reason is also stored as a sentence, because the contest distinguishes fewer
                // causes.
                let fault = winner.zip(self.fault());
                let fault =
                    fault.map(|(winner, fault)| format!("{} {fault}", G::SIDES[winner.opponent()]));
                replay.stated = Some(StatedResult {
                    winner,
                    cause: end.cause(),
                    reason: Some(fault.unwrap_or_else(|| end.to_string())),
                    game_result: None,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use std::fs::File;
    use wabe_contest::protocol::Cause;
    use wabe_hive::Color;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn pair(moves: &str, end: GameEnd) -> PairRecord {
        let moves_count = moves.split(';').filter(|text| !text.is_empty()).count();
        let game = |red, blue| GameRecord {
            red,
            blue,
            result: GameResult::Blue,
            end,
            detail: String::new(),
            moves: moves.to_owned(),
            micros: vec![1500; moves_count],
            scores: vec![Some(523); moves_count],
            nodes: vec![40; moves_count],
        };
        PairRecord {
            pair: 2,
            opening: "0 - - AQ/AQ".to_owned(),
            games: [game(0, 1), game(1, 0)],
        }
    }

    fn keep<G: ArenaGame>(pair: &PairRecord) -> (Vec<String>, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let engines = ["mcts name='<a> & b'", "greedy"].map(|text| text.parse().unwrap());
        let written = || write_replays::<G>(directory.path(), pair, &engines).unwrap();
        let paths = written();
        assert!(paths.iter().all(|(_, path)| path.is_some()));
        // Written again, they keep their paths.
        assert_eq!(written(), paths);
        let mut names: Vec<String> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        (names, directory)
    }

    #[test]
    fn contest_replays_name_moves_with_forfeits() {
        let pair = pair("set A 0,0;set A 1,0", GameEnd::IllegalMove);
        let (names, directory) = keep::<Contest>(&pair);
        assert_eq!(names, ["pair-3-game-1.xml", "pair-3-game-2.xml"]);
        let file = File::open(directory.path().join("pair-3-game-1.xml")).unwrap();
        let replay = wabe_records::read::<Contest>(file).unwrap().remove(0);
        assert_eq!((replay.damage.clone(), replay.positions()), (None, 3));
        assert_eq!(replay.names.red, "<a> & b");
        let hint = replay.remarks.get(&2).map(String::as_str);
        assert_eq!(hint, Some("score=0.523 nodes=40"));
        let result = replay.stated.unwrap().game_result.unwrap();
        assert_eq!(result.scores.red.cause, Cause::RuleViolation);
        let reason = result.scores.red.reason.as_deref();
        assert_eq!(reason, Some("red made an illegal move"));
        assert_eq!(result.scores.blue.cause, Cause::Regular);
        assert_eq!(result.winner.unwrap().color, Color::Blue);
    }

    #[test]
    fn standard_replays_are_game_strings() {
        let pair = PairRecord {
            opening: "Base;InProgress;White[2];wS1;bG1 wS1-".to_owned(),
            ..pair("wQ -wS1;bQ bG1-", GameEnd::Crash)
        };
        let (names, directory) = keep::<Standard>(&pair);
        assert_eq!(names, ["pair-3-game-1.uhp", "pair-3-game-2.uhp"]);
        let text = fs::read_to_string(directory.path().join("pair-3-game-1.uhp")).unwrap();
        assert_eq!(
            text,
            "Base;BlackWins;White[3];wS1;bG1 wS1-;wQ -wS1;bQ bG1-\n# black wins: white left the game\n"
        );
        let replay = wabe_records::read::<Standard>(text.as_bytes())
            .unwrap()
            .remove(0);
        assert_eq!(
            replay.result_line(),
            "black wins according to the recording: white left the game"
        );
    }
}
