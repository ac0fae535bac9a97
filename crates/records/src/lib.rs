//! Recorded games and diagrams of positions.
//!
//! - A [`Replay`] is a recorded game with its comments, times and stated result. [`read`] reads all
//!   games of a file.
//! - [`Recorded`] detects, reads and writes a game's file formats. `contest.rs` implements it for
//!   the contest's XML, `standard/` for PGN, SGF, game strings and hivegame.com analyses.
//! - A [`Diagram`] is a position to draw: stacks at coordinates that stay stable from ply to ply
//!   (`layout.rs`), reserves and move marks. [`view`] draws it as SVG or in a terminal.
//! - [`games`] contains the games' names on the command line and in files. [`with_game!`] maps a
//!   name to a type.

mod contest;
pub mod diagram;
pub mod games;
pub mod layout;
mod standard;
mod timing;
pub mod view;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::diagram::{Diagram, DrawnGame};
use wabe_contest::protocol::{Cause, GameResult, Score};
use wabe_files::text::{MAX_DETAIL, MAX_NAME, decode, printable};
use wabe_hive::game::{Game, MAX_PLIES, MOVES_SEPARATOR, ReadRecordError, Record, Repetition};
use wabe_hive::{ByColor, Color};

pub use wabe_files::is_gzip;
#[doc(hidden)]
pub use wabe_hive;

pub use timing::MoveTimes;

/// Maximum number of plies per game, and of games per file.
pub const MAX_LENGTH: usize = MAX_PLIES;

/// Maximum number of plies per file, including variations. They take about 250 MB.
const MAX_TOTAL_PLIES: usize = 1_000_000;

/// Maximum number of variations per game.
pub const MAX_VARIATIONS: usize = 1_000;

/// Maximum nesting depth of variations.
pub const MAX_VARIATION_DEPTH: usize = 32;

/// Maximum size of a ZIP archive, in bytes.
pub const MAX_ARCHIVE: u64 = MAX_TEXT;

/// Maximum size of a text file, in bytes.
const MAX_TEXT: u64 = 16 << 20;

/// A recorded game.
///
/// Positions are numbered from 0, the start. The game ends at the recording's first error or gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<G: Game> {
    /// The players' names; empty if unknown.
    pub names: ByColor<String>,
    /// Other name-value pairs, such as event and date.
    pub tags: Vec<(String, String)>,
    /// The game up to the first error.
    pub record: Record<G>,
    /// Comments by position, from a commentator or the mover.
    pub remarks: BTreeMap<usize, String>,
    /// Move annotations, by the position after the move.
    pub glyphs: BTreeMap<usize, Glyph>,
    /// Alternatives to moves of the game.
    pub variations: Vec<Variation>,
    /// Times per move, by the position after the move.
    pub times: BTreeMap<usize, Duration>,
    /// The result given in the recording.
    pub stated: Option<StatedResult>,
    /// The error at which reading stopped.
    pub damage: Option<Damage>,
}

/// Legal moves that replace moves of the game or of an outer variation.
///
/// Positions are numbered as in the game: the first move leads to position `after + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variation {
    /// Number of plies before the variation.
    pub after: usize,
    /// At least one move.
    pub moves: Vec<String>,
    /// Comments by position.
    pub remarks: Vec<(usize, String)>,
    /// Move annotations, by the position after the move.
    pub glyphs: Vec<(usize, Glyph)>,
    /// Nested variations.
    pub variations: Vec<Variation>,
}

impl Variation {
    /// Number of plies, including nested variations.
    fn plies(&self) -> usize {
        self.moves.len() + self.variations.iter().map(Variation::plies).sum::<usize>()
    }
}

/// A move annotation, as in chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Glyph {
    /// `!`
    #[serde(rename = "!")]
    Good,
    /// `?`
    #[serde(rename = "?")]
    Mistake,
    /// `!!`
    #[serde(rename = "!!")]
    Brilliant,
    /// `??`
    #[serde(rename = "??")]
    Blunder,
    /// `!?`
    #[serde(rename = "!?")]
    Interesting,
    /// `?!`
    #[serde(rename = "?!")]
    Inaccuracy,
}

