//! Games of a run as files: replays in the contest's official format, game strings of standard Hive.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::engine::EngineSpec;
use super::record::{GameEnd, GameRecord, GameResult, PairRecord};
use crate::files;
use crate::game::{Agreement, Game, Protocol, Record};
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{Cause, Hint, RoomId};
use crate::server::room::{FinishedGame, ReportedMove};
use crate::server::write_game;

/// The games whose replays are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptReplays {
    /// All games.
    #[default]
    All,
    /// The games that the first engine lost.
    Lost,
    /// The games that ended by somebody's fault.
    Bad,
}

impl KeptReplays {
    fn contains(self, game: &GameRecord) -> bool {
        match self {
            KeptReplays::All => true,
            KeptReplays::Lost => game.half_points(0) == Some(0),
            KeptReplays::Bad => !game.end.is_regular(),
        }
    }
}

/// Where replays go, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayFolder {
    /// The directory; it is made if it does not exist.
    pub directory: PathBuf,
    /// Which games are kept.
    pub kept: KeptReplays,
}

impl ReplayFolder {
    /// Writes the replays of a pair's games that are kept, in place of what may be there: `pair-3-game-2.xml` in the official
    /// format, or `pair-3-game-2.uhp` with a game string of standard Hive.
    ///
    /// # Errors
    /// When the file system refuses, or the record is not one of a game.
    pub fn keep<G: Game>(&self, pair: &PairRecord, engines: &[EngineSpec]) -> io::Result<()> {
        for (number, game) in (1..).zip(&pair.games) {
            if self.kept.contains(game) {
                let stem = format!("pair-{}-game-{number}", pair.pair + 1);
                self.write::<G>(pair, game, engines, &stem)?;
            }
        }
        Ok(())
    }

    fn write<G: Game>(
        &self,
        pair: &PairRecord,
        game: &GameRecord,
        engines: &[EngineSpec],
        stem: &str,
    ) -> io::Result<()> {
        let no_game = || io::Error::other(format!("{stem} is not the record of a game"));
        let path = |extension| {
            self.directory
                .join(Path::new(stem).with_extension(extension))
        };
        match G::PROTOCOL {
            Protocol::Contest => {
                let finished = finished_game(&pair.opening, game, engines, stem);
                let finished = finished.ok_or_else(no_game)?;
                fs::create_dir_all(&self.directory)?;
                write_game(BufWriter::new(File::create(path("xml"))?), &finished)
            }
            Protocol::Uhp => {
                let played = played::<G>(pair, game).ok_or_else(no_game)?;
                fs::create_dir_all(&self.directory)?;
                files::replace(&path("uhp"), format!("{played}\n").as_bytes())
            }
        }
    }
}

/// The game with the result that the run gave to it where the rules give none; `None` if the record makes no sense.
fn played<G: Game>(pair: &PairRecord, game: &GameRecord) -> Option<Record<G>> {
    let mut record: Record<G> = pair.opening.parse().ok()?;
    record.play_texts(game.moves.split(';')).ok()?;
    record.set_agreement(Some(match game.result.winner() {
        Some(winner) => Agreement::Resignation(winner.opponent()),
        None => Agreement::Draw,
    }));
    Some(record)
}

/// The game as a referee has it; `None` if the record makes no sense.
fn finished_game(
    opening: &str,
    game: &GameRecord,
    engines: &[EngineSpec],
    stem: &str,
) -> Option<FinishedGame> {
    let name = |color| engines.get(game.engine(color)).map(|e| e.name.clone());
    let fault = cause(game.end).and_then(|cause| {
        let loser = match game.result {
            GameResult::Red => Color::Blue,
            GameResult::Blue => Color::Red,
            GameResult::Draw => return None,
        };
        Some((loser, cause, game.end.to_string()))
    });
    let texts = game.moves.split(';').filter(|text| !text.is_empty());
    let moves = texts.enumerate().map(|(i, text)| {
        let mv: Move = text.parse().ok()?;
        let hint = Hint {
            score: game.scores.get(i)?.map(|score| f64::from(score) / 1000.0),
            nodes: game.nodes.get(i).copied().filter(|&nodes| nodes > 0),
            ..Hint::default()
        };
        Some(ReportedMove {
            mv,
            hint: (hint != Hint::default()).then(|| hint.to_string()),
            time: Duration::from_micros(*game.micros.get(i)?),
        })
    });
    let position: Position = opening.parse().ok()?;
    let names = ByColor {
        red: name(Color::Red)?,
        blue: name(Color::Blue)?,
    };
    let moves: Vec<ReportedMove> = moves.collect::<Option<_>>()?;
    FinishedGame::played_elsewhere(RoomId(stem.to_owned()), names, position, moves, fault)
}

