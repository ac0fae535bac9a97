//! The conformance check of contest clients. In each situation the client plays all or part of a
//! game against random moves.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use super::client::{ClientSeat, Encoding, encode_whole};
use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::{GameSettings, GameTask};
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::{Failure, ProgramOutput};
use wabe_contest::protocol::ServerMessage;
use wabe_engine::search::PlayerSpec;
use wabe_files::text::printable_end;
use wabe_hive::contest::{Contest, Position};
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};

/// A situation of a contest game for a client to handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Short name, such as `bee-stuck`.
    pub name: &'static str,
    /// Expected behaviour, as a predicate.
    pub should: &'static str,
    /// Section of `docs/protocol.md` that requires this behaviour.
    pub section: &'static str,
    /// Number of moves that the client makes; `None` for a whole game.
    moves: Option<u32>,
    anomaly: Anomaly,
    /// The start position. The client plays the side to move.
    position: &'static str,
}

/// A deviation from a normal game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anomaly {
    Nothing,
    /// Messages are sent in pieces of a few bytes.
    Pieces,
    /// Messages contain unknown elements and attributes.
    Unknown,
    /// The last move contains a hint of 1 MB and a destination with incomplete pieces.
    LastMove,
    /// The server closes the room without a result.
    Cancelled,
    /// The server closes the connection instead of requesting a second move.
    Lost,
}

/// Default: one move in the middle of a game.
const MOVE: Situation = Situation {
    name: "",
    should: "",
    section: "moves",
    moves: Some(1),
    anomaly: Anomaly::Nothing,
    position: "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS",
};

/// All situations. The basic ones come first, because a client that fails them usually fails
/// others too.
pub const SITUATIONS: [Situation; 13] = [
    Situation {
        name: "first",
        should: "places any piece on any free field",
        position: "0 -4,4;1,-3;3,1 - AAABBGGQSSS/AAABBGGQSSS",
        ..MOVE
    },
    Situation {
        name: "bee-stuck",
        should: "skips: it must place its bee but has no field for it",
        position: "6 -4,-1;-1,-2;2,3 -5,0:rG;-5,1:rG;-4,1:bB;-3,0:bG;-2,0:bB AAABBQSSS/AAAGQSSS",
        ..MOVE
    },
    Situation {
        name: "skip",
        should: "skips when it cannot place or move anything",
        position: "24 -2,5;2,0;2,1 -5,2:bA;-4,0:bQ;-4,1:rQbB;-3,-1:bG;-3,0:bA;-3,1:bB \
             AAABBGGSSS/AGSSS",
        ..MOVE
    },
    Situation {
        name: "stacks",
        should: "moves top pieces only; the last piece of a field is the top one",
        section: "fields",
        position: "16 -3,5;-2,5;-1,3 -3,4:bB;-2,4:bS;-1,4:bS;0,4:bQ;1,3:rArBbB;1,4:rQ \
             AABGGSSS/AAAGGS",
        ..MOVE
    },
    Situation {
        name: "brambles",
        should: "avoids brambles (isObstructed=\"true\"), also next to its bee",
        section: "fields",
        position: "33 -2,4;0,3;3,-2 -4,1:rA;-4,3:rA;-4,4:bB;-3,1:bS;-3,4:bS;-2,1:bA;-2,3:bB;\
             -2,5:bS;-1,1:rG;-1,3:bG;-1,4:bQ;0,1:rG;0,2:rB;0,4:bG;1,0:rS;1,3:bA;2,0:rB;2,1:rQ;3,0:rS;\
             4,0:bA;5,-1:rA S/-",
        ..MOVE
    },
    Situation {
        name: "reserve",
        should: "places only undeployed pieces: here its third grasshopper",
        section: "reserves",
        position: "37 -1,-1;2,-2;2,1 -1,-3:bS;0,-4:bG;0,-3:bB;0,-2:bQ;0,-1:bA;0,0:bS;1,-2:bA;\
             2,-4:bG;2,-3:bB;3,-3:rG;3,-2:rS;3,-1:rG;4,-3:rB;4,-2:rQ;4,-1:rSrB;4,0:bA;5,-3:rG AAA/G",
        ..MOVE
    },
    Situation {
        name: "pieces",
        should: "reads messages that arrive a few bytes at a time",
        section: "the-stream",
        moves: Some(3),
        anomaly: Anomaly::Pieces,
        ..MOVE
    },
    Situation {
        name: "unknown",
        should: "ignores unknown elements and attributes",
        section: "the-stream",
        moves: None,
        anomaly: Anomaly::Unknown,
        position: "58 -5,4;-3,-1;3,-2 -1,0:rS;0,-1:bA;0,0:rA;1,-4:rS;1,-2:rQ;1,0:bA;2,-5:rB;\
             2,-2:rA;3,-5:rB;3,-4:rG;3,-3:bA;3,0:bB;3,1:bS;4,-5:rG;4,-2:bQ;4,-1:rAbB;5,-5:rS;5,-4:bS;\
             5,-3:bS -/GG",
    },
    Situation {
        name: "last-move",
        should: "keeps playing whatever the opponent's last move contains",
        section: "the-last-move",
        moves: Some(3),
        anomaly: Anomaly::LastMove,
        ..MOVE
    },
    Situation {
        name: "cancelled",
        should: "exits by itself when the room closes without a result",
        section: "the-end",
        moves: Some(3),
        anomaly: Anomaly::Cancelled,
        ..MOVE
    },
    Situation {
        name: "lost",
        should: "exits by itself when the connection is lost",
        section: "the-end",
        moves: Some(3),
        anomaly: Anomaly::Lost,
        ..MOVE
    },
    Situation {
        name: "time",
        should: "answers each request in time, even with many legal moves",
        section: "time",
        moves: Some(2),
        position: "24 -3,-2;-2,-2;1,-3 -4,3:rG;-3,3:rB;-3,4:bA;-2,2:rS;-2,4:rA;-1,0:bQ;-1,2:rB;\
             -1,3:rA;-1,4:rS;0,0:bG;0,1:bS;0,4:rQ;1,-1:rA;1,0:bA;1,1:bB;1,3:rS;2,0:bB;3,-2:bS;3,-1:bS;\
             4,-2:bG;5,-2:bA G/-",
        ..MOVE
    },
    Situation {
        name: "game",
        should: "plays a game to its end, receives the result and exits",
        section: "the-end",
        moves: None,
        position: "0 -4,4;1,-3;3,1 - AAABBGGQSSS/AAABBGGQSSS",
        ..MOVE
    },
];

