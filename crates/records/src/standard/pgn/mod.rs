//! Portable game notation, as MzingaViewer and hivegame.com write it for Hive.
//!
//! Tags as in chess, with `GameType`; then the plies, each with its own number and one a line, in
//! the protocol's notation:
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
//! Judgements (`$4`), comments and variations follow their move in that order. MzingaViewer takes
//! every line for a move unless it is in braces, so the line with them begins and ends with a
//! comment, if need be an empty one, and MzingaViewer shows all of it as a comment:
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

use super::moves::{FileNames, WrittenMove, play, play_all, reason};
use super::{Collected, account_of};
use crate::{
    Damage, Glyph, MAX_LENGTH, MAX_VARIATION_DEPTH, MAX_VARIATIONS, Replay, ReplayError, Variation,
};
use parts::{Part, Parts};
use wabe_hive::ByColor;
use wabe_hive::game::Repetition;
use wabe_hive::standard::{GameState, PieceName, StandardRecord};
use wabe_hive::standard::{GameType, Standard};
pub(super) use write::write_pgn;

/// The tags that are facts of a replay.
const OWN_TAGS: [&str; 4] = ["GameType", "White", "Black", "Result"];

/// Largest number of other tags of a game.
const MAX_TAGS: usize = 50;

/// The notation's sign for an unknown value.
const UNKNOWN: &str = "?";

/// True if a text begins like PGN, with a tag or the first move's number.
pub(super) fn begins_like_pgn(text: &str) -> bool {
    let after_bracket = text.strip_prefix('[');
    let is_tag = after_bracket.is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
    });
    is_tag || text.starts_with("1.")
}

/// The result that a word stands for, in the protocol's words or those of chess; `Some(None)` for
/// an unfinished game, `None` for other words.
fn result_of(word: &str) -> Option<Option<GameState>> {
    Some(match word {
        "WhiteWins" | "1-0" | "1–0" => Some(GameState::WhiteWins),
        "BlackWins" | "0-1" | "0–1" => Some(GameState::BlackWins),
        "Draw" | "1/2-1/2" | "1/2–1/2" | "½-½" | "½–½" | "1/2" | "½" => {
            Some(GameState::Draw)
        }
        "InProgress" | "NotStarted" | "*" | "Unknown" | "Unkown" => None,
        _ => return None,
    })
}

/// Reads the games of a PGN text, each up to its first illegal move. A game has the expansions that
/// its tag `GameType` names, and those whose pieces occur.
///
/// # Errors
/// When they are too many.
pub(super) fn read_pgn(text: &str) -> Result<Vec<Replay<Standard>>, ReplayError> {
    let mut replays = Collected::default();
    let mut reading = Reading::default();
    for (line, part) in Parts::new(text) {
        match part {
            Part::Tag(name, value) => {
                if reading.has_moves || reading.has_tag(name) {
                    // The next game begins.
                    replays.push(std::mem::take(&mut reading).finish())?;
                }
                reading.has_tag(name);
                reading.tag(line, name, value);
            }
            Part::Word(word) => {
                if reading.is_over && reading.skipped == 0 && begins_a_game(word) {
                    replays.push(std::mem::take(&mut reading).finish())?;
                }
                reading.word(line, word);
            }
            Part::Comment(text) => reading.comment(text),
            Part::Glyph(glyph) => reading.glyph(glyph),
            Part::Open => reading.open(line),
            Part::Close => reading.close(),
        }
    }
    replays.push(reading.finish())?;
    Ok(replays.games)
}

/// The state of reading a game.
#[derive(Default)]
struct Reading {
    game_type: GameType,
    names: ByColor<String>,
    tags: Vec<(String, String)>,
    /// The game, or the variation that is being read.
    line: Written,
    /// The game and the variations around it.
    outer: Vec<Written>,
    variations: usize,
    /// Number of words in the moves of all variations.
    varied: usize,
    /// The depth within variations that are left out.
    skipped: usize,
    damage: Option<Damage>,
    result: Option<GameState>,
    /// For each of [`OWN_TAGS`], true if it was there.
    own_tags: [bool; OWN_TAGS.len()],
    has_moves: bool,
    is_over: bool,
}