impl Glyph {
    /// All annotations in the order of PGN's numeric glyphs `$1` to `$6`.
    pub const ALL: [Glyph; 6] = [
        Glyph::Good,
        Glyph::Mistake,
        Glyph::Brilliant,
        Glyph::Blunder,
        Glyph::Interesting,
        Glyph::Inaccuracy,
    ];
}

/// The result of a game as given in its recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The referee's verdict: scores, causes and reasons.
    pub verdict: Option<Box<GameResult>>,
    /// The cause in the loser's score.
    pub cause: Option<Cause>,
    /// Why the game ended, if not by the rules.
    pub reason: Option<String>,
}

impl StatedResult {
    /// A result without verdict, cause and reason.
    fn new(winner: Option<Color>) -> StatedResult {
        StatedResult {
            winner,
            ..StatedResult::default()
        }
    }
}

impl From<GameResult> for StatedResult {
    fn from(verdict: GameResult) -> StatedResult {
        let winner = verdict.winner.as_ref().map(|winner| winner.color);
        StatedResult {
            winner,
            cause: winner.map(|winner| verdict.scores[winner.opponent()].cause),
            reason: None,
            verdict: Some(Box::new(verdict)),
        }
    }
}

/// The error or gap at which reading of a recording stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where the error is.
    pub place: Place,
    /// Message without the place.
    pub problem: String,
}

/// A place in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a stream of messages.
    Message {
        /// Message number, from 1.
        number: usize,
        /// Turn of the last position before the message.
        after: Option<u16>,
    },
    /// In a text.
    Line {
        /// Line number, from 1.
        line: usize,
        /// The illegal ply, from 1; 0 if the error concerns the whole game.
        ply: usize,
    },
}

impl Damage {
    /// An error in a text at a ply from 1, or 0 for the whole game.
    fn at(line: usize, ply: usize, problem: String) -> Damage {
        Damage {
            place: Place::Line { line, ply },
            problem: printable(&problem, MAX_DETAIL),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Message { number, after } => {
                write!(f, "message {number}")?;
                if let Some(turn) = after {
                    write!(f, " (after ply {turn})")?;
                }
            }
            Place::Line { line, ply: 0 } => write!(f, "line {line}")?,
            Place::Line { line, ply } => write!(f, "line {line}, ply {ply}")?,
        }
        write!(f, ": {}", self.problem)
    }
}

/// The error returned when no game of a file can be read.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Reading failed before the first position.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No position is readable.
    #[error("no readable position: {0}")]
    Damaged(Damage),
    /// The recording is complete but contains no position.
    #[error("the file contains no position")]
    NoPositions,
    /// The format is unknown.
    #[error(
        "no recorded game found; supported formats (plain, gzipped or in a ZIP archive): the contest server's XML (<protocol> with \
         the states of a game), positions in text form, and for standard Hive game strings (Base;InProgress;White[2];wS1;bG1 wS1-), \
         PGN, BoardSpace's SGF and hivegame.com analyses"
    )]
    NotARecording,
    /// The file has 0 bytes.
    #[error("the file is empty")]
    Empty,
    /// The text or archive exceeds 16 MiB.
    #[error("larger than {} MiB", MAX_TEXT >> 20)]
    TooLong,
    /// More than [`MAX_LENGTH`] games.
    #[error("more than {MAX_LENGTH} games")]
    TooMany,
    /// More than 1,000,000 plies in all games.
    #[error("more than {MAX_TOTAL_PLIES} plies in total")]
    TooManyPlies,
    /// A line of text is invalid.
    #[error("line {line}: {problem}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Message without the line number.
        problem: String,
    },
}

/// A game whose recordings can be read and written.
pub trait Recorded: Game {
    /// JSON key and display name of a comment on a position.
    const REMARK: &'static str = "comment";

    /// The writable file formats, the default first.
    const FORMS: &'static [FileForm<Self>];

