//! Recorded games, and pictures of positions.
//!
//! - A [`Replay`] is a recorded game with all that its recording says about it; [`read`] reads
//!   every game of a file.
//! - A game implements [`Recorded`], which recognises, reads and writes its files: `contest.rs` for
//!   the contest's XML, `standard/` for PGN, SGF, game strings and analyses of hivegame.com.
//! - A [`Diagram`] is a position to draw: stacks at coordinates that do not jump from ply to ply
//!   (`layout.rs`), reserves, marks. [`view`] draws it as SVG or in a terminal.
//! - [`games`] names the program's games for command line and files: [`with_game!`] turns a name
//!   into a type.

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

/// Largest number of plies of a game, and of games in a file.
pub const MAX_LENGTH: usize = MAX_PLIES;

/// Largest number of plies of all games in a file, including variations: some 250 MB.
const MAX_TOGETHER: usize = 1_000_000;

/// Largest number of variations of a game.
pub const MAX_VARIATIONS: usize = 1_000;

/// Largest depth of variations inside each other.
pub const MAX_VARIATION_DEPTH: usize = 32;

/// Largest size of a ZIP archive, in bytes.
pub const MAX_ARCHIVE: u64 = MAX_TEXT;

/// Largest size of a text file, in bytes.
const MAX_TEXT: u64 = 16 << 20;

/// A recorded game.
///
/// Its positions are counted from 0. It ends at the first fault or gap of its recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<G: Game> {
    /// The players' names; empty if unknown.
    pub names: ByColor<String>,
    /// Further facts about the game, such as event and date, as name and value.
    pub tags: Vec<(String, String)>,
    /// The game up to the first fault.
    pub record: Record<G>,
    /// Remarks on positions: a commentator's, or the mover's.
    pub remarks: BTreeMap<usize, String>,
    /// Judgements of the moves that led to positions.
    pub glyphs: BTreeMap<usize, Glyph>,
    /// Variations of its moves.
    pub variations: Vec<Variation>,
    /// The times of the moves that led to positions.
    pub times: BTreeMap<usize, Duration>,
    /// The result that the recording states.
    pub stated: Option<StatedResult>,
    /// The fault of the recording.
    pub damage: Option<Damage>,
}

/// Legal moves that replace those of a game, or of another variation.
///
/// Positions are counted as in the game: the first move leads to position `after + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variation {
    /// Plies played before it branches off.
    pub after: usize,
    /// Its moves, at least one.
    pub moves: Vec<String>,
    /// Remarks by position.
    pub remarks: Vec<(usize, String)>,
    /// Judgements of the moves that led to positions.
    pub glyphs: Vec<(usize, Glyph)>,
    /// Variations of its own moves.
    pub variations: Vec<Variation>,
}

impl Variation {
    /// The number of its plies and those of the variations inside it.
    fn plies(&self) -> usize {
        self.moves.len() + self.variations.iter().map(Variation::plies).sum::<usize>()
    }
}

/// A judgement of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Glyph {
    /// A good move.
    #[serde(rename = "!")]
    Good,
    /// A mistake.
    #[serde(rename = "?")]
    Mistake,
    /// A brilliant move.
    #[serde(rename = "!!")]
    Brilliant,
    /// A blunder.
    #[serde(rename = "??")]
    Blunder,
    /// An interesting move.
    #[serde(rename = "!?")]
    Interesting,
    /// An inaccuracy.
    #[serde(rename = "?!")]
    Inaccuracy,
}

impl Glyph {
    /// Every judgement, at the index of its number in portable game notation less 1: `$1` is a good
    /// move.
    pub const ALL: [Glyph; 6] = [
        Glyph::Good,
        Glyph::Mistake,
        Glyph::Brilliant,
        Glyph::Blunder,
        Glyph::Interesting,
        Glyph::Inaccuracy,
    ];
}

/// The result of a game that its recording states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The referee's verdict: scores, causes and reasons.
    pub verdict: Option<Box<GameResult>>,
    /// The cause of the end for the loser.
    pub cause: Option<Cause>,
    /// The reason for the end, if the rules did not end the game.
    pub reason: Option<String>,
}

impl StatedResult {
    /// A result without further facts.
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

/// The fault or gap at which a recording ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The place of the first fault.
    pub place: Place,
    /// The fault.
    pub problem: String,
}

/// A place in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a stream of messages.
    Message {
        /// The message, from 1.
        number: usize,
        /// The turn of the last position before it.
        after: Option<u16>,
    },
    /// In a text.
    Line {
        /// The line, from 1.
        line: usize,
        /// The ply that cannot be played, from 1; 0 for a fault of the whole game.
        ply: usize,
    },
}