fn cause(end: GameEnd) -> Option<Cause> {
    Some(match end {
        GameEnd::Surrounded
        | GameEnd::BothSurrounded
        | GameEnd::MoreFreeFields
        | GameEnd::EqualFreeFields
        | GameEnd::Repetition
        | GameEnd::PlyLimit
        | GameEnd::Agreement
        | GameEnd::Resignation
        | GameEnd::DisputedEnd => return None,
        GameEnd::Time => Cause::SoftTimeout,
        GameEnd::Hang => Cause::HardTimeout,
        GameEnd::IllegalMove => Cause::RuleViolation,
        GameEnd::Crash | GameEnd::NeverJoined | GameEnd::Refusal | GameEnd::FalseEnd => Cause::Left,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;
    use crate::replay;

    fn pair(moves: &str, end: GameEnd) -> PairRecord {
        let moves_count = moves.split(';').filter(|text| !text.is_empty()).count();
        let game = |red, blue| GameRecord {
            red,
            blue,
            result: GameResult::Blue,
            end,
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

    fn keep<G: Game>(pair: &PairRecord, kept: KeptReplays) -> (Vec<String>, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let folder = ReplayFolder {
            directory: directory.path().to_owned(),
            kept,
        };
        let engines = ["mcts name='<a> & b'", "greedy"].map(|text| text.parse().unwrap());
        folder.keep::<G>(pair, &engines).unwrap();
        let mut names: Vec<String> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        (names, directory)
    }

    #[test]
    fn a_replay_says_what_was_played_and_who_spoilt_it() {
        let pair = pair("set A 0,0;set A 1,0;set Q -5,0", GameEnd::IllegalMove);
        let (names, directory) = keep::<Contest>(&pair, KeptReplays::All);
        assert_eq!(names, ["pair-3-game-1.xml", "pair-3-game-2.xml"]);
        let file = File::open(directory.path().join("pair-3-game-1.xml")).unwrap();
        let replay = replay::read::<Contest>(file).unwrap().remove(0);
        assert_eq!((replay.damage.clone(), replay.positions()), (None, 3));
        assert_eq!(replay.names.red, "<a> & b");
        let hint = replay.remarks.get(&2).map(String::as_str);
        assert_eq!(hint, Some("score=0.523 nodes=40"));
        let result = replay.account.unwrap().verdict.unwrap();
        assert_eq!(result.scores.red.cause, Cause::RuleViolation);
        assert_eq!(result.scores.red.reason.as_deref(), Some("illegal move"));
        assert_eq!(result.scores.blue.cause, Cause::Regular);
        assert_eq!(result.winner.unwrap().color, Color::Blue);
    }

    #[test]
    fn a_game_of_standard_hive_is_its_game_string() {
        let pair = PairRecord {
            opening: "Base;InProgress;White[2];wS1;bG1 wS1-".to_owned(),
            ..pair("wQ -wS1;bQ bG1-", GameEnd::Crash)
        };
        let (names, directory) = keep::<Wide>(&pair, KeptReplays::All);
        assert_eq!(names, ["pair-3-game-1.uhp", "pair-3-game-2.uhp"]);
        let text = fs::read_to_string(directory.path().join("pair-3-game-1.uhp")).unwrap();
        assert_eq!(
            text,
            "Base;BlackWins;White[3];wS1;bG1 wS1-;wQ -wS1;bQ bG1-\n"
        );
    }

    #[test]
    fn some_replays_may_be_enough() {
        let spoilt = pair("", GameEnd::NeverJoined);
        assert_eq!(keep::<Contest>(&spoilt, KeptReplays::Bad).0.len(), 2);
        assert_eq!(
            keep::<Contest>(&spoilt, KeptReplays::Lost).0,
            ["pair-3-game-1.xml"],
            "the first engine lost as red"
        );
    }
}