    /// True if `text`, the start of a file, looks like a recording of this game.
    fn is_recording(text: &str) -> bool;

    /// Reads all games of an unpacked file, each up to its first error.
    ///
    /// # Errors
    /// When no position can be read.
    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Self>>, ReplayError>;
}

/// A file format for recordings of a game.
#[derive(Clone, Copy, Debug)]
pub struct FileForm<G: Game> {
    /// Name of the format and file extension.
    pub name: &'static str,
    /// True if files of several games can be concatenated.
    pub holds_several: bool,
    /// Writes a game; `None` if the format cannot express it.
    pub write: fn(&Replay<G>) -> Option<String>,
}

impl<G: Game> FileForm<G> {
    /// One record per line.
    pub const RECORD: FileForm<G> = FileForm {
        name: "record",
        holds_several: true,
        write: |replay| Some(format!("{}\n", replay.record)),
    };
}

/// Reads all games of a plain or gzipped file, or of all files in a ZIP archive.
///
/// # Errors
/// When no position can be read.
pub fn read<G: Recorded>(source: impl Read) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    if source.fill_buf()?.is_empty() {
        return Err(ReplayError::Empty);
    }
    let mut source = wabe_files::unpacked(source)?;
    if wabe_files::is_zip(source.fill_buf().unwrap_or_default()) {
        read_archive(&mut source)
    } else {
        G::read_games(&mut source)
    }
}

/// Reads all games of a ZIP archive, in the order of its files.
fn read_archive<G: Recorded>(source: &mut dyn BufRead) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut replays = Collected::default();
    wabe_files::unzip(&read_bytes(source)?, |name, file| {
        let name = printable(name, MAX_NAME);
        match G::read_games(&mut BufReader::new(file)) {
            Ok(games) => games.into_iter().try_for_each(|mut game| {
                if let Some(damage) = &mut game.damage {
                    damage.problem.push_str(&format!(" (in {name})"));
                }
                replays.push(game)
            }),
            Err(error) => {
                let (line, problem) = match error {
                    ReplayError::Line { line, problem } => (line, problem),
                    ReplayError::NotARecording => (1, "not a recorded game".to_owned()),
                    error => (1, error.to_string()),
                };
                replays.push_unreadable(line, format!("{problem} (in {name})"))
            }
        }
    })?;
    replays.finish()
}

/// Reads up to [`MAX_TEXT`] bytes.
fn read_bytes(source: &mut dyn BufRead) -> Result<Vec<u8>, ReplayError> {
    let mut bytes = Vec::new();
    source.take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(ReplayError::TooLong);
    }
    Ok(bytes)
}

/// Reads a text, without its byte order mark.
fn read_text(source: &mut dyn BufRead) -> Result<String, ReplayError> {
    let text = decode(read_bytes(source)?);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Reads one record per line.
fn read_lines<G: Game>(text: &str) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut replays = Collected::default();
    for (line, text) in numbered_lines(text) {
        replays.push_record(line, text)?;
    }
    replays.finish()
}

/// Lines that are not blank, with their numbers from 1.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Collects the games of a file and enforces the limits.
struct Collected<G: Game> {
    games: Vec<Replay<G>>,
    plies: usize,
    /// True if at least one game could be read.
    is_readable: bool,
    /// The first error of an unreadable game.
    fault: Option<ReplayError>,
}

impl<G: Game> Default for Collected<G> {
    fn default() -> Collected<G> {
        Collected {
            games: Vec::new(),
            plies: 0,
            is_readable: false,
            fault: None,
        }
    }
}

impl<G: Game> Collected<G> {
    /// Adds a readable game.
    fn push(&mut self, game: Replay<G>) -> Result<(), ReplayError> {
        self.is_readable = true;
        self.add(game)
    }

