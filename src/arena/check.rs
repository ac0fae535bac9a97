//! Situations of a contest game, each with what a client should do in it.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;

use super::conduct::{Conduct, Course, Delivery};
use super::engine::{EnginePlayer, EngineSpec};
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// A word for it.
    pub name: &'static str,
    /// What a client should do.
    pub should: &'static str,
    /// The section of `docs/protocol.md` that says so.
    pub section: &'static str,
    /// The first positions of its games. The client has the side to move.
    positions: &'static [&'static str],
    /// The client's moves in each; `None` for all moves of the game.
    moves: Option<u32>,
    /// The client begins second.
    waits: bool,
    way: Way,
}

/// What is unusual about a situation besides its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Usual,
    Pieces,
    Together,
    Unknown,
    Names,
    Open,
    Late,
    Paused,
    Cancelled,
    Lost,
    Refused,
    Memory,
}

/// The settings of all situations.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckSettings {
    /// Time for a move. A program may be told another one.
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
    /// True without faults.
    pub passed: bool,
    /// The client's moves.
    pub moves: Vec<String>,
    /// The time of its slowest move.
    pub slowest_ms: u64,
    /// What it should have done.
    pub should: &'static str,
    /// Where the protocol says so.
    pub see: String,
    /// What it did instead, at most once a position.
    pub faults: Vec<Fault>,
    /// False if it did not join a game.
    #[serde(skip)]
    pub joined: bool,
}

/// What a client did wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The game's first position.
    pub position: String,
    /// The client's side.
    pub side: String,
    /// The fault.
    pub did: String,
    /// The end of what it has written to its standard output and standard error.
    pub output: String,
}

/// Memory of a client's virtual machine in the contest, in MiB.
const MEMORY_MIB: u64 = 1536;

/// The longest file that a client may write, its output included, in MiB: an endless output must not fill the disk.
const FILE_MIB: u64 = 256;

/// The beginning of a name that only a parser of XML reads well.
const NAME: &str = "<\"Wabe\" & 'Söhne'>\n\u{1f41d} 蜂の巣 </state>";

/// Most characters of a client's output that are shown.
const LAST_WORDS: usize = 600;

/// A situation with the client to move in each position, and one move.
const fn at(
    name: &'static str,
    should: &'static str,
    section: &'static str,
    positions: &'static [&'static str],
) -> Situation {
    Situation {
        name,
        should,
        section,
        positions,
        moves: Some(1),
        waits: false,
        way: Way::Usual,
    }
}

/// A situation with three moves from an ordinary position.
const fn under(
    name: &'static str,
    should: &'static str,
    section: &'static str,
    way: Way,
) -> Situation {
    Situation {
        moves: Some(3),
        way,
        ..at(name, should, section, &[MIDDLE])
    }
}

const START: &str = "0 -4,4;1,-3;3,1 - AAABBGGQSSS/AAABBGGQSSS";
const RULEBOOK: &str = "0 -4,0;3,1;5,0 - AAABBGGGQSS/AAABBGGGQSS";
const MIDDLE: &str = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS";
const BUSY: [&str; 2] = [
    "24 -3,-2;-2,-2;1,-3 -4,3:rG;-3,3:rB;-3,4:bA;-2,2:rS;-2,4:rA;-1,0:bQ;-1,2:rB;-1,3:rA;-1,4:rS;0,0:bG;0,1:bS;0,4:rQ;1,-1:rA;1,0:bA;1,1:bB;1,3:rS;2,0:bB;3,-2:bS;3,-1:bS;4,-2:bG;5,-2:bA G/-",
    "25 -3,-2;-2,-2;1,-3 -4,3:rG;-3,3:rB;-3,4:bA;-2,2:rS;-2,4:rA;-1,0:bQ;-1,2:rB;-1,3:rA;-1,4:rS;0,0:bG;0,1:bS;0,4:rQ;1,0:bA;1,1:bB;1,3:rS;2,0:bB;2,1:rA;3,-2:bS;3,-1:bS;4,-2:bG;5,-2:bA G/-",
];

