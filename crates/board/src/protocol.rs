//! The messages between page and engine, as JSON. They do not depend on the transport.
//!
//! The page sends a [`Request`], and the engine answers with one or more [`Reply`]s that carry its
//! `id`. The engine knows the rules. It does not remember the game, so every request about a
//! position contains the whole game as a [`GameLine`]. Between requests it keeps only search trees,
//! running programs and subscriptions. All games use the same format of fields, stacks, reserves
//! and moves.
//!
//! Scores are expected scores of side 0, which moves first: 0 is a loss, 1 a win. Times are in
//! milliseconds. The sides are 0 and 1.

mod library;
mod position;
pub(super) mod problem;

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

pub use library::{Draft, LibraryEntry, SaveResult, Summary};
pub use position::{
    EndingView, Findings, IdleView, LastMove, LineView, Mark, MoveView, ReviewedMove, ValueView,
    View,
};
pub use problem::Problem;
pub use wabe_records::{Glyph, Variation};

/// Version of the message format. A page with another version must be reloaded.
pub const VERSION: u32 = 3;

/// Name and version of the engine.
pub const ENGINE: &str = concat!("wabe ", env!("CARGO_PKG_VERSION"));

/// Maximum length of a request, in bytes. Fits a file of 16 MiB in Base64.
pub const MAX_REQUEST_BYTES: usize = 24 << 20;

/// Maximum length of an export request, in bytes, including comments and variations.
const MAX_EXPORT_BYTES: usize = 2 << 20;

/// Maximum length of other requests, in bytes. Fits a game of [`MAX_GAME_PLIES`] plies.
const MAX_OTHER_BYTES: usize = 256 << 10;

/// Maximum number of plies of a game.
pub const MAX_GAME_PLIES: usize = 4_000;

/// A [`Request`] with its id.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RequestMessage {
    /// Repeated in all answers. Optional for `hello` and `stop`.
    pub id: Option<u32>,
    /// The fields of the message besides `id`.
    #[serde(flatten)]
    pub request: Request,
}

impl RequestMessage {
    /// Parses a request.
    ///
    /// # Errors
    /// The answer, when the JSON is too long, is not a request, or lacks an id that the
    /// request needs.
    pub fn from_json(json: &str) -> Result<RequestMessage, Box<ReplyMessage>> {
        let invalid = |id, detail: &dyn fmt::Display| {
            Box::new(ReplyMessage::problem(id, Problem::invalid_request(detail)))
        };
        let RequestHead { id, ask } =
            serde_json::from_str(json).map_err(|error| invalid(None, &error))?;
        let describe = |error: serde_json::Error| invalid(id, &error);
        let limit = match &*ask {
            "open" | "save" => MAX_REQUEST_BYTES,
            "export" => MAX_EXPORT_BYTES,
            _ => MAX_OTHER_BYTES,
        };
        if json.len() > limit {
            let problem = Problem::MessageTooLong {
                max_kib: limit >> 10,
            };
            return Err(Box::new(ReplyMessage::problem(id, problem)));
        }
        let message = match &*ask {
            "open" => {
                let OpenRequest { id, source, .. } =
                    serde_json::from_str(json).map_err(describe)?;
                let request = Request::Open { source };
                RequestMessage { id, request }
            }
            "save" => {
                let SavingRequest { id, drafts, .. } =
                    serde_json::from_str(json).map_err(describe)?;
                let request = Request::Save { drafts };
                RequestMessage { id, request }
            }
            _ => serde_json::from_str(json).map_err(describe)?,
        };
        match message.request {
            Request::Hello { .. } | Request::Stop {} => Ok(message),
            _ if message.id.is_some() => Ok(message),
            _ => Err(invalid(None, &"missing field `id`")),
        }
    }
}

/// The fields that are needed to reject a request.
#[derive(Deserialize)]
struct RequestHead {
    id: Option<u32>,
    #[serde(default)]
    ask: String,
}