    /// Adds a game in text form, up to its first illegal move.
    fn push_record(&mut self, line: usize, text: &str) -> Result<(), ReplayError> {
        let (start, moves) = text.split_once(MOVES_SEPARATOR).unwrap_or((text, ""));
        let mut record: Record<G> = match start.parse() {
            Ok(record) => record,
            Err(ReadRecordError::Position(error)) => {
                return self.push_unreadable(line, format!("not a position: {error}"));
            }
            Err(error) => return self.push_unreadable(line, error.to_string()),
        };
        let damage = match record.play_texts(moves.split(';')) {
            Err(ReadRecordError::Ply {
                number,
                text,
                error,
            }) => Some(Damage::at(line, number, format!("`{text}`: {error}"))),
            _ => None,
        };
        self.push(Replay {
            damage,
            ..Replay::new(record)
        })
    }

    /// Adds a placeholder for an unreadable game, which keeps the numbers of later games correct.
    fn push_unreadable(&mut self, line: usize, problem: String) -> Result<(), ReplayError> {
        self.add(Replay {
            damage: Some(Damage::at(line, 0, problem.clone())),
            ..Replay::new(Record::default())
        })?;
        self.fault
            .get_or_insert(ReplayError::Line { line, problem });
        Ok(())
    }

    /// Returns all games.
    ///
    /// # Errors
    /// When no game could be read.
    fn finish(self) -> Result<Vec<Replay<G>>, ReplayError> {
        match self.fault {
            _ if self.is_readable => Ok(self.games),
            Some(fault) => Err(fault),
            None => Err(ReplayError::NoPositions),
        }
    }

    fn add(&mut self, game: Replay<G>) -> Result<(), ReplayError> {
        if self.games.len() >= MAX_LENGTH {
            return Err(ReplayError::TooMany);
        }
        self.plies +=
            game.positions() + game.variations.iter().map(Variation::plies).sum::<usize>();
        if self.plies > MAX_TOTAL_PLIES {
            return Err(ReplayError::TooManyPlies);
        }
        self.games.push(game);
        Ok(())
    }
}

impl<G: Game> Replay<G> {
    /// A replay without names, comments or times.
    pub fn new(record: Record<G>) -> Replay<G> {
        Replay {
            names: ByColor::default(),
            tags: Vec::new(),
            record,
            remarks: BTreeMap::new(),
            glyphs: BTreeMap::new(),
            variations: Vec::new(),
            times: BTreeMap::new(),
            stated: None,
            damage: None,
        }
    }

    /// Updates the replay of a game in progress after a ply, with the ply's time and comment.
    pub fn add(&mut self, record: &Record<G>, time: Duration, remark: Option<String>) {
        let ply = record.plies().len();
        self.record = record.clone();
        self.times.insert(ply, time);
        self.remarks.extend(remark.map(|text| (ply, text)));
    }

    /// True for the placeholder of a game that could not be read at all.
    pub fn is_unreadable(&self) -> bool {
        let place = self.damage.as_ref().map(|damage| damage.place);
        matches!(place, Some(Place::Line { ply: 0, .. })) && self.positions() == 1
    }

    /// Number of recorded positions.
    pub fn positions(&self) -> usize {
        self.record.plies().len() + 1
    }

    /// The game up to `turn`, without a later adjudication; `None` if not recorded.
    pub fn at_turn(&self, turn: u16) -> Option<Record<G>> {
        let plies = turn.checked_sub(self.record.start().turn())?.into();
        if plies == self.record.plies().len() {
            Some(self.record.clone())
        } else {
            self.record.after(plies)
        }
    }

    /// The winner; `Some(None)` for a draw, `None` for an unfinished game. The rules and
    /// adjudications take precedence over the stated result.
    pub fn winner(&self) -> Option<Option<Color>> {
        let ending = self.record.ending().map(|ending| ending.winner());
        ending.or(self.stated.as_ref().map(|stated| stated.winner))
    }

    /// Calls `visit` with the game up to each position, in order. Repetitions before the last
    /// position do not end the game.
    pub fn for_each_position(&self, mut visit: impl FnMut(&DrawnGame<G>)) {
        let whole = &self.record;
        let start = Record::new(whole.variant(), *whole.start());
        let mut game = DrawnGame::new(start.with_repetition(Repetition::Ignore));
        for ply in whole.plies() {
            visit(&game);
            if !game.play(ply.mv) {
                return;
            }
        }
        game.record.clone_from(whole);
        visit(&game);
    }

