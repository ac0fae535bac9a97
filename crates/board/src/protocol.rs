//! The messages between page and engine, in JSON, independent of their transport.
//!
//! The page asks ([`Request`]), the engine answers ([`Reply`]). The engine knows the rules and
//! keeps nothing between requests but its searches: every request names the game that it is about
//! as a [`GameLine`]. An answer carries the request's `id`. All games look alike: fields, stacks,
//! reserves, moves with their fields.
//!
//! Scores are expected scores of the side that began (`sides[0]`): 0 is a loss, 1 a win. Times are
//! milliseconds. Sides are 0, which begins, and 1.

use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use wabe_records::diagram::{Diagram, Point};
pub use wabe_records::{Glyph, Variation};

/// The version of these messages. A page with another version has to be reloaded.
pub const VERSION: u32 = 1;

/// The engine's name and version.
pub const ENGINE: &str = concat!("wabe ", env!("CARGO_PKG_VERSION"));

/// Maximum length of a request in bytes: a file of 16 MiB in Base64.
pub const MAX_REQUEST: usize = 24 << 20;

/// Maximum length of a request to write a game, with its remarks and variations, in bytes.
const MAX_EXPORT: usize = 2 << 20;

/// Maximum length of another request in bytes: a game of [`MAX_MOVES`] takes less.
const MAX_OTHER: usize = 256 << 10;

/// Maximum number of plies of a game.
pub const MAX_MOVES: usize = 4_000;

/// A request of a page, with its number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Asked {
    /// The number that the answers carry; a hello and a stop need none.
    pub id: Option<u32>,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

impl Asked {
    /// Reads a request in JSON.
    ///
    /// # Errors
    /// Describes the fault.
    pub fn read(json: &str) -> Result<Asked, String> {
        let read = |error: serde_json::Error| error.to_string();
        let Head { ask } = serde_json::from_str(json).map_err(read)?;
        let limit = match &*ask {
            "open" => MAX_REQUEST,
            "export" => MAX_EXPORT,
            _ => MAX_OTHER,
        };
        if json.len() > limit {
            let length = json.len();
            return Err(format!("expected at most {limit} bytes, found {length}"));
        }
        let asked = if ask == "open" {
            let OpenRequest { id, source, .. } = serde_json::from_str(json).map_err(read)?;
            let request = Request::Open { source };
            Asked { id, request }
        } else {
            serde_json::from_str(json).map_err(read)?
        };
        match asked.request {
            Request::Hello { .. } | Request::Stop {} => Ok(asked),
            _ if asked.id.is_some() => Ok(asked),
            _ => Err("missing field `id`".to_owned()),
        }
    }
}

/// The field that decides how long a request may be.
#[derive(Deserialize)]
struct Head {
    ask: String,
}

/// A request to open a file, read straight into its own type: [`Request`] is read by way of a tree,
/// which takes up to sixty times the memory of the message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    id: Option<u32>,
    #[serde(rename = "ask")]
    _ask: IgnoredAny,
    source: Source,
}

/// An answer, with the number of its request; `None` if the input was not a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The request's number.
    pub id: Option<u32>,
    /// The answer.
    #[serde(flatten)]
    pub reply: Reply,
}

impl Answer {
    /// The answer to a request that has failed, with the reason in a sentence.
    pub fn problem(id: Option<u32>, message: String) -> Answer {
        let reply = Reply::Problem { message };
        Answer { id, reply }
    }
}

/// A request of a page, without its number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The first message; answered by [`Reply::Welcome`].
    Hello {
        /// The page's [`VERSION`].
        version: u32,
    },
    /// Starts a new game, with a random setup where the game has one; answered by [`Reply::Opened`]
    /// with its line.
    New {
        /// The game's word.
        game: String,
        /// The seed of the random setup.
        seed: Option<u64>,
    },
    /// Reads recorded games, positions or game strings of any known form; answered by
    /// [`Reply::Opened`].
    Open {
        /// The text, or the file in Base64.
        source: Source,
    },
    /// Shows the last position of a game; answered by [`Reply::Shown`].
    Show {
        /// The game.
        line: GameLine,
    },
    /// A position from the editor; answered by [`Reply::Opened`], or by [`Reply::Problem`] with its
    /// fault.
    Edit {
        /// The game's word.
        game: String,
        /// The position.
        setup: BoardSetup,
    },
    /// Searches the last position of a game: [`Reply::Progress`] while it runs, [`Reply::Found`] at
    /// its end. A search that still runs ends first.
    Search(SearchRequest),
    /// Has a program choose a move: a client of the contest by its command line, or a UHP engine.
    /// It stays for the next moves of its side, and ends with the page. Answered by
    /// [`Reply::Found`] or [`Reply::Problem`].
    Consult(ConsultRequest),
    /// Ends the running search, review or program's move at once; its last answer still comes.
    Stop {},
    /// Searches every position of a game: [`Reply::Reviewing`] while it runs, [`Reply::Reviewed`]
    /// at its end.
    Review(ReviewRequest),
    /// Asks for the games that are being played: [`Reply::Live`] now and after every change.
    Watch {},
    /// Follows one of these games in place of another one: [`Reply::Following`] now and after every
    /// change.
    Follow {
        /// The game's number; `None` to follow none.
        number: Option<u64>,
    },
    /// Watches games on a referee as its administrators do: they are among the live games from then
    /// on. Answered by [`Reply::Observing`] or [`Reply::Problem`].
    Observe(ObserveRequest),
    /// Writes a game as a file; answered by [`Reply::Exported`].
    Export(ExportRequest),
}

