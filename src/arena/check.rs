//! Situations of a contest game, each with what a client should do in it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde::{Deserialize as _, Serialize};

use super::client::{Conduct, Twist};
use super::engine::{EngineError, EnginePlayer, EngineSpec};
use super::error::GameError;
use super::exhibition::play_one;
use super::game::{GameSettings, ProgramSettings};
use super::record::GameEnd;
use super::referee::PlayedGame;
use crate::game::Record;
use crate::hive::contest::{Contest, Position};
use crate::hive::{ByColor, Color};
use crate::text::printable_end;

/// A situation of a contest game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// A word for it.
    pub name: &'static str,
    /// The duty of a client.
    pub should: &'static str,
    /// The section of `docs/protocol.md` that says so.
    pub section: &'static str,
    /// The client's moves in each of its games; `None` for all moves to the end.
    moves: Option<u32>,
    /// The departure from the usual conduct.
    twist: Twist,
    /// The first positions of its games.
    positions: Vec<&'static str>,
}

/// The situations, separated by empty lines. The first line of each holds its name, the client's moves in each game (a number or `all`),
/// its [`Twist`], the section of `docs/protocol.md` and the client's duty; the remaining lines hold the first positions of its games. The
/// client has the side to move except in [`Twist::Second`]. Situations come first in which failure implies failure in all others.
const SITUATIONS: &str = include_str!("situations.txt");

/// The settings of all situations.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckSettings {
    /// Time for a move, unless the client's options set another.
    pub move_time: Duration,
    /// The length of a pause, and of the wait for the other player.
    pub pause: Duration,
    /// How long the client may take to join.
    pub join_patience: Duration,
    /// How long it may take to exit after a game.
    pub exit_patience: Duration,
    /// Decides the other player's moves.
    pub seed: u64,
    /// The directory for the dialogues.
    pub protocol_log: Option<PathBuf>,
}

/// How a client behaved in a situation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The situation's name.
    pub situation: &'static str,
    /// True if there were no faults.
    pub passed: bool,
    /// The client's moves.
    pub moves: Vec<String>,
    /// The time of its slowest move.
    pub slowest_ms: u64,
    /// The client's duty.
    pub should: &'static str,
    /// The section of the protocol that says so.
    pub see: String,
    /// Its faults, at most one a position.
    pub faults: Vec<Fault>,
    /// False if it did not join a game.
    #[serde(skip)]
    pub joined: bool,
}

/// A fault of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The game's first position.
    pub position: String,
    /// The client's side.
    pub side: String,
    /// The fault as a predicate.
    pub did: String,
    /// The end of what it has written to its standard output and standard error.
    pub output: String,
}

/// The time after its last move, and after the end, in which a client must stay silent is the time for its exit divided by this.
const MOMENTS: u32 = 50;

/// The beginning of a name that only an XML parser reads correctly.
const NAME: &str = "<\"Wabe\" & 'Söhne'>\n\u{1f41d} 蜂の巣 </state>";

/// Most characters of a client's output that are shown.
const LAST_WORDS: usize = 600;

impl Situation {
    /// All situations.
    pub fn all() -> Vec<Situation> {
        SITUATIONS
            .split("\n\n")
            .filter_map(Situation::read)
            .collect()
    }

    fn read(text: &'static str) -> Option<Situation> {
        let mut lines = text.lines();
        let mut cells = lines.next()?.split(" | ");
        let (name, moves, twist) = (cells.next()?, cells.next()?, cells.next()?);
        let twist: StrDeserializer<'_, serde::de::value::Error> = twist.into_deserializer();
        Some(Situation {
            name,
            moves: moves.parse().ok(),
            twist: Twist::deserialize(twist).ok()?,
            section: cells.next()?,
            should: cells.next()?,
            positions: lines.collect(),
        })
    }