    /// One diagram per position.
    pub fn diagrams(&self) -> Vec<Diagram> {
        let mut diagrams = Vec::new();
        self.for_each_position(|game| diagrams.push(game.diagram()));
        diagrams
    }

    /// Both names with their sides: `Ann (white) against Bob (black)`.
    pub fn players(&self) -> String {
        let (names, sides) = (&self.names, G::SIDES);
        if names.red.is_empty() && names.blue.is_empty() {
            format!("{} against {}", sides.red, sides.blue)
        } else {
            let name = |color: Color| printable(&names[color], MAX_NAME);
            let (red, blue) = (name(Color::Red), name(Color::Blue));
            format!("{red} ({}) against {blue} ({})", sides.red, sides.blue)
        }
    }

    /// Statistics of each side's recorded move times.
    pub fn timing(&self) -> ByColor<MoveTimes> {
        let mut timing = ByColor::<MoveTimes>::default();
        for (index, position) in self.record.positions().enumerate() {
            if let Some(&time) = self.times.get(&index) {
                timing[position.side_to_move().opponent()].add(time);
            }
        }
        timing
    }

    /// One sentence with the result, its reason and any damage.
    pub fn result_line(&self) -> String {
        let verdict = self.stated.as_ref().and_then(|a| a.verdict.as_deref());
        let ending = self.record.ending();
        let mut line = match (verdict, ending, &self.stated) {
            (Some(verdict), ..) => printable(
                &verdict_line::<G>(verdict, ending.is_some()),
                3 * MAX_DETAIL,
            ),
            (None, Some(ending), Some(stated)) if stated.winner != ending.winner() => format!(
                "{}; recorded result: {}",
                ending.sentence::<G>(),
                result_text::<G>(stated.winner)
            ),
            (None, Some(ending), _) => ending.sentence::<G>(),
            (None, None, Some(stated)) => format!(
                "{} according to the recording: {}",
                result_text::<G>(stated.winner),
                stated.reason.as_deref().map_or_else(
                    || "the rules do not end the game here".to_owned(),
                    |reason| printable(reason, MAX_DETAIL)
                )
            ),
            (None, None, None) => {
                let turn = self.record.position().turn();
                format!("no result; the recording ends after ply {turn}")
            }
        };
        if let Some(damage) = &self.damage {
            line.push_str(&format!("; the recording is damaged: {damage}"));
        }
        line
    }
}

impl<G: Recorded> Replay<G> {
    /// The game as JSON.
    ///
    /// - `game`: name of the game; `record`: its text form
    /// - `red` and `blue`, or `white` and `black`: names of the players
    /// - `tags`: other name-value pairs
    /// - `plies`: one object per position with its `turn`, the text form `position`, the `state` as
    ///   a sentence, and the `stacks` (coordinates `x` and `y`, `pieces` from bottom to top). The
    ///   `move` before it, its time in `seconds` and the comment (`hint` in the contest, otherwise
    ///   `comment`) are `null` if unknown.
    /// - `result`: `null`, or the `winner` (a side, or `null` for a draw), a `sentence`, and the
    ///   `scores` if a referee gave them: `cause`, `reason`, `match_points` and `free_fields` per
    ///   side
    /// - `damage`: the error at which the recording ends, or `null`
    pub fn json(&self) -> Value {
        let mut plies: Vec<Value> = Vec::new();
        self.for_each_position(|game| {
            let record = &game.record;
            let stacks = game.diagram().stacks.into_iter().map(|stack| {
                let pieces: Vec<String> = stack.pieces.iter().map(|f| f.to_string()).collect();
                json!({ "x": stack.point.x, "y": stack.point.y, "pieces": pieces })
            });
            let index = plies.len();
            plies.push(json!({
                "turn": record.position().turn(),
                "position": record.position().to_string(),
                "state": record.describe_state(),
                "stacks": stacks.collect::<Vec<_>>(),
                "move": record.plies().last().map(|ply| &ply.text),
                "seconds": self.times.get(&index).map(Duration::as_secs_f64),
                G::REMARK: self.remarks.get(&index),
            }));
        });
        let name = |color: Color| G::SIDES[color].name();
        let verdict = self.stated.as_ref().and_then(|a| a.verdict.as_deref());
        let score = |score: &Score| {
            json!({
                "cause": score.cause.to_string(),
                "reason": score.reason,
                "match_points": score.match_points,
                "free_fields": score.free_fields,
            })
        };
        let scores = verdict.map(|GameResult { scores, .. }| {
            json!({ name(Color::Red): score(&scores.red), name(Color::Blue): score(&scores.blue) })
        });
        let winner = match verdict {
            Some(verdict) => Some(verdict.winner.as_ref().map(|winner| winner.color)),
            None => self.winner(),
        };
        let tags = self.tags.iter().cloned().collect::<BTreeMap<_, _>>();
        json!({
            "game": G::WORD,
            "record": self.record.to_string(),
            name(Color::Red): self.names.red,
            name(Color::Blue): self.names.blue,
            "tags": tags,
            "plies": plies,
            "result": winner.map(|winner| json!({
                "winner": winner.map(name),
                "sentence": self.result_line(),
                "scores": scores,
            })),
            "damage": self.damage.as_ref().map(ToString::to_string),
        })
    }
}

