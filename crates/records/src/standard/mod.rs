//! Recordings of standard Hive: game strings of the Universal Hive Protocol (one per line), PGN,
//! BoardSpace's SGF and hivegame.com analyses.

mod hivegame;
mod moves;
mod pgn;
mod sgf;

use std::io::BufRead;

use crate::collector::GameCollector;
use crate::read::{numbered_lines, read_lines, read_text};
use crate::result::result_text;
use crate::{Damage, FileFormat, Recorded, Replay, ReplayError, StatedResult};
use moves::{WrittenMove, play_all};
use wabe_hive::Color;
use wabe_hive::game::{Ending, MAX_PLIES};
use wabe_hive::standard::Standard;
use wabe_hive::standard::{GameState, fields, is_game_string, is_plain};

impl Recorded for Standard {
    const FORMATS: &'static [FileFormat<Standard>] = &[
        FileFormat {
            name: "uhp",
            help: "UHP game string, standard Hive only",
            holds_several: true,
            write: |replay| Some(game_string(replay) + "\n" + &comment(replay)),
        },
        FileFormat {
            name: "pgn",
            help: "PGN, standard Hive only",
            holds_several: true,
            write: pgn::write_pgn,
        },
    ];

    fn is_recording(text: &str) -> bool {
        READERS.iter().any(|(detect, _)| detect(text))
    }

    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Standard>>, ReplayError> {
        let text = read_text(source)?;
        let beginning = text.trim_start();
        match READERS.iter().find(|(detect, _)| detect(beginning)) {
            Some((_, read)) => read(&text),
            None => read_lines(&text),
        }
    }
}

/// Format detection from the start of a text, and the format's reader.
type Reader = (
    fn(&str) -> bool,
    fn(&str) -> Result<Vec<Replay<Standard>>, ReplayError>,
);

const READERS: [Reader; 5] = [
    (is_game_string, read_game_strings),
    (hivegame::looks_like_link, read_game_strings),
    (hivegame::looks_like_analysis, hivegame::read_analysis),
    (pgn::looks_like_pgn, pgn::read_pgn),
    (sgf::looks_like_sgf, sgf::read_sgf),
];

/// First character of a comment line, which belongs to the preceding game.
const COMMENT: char = '#';

/// Reads game strings, each up to its first illegal move. The stated turn is ignored. A comment
/// line with result and reason may follow.
fn read_game_strings(text: &str) -> Result<Vec<Replay<Standard>>, ReplayError> {
    let mut replays = GameCollector::default();
    for (line, text) in numbered_lines(text) {
        if let Some(comment) = text.strip_prefix(COMMENT) {
            if let (Some(game), Some((result, reason))) =
                (replays.games.last_mut(), comment.split_once(": "))
            {
                apply_comment(game, result.trim(), reason);
            }
            continue;
        }
        let linked = hivegame::game_string_of_link(text);
        let text = linked.as_deref().unwrap_or(text);
        if is_plain(text) {
            replays.push_record(line, text)?;
            continue;
        }
        let fields = match fields(text, MAX_PLIES + 1) {
            Ok(fields) => fields,
            Err(error) => {
                replays.push_unreadable(Damage::at(line, 0, error.into()))?;
                continue;
            }
        };
        let moves = fields.moves.iter().map(|&text| WrittenMove {
            line,
            text: text.to_owned(),
        });
        let (game, _, damage) = play_all(fields.game_type, &moves.collect::<Vec<_>>());
        let replay = Replay {
            stated: fields.state.and_then(stated_result),
            damage,
            ..Replay::new(game)
        };
        replays.push(replay)?;
    }
    replays.finish()
}

/// Stores result and reason from the comment line of a game. Ignores other comments.
fn apply_comment(game: &mut Replay<Standard>, result: &str, reason: &str) {
    let mut winners = [None, Some(Color::Red), Some(Color::Blue)].into_iter();
    let Some(winner) = winners.find(|&winner| result_text::<Standard>(winner) == result) else {
        return;
    };
    if !game.record.has_game_string() && game.stated.is_none() {
        game.stated = Some(StatedResult::new(winner));
    }
    if let Some(stated) = &mut game.stated
        && stated.winner == winner
    {
        stated.reason = Some(reason.to_owned());
    }
}

/// The game string, with the stated result if the rules did not end the game.
fn game_string(replay: &Replay<Standard>) -> String {
    let game = &replay.record;
    let (own, state) = (game.state(), final_state(replay));
    game.to_string()
        .replacen(&format!(";{own};"), &format!(";{state};"), 1)
}