/// Settings shared by all situations.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckSettings {
    /// Time per move, unless the client's options set another.
    pub move_time: Duration,
    /// Timeout for the client to join.
    pub join_timeout: Duration,
    /// Timeout for the client to exit after a game.
    pub exit_timeout: Duration,
    /// Folder for the dialogues with the client.
    pub protocol_log: Option<PathBuf>,
}

/// How a client behaved in a situation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SituationResult {
    /// The situation's name.
    pub situation: &'static str,
    /// True if `faults` is empty.
    pub passed: bool,
    /// The client's moves.
    pub moves: Vec<String>,
    /// Time taken for the slowest move, in milliseconds.
    pub slowest_ms: u64,
    /// Expected behaviour, as a predicate.
    pub should: &'static str,
    /// Where the behaviour is specified, such as `docs/protocol.md#moves`.
    pub see: String,
    /// At most one, because the game ends with it.
    pub faults: Vec<Fault>,
    /// True if the client joined its game.
    #[serde(skip)]
    pub joined: bool,
}

/// A fault committed by a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The game's start position.
    pub position: &'static str,
    /// The client's side.
    pub side: String,
    /// The fault as a predicate, such as `made an illegal move`.
    pub did: String,
    /// The end of the client's standard output and standard error.
    pub output: String,
}

/// The client must stay silent for `exit_timeout` divided by this, after its last move.
const SILENCE_DIVISOR: u32 = 50;

/// Share of the time limit that the client gets as its time per move. The rest is the margin.
const CLIENT_TIME_SHARE: f64 = 0.9;

/// Maximum number of characters shown of a client's output.
const MAX_OUTPUT: usize = 600;

