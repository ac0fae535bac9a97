//! Portable game notation (PGN) for Hive, as written by MzingaViewer and hivegame.com.
//!
//! The tags are those of chess and `GameType`. Each ply follows on a numbered line, in the
//! protocol's notation:
//!
//! ```text
//! [GameType "Base+MLP"]
//! [White "wabe"]
//! [Result "WhiteWins"]
//!
//! 1. wS1
//! 2. bG1 wS1-
//! {a comment}
//! ```
//!
//! Annotations (`$4`), comments and variations follow their move in this order. MzingaViewer reads
//! every line outside of braces as a move. A line with annotations therefore starts and ends with a
//! comment, which may be empty, so that MzingaViewer treats the whole line as a comment:
//!
//! ```text
//! 3. wQ wS1/
//! {} $6 {a comment} (3. wA1 wS1- 4. bA1 -bG1 {another one}) {}
//! ```

mod parts;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;

use super::moves::{FileNames, WrittenMove, play, play_all};
use super::stated_result;
use crate::collector::GameCollector;
use crate::{
    Damage, Fault, Glyph, MAX_VARIATION_DEPTH, MAX_VARIATIONS, Replay, ReplayError, Variation,
};
use parts::{Part, Parts};
use wabe_hive::ByColor;
use wabe_hive::game::{MAX_PLIES, Repetition};
use wabe_hive::standard::{GameState, PieceName, StandardRecord};
use wabe_hive::standard::{GameType, Standard};
pub(super) use write::write_pgn;

/// Tags that have their own fields in a replay.
const OWN_TAGS: [&str; 4] = ["GameType", "White", "Black", "Result"];

/// Maximum number of other tags per game.
const MAX_TAGS: usize = 50;

/// PGN's placeholder for an unknown value.
const UNKNOWN: &str = "?";

/// True if a text starts with a tag or with `1.`.
pub(super) fn looks_like_pgn(text: &str) -> bool {
    let after_bracket = text.strip_prefix('[');
    let is_tag = after_bracket.is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
    });
    is_tag || text.starts_with("1.")
}

/// Parses a result in the protocol's or in chess notation. Returns `Some(None)` for an unfinished
/// game and `None` for other words.
fn parse_result(word: &str) -> Option<Option<GameState>> {
    Some(match word {
        "WhiteWins" | "1-0" | "1–0" => Some(GameState::WhiteWins),
        "BlackWins" | "0-1" | "0–1" => Some(GameState::BlackWins),
        "Draw" | "1/2-1/2" | "1/2–1/2" | "½-½" | "½–½" | "1/2" | "½" => {
            Some(GameState::Draw)
        }
        // hivegame.com writes `Unkown`.
        "InProgress" | "NotStarted" | "*" | "Unknown" | "Unkown" => None,
        _ => return None,
    })
}

/// Reads the games of a PGN text, each up to its first illegal move. The tag `GameType` is extended
/// by the expansions of all pieces that occur.
///
/// # Errors
/// When a limit of the file is exceeded.
pub(super) fn read_pgn(text: &str) -> Result<Vec<Replay<Standard>>, ReplayError> {
    let mut replays = GameCollector::default();
    let mut game = GameParser::default();
    for (line, part) in Parts::new(text) {
        match part {
            Part::Tag(name, value) => {
                if game.has_moves || game.mark_tag(name) {
                    // The next game begins.
                    replays.push(std::mem::take(&mut game).finish())?;
                }
                game.mark_tag(name);
                game.read_tag(line, name, value);
            }
            Part::Word(word) => {
                if game.is_over && game.skipped == 0 && is_first_move_number(word) {
                    replays.push(std::mem::take(&mut game).finish())?;
                }
                game.push_word(line, word);
            }
            Part::Comment(text) => game.push_comment(text),
            Part::Glyph(glyph) => game.push_glyph(glyph),
            Part::Open => game.open(line),
            Part::Close => game.close(),
        }
    }
    replays.push(game.finish())?;
    Ok(replays.games)
}

/// Parser state of one game.
#[derive(Default)]
struct GameParser {
    game_type: GameType,
    names: ByColor<String>,
    tags: Vec<(String, String)>,
    /// The current line: the main line or a variation.
    line: ParsedLine,
    /// The lines that contain the current one, outermost first.
    outer: Vec<ParsedLine>,
    variations: usize,
    /// Number of words in the moves of all variations.
    variation_words: usize,
    /// Nesting depth within a skipped variation; 0 outside.
    skipped: usize,
    damage: Option<Damage>,
    result: Option<GameState>,
    /// Which of [`OWN_TAGS`] have been read.
    own_tags: [bool; OWN_TAGS.len()],
    has_moves: bool,
    is_over: bool,
}