    /// Plays a client through the situation; `None` if it was stopped.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn check(
        &self,
        client: &EngineSpec,
        settings: &CheckSettings,
        stop: &AtomicBool,
    ) -> Result<Option<Verdict>, GameError> {
        let mut verdict = Verdict {
            situation: self.name,
            passed: true,
            moves: Vec::new(),
            slowest_ms: 0,
            should: self.should,
            see: format!("docs/protocol.md#{}", self.section),
            faults: Vec::new(),
            joined: true,
        };
        for (number, text) in (1..).zip(&self.positions) {
            let position = text.parse::<Position>();
            let position = position.map_err(|error| {
                GameError::unusable("random", &format!("cannot play {text}: {error}"))
            })?;
            let color = match self.twist {
                Twist::Second => position.side_to_move().opponent(),
                _ => position.side_to_move(),
            };
            let told = settings.move_time.mul_f64(0.9).as_millis().max(1) as u64;
            let margin = settings
                .move_time
                .saturating_sub(Duration::from_millis(told));
            let engines = ByColor {
                red: self.engine(client, told, color == Color::Red)?,
                blue: self.engine(client, told, color == Color::Blue)?,
            };
            let plies = self.moves.map(|moves| 2 * moves - 1);
            let log = settings.protocol_log.as_ref();
            let game_settings = GameSettings {
                margin,
                seed: settings.seed,
                programs: ProgramSettings {
                    join_patience: settings.join_patience,
                    exit_patience: settings.exit_patience,
                    protocol_log: log.map(|log| log.join(format!("{}-{number}", self.name))),
                    conduct: Conduct {
                        twist: self.twist,
                        pause: settings.pause,
                        moment: settings.exit_patience / MOMENTS,
                        exits: self.is_about_the_end(),
                    },
                    ..ProgramSettings::default()
                },
                ..GameSettings::default()
            };
            let opening: Record<Contest> = position.into();
            let played = play_one(&engines, &opening, plies, &game_settings, stop, |ply| {
                if ply.record.position().side_to_move() != color {
                    let took = u64::try_from(ply.took.as_millis()).unwrap_or(u64::MAX);
                    verdict.slowest_ms = verdict.slowest_ms.max(took);
                    verdict
                        .moves
                        .extend(ply.record.plies().last().map(|ply| ply.text.clone()));
                }
            })?;
            // A client's behaviour at the end of a stopped run proves nothing.
            let Some(played) = played.filter(|_| !stop.load(Ordering::Relaxed)) else {
                return Ok(None);
            };
            verdict.joined &= played.has_begun;
            if let Some(did) = self.fault(color, &played, settings.exit_patience) {
                verdict.passed = false;
                verdict.faults.push(Fault {
                    position: (*text).to_owned(),
                    side: color.to_string(),
                    did,
                    output: printable_end(&played.outputs[color], LAST_WORDS),
                });
            }
        }
        Ok(Some(verdict))
    }

    /// True if the client has to exit by itself. Most situations end in the middle of a game.
    fn is_about_the_end(&self) -> bool {
        use Twist::{Cancelled, LeftOpen, Lost, Refused};
        self.moves.is_none() || matches!(self.twist, Cancelled | LeftOpen | Lost | Refused)
    }

    /// The client, or the player against it.
    fn engine(
        &self,
        client: &EngineSpec,
        move_time: u64,
        is_client: bool,
    ) -> Result<EngineSpec, GameError> {
        let unusable = |error: EngineError| GameError::unusable("client", &error.to_string());
        let mut engine = match is_client {
            true => client.clone(),
            false => "random".parse().map_err(unusable)?,
        };
        if self.twist == Twist::Names {
            engine.name = format!("{NAME}{}", "ü".repeat(2_000));
        }
        if let EnginePlayer::Program(program) = &mut engine.player {
            program.set_default("time", move_time).map_err(unusable)?;
        }
        Ok(engine)
    }

    /// The client's fault, if there is one.
    fn fault(&self, color: Color, played: &PlayedGame, exit_patience: Duration) -> Option<String> {
        let record = &played.record;
        let is_ours = record.result.winner() == Some(color.opponent());
        match (
            record.end.fault().filter(|_| is_ours),
            record.detail.as_str(),
        ) {
            (None, _) => {
                let patience = exit_patience.as_secs_f64();
                let has_stayed = played.killed[color] && self.is_about_the_end();
                has_stayed.then(|| format!("did not exit within {patience} s of the end"))
            }
            (Some(fault), "") => Some(fault.to_owned()),
            (_, detail) if record.end == GameEnd::NeverJoined => Some(detail.to_owned()),
            (Some(fault), detail) => Some(format!("{fault}: {detail}")),
        }
    }
}