/// A game or a variation as it was written.
#[derive(Default)]
pub(super) struct Written {
    /// Plies played before.
    pub(super) after: usize,
    pub(super) moves: Vec<WrittenMove>,
    /// A piece whose target is not read yet.
    piece: Option<WrittenMove>,
    comments: BTreeMap<usize, String>,
    glyphs: BTreeMap<usize, Glyph>,
    pub(super) variations: Vec<Written>,
}

impl Written {
    /// A variation after that many plies.
    pub(super) fn variation(after: usize) -> Written {
        Written {
            after,
            ..Written::default()
        }
    }

    /// Plays the game and its variations, each up to its first illegal move. The type grows by the
    /// expansions of its pieces.
    pub(super) fn into_replay(self, game_type: GameType) -> Replay<Standard> {
        let pieces = self.pieces().into_iter();
        let game_type = game_type.with(pieces.map(|name| name.piece().kind));
        let (game, names, mut damage) = play_all(game_type, &self.moves);
        let mut left = MAX_LENGTH;
        let variations = play_variations(&self.variations, &game, &names, &mut left, &mut damage);
        Replay {
            remarks: self.comments,
            glyphs: self.glyphs,
            variations,
            damage,
            ..Replay::new(game)
        }
    }

    /// Ends a move without a target.
    fn end_move(&mut self) {
        self.moves.extend(self.piece.take());
    }

    /// The position after its moves so far.
    fn position(&self) -> usize {
        self.after + self.moves.len()
    }

    fn pieces(&self) -> Vec<PieceName> {
        let words = self.moves.iter().flat_map(|mv| mv.text.split_whitespace());
        let own = words.filter_map(|word| word.parse().ok());
        own.chain(self.variations.iter().flat_map(Written::pieces))
            .collect()
    }
}

/// The fault of a file with variations that are not kept.
pub(super) fn too_many_variations() -> String {
    format!(
        "variations are left out: more than {MAX_VARIATIONS}, or more than {MAX_VARIATION_DEPTH} inside each other"
    )
}

/// True if a word has the number of a first move, `1.` or `1.wS1`.
fn begins_a_game(word: &str) -> bool {
    word.strip_prefix("1.")
        .is_some_and(|rest| !rest.starts_with('.'))
}

impl Reading {
    /// Notes a tag. True if it is one of [`OWN_TAGS`] and the game already has it.
    fn has_tag(&mut self, name: &str) -> bool {
        let bit = OWN_TAGS.iter().position(|own| *own == name);
        bit.is_some_and(|bit| std::mem::replace(&mut self.own_tags[bit], true))
    }

    fn tag(&mut self, line: usize, name: &str, value: &str) {
        match name {
            "GameType" => match value.parse() {
                Ok(game_type) => self.game_type = game_type,
                Err(error) => self.note(line, 0, error.to_string()),
            },
            "White" | "Black" if value == UNKNOWN => {}
            "White" => self.names.red = value.to_owned(),
            "Black" => self.names.blue = value.to_owned(),
            "Result" => self.result = result_of(value).flatten(),
            // A tag without a name could not be read back.
            "" => {}
            _ if self.tags.len() < MAX_TAGS => {
                self.tags.push((name.to_owned(), value.to_owned()));
            }
            _ => self.note(line, 0, format!("tags are left out: more than {MAX_TAGS}")),
        }
    }

    /// Notes a fault, if it is the first one.
    fn note(&mut self, line: usize, ply: usize, problem: String) {
        self.damage
            .get_or_insert_with(|| Damage::at(line, ply, problem));
    }

    /// True if the next part is not kept.
    fn is_skipping(&self) -> bool {
        self.is_over || self.skipped > 0
    }