/// A main line or a variation before its moves are played.
#[derive(Default)]
pub(super) struct ParsedLine {
    /// Number of plies before the line.
    pub(super) after: usize,
    pub(super) moves: Vec<WrittenMove>,
    /// The first word of a move whose target is still missing.
    piece: Option<WrittenMove>,
    comments: BTreeMap<usize, String>,
    glyphs: BTreeMap<usize, Glyph>,
    pub(super) variations: Vec<ParsedLine>,
}

impl ParsedLine {
    /// An empty variation after that many plies.
    pub(super) fn variation(after: usize) -> ParsedLine {
        ParsedLine {
            after,
            ..ParsedLine::default()
        }
    }

    /// Plays the line and its variations, each up to its first illegal move. The game type is
    /// extended by the expansions of all pieces that occur.
    pub(super) fn into_replay(self, game_type: GameType) -> Replay<Standard> {
        let pieces = self.pieces().into_iter();
        let game_type = game_type.with(pieces.map(|name| name.piece().kind));
        let (game, names, mut damage) = play_all(game_type, &self.moves);
        let mut left = MAX_PLIES;
        let variations = play_variations(&self.variations, &game, &names, &mut left, &mut damage);
        Replay {
            remarks: self.comments,
            glyphs: self.glyphs,
            variations,
            damage,
            ..Replay::new(game)
        }
    }

    /// Completes a move without a target.
    fn end_move(&mut self) {
        self.moves.extend(self.piece.take());
    }

    /// Number of the position after the moves read so far.
    fn position(&self) -> usize {
        self.after + self.moves.len()
    }

    fn pieces(&self) -> Vec<PieceName> {
        let words = self.moves.iter().flat_map(|mv| mv.text.split_whitespace());
        let pieces = words.filter_map(|word| word.parse().ok());
        pieces
            .chain(self.variations.iter().flat_map(ParsedLine::pieces))
            .collect()
    }
}

/// True for `1.` and `1.wS1`, but not for `1...`.
fn is_first_move_number(word: &str) -> bool {
    word.strip_prefix("1.")
        .is_some_and(|rest| !rest.starts_with('.'))
}

impl GameParser {
    /// Marks one of [`OWN_TAGS`] as read. Returns true if it already was.
    fn mark_tag(&mut self, name: &str) -> bool {
        let bit = OWN_TAGS.iter().position(|own| *own == name);
        bit.is_some_and(|bit| std::mem::replace(&mut self.own_tags[bit], true))
    }

    fn read_tag(&mut self, line: usize, name: &str, value: &str) {
        match name {
            "GameType" => match value.parse() {
                Ok(game_type) => self.game_type = game_type,
                Err(error) => self.fail(line, 0, Fault::GameType(error)),
            },
            "White" | "Black" if value == UNKNOWN => {}
            "White" => self.names.red = value.to_owned(),
            "Black" => self.names.blue = value.to_owned(),
            "Result" => self.result = parse_result(value).flatten(),
            // Writing a tag without a name would produce invalid PGN.
            "" => {}
            _ if self.tags.len() < MAX_TAGS => {
                self.tags.push((name.to_owned(), value.to_owned()));
            }
            _ => self.fail(line, 0, Fault::TooManyTags(MAX_TAGS)),
        }
    }

    /// Records an error, unless there was an earlier one.
    fn fail(&mut self, line: usize, ply: usize, fault: Fault) {
        self.damage
            .get_or_insert_with(|| Damage::at(line, ply, fault));
    }

    /// True if parts are ignored: after the result, or in a skipped variation.
    fn is_skipping(&self) -> bool {
        self.is_over || self.skipped > 0
    }

    fn push_word(&mut self, line: usize, word: &str) {
        self.has_moves = true;
        if self.is_over && parse_result(word).is_none() {
            let fault = Fault::AfterResult(word.to_owned());
            self.fail(line, self.line.position() + 1, fault);
        }
        if self.is_skipping() {
            return;
        }
        let current = &mut self.line;
        if let Some(result) = parse_result(word) {
            current.end_move();
            if self.outer.is_empty() {
                self.result = result.or(self.result);
                self.is_over = true;
            }
            return;
        }
        let unnumbered = without_number(word);
        if unnumbered.len() < word.len() {
            current.end_move();
        }
        if unnumbered.is_empty() {
            return;
        }
        // Stops reading moves only after a limit has been exceeded, so that the error is still
        // reported. A move consists of at most two words.
        if current.moves.len() > MAX_PLIES || self.variation_words > 3 * MAX_PLIES {
            return;
        }
        self.variation_words += usize::from(!self.outer.is_empty());
        let is_second = |first: &WrittenMove, ply: usize| {
            // The first move of a game has no target.
            ply > 0 || first.text.parse::<PieceName>().is_err() || unnumbered == "."
        };
        match current.piece.take() {
            Some(first) if is_second(&first, current.position()) => {
                current.moves.push(WrittenMove {
                    text: format!("{} {unnumbered}", first.text),
                    ..first
                });
            }
            first => {
                current.moves.extend(first);
                current.piece = Some(WrittenMove {
                    line,
                    text: unnumbered.to_owned(),
                });
                if unnumbered.eq_ignore_ascii_case("pass") {
                    current.end_move();
                }
            }
        }
    }