/// [`Request::Open`], parsed directly. Parsing a [`Request`] buffers the message as a tree of
/// values, which takes up to sixty times the size of the text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    id: Option<u32>,
    #[serde(rename = "ask")]
    _ask: IgnoredAny,
    source: Source,
}

/// [`Request::Save`], parsed directly for the same reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavingRequest {
    id: Option<u32>,
    #[serde(rename = "ask")]
    _ask: IgnoredAny,
    drafts: Vec<Draft>,
}

/// A [`Reply`] with the id of its request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplyMessage {
    /// The request's id; `None` if the input was not a request.
    pub id: Option<u32>,
    /// The fields of the message besides `id`.
    #[serde(flatten)]
    pub reply: Reply,
}

impl ReplyMessage {
    /// The answer to a request that failed.
    pub fn problem(id: Option<u32>, problem: Problem) -> ReplyMessage {
        let reply = Reply::Problem { problem };
        ReplyMessage { id, reply }
    }
}

/// A request from a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The first message. Answered by [`Reply::Welcome`].
    Hello {
        /// The page's [`VERSION`].
        version: u32,
    },
    /// Sets up a new game, at random in the contest. Answered by [`Reply::Opened`].
    New {
        /// The game's name, see [`GameInfo::word`].
        game: String,
        /// Seed of the random setup.
        seed: Option<u64>,
    },
    /// Reads recorded games, positions or game strings in any known format. Answered by
    /// [`Reply::Opened`].
    Open {
        /// A pasted text, a file or a game.
        source: Source,
    },
    /// Shows the last position of a game. Answered by [`Reply::Shown`].
    Show {
        /// The game up to the position.
        line: GameLine,
    },
    /// Checks a position from the editor. Answered by [`Reply::Opened`] or, if it is invalid, by
    /// [`Reply::Problem`].
    Edit {
        /// The game's name, see [`GameInfo::word`].
        game: String,
        /// Pieces, obstacles and reserves.
        setup: BoardSetup,
    },
    /// Searches the last position of a game. Ends a running search or review. Answered by
    /// [`Reply::Progress`] while running and [`Reply::Found`] at the end.
    Search(SearchRequest),
    /// Requests a move from a contest client or UHP engine. Its process keeps running for further
    /// moves of that side, until the page is closed. Answered by [`Reply::Found`] or
    /// [`Reply::Problem`].
    Consult(ConsultRequest),
    /// Ends the running search, review or program's move, which still sends its final answer.
    Stop {},
    /// Searches every position of a game. Answered by [`Reply::Reviewing`] while running and
    /// [`Reply::Reviewed`] at the end.
    Review(ReviewRequest),
    /// Subscribes to the list of live games. Answered by [`Reply::Live`], now and after every
    /// change.
    Watch {},
    /// Subscribes to a live game instead of the previous one. Answered by [`Reply::Following`], now
    /// and after every change.
    Follow {
        /// The game's number, see [`LiveInfo::number`]; `None` to unsubscribe.
        number: Option<u64>,
    },
    /// Connects to a referee as an administrator and adds its games to the live games. Answered by
    /// [`Reply::Observing`] or [`Reply::Problem`].
    Observe(ObserveRequest),
    /// Writes a game as a file. Answered by [`Reply::Exported`].
    Export(ExportRequest),
    /// Requests keys of a game's first positions, for the opening explorer. Answered by
    /// [`Reply::Keys`].
    Keys {
        /// The game up to the position whose continuations are wanted.
        line: GameLine,
    },
    /// Lists the games of the library. Answered by [`Reply::Library`].
    Library {},
    /// Requests the keys of all games of the library. Answered by [`Reply::LibraryKeys`].
    LibraryKeys {},
    /// Reads an entry of the library. Answered by [`Reply::Entry`].
    Read {
        /// The entry's id.
        entry: String,
    },
    /// Saves entries in the library. Answered by [`Reply::Saved`].
    Save {
        /// The entries in the order in which they are saved.
        drafts: Vec<Draft>,
    },
    /// Moves entries of the library to its trash, or back. Answered by [`Reply::Removed`].
    Remove {
        /// Ids of the entries.
        entries: Vec<String>,
        /// True to put them back.
        #[serde(default)]
        back: bool,
    },
}