    fn word(&mut self, line: usize, word: &str) {
        self.has_moves = true;
        if self.is_over && result_of(word).is_none() {
            let problem = format!("`{word}` comes after the result");
            self.note(line, self.line.position() + 1, problem);
        }
        if self.is_skipping() {
            return;
        }
        let own = &mut self.line;
        if let Some(result) = result_of(word) {
            own.end_move();
            if self.outer.is_empty() {
                self.result = result.or(self.result);
                self.is_over = true;
            }
            return;
        }
        let unnumbered = without_number(word);
        if unnumbered.len() < word.len() {
            own.end_move();
        }
        if unnumbered.is_empty() {
            return;
        }
        // A line that is too long is read only far enough to see that: a move has two words at
        // most.
        if own.moves.len() > MAX_LENGTH || self.varied > 3 * MAX_LENGTH {
            return;
        }
        self.varied += usize::from(!self.outer.is_empty());
        let is_second = |first: &WrittenMove, ply: usize| {
            // The first move of a game has no target.
            ply > 0 || first.text.parse::<PieceName>().is_err() || unnumbered == "."
        };
        match own.piece.take() {
            Some(first) if is_second(&first, own.position()) => {
                own.moves.push(WrittenMove {
                    text: format!("{} {unnumbered}", first.text),
                    ..first
                });
            }
            first => {
                own.moves.extend(first);
                own.piece = Some(WrittenMove {
                    line,
                    text: unnumbered.to_owned(),
                });
                if unnumbered.eq_ignore_ascii_case("pass") {
                    own.end_move();
                }
            }
        }
    }

    fn comment(&mut self, text: &str) {
        if self.skipped > 0 || text.is_empty() {
            return;
        }
        let own = &mut self.line;
        own.end_move();
        // Before the first move of a variation, a comment is about that move.
        let is_early = !self.outer.is_empty() && own.moves.is_empty();
        let comment = own.comments.entry(own.position() + usize::from(is_early));
        let comment = comment.or_default();
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }

    fn glyph(&mut self, glyph: Glyph) {
        if self.is_skipping() {
            return;
        }
        self.line.end_move();
        if !self.line.moves.is_empty() {
            self.line.glyphs.insert(self.line.position(), glyph);
        }
    }

    /// A variation begins, in place of the last move.
    fn open(&mut self, line: usize) {
        self.line.end_move();
        let problem =
            if self.variations >= MAX_VARIATIONS || self.outer.len() >= MAX_VARIATION_DEPTH {
                Some(too_many_variations())
            } else if self.line.moves.is_empty() {
                Some("a variation has no move before it".to_owned())
            } else {
                None
            };
        if self.is_skipping() {
            self.skipped += 1;
        } else if let Some(problem) = problem {
            self.note(line, self.line.position(), problem);
            self.skipped += 1;
        } else {
            self.variations += 1;
            let variation = Written::variation(self.line.position() - 1);
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
            stated: self.result.and_then(account_of),
            damage: replay.damage.or(self.damage),
            ..replay
        }
    }
}

/// Plays the variations of a game, each up to its first illegal move. `left` is the number of plies
/// that they may still have together.
fn play_variations(
    written: &[Written],
    game: &StandardRecord,
    names: &FileNames,
    left: &mut usize,
    damage: &mut Option<Damage>,
) -> Vec<Variation> {
    let mut variations = Vec::with_capacity(written.len());
    for written in written {
        let Some(start) = game.after(written.after) else {
            continue;
        };
        let mut names = names.at(&start);
        let mut line = start.with_repetition(Repetition::Ignore);
        for mv in &written.moves {
            let played = if *left == 0 {
                Err(format!("the variations have more than {MAX_LENGTH} plies"))
            } else {
                *left -= 1;
                play(&mut line, &mut names, &mv.text)
                    .map_err(|error| format!("`{}` in a variation: {}", mv.text, reason(&error)))
            };
            if let Err(problem) = played {
                let ply = line.plies().len() + 1;
                damage.get_or_insert_with(|| Damage::at(mv.line, ply, problem));
                break;
            }
        }
        let texts = line.plies().iter().skip(written.after);
        let moves: Vec<String> = texts.map(|ply| ply.text.clone()).collect();
        if moves.is_empty() {
            continue;
        }
        let comments = written.comments.range(..=line.plies().len());
        let glyphs = written.glyphs.range(..=line.plies().len());
        variations.push(Variation {
            after: written.after,
            moves,
            remarks: comments.map(|(&at, text)| (at, text.clone())).collect(),
            glyphs: glyphs.map(|(&at, &glyph)| (at, glyph)).collect(),
            variations: play_variations(&written.variations, &line, &names, left, damage),
        });
    }
    variations
}

/// The word without the number of a move, `12.`, `12...` or `12`, before it.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == word.len() {
        return word;
    }
    rest.trim_start_matches('.')
}