/// The comment line with result and reason; empty if the game string implies them.
fn comment(replay: &Replay<Standard>) -> String {
    let stated = replay.stated.as_ref();
    let reason = match replay.record.ending() {
        Some(ending @ Ending::Agreement(_)) => Some(ending.reason::<Standard>()),
        Some(_) => None,
        None => stated.and_then(|stated| stated.reason.clone()),
    };
    let reason = reason.map(|reason| reason.replace(char::is_control, " "));
    match reason.as_deref().map(str::trim_end) {
        Some("") | None => String::new(),
        Some(reason) => {
            let result = result_text::<Standard>(replay.winner().flatten());
            format!("{COMMENT} {result}: {reason}\n")
        }
    }
}

/// The state of the game, or the stated result if the rules did not end it.
fn final_state(replay: &Replay<Standard>) -> GameState {
    match replay.winner() {
        None => replay.record.state(),
        Some(None) => GameState::Draw,
        Some(Some(Color::Red)) => GameState::WhiteWins,
        Some(Some(Color::Blue)) => GameState::BlackWins,
    }
}

/// The result of a game in this state; `None` for an unfinished game.
fn stated_result(state: GameState) -> Option<StatedResult> {
    let winner = match state {
        GameState::NotStarted | GameState::InProgress => return None,
        GameState::Draw => None,
        GameState::WhiteWins => Some(Color::Red),
        GameState::BlackWins => Some(Color::Blue),
    };
    Some(StatedResult::new(winner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Replay<Standard>> {
        crate::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn comments_with_control_characters_round_trip() {
        for (reason, written) in [
            ("late \u{14}\u{14}", "# white wins: late\n"),
            ("\u{14}", ""),
        ] {
            let game = "Base;WhiteWins;Black[1];wS1\n";
            let replays = read(&format!("{game}# white wins: {reason}\n"));
            let text = game_string(&replays[0]) + "\n" + &comment(&replays[0]);
            assert_eq!(text, game.to_owned() + written);
            assert_eq!(comment(&read(&text)[0]), written);
        }
    }

    #[test]
    fn other_comments_are_ignored() {
        for other in ["source: a.org", "black wins: on time"] {
            let game = &read(&format!("Base;WhiteWins;Black[1];wS1\n# {other}\n"))[0];
            assert_eq!(
                (game.winner(), comment(game)),
                (Some(Some(Color::Red)), String::new())
            );
        }
    }

    #[test]
    fn games_from_positions_round_trip() {
        let game = "Base+M 2 - 0,0:rS;1,0:bS AAABBGGGMQS/AAABBGGGMQS moves wQ -wS1\n";
        for comment in ["", "# black wins: on time\n", "# draw: agreed\n"] {
            let text = format!("{game}{comment}Base;InProgress;Black[1];wS1\n");
            let replays = read(&text);
            let written: String = replays
                .iter()
                .map(|r| game_string(r) + "\n" + &self::comment(r))
                .collect();
            assert_eq!(written, text);
        }
        let [black, _] = &read(&format!("{game}# black wins: on time\nBase;x;y\n"))[..] else {
            panic!("expected two games");
        };
        assert_eq!(black.winner(), Some(Some(Color::Blue)));
        let lines = read("Base;x;y\nBase 2 - nonsense\nBase+X\nBase;;;wS1\n");
        assert_eq!(lines[3].positions(), 2);
        for (number, game) in [(2, &lines[1]), (3, &lines[2])] {
            let damage = game.damage.as_ref().unwrap().to_string();
            assert!(damage.starts_with(&format!("line {number}: ")), "{damage}");
        }
        let error = crate::read::<Standard>(&b"\nBase 2 - nonsense\n"[..]).unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
    }

    #[test]
    fn is_recording_detects_all_formats() {
        for text in [
            "Base;NotStarted;White[1]",
            "[White \"A\"]",
            "1. wS1",
            "(;\nGM[27]",
            "wS1;bG1 wS1-",
            "{\"current_node\":null",
            "https://hivegame.com/analysis?uhp=wS1",
        ] {
            assert!(Standard::is_recording(text), "{text}");
        }
        for text in [
            "[{\"json\": 1}]",
            "{\"game_type\": \"Base\"}",
            "https://example.com/game/1",
            "<protocol>",
            "12 - - A/A",
            "",
        ] {
            assert!(!Standard::is_recording(text), "{text}");
        }
    }
}