impl Damage {
    /// A fault in a text: a ply that cannot be played, from 1, or 0 for the whole game.
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

/// The reason that a file has no games to show.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Reading failed before the first position.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No position is readable.
    #[error("there is no readable position in it ({0})")]
    Damaged(Damage),
    /// The recording is complete, but has no position.
    #[error("there is no position in it")]
    NoPositions,
    /// The file is not a recording.
    #[error(
        "no recorded game in it; these can be read, plain, gzipped or in a ZIP archive: the contest server's XML (<protocol> with the \
         states of a game), a position in its text form, a game of standard Hive as a game string (Base;InProgress;White[2];wS1;bG1 \
         wS1-), PGN, BoardSpace's SGF, and hivegame.com's analysis"
    )]
    NotARecording,
    /// The file is empty.
    #[error("it is empty")]
    Empty,
    /// The text is too long.
    #[error("it is longer than {} MiB", MAX_TEXT >> 20)]
    TooLong,
    /// There are too many games.
    #[error("it has more than {MAX_LENGTH} games")]
    TooMany,
    /// All games together have too many plies.
    #[error("its games have more than {MAX_TOGETHER} plies together")]
    TooManyPlies,
    /// A line of text is invalid.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The fault.
        problem: String,
    },
}

/// A game whose recordings can be read and written.
pub trait Recorded: Game {
    /// The word for a remark.
    const REMARK: &'static str = "comment";

    /// The forms of files that can be written, the game's own first.
    const FORMS: &'static [FileForm<Self>];

    /// True if a file that begins with `text` has recordings of this game.
    fn is_recording(text: &str) -> bool;

    /// Reads all games of an unpacked file, each up to its first fault.
    ///
    /// # Errors
    /// When there is no position in it.
    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Self>>, ReplayError>;
}

/// A form of a game's files.
#[derive(Clone, Copy, Debug)]
pub struct FileForm<G: Game> {
    /// Its name, and the extension of its files.
    pub name: &'static str,
    /// True if such files can hold several games, one after the other.
    pub holds_several: bool,
    /// Writes a game; `None` if the form cannot express it.
    pub write: fn(&Replay<G>) -> Option<String>,
}

impl<G: Game> FileForm<G> {
    /// A record a line.
    pub const RECORD: FileForm<G> = FileForm {
        name: "record",
        holds_several: true,
        write: |replay| Some(format!("{}\n", replay.record)),
    };
}

/// Reads all games of a file, unpacking it first if it begins like a gzip file or a ZIP archive.
/// The games of an archive's files follow one another.
///
/// # Errors
/// When there is no position in it.
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

/// Reads all games of a ZIP archive.
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

/// The content of a text or an archive.
fn read_bytes(source: &mut dyn BufRead) -> Result<Vec<u8>, ReplayError> {
    let mut bytes = Vec::new();
    source.take(MAX_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(ReplayError::TooLong);
    }
    Ok(bytes)
}

/// A file's text, without a byte order mark.
fn read_text(source: &mut dyn BufRead) -> Result<String, ReplayError> {
    let text = decode(read_bytes(source)?);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Reads a record a line.
fn read_lines<G: Game>(text: &str) -> Result<Vec<Replay<G>>, ReplayError> {
    let mut replays = Collected::default();
    for (line, text) in numbered_lines(text) {
        replays.push_record(line, text)?;
    }
    replays.finish()
}

/// The lines that are not blank, with their numbers from 1.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty())
}

/// The games of a file, within the limits.
struct Collected<G: Game> {
    games: Vec<Replay<G>>,
    plies: usize,
    /// True if a game could be read.
    is_readable: bool,
    /// The first reason that a game could not be read.
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
    /// Adds a game.
    fn push(&mut self, game: Replay<G>) -> Result<(), ReplayError> {
        self.is_readable = true;
        self.add(game)
    }

    /// Adds a game in its text form, as far as its moves are legal.
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

    /// Keeps the place of a game that cannot be read, so that later ones keep their numbers.
    fn push_unreadable(&mut self, line: usize, problem: String) -> Result<(), ReplayError> {
        self.add(Replay {
            damage: Some(Damage::at(line, 0, problem.clone())),
            ..Replay::new(Record::default())
        })?;
        self.fault
            .get_or_insert(ReplayError::Line { line, problem });
        Ok(())
    }

    /// Ends the collection.
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
        if self.plies > MAX_TOGETHER {
            return Err(ReplayError::TooManyPlies);
        }
        self.games.push(game);
        Ok(())
    }
}

impl<G: Game> Replay<G> {
    /// A recording of the game alone.
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

    /// Follows a game that is being played by one ply, with its time and the remark on it.
    pub fn add(&mut self, record: &Record<G>, time: Duration, remark: Option<String>) {
        let ply = record.plies().len();
        self.record = record.clone();
        self.times.insert(ply, time);
        self.remarks.extend(remark.map(|text| (ply, text)));
    }