impl Request {
    /// True if the library answers it.
    pub(super) fn is_for_library(&self) -> bool {
        use Request::{Library, LibraryKeys, Read, Remove, Save};
        matches!(
            self,
            Library {} | LibraryKeys {} | Read { .. } | Save { .. } | Remove { .. }
        )
    }
}

/// The fields of [`Request::Search`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The game up to the position.
    pub line: GameLine,
    /// Limits, threads and memory.
    pub effort: Effort,
    /// Searches the position with the other side to move.
    #[serde(default)]
    pub threat: bool,
    /// Moves that an analysis leaves out.
    #[serde(default)]
    pub without: Vec<String>,
}

/// The fields of [`Request::Review`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The whole game.
    pub line: GameLine,
    /// Number of plies to skip at the beginning.
    #[serde(default)]
    pub from: usize,
    /// Iterations per position.
    pub nodes: u64,
}

/// The fields of [`Request::Consult`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsultRequest {
    /// The game up to the position.
    pub line: GameLine,
    /// A command line, or an engine in the arena's syntax: `uhp:'nokamute uhp'`.
    pub program: String,
    /// Time limit for the move, in milliseconds.
    pub time_ms: u64,
}

/// The fields of [`Request::Observe`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObserveRequest {
    /// Host and port: `localhost:13050`.
    pub address: String,
    /// The administrator password.
    pub password: String,
    /// Id of the room; `None` for all new rooms.
    pub room: Option<String>,
}

/// The fields of [`Request::Export`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The main line.
    pub line: GameLine,
    /// The format, one of [`GameInfo::forms`].
    pub form: String,
    /// Names of the players; empty if unknown.
    #[serde(default)]
    pub names: [String; 2],
    /// Further PGN tags, as name and value.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// A result that does not follow from the moves.
    #[serde(default)]
    pub result: Option<WireResult>,
    /// Comments by ply; 0 is the start position.
    #[serde(default)]
    pub remarks: Vec<(usize, String)>,
    /// Annotation symbols by ply, from 1.
    #[serde(default)]
    pub glyphs: Vec<(usize, Glyph)>,
    /// Variations. Formats that do not support them leave them out.
    #[serde(default)]
    pub variations: Vec<Variation>,
    /// The review to embed in a page.
    #[serde(default)]
    pub reviewed: Option<Vec<ReviewedMove>>,
}

/// A result decided by the players or stated in a recording.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireResult {
    /// The winning side; `None` for a draw.
    pub winner: Option<u8>,
    /// A reason of an [`EndingView`], or any text.
    pub reason: String,
}

/// The input of [`Request::Open`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// A pasted text.
    Text(String),
    /// A file in Base64.
    Base64(String),
    /// A game, to normalize the notation of its moves.
    Line(GameLine),
}

/// A game up to a position: its start position and moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// The game's name: `contest`, `Base+MLP`.
    pub game: String,
    /// The start position as text; `None` for the default.
    #[serde(default)]
    pub start: Option<String>,
    /// The moves in the game's notation, at most [`MAX_GAME_PLIES`].
    #[serde(deserialize_with = "moves")]
    pub moves: Vec<String>,
}

/// Deserializes the moves of a game. Keeps only one more than [`MAX_GAME_PLIES`], because 24 MiB
/// could contain millions.
fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Moves;
    impl<'de> Visitor<'de> for Moves {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("moves")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
            let mut moves = Vec::new();
            while let Some(mv) = list.next_element()? {
                if moves.len() <= MAX_GAME_PLIES {
                    moves.push(mv);
                }
            }
            Ok(moves)
        }
    }
    deserializer.deserialize_seq(Moves)
}