/// All situations; those in which most clients that fail would fail come first.
const SITUATIONS: &[Situation] = &[
    at(
        "first",
        "places any piece on any free field",
        "moves",
        &[START],
    ),
    at(
        "second",
        "places any piece next to red's",
        "moves",
        &[
            "1 -4,4;1,-3;3,1 0,0:rA AABBGGQSSS/AAABBGGQSSS",
            "1 4,-5;4,-4;-2,3 5,-5:rG AAABBGQSSS/AAABBGGQSSS",
        ],
    ),
    at(
        "bee-due",
        "places its bee, the only move in the fourth round without it",
        "moves",
        &[
            "6 -1,-4;1,-5;1,-4 -5,0:rA;-5,1:rS;-4,-1:rS;-3,-1:bG;-3,0:bQ;-3,1:bA AABBGGQS/AABBGSSS",
            "7 -4,2;2,-5;5,-2 0,-5:bB;1,-5:bB;1,-4:rQ;2,-4:rG AAABBGSSS/AAAGGQSSS",
        ],
    ),
    at(
        "bee-stuck",
        "skips: its bee is due and no field is left for it",
        "moves",
        &[
            "6 -4,-1;-1,-2;2,3 -5,0:rG;-5,1:rG;-4,1:bB;-3,0:bG;-2,0:bB AAABBQSSS/AAAGQSSS",
            "7 -3,5;-1,-4;-1,0 -5,0:bB;-5,2:rQ;-4,0:rG;-4,1:rA;-3,1:rG AABBSSS/AAABGGQSSS",
        ],
    ),
    at(
        "skip",
        "skips where nothing can be placed or moved",
        "moves",
        &[
            "24 -2,5;2,0;2,1 -5,2:bA;-4,0:bQ;-4,1:rQbB;-3,-1:bG;-3,0:bA;-3,1:bB AAABBGGSSS/AGSSS",
            "11 -3,1;0,-3;2,-3 -1,0:rS;-1,1:rQ;0,1:bQ;0,2:rA;1,0:rS AABBGGS/AAABBGGSSS",
        ],
    ),
    at(
        "stacks",
        "moves top pieces only; the last piece of a field is the top one",
        "fields",
        &[
            "16 -3,5;-2,5;-1,3 -3,4:bB;-2,4:bS;-1,4:bS;0,4:bQ;1,3:rArBbB;1,4:rQ AABGGSSS/AAAGGS",
            "21 -5,0;0,0;3,2 -4,4:bQbBbB;-4,5:bG;-3,3:rQ;-3,5:rA;-2,5:rSrB;-1,3:rG;-1,4:rA;0,3:rB AGSS/AAAGSSS",
            "49 -4,-1;-3,-1;-1,0 -3,-2:bS;-2,-3:bQ;-2,-1:bS;-2,0:bA;-1,-3:rG;-1,-2:bB;0,-4:bA;0,-3:rQ;0,-1:rA;1,-3:rA;1,-2:bGrB;1,-1:bA;2,-4:bS;2,-3:rS;2,-1:bG;3,-4:rG;3,-2:rS;4,-5:rA;5,-5:rSbBrB -/-",
        ],
    ),
    at(
        "brambles",
        "keeps off brambles (isObstructed=\"true\"), also beside its bee",
        "fields",
        &[
            "33 -2,4;0,3;3,-2 -4,1:rA;-4,3:rA;-4,4:bB;-3,1:bS;-3,4:bS;-2,1:bA;-2,3:bB;-2,5:bS;-1,1:rG;-1,3:bG;-1,4:bQ;0,1:rG;0,2:rB;0,4:bG;1,0:rS;1,3:bA;2,0:rB;2,1:rQ;3,0:rS;4,0:bA;5,-1:rA S/-",
            "26 -1,4;1,0;3,0 -5,5:bB;-4,3:bS;-4,4:bG;-4,5:bQ;-3,4:bS;-2,1:bA;-2,2:rB;-2,4:bB;-2,5:bG;-1,2:rG;-1,3:rA;0,-3:rS;0,-2:rS;0,0:rA;0,1:rQ;1,-2:rG;1,-1:rB;1,1:rA;2,1:rS -/AAS",
            "57 -1,-1;2,-2;2,1 -2,0:bS;-1,0:bS;0,-4:bG;0,-3:bB;0,-2:bQ;0,-1:bA;1,-2:bA;2,-4:bG;2,-3:bB;3,-5:rG;3,-3:rS;3,-2:rS;3,-1:rB;4,-5:rA;4,-3:rB;4,-1:rS;5,-4:bS;5,-2:rQ;5,-1:rG;5,0:bA AA/-",
        ],
    ),
    at(
        "one-hive",
        "moves no piece that holds the hive together",
        "moves",
        &[
            "36 -2,4;-1,2;2,-4 -1,3:bA;-1,5:rG;0,-1:bS;0,0:bB;0,1:bB;0,3:bG;0,5:rG;1,0:rQ;1,1:rS;1,2:bS;1,3:bG;1,4:rA;2,-1:bS;2,0:bA;2,3:bQ AABBSS/A",
            "35 -4,5;0,-4;3,-2 0,-3:rB;1,-5:bS;1,-4:bG;1,-3:bQ;2,-5:rG;2,-3:rA;3,-4:rQ;3,-3:bS;4,-5:bG;4,-3:bB;5,-5:rA;5,-3:rG ABSSS/AAABS",
        ],
    ),
    at(
        "deal-server",
        "places only what is undeployed: here its third spider",
        "reserves",
        &[
            "37 -1,-1;2,-2;2,1 -1,-3:bS;0,-4:bG;0,-3:bB;0,-2:bQ;0,-1:bA;0,0:bS;1,-2:bA;2,-4:bG;2,-3:bB;3,-3:rS;3,-2:rS;3,-1:rG;4,-3:rB;4,-2:rQ;4,-1:rSrB;4,0:bA;5,-3:rG AAA/S",
        ],
    ),
    at(
        "deal-rulebook",
        "places only what is undeployed: here its third grasshopper",
        "reserves",
        &[
            "37 -1,-1;2,-2;2,1 -1,-3:bS;0,-4:bG;0,-3:bB;0,-2:bQ;0,-1:bA;0,0:bS;1,-2:bA;2,-4:bG;2,-3:bB;3,-3:rG;3,-2:rS;3,-1:rG;4,-3:rB;4,-2:rQ;4,-1:rSrB;4,0:bA;5,-3:rG AAA/G",
            "44 -3,5;0,3;5,0 -5,0:rS;-4,-1:rA;-3,-1:rB;-2,-1:rS;-1,-2:rG;0,-4:bQ;0,-3:rB;0,-1:bG;0,0:bS;0,1:bB;1,-3:bA;1,-2:bA;1,0:rA;2,-4:rA;2,0:rG;3,-5:bG;4,-5:rQ;4,-4:bA G/BGS",
        ],
    ),
    Situation {
        moves: None,
        ..at(
            "last-round",
            "plays its last move, hears the result and exits",
            "the-end",
            &[
                "58 -5,4;-3,-1;3,-2 -1,0:rS;0,-1:bA;0,0:rA;1,-4:rS;1,-2:rQ;1,0:bA;2,-5:rB;2,-2:rA;3,-5:rB;3,-4:rG;3,-3:bA;3,0:bB;3,1:bS;4,-5:rG;4,-2:bQ;4,-1:rAbB;5,-5:rS;5,-4:bS;5,-3:bS -/GG",
                "59 -5,2;-2,5;5,-4 -3,-1:rS;-2,-2:rA;-1,-4:rA;-1,-3:bA;-1,-2:rA;0,-5:rG;1,-5:rB;2,-5:rS;2,-4:rGrB;2,0:bG;2,1:bQ;3,-5:rS;3,-4:bB;3,1:bA;3,2:bG;4,-4:bB;4,-3:bS;4,-2:bS;4,-1:bA;4,0:bS;5,-5:rQ -/-",
            ],
        )
    },
    under(
        "pieces",
        "understands messages that come a few bytes at a time",
        "the-stream",
        Way::Pieces,
    ),
    under(
        "together",
        "understands many messages that come at once",
        "the-stream",
        Way::Together,
    ),
    under(
        "unknown",
        "ignores elements and attributes that it does not know",
        "the-stream",
        Way::Unknown,
    ),
    under(
        "names",
        "reads names that are long, escaped, and not English",
        "names",
        Way::Names,
    ),
    Situation {
        moves: Some(1),
        ..under(
            "open",
            "joins any game when it is started without a reservation",
            "joining",
            Way::Open,
        )
    },
    under(
        "late",
        "waits while the other player is not there yet",
        "joining",
        Way::Late,
    ),
    under(
        "pause",
        "waits while the game is paused",
        "a-pause",
        Way::Paused,
    ),
    under(
        "cancelled",
        "exits by itself when the room closes without a result",
        "the-end",
        Way::Cancelled,
    ),
    under(
        "lost",
        "exits by itself when the connection is lost",
        "the-end",
        Way::Lost,
    ),
    under(
        "refused",
        "exits by itself when the server turns it away",
        "the-end",
        Way::Refused,
    ),
    Situation {
        moves: Some(2),
        ..at(
            "time",
            "answers each request in time, however many moves there are",
            "time",
            &BUSY,
        )
    },
    Situation {
        way: Way::Memory,
        moves: Some(2),
        ..at(
            "memory",
            "plays within 1.5 GB of memory (on Linux)",
            "time",
            &BUSY,
        )
    },
    Situation {
        moves: None,
        ..at(
            "game-red",
            "plays a game to its end, hears the result and exits",
            "the-end",
            &[START],
        )
    },
    Situation {
        moves: None,
        waits: true,
        ..at(
            "game-blue",
            "plays a game to its end, hears the result and exits",
            "the-end",
            &[RULEBOOK],
        )
    },
];