    fn push_comment(&mut self, text: &str) {
        if self.skipped > 0 || text.is_empty() {
            return;
        }
        let current = &mut self.line;
        current.end_move();
        // A comment at the start of a variation belongs to the first move.
        let is_at_start = !self.outer.is_empty() && current.moves.is_empty();
        let comment = current
            .comments
            .entry(current.position() + usize::from(is_at_start));
        let comment = comment.or_default();
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }

    fn push_glyph(&mut self, glyph: Glyph) {
        if self.is_skipping() {
            return;
        }
        self.line.end_move();
        if !self.line.moves.is_empty() {
            self.line.glyphs.insert(self.line.position(), glyph);
        }
    }

    /// Starts a variation that replaces the last move.
    fn open(&mut self, line: usize) {
        self.line.end_move();
        let fault = if self.variations >= MAX_VARIATIONS || self.outer.len() >= MAX_VARIATION_DEPTH
        {
            Some(Fault::TooManyVariations)
        } else if self.line.moves.is_empty() {
            Some(Fault::LoneVariation)
        } else {
            None
        };
        if self.is_skipping() {
            self.skipped += 1;
        } else if let Some(fault) = fault {
            self.fail(line, self.line.position(), fault);
            self.skipped += 1;
        } else {
            self.variations += 1;
            let variation = ParsedLine::variation(self.line.position() - 1);
            self.outer
                .push(std::mem::replace(&mut self.line, variation));
        }
    }

    fn close(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
        } else if let Some(outer) = self.outer.pop() {
            self.line.end_move();
            let variation = std::mem::replace(&mut self.line, outer);
            self.line.variations.push(variation);
        }
    }

    fn finish(mut self) -> Replay<Standard> {
        self.skipped = 0;
        while !self.outer.is_empty() {
            self.close();
        }
        self.line.end_move();
        let replay = self.line.into_replay(self.game_type);
        Replay {
            names: self.names,
            tags: self.tags,
            stated: self.result.and_then(stated_result),
            damage: replay.damage.or(self.damage),
            ..replay
        }
    }
}

/// Plays variations, each up to its first illegal move. `left` is the remaining number of plies
/// allowed in all of them.
fn play_variations(
    lines: &[ParsedLine],
    game: &StandardRecord,
    names: &FileNames,
    left: &mut usize,
    damage: &mut Option<Damage>,
) -> Vec<Variation> {
    let mut variations = Vec::with_capacity(lines.len());
    for parsed in lines {
        let Some(start) = game.after(parsed.after) else {
            continue;
        };
        let mut names = names.at(&start);
        let mut line = start.with_repetition(Repetition::Ignore);
        for mv in &parsed.moves {
            let played = if *left == 0 {
                Err(Fault::LongVariations)
            } else {
                *left -= 1;
                play(&mut line, &mut names, &mv.text).map_err(|error| Fault::Move {
                    text: mv.text.clone(),
                    is_in_variation: true,
                    error,
                })
            };
            if let Err(fault) = played {
                let ply = line.plies().len() + 1;
                damage.get_or_insert_with(|| Damage::at(mv.line, ply, fault));
                break;
            }
        }
        let texts = line.plies().iter().skip(parsed.after);
        let moves: Vec<String> = texts.map(|ply| ply.text.clone()).collect();
        if moves.is_empty() {
            continue;
        }
        let comments = parsed.comments.range(..=line.plies().len());
        let glyphs = parsed.glyphs.range(..=line.plies().len());
        variations.push(Variation {
            after: parsed.after,
            moves,
            remarks: comments.map(|(&at, text)| (at, text.clone())).collect(),
            glyphs: glyphs.map(|(&at, &glyph)| (at, glyph)).collect(),
            variations: play_variations(&parsed.variations, &line, &names, left, damage),
        });
    }
    variations
}

/// Strips a move number, `12.`, `12...` or `12`, from the start of a word.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == word.len() {
        return word;
    }
    rest.trim_start_matches('.')
}