impl Situation {
    /// Plays the situation with a client. Returns `None` if `stop` was set.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn check(
        &self,
        client: &EngineSpec,
        settings: &CheckSettings,
        stop: &AtomicBool,
    ) -> Result<Option<SituationResult>, GameError> {
        let EnginePlayer::Program(program) = &client.player else {
            return Err(GameError::unusable(&client.name, "is not a program"));
        };
        let mut program = program.clone();
        let move_time = settings.move_time.mul_f64(CLIENT_TIME_SHARE);
        let move_time = u64::try_from(move_time.as_millis().max(1)).unwrap_or(u64::MAX);
        let unusable = |problem: String| GameError::unusable(&client.name, problem);
        (program.set_default("time", move_time)).map_err(|error| unusable(error.to_string()))?;
        let mut result = SituationResult {
            situation: self.name,
            passed: true,
            moves: Vec::new(),
            slowest_ms: 0,
            should: self.should,
            see: format!("docs/protocol.md#{}", self.section),
            faults: Vec::new(),
            joined: true,
        };
        let game_settings = GameSettings {
            margin: (settings.move_time).saturating_sub(Duration::from_millis(move_time)),
            join_timeout: settings.join_timeout,
            exit_timeout: settings.exit_timeout,
            keep_dialogues: settings.protocol_log.is_some(),
            ..GameSettings::default()
        };
        let opponent = EngineSpec {
            name: "random".to_owned(),
            player: EnginePlayer::BuiltIn(PlayerSpec::default()),
        };
        let position = self.position.parse::<Position>();
        let position = position
            .map_err(|error| unusable(format!("cannot play {}: {error}", self.position)))?;
        let opening: Record<Contest> = Record::from_position(position);
        let color = opening.position().side_to_move();
        let mut engines = ByColor::from_fn(|_| &opponent);
        engines[color] = client;
        let task = GameTask::single(engines, &opening, &game_settings, None, stop);
        let (played, output) = self.play(&program, &task, color, &mut result)?;
        if let Some(folder) = &settings.protocol_log {
            let dialogue = output.dialogue.as_bytes();
            let name = (self.name, "log");
            let kept = wabe_files::write_new(folder, name, |mut log| log.write_all(dialogue));
            if let Err(error) = kept {
                log::warn!("cannot keep the dialogue of {}: {error}", self.name);
            }
        }
        let did = match played {
            // The failure may be a consequence of stopping the run.
            _ if stop.load(Ordering::Relaxed) => return Ok(None),
            Ok(true) => return Ok(Some(result)),
            Ok(false) => {
                let timeout = settings.exit_timeout.as_secs_f64();
                format!("did not exit within {timeout} s of the end")
            }
            Err(Failure::Fault { end, detail }) => end.fault_with(&detail).unwrap_or_default(),
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Stopped | Failure::Disputed) => return Ok(None),
        };
        result.passed = false;
        result.faults.push(Fault {
            position: self.position,
            side: color.to_string(),
            did,
            output: printable_end(&output.output, MAX_OUTPUT),
        });
        Ok(Some(result))
    }

    /// Plays the game. Returns the client's output, and false if it should have exited but did not.
    fn play(
        &self,
        program: &ProgramSpec,
        task: &GameTask<'_, Contest>,
        color: Color,
        result: &mut SituationResult,
    ) -> Result<(Result<bool, Failure>, ProgramOutput), GameError> {
        let mut client = ClientSeat::start(program, task, color, self.anomaly.encoding())?;
        let joined = client.wait_for_join(task);
        result.joined = joined.is_ok();
        let played = joined.and_then(|()| self.play_moves(&mut client, task, color, result));
        // The other situations end in the middle of a game.
        let should_exit =
            self.moves.is_none() || matches!(self.anomaly, Anomaly::Cancelled | Anomaly::Lost);
        let played = played.map(|()| !should_exit || client.exits(task.stop));
        Ok((played, client.kill_program()))
    }

    /// Plays random moves against a client that has joined, then ends the game.
    fn play_moves(
        &self,
        client: &mut ClientSeat,
        task: &GameTask<'_, Contest>,
        color: Color,
        result: &mut SituationResult,
    ) -> Result<(), Failure> {
        let silence = task.settings.exit_timeout / SILENCE_DIVISOR;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(task.settings.seed);
        let mut record = task.opening.clone();
        let mut moves = 0;
        client.start_game();
        while !record.is_over() && self.moves.is_none_or(|limit| moves < limit) {
            if record.position().side_to_move() == color {
                let (wire, elapsed) = client.next_move(task.stop)?;
                let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
                result.slowest_ms = result.slowest_ms.max(elapsed_ms);
                let illegal =
                    |error: &dyn ToString| Failure::fault(GameEnd::IllegalMove, error.to_string());
                let mv = wire.to_move(color).map_err(|error| illegal(&error))?;
                record.play(mv).map_err(|error| illegal(&error))?;
                result.moves.push(mv.to_string());
                moves += 1;
                continue;
            }
            if let Some(&mv) = record.legal_moves().choose(&mut random) {
                let played = record.play(mv);
                played.map_err(|error| Failure::fault(GameEnd::Refusal, error.to_string()))?;
            }
            client.receive_pending();
            if self.anomaly == Anomaly::Lost {
                client.watch(silence)?;
                client.disconnect();
                return Ok(());
            }
            client.play_opponents_move(&record, None);
            client.check()?;
        }
        client.watch(silence)?;
        client.cancel();
        Ok(())
    }
}

impl Anomaly {
    fn encoding(self) -> Encoding {
        match self {
            Anomaly::Pieces => encode_in_pieces,
            Anomaly::Unknown => encode_with_unknown_parts,
            Anomaly::LastMove => encode_with_odd_last_move,
            Anomaly::Nothing | Anomaly::Cancelled | Anomaly::Lost => encode_whole,
        }
    }
}

/// Bytes per piece: odd, so that two-byte characters are split.
const PIECE: usize = 41;