/// Limits and resources of a search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Effort {
    /// Time limit in milliseconds; `None` for no limit.
    pub time_ms: Option<u64>,
    /// Maximum number of iterations; `None` for no limit.
    pub nodes: Option<u64>,
    /// The level, from 1 for the weakest to the length of [`Welcome::levels`]; `None` for full
    /// strength.
    pub level: Option<u64>,
    /// Number of lines to report; 0 to report only the move.
    pub lines: usize,
    /// Number of threads; 0 counts as 1.
    pub threads: usize,
    /// Memory in MiB; 0 for the default.
    pub memory_mib: usize,
}

/// A position from the editor, possibly invalid.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardSetup {
    /// Number of plies played. Side 0 moves if it is even.
    pub turn: u16,
    /// Fields with obstacles.
    pub obstacles: Vec<[i8; 2]>,
    /// Fields with pieces.
    pub stacks: Vec<SetupStack>,
    /// The reserve of each side, one letter per piece.
    pub reserves: [String; 2],
}

/// The pieces on a field of a [`BoardSetup`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupStack {
    /// The field as `[x, y]`.
    pub at: [i8; 2],
    /// Pieces from bottom to top, as side and letter of the kind: `[0, "A"]`.
    pub pieces: Vec<(u8, char)>,
}

/// An answer of the engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Reply {
    /// Answers [`Request::Hello`].
    Welcome(Welcome),
    /// Games that were read or created.
    Opened {
        /// At least one game.
        games: Vec<OpenedGame>,
    },
    /// A position to draw.
    Shown {
        /// The game as a text that [`Request::Open`] reads.
        record: String,
        /// The last position of the game.
        view: Box<View>,
    },
    /// A report of a running search.
    Progress {
        /// Intermediate results.
        findings: Findings,
        /// Memory of the search tree in use, in bytes.
        memory_bytes: usize,
    },
    /// The end of a search.
    Found {
        /// The chosen move; `None` if the search found none.
        #[serde(rename = "move")]
        mv: Option<String>,
        /// Final results.
        findings: Findings,
    },
    /// Progress of a running review.
    Reviewing {
        /// Number of searched positions.
        done: usize,
        /// Number of all positions.
        all: usize,
    },
    /// The end of a review.
    Reviewed {
        /// The reviewed moves; empty if the review was stopped.
        plies: Vec<ReviewedMove>,
    },
    /// The live games.
    #[cfg(feature = "server")]
    Live {
        /// Running and finished games, latest first.
        games: Vec<LiveInfo>,
        /// The standings of an arena run, if they have changed.
        standings: Option<Box<wabe_arena::Standings>>,
    },
    /// The current state of the followed game.
    Following {
        /// The game's number, see [`LiveInfo::number`].
        number: u64,
        /// All moves so far.
        game: Box<OpenedGame>,
        /// The players' evaluations: ply, from 1, and the mover's expected score as that of side 0.
        scores: Vec<(usize, f64)>,
        /// False once the game has ended.
        running: bool,
    },
    /// The connection to the referee is established.
    Observing,
    /// A file to download.
    Exported {
        /// A file name.
        name: String,
        /// The content of the file.
        text: String,
    },
    /// Answers [`Request::Keys`].
    Keys {
        /// The keys of the first positions. Positions that differ only by a symmetry have the same
        /// key.
        keys: Vec<String>,
        /// The legal moves of the last position, each with the key after it.
        moves: Vec<(String, String)>,
    },
    /// The games of the library.
    Library {
        /// In no particular order.
        entries: Vec<LibraryEntry>,
        /// Number of files that could not be read.
        unreadable: usize,
        /// Path of the folder, for display.
        folder: String,
    },
    /// The keys of all games of the library.
    LibraryKeys {
        /// Ids with the keys of the first positions.
        games: Vec<(String, Vec<String>)>,
    },
    /// An entry of the library.
    Entry {
        /// The revision; 0 for an unknown id.
        revision: u64,
        /// The row in the list; `None` for notes.
        summary: Option<Summary>,
        /// The page's state, as JSON; `None` for an unknown id.
        state: Option<String>,
    },
    /// Answers [`Request::Save`].
    Saved {
        /// One result per draft.
        results: Vec<SaveResult>,
    },
    /// Entries were moved to the trash, or back.
    Removed,
    /// The request failed.
    Problem {
        /// Why it failed. The page has a text for each.
        problem: Problem,
    },
}