/// A search of the last position of a game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The game.
    pub line: GameLine,
    /// Its limits, threads and memory.
    pub effort: Effort,
    /// True to search the position with the other side to move.
    #[serde(default)]
    pub threat: bool,
}

/// A search of every position of a game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// The game.
    pub line: GameLine,
    /// Plies at its beginning that are not reviewed.
    #[serde(default)]
    pub from: usize,
    /// Iterations for each position.
    pub nodes: u64,
}

/// A program's turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsultRequest {
    /// The game.
    pub line: GameLine,
    /// The program's command line, or an engine in the arena's form: `uhp:'nokamute uhp'`.
    pub program: String,
    /// Time for the move.
    pub time_ms: u64,
}

/// A referee to watch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObserveRequest {
    /// Host and port: `localhost:13050`.
    pub address: String,
    /// The administrators' password.
    pub password: String,
    /// The room; `None` for every room that players open from now on.
    pub room: Option<String>,
}

/// A game to write as a file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The game.
    pub line: GameLine,
    /// One of the game's [`forms`](GameInfo::forms).
    pub form: String,
    /// The players.
    #[serde(default)]
    pub names: [String; 2],
    /// Further facts about the game, as name and value.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// The result, where the rules give none.
    #[serde(default)]
    pub result: Option<WireResult>,
    /// Remarks by ply, from 0, the first position.
    #[serde(default)]
    pub remarks: Vec<(usize, String)>,
    /// Judgements of moves by ply, from 1.
    #[serde(default)]
    pub glyphs: Vec<(usize, Glyph)>,
    /// Variations; a form that cannot hold them leaves them out.
    #[serde(default)]
    pub variations: Vec<Variation>,
    /// The game's review, for a page.
    #[serde(default)]
    pub reviewed: Option<Vec<ReviewedMove>>,
}

/// A result that the players decided, or a recording states.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireResult {
    /// The side that won, 0 or 1; `None` for a draw.
    pub winner: Option<u8>,
    /// The reason, in words.
    pub reason: String,
}

/// The input to read.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// A pasted text.
    Text(String),
    /// A file's bytes in Base64.
    Base64(String),
    /// A game, whose moves are written as the game writes them.
    Line(GameLine),
}

/// A game up to a position: its first position and the moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameLine {
    /// The game's word: `contest`, `Base+MLP`.
    pub game: String,
    /// The first position in its text form; `None` for the usual one.
    #[serde(default)]
    pub start: Option<String>,
    /// The moves as the game writes them, at most [`MAX_MOVES`].
    #[serde(deserialize_with = "moves")]
    pub moves: Vec<String>,
}

/// Reads the moves of a game, but keeps at most one more than the board shows: a request of 24 MiB
/// could hold millions.
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
                if moves.len() <= MAX_MOVES {
                    moves.push(mv);
                }
            }
            Ok(moves)
        }
    }
    deserializer.deserialize_seq(Moves)
}

/// The effort of a search.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Effort {
    /// Time for the search; `None` for no limit.
    pub time_ms: Option<u64>,
    /// Iterations; `None` for no limit.
    pub nodes: Option<u64>,
    /// The strength of the player, 0 for the weakest, see [`Welcome::levels`]; `None` for full
    /// strength.
    pub level: Option<usize>,
    /// Number of lines to report; 0 for none.
    pub lines: usize,
    /// Threads; 0 counts as 1.
    pub threads: usize,
    /// Memory in MiB; 0 for the usual amount.
    pub memory_mib: usize,
}

/// A position as the editor has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardSetup {
    /// Plies played; its parity says which side has to move.
    pub turn: u16,
    /// The fields with obstacles.
    pub obstacles: Vec<[i8; 2]>,
    /// The fields with pieces.
    pub stacks: Vec<SetupStack>,
    /// The reserve of each side: letters of kinds, one for each piece.
    pub reserves: [String; 2],
}