fn result_text<G: Game>(winner: Option<Color>) -> String {
    match winner {
        Some(winner) => format!("{} wins", G::SIDES[winner]),
        None => "draw".to_owned(),
    }
}

/// The winner, both scores and the reason. Uses the verdict's reason if the game ended neither by a
/// fault nor by the rules.
fn verdict_line<G: Game>(verdict: &GameResult, is_over: bool) -> String {
    let mut line = match &verdict.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, G::SIDES[winner.color]),
        None => "draw".to_owned(),
    };
    for color in Color::ALL {
        let score = &verdict.scores[color];
        let (side, words) = (G::SIDES[color], score.describe());
        line.push_str(&format!("; {side}: {}, {words}", score.cause));
    }
    // A fault takes precedence over the rule that ended the game.
    let fault = Color::ALL
        .into_iter()
        .find_map(|color| verdict.fault(color));
    let reason = match &verdict.scores.red.reason {
        Some(reason) if !is_over && verdict.is_faultless() => Some(reason.clone()),
        _ => fault.or_else(|| verdict.reason(Color::Red)),
    };
    if let Some(reason) = reason {
        line.push_str(&format!("; {}", reason.replace('\n', " ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    #[test]
    fn records_end_at_illegal_moves() {
        let start = "0 - - QSSSBBGGAAA/QSSSBBGGAAA";
        let text = format!("{start} moves set A 0,0;set A 1,0 x;set A 2,0\nnonsense\n{start}\n");
        let replays = read::<Contest>(text.as_bytes()).unwrap();
        let damage = |index: usize| replays[index].damage.as_ref().map(ToString::to_string);
        assert_eq!(replays[0].positions(), 2);
        assert!(
            damage(0)
                .unwrap()
                .starts_with("line 1, ply 2: `set A 1,0 x`: ")
        );
        assert!(replays[1].is_unreadable());
        assert!(damage(1).unwrap().starts_with("line 2: not a position: "));
        assert_eq!(damage(2), None);
    }

    #[test]
    fn read_limits_total_plies() {
        let game = read::<Standard>(&b"Base;x;y;wS1"[..]).unwrap().remove(0);
        let mut games = Collected::default();
        let mut long = game.clone();
        // Nested variations count.
        long.variations = vec![Variation {
            variations: vec![Variation {
                moves: vec![String::new(); MAX_TOTAL_PLIES - 4],
                ..Variation::default()
            }],
            ..Variation::default()
        }];
        games.push(long).unwrap();
        games.push(game.clone()).unwrap();
        let error = games.push(game).unwrap_err().to_string();
        assert_eq!(error, "more than 1000000 plies in total");
    }
}