/// Versions, games and limits of an engine, see [`Reply::Welcome`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Welcome {
    /// [`VERSION`].
    pub version: u32,
    /// [`ENGINE`].
    pub engine: String,
    /// All supported games.
    pub games: Vec<GameInfo>,
    /// Iterations per move of levels 1, 2 and so on; `None` for no limit.
    pub levels: Vec<Option<u64>>,
    /// Maximum number of threads of a search.
    pub threads: usize,
    /// Maximum memory of a search, in MiB.
    pub memory_mib: usize,
    /// True if [`Request::Consult`] is allowed.
    pub programs: bool,
    /// Games from the command line, to show first.
    pub first: Vec<OpenedGame>,
    /// A review or analysis file from the command line, in the page's own format.
    pub saved: Option<String>,
    /// True to open the page in watch mode.
    pub watch: bool,
    /// The name of the default game.
    pub game: String,
    /// True if the server has a library.
    pub library: bool,
}

/// A supported game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameInfo {
    /// Identifies the game in requests: `contest`, `Base+MLP`.
    pub word: String,
    /// Names of the sides: `red`, `blue`.
    pub sides: [&'static str; 2],
    /// True if the board has an edge, and with it coordinates.
    pub has_edge: bool,
    /// The pieces of each side.
    pub kinds: Vec<KindInfo>,
    /// The game's name for the queen: `bee` or `queen`.
    pub bee: &'static str,
    /// Export formats, which are also file extensions; `html` is an offline page.
    pub forms: Vec<&'static str>,
}

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindInfo {
    /// The letter in notations: `A`.
    pub letter: char,
    /// The English name: `ant`.
    pub name: &'static str,
    /// Number of pieces per side.
    pub count: u8,
}

/// A game that was read, created or watched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenedGame {
    /// The main line.
    pub line: GameLine,
    /// Names of the players; empty if unknown.
    pub names: [String; 2],
    /// Further PGN tags, as name and value.
    pub tags: Vec<(String, String)>,
    /// Comments by ply; 0 is the start position.
    pub remarks: Vec<(usize, String)>,
    /// Annotation symbols by ply, from 1.
    pub glyphs: Vec<(usize, Glyph)>,
    /// Alternatives to moves of the main line.
    pub variations: Vec<Variation>,
    /// Time taken for moves in milliseconds, by ply, from 1.
    pub times: Vec<(usize, u64)>,
    /// The ending, if it is known.
    pub result: Option<EndingView>,
    /// Damage in the recording, or the part missing of a very long game.
    pub damage: Option<Problem>,
}

/// A running or finished game in the list of live games.
#[cfg(feature = "server")]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveInfo {
    /// Identifies the game in [`Request::Follow`].
    pub number: u64,
    /// The game's name, see [`GameInfo::word`].
    pub game: String,
    /// The room of a referee; otherwise empty.
    pub room: String,
    /// In an arena run, number of the pair and of the game in it, both from 1.
    pub pair: Option<(u64, u64)>,
    /// Names of the players; empty if unknown.
    pub names: [String; 2],
    /// Number of plies so far.
    pub plies: usize,
    /// False once the game has ended.
    pub running: bool,
    /// The ending, if it is known.
    pub result: Option<EndingView>,
    /// In an arena run, why the game ended.
    pub end: Option<wabe_arena::GameEnd>,
}