/// The pieces on a field.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupStack {
    /// The field.
    pub at: [i8; 2],
    /// The pieces, bottom to top: side and kind's letter, `[0, "A"]`.
    pub pieces: Vec<(u8, char)>,
}

/// An answer of the engine, without its number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Reply {
    /// The answer to the first message.
    Welcome(Welcome),
    /// Games that were read or made, at least one.
    Opened {
        /// The games.
        games: Vec<OpenedGame>,
        /// Number of further games in the file.
        left_out: usize,
    },
    /// A position.
    Shown {
        /// The game in its text form, which [`Request::Open`] reads: to copy and share.
        record: String,
        /// The position.
        view: Box<View>,
    },
    /// A running search.
    Progress {
        /// Its findings so far.
        findings: Findings,
    },
    /// The end of a search.
    Found {
        /// The chosen move, if there is one.
        #[serde(rename = "move")]
        mv: Option<String>,
        /// Its final findings.
        findings: Findings,
        /// Milliseconds since the request.
        took_ms: u64,
    },
    /// A running review.
    Reviewing {
        /// Positions searched.
        done: usize,
        /// Positions to search.
        all: usize,
    },
    /// The end of a review; without plies if it was stopped.
    Reviewed {
        /// Its moves.
        plies: Vec<ReviewedMove>,
    },
    /// The games that are being played and those that were, the latest first.
    Live {
        /// The games.
        games: Vec<LiveInfo>,
        /// The standings of a run of many games, as text.
        standings: Option<String>,
    },
    /// A game that is followed.
    Following {
        /// Its number.
        number: u64,
        /// The game so far, from its start.
        game: Box<OpenedGame>,
        /// The expectations of its players: ply, from 1, and the expected score of side 0 as the
        /// mover of that ply sees it.
        scores: Vec<(usize, f64)>,
        /// True if it is still being played.
        running: bool,
    },
    /// The referee is watched.
    Observing,
    /// A file.
    Exported {
        /// A name for it.
        name: String,
        /// Its text.
        text: String,
    },
    /// The request failed.
    Problem {
        /// The reason, in a sentence.
        message: String,
    },
}

/// Facts about the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Welcome {
    /// [`VERSION`].
    pub version: u32,
    /// The engine's name and version.
    pub engine: String,
    /// The games that it plays.
    pub games: Vec<GameInfo>,
    /// Iterations a move of each level of strength, from the weakest; `None` for no limit.
    pub levels: Vec<Option<u64>>,
    /// Largest number of threads of a search.
    pub threads: usize,
    /// Largest memory of a search, in MiB.
    pub memory_mib: usize,
    /// True if pages may start programs: [`Request::Consult`].
    pub programs: bool,
    /// The games to show first, from the command line; usually none.
    pub first: Vec<OpenedGame>,
    /// A review or a tree that a page has saved, to show first; its form is the page's own.
    pub saved: Option<String>,
    /// True if the board was opened to watch games.
    pub watch: bool,
    /// The word of the game to play unless another one is chosen.
    pub game: String,
}

/// A game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameInfo {
    /// Its word.
    pub word: String,
    /// The sides' names: `red`, `blue`.
    pub sides: [&'static str; 2],
    /// True if the board has an edge, so that fields have names.
    pub has_edge: bool,
    /// The kinds of piece, with the number of each that a side has.
    pub kinds: Vec<KindInfo>,
    /// The word for the piece that has to be surrounded: `bee`, `queen`.
    pub bee: &'static str,
    /// The forms of files that it can be written in; `html` is a page that needs no server.
    pub forms: Vec<&'static str>,
}

/// A kind of piece.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindInfo {
    /// Its letter.
    pub letter: char,
    /// Its name: `ant`.
    pub name: &'static str,
    /// The number that each side has.
    pub count: u8,
}

/// A game that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenedGame {
    /// The whole game.
    pub line: GameLine,
    /// The players; empty if unknown.
    pub names: [String; 2],
    /// Further facts, as name and value.
    pub tags: Vec<(String, String)>,
    /// Remarks by ply, from 0, the first position.
    pub remarks: Vec<(usize, String)>,
    /// Judgements of moves by ply, from 1.
    pub glyphs: Vec<(usize, Glyph)>,
    /// Variations.
    pub variations: Vec<Variation>,
    /// Times of the moves in milliseconds, by ply.
    pub times: Vec<(usize, u64)>,
    /// The end, if it is known.
    pub result: Option<EndingView>,
    /// The fault of the recording, or the part of a very long game that is left out.
    pub damage: Option<String>,
}

/// A game that is being played, or was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveInfo {
    /// Its number.
    pub number: u64,
    /// The game's word.
    pub game: String,
    /// The place where it is played: `pair 3, game 1`.
    pub title: String,
    /// The players.
    pub names: [String; 2],
    /// Plies played.
    pub plies: usize,
    /// True if it is still being played.
    pub running: bool,
    /// The end, if it is known.
    pub result: Option<EndingView>,
}