impl Situation {
    /// All situations.
    pub fn all() -> &'static [Situation] {
        SITUATIONS
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
        for (number, text) in (1..).zip(self.positions) {
            let position = text.parse::<Position>();
            let position = position.map_err(|error| {
                GameError::unusable("random", &format!("cannot play {text}: {error}"))
            })?;
            let color = match (position.side_to_move(), self.waits) {
                (side, false) => side,
                (side, true) => side.opponent(),
            };
            let (told, margin) = (settings.move_time * 9 / 10, settings.move_time / 10);
            let engines = ByColor {
                red: self.engine(client, told, color == Color::Red)?,
                blue: self.engine(client, told, color == Color::Blue)?,
            };
            let before = verdict.moves.len();
            let plies = self.moves.map(|moves| 2 * moves - u32::from(!self.waits));
            let log = settings.protocol_log.as_ref();
            let settings = GameSettings {
                margin,
                seed: settings.seed,
                programs: ProgramSettings {
                    join_patience: settings.join_patience,
                    exit_patience: match self.is_about_the_end() {
                        true => settings.exit_patience,
                        false => Duration::ZERO,
                    },
                    protocol_log: log.map(|log| log.join(format!("{}-{number}", self.name))),
                    conduct: self.conduct(settings.pause),
                    ..ProgramSettings::default()
                },
                ..GameSettings::default()
            };
            let opening: Record<Contest> = position.into();
            let played = play_one(&engines, &opening, plies, &settings, stop, |ply| {
                if ply.record.position().side_to_move() != color {
                    let took = u64::try_from(ply.took.as_millis()).unwrap_or(u64::MAX);
                    verdict.slowest_ms = verdict.slowest_ms.max(took);
                    verdict
                        .moves
                        .extend(ply.record.plies().last().map(|ply| ply.text.clone()));
                }
            })?;
            let Some(played) = played else {
                return Ok(None);
            };
            verdict.joined &= played.has_begun;
            let has_moved = verdict.moves.len() > before;
            if let Some(did) = self.fault(color, has_moved, &played, &settings.programs) {
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
        let is_broken_off = matches!(self.way, Way::Cancelled | Way::Lost | Way::Refused);
        self.moves.is_none() || is_broken_off
    }

    fn conduct(&self, pause: Duration) -> Conduct {
        let usual = Conduct::default();
        let course = |course| Conduct { course, ..usual };
        match self.way {
            Way::Usual | Way::Names | Way::Memory | Way::Cancelled => usual,
            Way::Pieces => Conduct {
                delivery: Delivery::Pieces,
                ..usual
            },
            Way::Together => Conduct {
                delivery: Delivery::Together,
                ..usual
            },
            Way::Unknown => Conduct {
                has_unknown: true,
                ..usual
            },
            Way::Open => Conduct {
                is_open: true,
                ..usual
            },
            Way::Late => course(Course::Late(pause)),
            Way::Paused => course(Course::Paused(pause)),
            Way::Lost => course(Course::Lost),
            Way::Refused => course(Course::Refused),
        }
    }

    /// The client, or the player against it.
    fn engine(
        &self,
        client: &EngineSpec,
        move_time: Duration,
        is_client: bool,
    ) -> Result<EngineSpec, GameError> {
        let mut engine = match is_client {
            true => client.clone(),
            false => "random"
                .parse::<EngineSpec>()
                .map_err(|error| GameError::unusable("random", &error.to_string()))?,
        };
        if self.way == Way::Names {
            engine.name = format!("{NAME}{}", "ü".repeat(2_000));
        }
        if let EnginePlayer::Program(program) = &mut engine.player {
            program.move_time.get_or_insert(move_time);
            // There are no such limits on other systems.
            if cfg!(target_os = "linux") {
                let limits = &mut program.limits;
                limits.file_mib.get_or_insert(FILE_MIB);
                if self.way == Way::Memory {
                    limits.memory_mib.get_or_insert(MEMORY_MIB);
                }
            }
        }
        Ok(engine)
    }

    /// What the client did wrong, if anything.
    fn fault(
        &self,
        color: Color,
        has_moved: bool,
        played: &PlayedGame,
        programs: &ProgramSettings,
    ) -> Option<String> {
        let PlayedGame { record, detail, .. } = played;
        let patience = programs.exit_patience.as_secs_f64();
        let fault = match (self.way, record.end) {
            (Way::Lost, GameEnd::Crash) if has_moved => None,
            (Way::Refused, GameEnd::Crash) => None,
            (Way::Refused, _) => Some("was still there when it should have exited".to_owned()),
            (_, end) => end.fault().map(|fault| match (end, detail.as_str()) {
                (GameEnd::NeverJoined, detail) if !detail.is_empty() => detail.to_owned(),
                (_, "") => fault.to_owned(),
                (_, detail) => format!("{fault}: {detail}"),
            }),
        };
        let is_ours = record.result.winner() == Some(color.opponent());
        let fault = fault.filter(|_| is_ours);
        fault.or_else(|| {
            let has_stayed = played.killed[color] && self.is_about_the_end();
            has_stayed.then(|| format!("did not exit within {patience} s of the end"))
        })
    }
}