    /// True if nothing of the game could be read: its only position keeps its place among the games
    /// of a file.
    pub fn is_unreadable(&self) -> bool {
        let place = self.damage.as_ref().map(|damage| damage.place);
        matches!(place, Some(Place::Line { ply: 0, .. })) && self.positions() == 1
    }

    /// Number of recorded positions.
    pub fn positions(&self) -> usize {
        self.record.plies().len() + 1
    }

    /// The game up to `turn`, if that position was recorded. Without later agreements.
    pub fn at_turn(&self, turn: u16) -> Option<Record<G>> {
        let plies = turn.checked_sub(self.record.start().turn())?.into();
        if plies == self.record.plies().len() {
            Some(self.record.clone())
        } else {
            self.record.after(plies)
        }
    }

    /// The winner, or `Some(None)` for a draw, by the rules, by an agreement, or else as the
    /// recording states; `None` for an unfinished game.
    pub fn winner(&self) -> Option<Option<Color>> {
        let ending = self.record.ending().map(|ending| ending.winner());
        ending.or(self.stated.as_ref().map(|stated| stated.winner))
    }

    /// Calls `visit` with the game up to every position, from the first to the last. Repetitions
    /// before it did not end the game.
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

    /// The pictures of all positions.
    pub fn diagrams(&self) -> Vec<Diagram> {
        let mut diagrams = Vec::new();
        self.for_each_position(|game| diagrams.push(game.diagram()));
        diagrams
    }

    /// The players and their sides.
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

    /// The known times of both sides' moves.
    pub fn timing(&self) -> ByColor<MoveTimes> {
        let mut timing = ByColor::<MoveTimes>::default();
        for (index, position) in self.record.positions().enumerate() {
            if let Some(&time) = self.times.get(&index) {
                timing[position.side_to_move().opponent()].add(time);
            }
        }
        timing
    }

    /// One sentence about the end of the game.
    pub fn result_line(&self) -> String {
        let verdict = self.stated.as_ref().and_then(|a| a.verdict.as_deref());
        let ending = self.record.ending();
        let mut line = match (verdict, ending, &self.stated) {
            (Some(verdict), ..) => printable(
                &verdict_line::<G>(verdict, ending.is_some()),
                3 * MAX_DETAIL,
            ),
            (None, Some(ending), Some(stated)) if stated.winner != ending.winner() => format!(
                "{}; the recording says: {}",
                ending.sentence::<G>(),
                result_in_words::<G>(stated.winner)
            ),
            (None, Some(ending), _) => ending.sentence::<G>(),
            (None, None, Some(stated)) => format!(
                "{}, by the recording's account: {}",
                result_in_words::<G>(stated.winner),
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
    /// - `game` is the game's word, `record` its text form;
    /// - the players' names stand under the names of their sides, `tags` has further facts;
    /// - `plies` has for each position `turn`, its text form `position`, its `state` as a sentence,
    ///   the `stacks` with coordinates `x` and `y` and their `pieces` from bottom to top, and, or
    ///   else `null`, the `move` that led to it, the `seconds` it took, and the remark (`hint` in
    ///   the contest, elsewhere `comment`);
    /// - `result` is `null` or has the `winner` (a side, or `null` for a draw), a `sentence`, and,
    ///   if there was a referee, for each side `cause`, `reason`, `match_points` and `free_fields`
    ///   as `scores`;
    /// - `damage` names the fault at which the recording ends, or is `null`.
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

fn result_in_words<G: Game>(winner: Option<Color>) -> String {
    match winner {
        Some(winner) => format!("{} wins", G::SIDES[winner]),
        None => "draw".to_owned(),
    }
}

/// The winner, both scores, and the reason. A game that ended without a fault, but not by the
/// rules, has the verdict's reason.
fn verdict_line<G: Game>(verdict: &GameResult, is_over: bool) -> String {
    let mut line = match &verdict.winner {
        Some(winner) => format!("{} ({}) wins", winner.display_name, G::SIDES[winner.color]),
        None => "draw".to_owned(),
    };
    for color in Color::ALL {
        let score = &verdict.scores[color];
        let (side, words) = (G::SIDES[color], score.in_words());
        line.push_str(&format!("; {side}: {}, {words}", score.cause));
    }
    // The fault that ended the game, or else the rule.
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
    fn records_are_read_up_to_an_illegal_move() {
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
    fn the_games_of_a_file_have_so_many_plies_together() {
        let game = read::<Standard>(&b"Base;x;y;wS1"[..]).unwrap().remove(0);
        let mut games = Collected::default();
        let mut long = game.clone();
        // Inside another one, they count as well.
        long.variations = vec![Variation {
            variations: vec![Variation {
                moves: vec![String::new(); MAX_TOGETHER - 4],
                ..Variation::default()
            }],
            ..Variation::default()
        }];
        games.push(long).unwrap();
        games.push(game.clone()).unwrap();
        let error = games.push(game).unwrap_err().to_string();
        assert_eq!(error, "its games have more than 1000000 plies together");
    }
}