/// A position as it is drawn.
///
/// Fields are `[x, y]`. The middle of a field lies `(x - y) · √3/2` to the right and
/// `-(x + y) · 3/2` down, in lengths of a field's edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// Its fields and pieces.
    #[serde(flatten)]
    pub diagram: Diagram,
    /// The last move, if one was played.
    pub last: Option<LastMove>,
    /// The side to move; `None` at the end.
    pub to_move: Option<u8>,
    /// The end, if the game is over.
    pub ending: Option<EndingView>,
    /// The legal moves.
    pub moves: Vec<MoveView>,
    /// The pieces of the side to move that have no legal move.
    pub idle: Vec<IdleView>,
}

/// A piece without a legal move: one on the board, or a kind in reserve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IdleView {
    /// Its field; `None` in reserve.
    pub at: Option<Point>,
    /// Its kind's letter.
    pub letter: char,
    /// The rule: `bee_first`, `bee_due`, `bee_too_early`, `no_room`, `covered`, `pinned`,
    /// `resting`, `enclosed`.
    pub reason: &'static str,
}

/// The last move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LastMove {
    /// Its text.
    pub text: String,
    /// The field that the piece came from; `None` for a piece that was placed.
    pub from: Option<Point>,
    /// The field that the piece went to; `None` for a pass.
    pub to: Option<Point>,
}

/// The end of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndingView {
    /// The winner; `None` for a draw, or if only the sentence names it.
    pub winner: Option<u8>,
    /// The reason: `surrounded`, `more_free_fields`, `both_surrounded`, `equal_free_fields`,
    /// `repetition`, `agreement`, `resignation`, or the loser's fault: `left`, `rule_violation`,
    /// `soft_timeout`, `hard_timeout`. `None` for any other, which only the sentence gives.
    pub reason: Option<String>,
    /// One sentence.
    pub sentence: String,
}

/// A legal move, or one of a variation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveView {
    /// The move as the game writes it.
    pub text: String,
    /// The kind's letter of the piece; `None` for a pass.
    pub letter: Option<char>,
    /// The field that the piece comes from; `None` for a piece that is placed.
    pub from: Option<Point>,
    /// The field that the piece goes to; `None` for a pass.
    pub to: Option<Point>,
}

/// The findings of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Findings {
    /// The best moves, the best first.
    pub lines: Vec<LineView>,
    /// Iterations.
    pub nodes: u64,
    /// Iterations a second.
    pub per_second: u64,
    /// Plies of the longest of the lines.
    pub depth: usize,
}

/// A move with its continuation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineView {
    /// The move.
    #[serde(rename = "move")]
    pub mv: MoveView,
    /// The principal variation, the move included.
    pub variation: Vec<String>,
    /// The value.
    pub value: ValueView,
    /// Number of iterations through the move.
    pub visits: u64,
}

/// The value of a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueView {
    /// The expected score of side 0.
    pub score: f64,
    /// True if it is proven.
    pub proven: bool,
    /// Where a win is proven: the most plies, of both sides, until the game is over.
    pub plies: Option<usize>,
}

/// A move of a reviewed game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedMove {
    /// The ply, from 1.
    pub ply: usize,
    /// The move.
    pub text: String,
    /// The value before the move.
    pub before: ValueView,
    /// The value after the move.
    pub after: ValueView,
    /// The expected score that the mover gave away.
    pub loss: f64,
    /// A better move, if there was one.
    pub better: Option<String>,
    /// Its mark.
    pub mark: Mark,
}

/// The mark of a move, by the expected score that it gave away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing better was found.
    Best,
    /// Less than [`Mark::INACCURACY`].
    Good,
    /// At least [`Mark::INACCURACY`].
    Inaccuracy,
    /// At least [`Mark::MISTAKE`].
    Mistake,
    /// At least [`Mark::BLUNDER`].
    Blunder,
}

impl Mark {
    /// Loss of expected score from which a move is an inaccuracy.
    pub const INACCURACY: f64 = 0.05;
    /// Loss of expected score from which a move is a mistake.
    pub const MISTAKE: f64 = 0.10;
    /// Loss of expected score from which a move is a blunder.
    pub const BLUNDER: f64 = 0.20;

    /// The mark of a move with this loss; `is_best` if nothing better was found.
    pub fn from_loss(loss: f64, is_best: bool) -> Mark {
        match loss {
            _ if is_best => Mark::Best,
            loss if loss >= Mark::BLUNDER => Mark::Blunder,
            loss if loss >= Mark::MISTAKE => Mark::Mistake,
            loss if loss >= Mark::INACCURACY => Mark::Inaccuracy,
            _ => Mark::Good,
        }
    }
}