fn encode_in_pieces(message: &ServerMessage) -> Vec<Vec<u8>> {
    let text = message.to_xml();
    text.as_bytes().chunks(PIECE).map(<[u8]>::to_vec).collect()
}

/// Parts of messages, with replacements that contain unknown elements and attributes.
const UNKNOWN: [(&str, &str); 11] = [
    ("<joined ", "<joined mood=\"calm\" "),
    (
        "<room ",
        "<weather sky=\"blue\"><wind>3 &lt; 4</wind></weather>\n  <room mood=\"calm\" ",
    ),
    ("<data ", "<weather/>\n    <data mood=\"calm\" "),
    // In the welcome message and in the move request, which has no other data.
    ("color=\"red\"/>", "color=\"red\"><weather/></data>"),
    ("color=\"blue\"/>", "color=\"blue\"><weather/></data>"),
    ("MoveRequest\"/>", "MoveRequest\"><weather/></data>"),
    ("<state ", "<weather/>\n      <state mood=\"calm\" "),
    (
        "<board>",
        "<weather><wind x=\"1\"/></weather>\n      <board mood=\"calm\">",
    ),
    ("</state>", "<weather/></state>"),
    (
        "<definition>",
        "<weather/>\n      <definition mood=\"calm\">",
    ),
    ("<score ", "<weather/>\n      <score mood=\"calm\" "),
];

fn encode_with_unknown_parts(message: &ServerMessage) -> Vec<Vec<u8>> {
    let parts = UNKNOWN.iter();
    let text = parts.fold(message.to_xml(), |text, (part, replacement)| {
        text.replace(part, replacement)
    });
    vec![text.into_bytes()]
}

/// Text that is repeated for a long hint.
const HINT: &str = "&lt;/state&gt; &#x0;&#x1f;&#xffff; &apos;\u{1f41d}&quot; &#xd;\n";

/// Number of repeats of [`HINT`], for 1.1 MB in total.
const HINT_REPEATS: usize = 26_000;

/// End of a last move whose destination contains incomplete pieces.
const FIELD_END: &str = " isObstructed=\"true\">
          <piece owner=\"RED\"/>
          <piece type=\"BEE\"/>
          <piece/>
        </destination>
      </lastMove>";

fn encode_with_odd_last_move(message: &ServerMessage) -> Vec<Vec<u8>> {
    let text = message.to_xml();
    vec![add_odd_parts(&text).unwrap_or(text).into_bytes()]
}

/// Adds a long hint and incomplete pieces to a state's last move, as the contest's server accepts
/// and forwards them. Returns `None` unless the last move has the short form without a hint.
fn add_odd_parts(text: &str) -> Option<String> {
    let (before, last) = text.split_once("<lastMove class=")?;
    let is_odd = last.contains("<hint>") || last.contains("isObstructed");
    let last = Some(last).filter(|last| !is_odd && last.contains("<destination x="))?;
    let hint = format!(
        "move\">\n        <hint>{}</hint>",
        HINT.repeat(HINT_REPEATS)
    );
    let last = last
        .replacen("move\">", &hint, 1)
        .replacen("<destination x=", "<destination class=\"field\" x=", 1)
        .replacen("/>\n      </lastMove>", FIELD_END, 1);
    Some(format!("{before}<lastMove class={last}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_contest::protocol::{RoomId, ServerData};

    #[test]
    fn odd_last_moves_are_readable() {
        let state = "<lastMove class=\"dragmove\">
        <start x=\"0\" y=\"0\" z=\"0\"/>
        <destination x=\"1\" y=\"0\" z=\"-1\"/>
      </lastMove>";
        let odd = add_odd_parts(state).unwrap();
        assert!(odd.len() > 1_100_000);
        let message = odd.replace("lastMove", "data");
        let message = format!("<room roomId='r'>{message}</room>");
        let read = wabe_contest::protocol::ClientMessage::read(&message);
        assert!(read.is_ok(), "{read:?}");
        assert_eq!(add_odd_parts(&odd), None);
    }

    #[test]
    fn unknown_parts_do_not_change_messages() {
        let data = [
            ServerData::Welcome(Color::Red),
            ServerData::Welcome(Color::Blue),
            ServerData::MoveRequest,
        ];
        for data in data {
            let room = RoomId("r".to_owned());
            let message = ServerMessage::Room { room, data };
            let text = String::from_utf8(encode_with_unknown_parts(&message).concat()).unwrap();
            for part in ["<room mood=", "<data mood=", "<weather/></data>"] {
                assert!(text.contains(part), "{part} in {text}");
            }
            // The first unknown element counts as a separate message.
            let (_, text) = text.split_once("</weather>").unwrap();
            assert_eq!(ServerMessage::read(text.trim()).unwrap(), message);
        }
    }
}
