//! Portable game notation, as MzingaViewer and hivegame.com write it for Hive.
//!
//! Tags as in chess, with `GameType`; then the plies, each with its own number and one a line, in the protocol's notation:
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
//! Judgements (`$4`), comments and variations follow their move in that order. MzingaViewer takes every line for a move unless it is in
//! braces, so the line with them begins and ends with a comment, if need be an empty one, and MzingaViewer shows all of it as a comment:
//!
//! ```text
//! 3. wQ wS1/
//! {} $6 {a comment} (3. wA1 wS1- 4. bA1 -bG1 {another one}) {}
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use super::moves::{WrittenMove, damage, game_type_of, play, play_all, reason};
use super::{account_of, final_state};
use crate::game::standard::{GameState, PieceName, StandardRecord};
use crate::game::{Ply, Repetition};
use crate::hex::CellSet;
use crate::hive::ByColor;
use crate::hive::standard::{GameType, Wide};
use crate::replay::{
    DEEPEST_VARIATION, Damage, Glyph, MOST, MOST_VARIATIONS, Replay, ReplayError, Variation, push,
};
use crate::text::{printable, printable_lines};

/// True if a text begins like PGN, with a tag or the first move's number.
pub(super) fn begins_like_pgn(text: &str) -> bool {
    let after_bracket = text.strip_prefix('[');
    let is_tag = after_bracket.is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|c: char| c.is_ascii_alphabetic())
    });
    is_tag || text.starts_with("1.")
}

/// The result that a word stands for, in the protocol's words or those of chess; `Some(None)` for an unfinished game, `None` for other
/// words.
fn result_of(word: &str) -> Option<Option<GameState>> {
    Some(match word {
        "WhiteWins" | "1-0" => Some(GameState::WhiteWins),
        "BlackWins" | "0-1" => Some(GameState::BlackWins),
        "Draw" | "1/2-1/2" => Some(GameState::Draw),
        "InProgress" | "NotStarted" | "*" | "Unknown" | "Unkown" => None,
        _ => return None,
    })
}

/// Reads the games of a PGN text, each up to its first illegal move. Without a tag `GameType`, a game has the expansions whose pieces
/// occur.
///
/// # Errors
/// For an unknown game type.
pub(super) fn read_pgn(text: &str) -> Result<Vec<Replay<Wide>>, ReplayError> {
    let mut replays = Vec::new();
    let mut reading = Reading::default();
    for (line, part) in Parts::of(text) {
        match part {
            Part::Tag(name, value) => {
                if reading.has_moves || reading.has_tag(&name) {
                    // The next game begins.
                    push(&mut replays, std::mem::take(&mut reading).finish())?;
                }
                reading.has_tag(&name);
                reading.tag(line, &name, value)?;
            }
            Part::Word(word) => {
                if reading.is_over && begins_a_game(&word) {
                    push(&mut replays, std::mem::take(&mut reading).finish())?;
                }
                reading.word(line, &word);
            }
            Part::Comment(text) => reading.comment(text),
            Part::Glyph(glyph) => reading.glyph(glyph),
            Part::Open => reading.open(line),
            Part::Close => reading.close(),
        }
    }
    push(&mut replays, reading.finish())?;
    Ok(replays)
}

/// The state of reading a game.
#[derive(Default)]
struct Reading {
    game_type: Option<GameType>,
    names: ByColor<String>,
    tags: Vec<(String, String)>,
    /// The game, or the variation that is being read.
    line: Written,
    /// The game and the variations around it.
    outer: Vec<Written>,
    variations: usize,
    /// The depth in variations that are left out.
    skipped: usize,
    damage: Option<Damage>,
    result: Option<GameState>,
    /// Which of [`OWN_TAGS`] were there.
    own_tags: [bool; OWN_TAGS.len()],
    has_moves: bool,
    is_over: bool,
}

/// A game or a variation as it was written.
#[derive(Default)]
struct Written {
    /// Plies played before.
    after: usize,
    moves: Vec<WrittenMove>,
    /// A piece whose target is not read yet.
    piece: Option<WrittenMove>,
    comments: BTreeMap<usize, String>,
    glyphs: BTreeMap<usize, Glyph>,
    variations: Vec<Written>,
}

impl Written {
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

/// True if a word has the number of a first move, `1.` or `1.wS1`.
fn begins_a_game(word: &str) -> bool {
    word.strip_prefix("1.")
        .is_some_and(|rest| !rest.starts_with('.'))
}

impl Reading {
    /// True if the game has this tag already, of those that a game has once.
    fn has_tag(&mut self, name: &str) -> bool {
        let bit = OWN_TAGS.iter().position(|own| *own == name);
        bit.is_some_and(|bit| std::mem::replace(&mut self.own_tags[bit], true))
    }

    fn tag(&mut self, line: usize, name: &str, value: String) -> Result<(), ReplayError> {
        match name {
            "GameType" => {
                let game_type = value.parse::<GameType>();
                self.game_type = Some(game_type.map_err(|error| ReplayError::Line {
                    line,
                    problem: error.to_string(),
                })?);
            }
            "White" | "Black" if value == UNKNOWN => {}
            "White" => self.names.red = value,
            "Black" => self.names.blue = value,
            "Result" => self.result = result_of(&value).flatten(),
            // Nothing could be written that is read as this tag again.
            "" => {}
            _ => self.tags.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// True if what comes belongs to nothing that is kept.
    fn is_skipping(&self) -> bool {
        self.is_over || self.skipped > 0
    }

    fn word(&mut self, line: usize, word: &str) {
        self.has_moves = true;
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

    fn comment(&mut self, text: String) {
        if self.is_skipping() || text.is_empty() {
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
        comment.push_str(&text);
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
        let is_too_much =
            self.variations >= MOST_VARIATIONS || self.outer.len() >= DEEPEST_VARIATION;
        if is_too_much && !self.is_skipping() {
            self.damage.get_or_insert_with(|| {
                let problem = format!(
                    "variations are left out: more than {MOST_VARIATIONS}, or more than {DEEPEST_VARIATION} inside each other"
                );
                damage(line, self.line.position(), problem)
            });
        }
        if is_too_much || self.is_skipping() || self.line.moves.is_empty() {
            self.skipped += 1;
            return;
        }
        self.variations += 1;
        let variation = Written {
            after: self.line.position() - 1,
            ..Written::default()
        };
        self.outer
            .push(std::mem::replace(&mut self.line, variation));
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

    fn finish(mut self) -> Replay<Wide> {
        self.skipped = 0;
        while !self.outer.is_empty() {
            self.close();
        }
        self.line.end_move();
        let game_type = self
            .game_type
            .unwrap_or_else(|| game_type_of(self.line.pieces()));
        let (game, stopped) = play_all(game_type, &self.line.moves);
        let mut damage = stopped.or(self.damage);
        let mut left = MOST;
        let variations = played(&self.line.variations, &game, &mut left, &mut damage);
        Replay {
            names: self.names,
            tags: self.tags,
            remarks: self.line.comments,
            glyphs: self.line.glyphs,
            variations,
            account: self.result.and_then(account_of),
            damage,
            ..Replay::of(game)
        }
    }
}

/// Variations of a game, each up to its first illegal move. `left` is the number of plies that all together may still have.
fn played(
    written: &[Written],
    game: &StandardRecord,
    left: &mut usize,
    damage: &mut Option<Damage>,
) -> Vec<Variation> {
    let mut variations = Vec::with_capacity(written.len());
    for written in written {
        let Some(start) = game.after(written.after) else {
            continue;
        };
        let mut line = start.with_repetition(Repetition::Ignore);
        for mv in &written.moves {
            let problem = match left.checked_sub(1) {
                None => format!("the variations have more than {MOST} plies"),
                Some(less) => {
                    *left = less;
                    match play(&mut line, &mv.text) {
                        Ok(()) => continue,
                        Err(error) => format!("`{}` in a variation: {}", mv.text, reason(&error)),
                    }
                }
            };
            let ply = line.plies().len() + 1;
            damage.get_or_insert_with(|| super::moves::damage(mv.line, ply, problem));
            break;
        }
        let texts = line.plies().iter().skip(written.after);
        let moves: Vec<String> = texts.map(|ply| ply.text.clone()).collect();
        if moves.is_empty() {
            continue;
        }
        let is_kept = |position: &usize| *position <= line.plies().len();
        let comments = written.comments.iter().filter(|entry| is_kept(entry.0));
        let glyphs = written.glyphs.iter().filter(|entry| is_kept(entry.0));
        variations.push(Variation {
            after: written.after,
            moves,
            remarks: comments.map(|(&at, text)| (at, text.clone())).collect(),
            glyphs: glyphs.map(|(&at, &glyph)| (at, glyph)).collect(),
            variations: played(&written.variations, &line, left, damage),
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

/// The tags that every file has, after the game type.
const USUAL_TAGS: [&str; 4] = ["Date", "Event", "Site", "Round"];

/// The tags that are facts of a replay.
const OWN_TAGS: [&str; 4] = ["GameType", "White", "Black", "Result"];

/// Most characters of a tag's value.
const LONGEST_VALUE: usize = 1_000;

/// The notation's sign for an unknown value.
const UNKNOWN: &str = "?";

/// The game in portable game notation, as MzingaViewer writes and reads it; `None` for one that does not begin with an empty board.
pub(super) fn write_pgn(replay: &Replay<Wide>) -> Option<String> {
    let game = replay.last();
    if !game.start().occupied().is_empty() {
        return None;
    }
    let result = final_state(replay).to_string();
    let value_of = |name| {
        let mut tags = replay.tags.iter();
        let found = tags.find(|(tag, _)| tag == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut text = String::new();
    push_tag(&mut text, "GameType", &game.variant().to_string());
    for name in USUAL_TAGS {
        let value = match value_of(name) {
            "" if name == "Date" => "????.??.??",
            value => value,
        };
        push_tag(&mut text, name, value);
    }
    for (name, player) in [("White", &replay.names.red), ("Black", &replay.names.blue)] {
        let is_known = !player.trim().is_empty();
        push_tag(&mut text, name, if is_known { player } else { UNKNOWN });
    }
    push_tag(&mut text, "Result", &result);
    for (name, value) in &replay.tags {
        let is_written = |names: &[&str]| names.contains(&name.as_str());
        if !is_written(&USUAL_TAGS) && !is_written(&OWN_TAGS) {
            push_tag(&mut text, name, value);
        }
    }
    text.push('\n');
    let comment_at = |position| replay.remarks.get(&position).map(|text| comment(text));
    if let Some(comment) = comment_at(0) {
        let _ = writeln!(text, "{comment}");
    }
    for (number, Ply { text: mv, .. }) in (1..).zip(game.plies()) {
        let _ = writeln!(text, "{number}. {mv}");
        let mut notes = replay.glyphs.get(&number).map_or_else(String::new, nag);
        if let Some(comment) = comment_at(number) {
            notes = format!("{notes} {comment}");
        }
        push_variations(&mut notes, &replay.variations, number);
        let notes = notes.trim_start();
        if !notes.is_empty() {
            let begin = if notes.starts_with('{') { "" } else { "{} " };
            let end = if notes.ends_with('}') { "" } else { " {}" };
            let _ = writeln!(text, "{begin}{notes}{end}");
        }
    }
    if final_state(replay).is_over() {
        let _ = writeln!(text, "\n{result}");
    }
    Some(text)
}

/// A text in braces, which cannot contain others.
fn comment(text: &str) -> String {
    let text = printable_lines(text);
    // Read back, blanks around it are not part of it.
    format!("{{{}}}", text.trim().replace('{', "(").replace('}', ")"))
}

/// The sign of a judgement, after a space.
fn nag(glyph: &Glyph) -> String {
    let number = (1..).zip(Glyph::ALL).find(|(_, other)| other == glyph);
    number.map_or_else(String::new, |(number, _)| format!(" ${number}"))
}

/// Writes the variations that replace a ply, each in parentheses after a space.
fn push_variations(text: &mut String, variations: &[Variation], ply: usize) {
    let others = variations.iter().filter(|other| other.after + 1 == ply);
    for variation in others {
        text.push_str(" (");
        for (number, mv) in (ply..).zip(&variation.moves) {
            let space = if number > ply { " " } else { "" };
            let _ = write!(text, "{space}{number}. {mv}");
            for (_, glyph) in variation.glyphs.iter().filter(|(at, _)| *at == number) {
                text.push_str(&nag(glyph));
            }
            for (_, remark) in variation.remarks.iter().filter(|(at, _)| *at == number) {
                let _ = write!(text, " {}", comment(remark));
            }
            push_variations(text, &variation.variations, number);
        }
        text.push(')');
    }
}

/// Writes a tag. Characters that would end its name or its line are replaced.
fn push_tag(text: &mut String, name: &str, value: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect();
    let value = printable(value, LONGEST_VALUE).replace('"', "'");
    let _ = writeln!(text, "[{name} \"{}\"]", value.trim());
}

/// A part of a PGN text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `[Name "value"]`.
    Tag(String, String),
    /// `{…}` or `;…`, without the signs.
    Comment(String),
    /// A word of the moves' text.
    Word(String),
    /// `$1` to `$6`.
    Glyph(Glyph),
    /// `(`: a variation begins.
    Open,
    /// `)`: it ends.
    Close,
}

/// The parts of a PGN text, each with its line from 1. Other `$` signs and lines that begin with `%` are left out.
struct Parts<'a> {
    characters: Peekable<Chars<'a>>,
    line: usize,
    begins_line: bool,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Parts<'a> {
        Parts {
            characters: text.chars().peekable(),
            line: 1,
            begins_line: true,
        }
    }

    fn take(&mut self) -> Option<char> {
        let character = self.characters.next()?;
        self.begins_line = character == '\n';
        self.line += usize::from(character == '\n');
        Some(character)
    }

    /// Takes the text up to one of these characters or the end, and that character. Returns both.
    fn until(&mut self, is_end: impl Fn(char) -> bool) -> (String, Option<char>) {
        let mut text = String::new();
        while let Some(character) = self.take() {
            if is_end(character) {
                return (text, Some(character));
            }
            text.push(character);
        }
        (text, None)
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        let is_inside = |c: &char| !c.is_whitespace() && !matches!(c, '{' | ';' | '(' | ')' | '[');
        while let Some(character) = self.characters.next_if(is_inside) {
            word.push(character);
        }
        self.begins_line = false;
        word
    }

    /// Takes the line of a tag. The value may hold anything, even quotation marks.
    fn tag(&mut self) -> Part {
        let (line, _) = self.until(|c| c == '\n');
        let line = line.trim().trim_start_matches('[').trim_end_matches(']');
        let line = line.trim();
        let name_ends = |c: char| c.is_whitespace() || c == '"';
        let (name, value) = line.split_at(line.find(name_ends).unwrap_or(line.len()));
        let value = value.trim();
        let value = value.strip_prefix('"').unwrap_or(value);
        let value = value.strip_suffix('"').unwrap_or(value);
        Part::Tag(name.to_owned(), value.trim().to_owned())
    }
}

impl Iterator for Parts<'_> {
    type Item = (usize, Part);

    fn next(&mut self) -> Option<(usize, Part)> {
        loop {
            let begins_line = self.begins_line;
            let line = self.line;
            match *self.characters.peek()? {
                '[' => return Some((line, self.tag())),
                '{' => {
                    self.take();
                    let (text, _) = self.until(|c| c == '}');
                    return Some((line, Part::Comment(text.trim().to_owned())));
                }
                ';' => {
                    self.take();
                    let (text, _) = self.until(|c| c == '\n');
                    return Some((line, Part::Comment(text.trim().to_owned())));
                }
                '%' if begins_line => drop(self.until(|c| c == '\n')),
                '(' => {
                    self.take();
                    return Some((line, Part::Open));
                }
                ')' => {
                    self.take();
                    return Some((line, Part::Close));
                }
                c if c.is_whitespace() => drop(self.take()),
                _ => {
                    let word = self.word();
                    let Some(number) = word.strip_prefix('$') else {
                        return Some((line, Part::Word(word)));
                    };
                    let number = number.parse().ok().and_then(|n: usize| n.checked_sub(1));
                    if let Some(&glyph) = number.and_then(|index| Glyph::ALL.get(index)) {
                        return Some((line, Part::Glyph(glyph)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::Color;

    fn first(text: &str) -> Replay<Wide> {
        read_pgn(text).unwrap().swap_remove(0)
    }

    fn game(text: &str) -> String {
        first(text).last().to_string()
    }

    const GAME: &str = "Base;InProgress;White[3];wS1;bG1 -wS1;wQ wS1-;bQ -bG1";

    #[test]
    fn moves_are_read_in_every_layout() {
        for moves in [
            "1. wS1\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n",
            "1. wS1 .\r\n2. bG1 -wS1\r\n3. wQ wS1-\r\n4. bQ -bG1",
            "1. wS1 bG1 -wS1 2. wQ wS1- bQ -bG1 *",
            "1.wS1 1...bG1 -wS1 2.wQ wS1- 2...bQ -bG1",
            "1. wS1 \n2. bG1\n-wS1\n3. wQ wS1- {hm}\n4. bQ -bG1 InProgress",
        ] {
            assert_eq!(
                game(&format!("[GameType \"Base\"]\n\n{moves}")),
                GAME,
                "{moves}"
            );
        }
    }

    #[test]
    fn without_a_game_type_the_pieces_tell_it() {
        assert_eq!(game("1. wS1\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n"), GAME);
        assert!(game("1. wS1\n2. bL -wS1\n3. wP wS1-\n").starts_with("Base+LP;"));
    }

    #[test]
    fn tags_results_and_comments_are_kept() {
        let text = "[GameType \"Base\"]\n[White \"A\"]\n[Black \"B\"]\n[Event \"E\"]\n[Result \"1/2-1/2\"]\n{before}\n1. wS1\n{one}\n{two}";
        let replay = first(text);
        assert_eq!(
            (replay.names.red.as_str(), replay.names.blue.as_str()),
            ("A", "B")
        );
        assert_eq!(replay.tags, [("Event".to_owned(), "E".to_owned())]);
        assert_eq!(replay.account.unwrap().winner, None);
        assert_eq!(replay.remarks[&0], "before");
        assert_eq!(replay.remarks[&1], "one\ntwo");
    }

    #[test]
    fn games_without_tags_or_without_moves_are_games_too() {
        for text in [
            "1. wS1 1-0\n\n1. wG1\n2. bG1 wG1- 0-1\n1.wA1 *",
            "[White \"A\"]\n[Result \"1-0\"]\n[White \"B\"]\n[Black \"x\"]\n[White \"C\"]\n1. wA1",
        ] {
            assert_eq!(read_pgn(text).unwrap().len(), 3, "{text}");
        }
        let winners: Vec<_> = read_pgn("1. wS1 1-0\n1. wG1 0-1\n1. wA1 1/2-1/2")
            .unwrap()
            .iter()
            .map(Replay::winner)
            .collect();
        let won_by = |color| Some(Some(color));
        assert_eq!(
            winners,
            [won_by(Color::Red), won_by(Color::Blue), Some(None)]
        );
    }

    #[test]
    fn a_tag_never_becomes_another_one() {
        let text = "[White \"A\"]\n[Whi-te \"EVIL\"]\n[GameT-ype \"x\"]\n[R\u{1b}\u{e9} \"a\u{202e}\u{1b}b\"]\n1. wS1";
        let written = write_pgn(&first(text)).unwrap();
        assert!(
            written.contains("[Whi_te \"EVIL\"]\n[GameT_ype \"x\"]\n[R__ \"a  b\"]"),
            "{written}"
        );
        let again = first(&written);
        assert_eq!(again.names.red, "A");
        assert_eq!(
            again
                .tags
                .iter()
                .filter(|(name, _)| name == "Whi_te")
                .count(),
            1
        );
    }

    #[test]
    fn a_tag_without_a_name_is_left_out() {
        for text in ["[ \"a\"]\n1. wS1", "[\n1. wS1", "[]\n1. wS1"] {
            let replay = first(text);
            assert_eq!(replay.tags, [], "{text}");
            let written = write_pgn(&replay).unwrap();
            assert_eq!(write_pgn(&first(&written)).unwrap(), written);
        }
    }

    #[test]
    fn results_that_the_rules_do_not_give_survive_in_other_forms() {
        let replay = first("[White \"A\"]\n1. wS1\n2. bG1 wS1- 1-0");
        let text = super::super::game_string(&replay);
        assert_eq!(text, "Base;WhiteWins;White[2];wS1;bG1 wS1-");
        let again = &crate::replay::read::<Wide>(text.as_bytes()).unwrap()[0];
        assert_eq!(again.winner(), Some(Some(Color::Red)));
        assert!(write_pgn(again).unwrap().contains("[Result \"WhiteWins\"]"));
    }

    #[test]
    fn all_games_of_a_text_are_read() {
        let text =
            "[White \"A\"]\n1. wS1\n[White \"B\"]\n1. wG1\n2. bG1 wG1-\n[White \"C\"]\n1. wA1\n";
        let replays = read_pgn(text).unwrap();
        let plies: Vec<usize> = replays.iter().map(|r| r.last().plies().len()).collect();
        assert_eq!(plies, [1, 2, 1]);
        assert_eq!(replays[2].names.red, "C");
    }

    #[test]
    fn a_move_that_is_not_possible_ends_the_game_with_its_line() {
        let replay = first("[GameType \"Base\"]\n\n1. wS1\n2. bG1 wS9\n3. wQ wS1-\n");
        assert_eq!(replay.last().plies().len(), 1);
        let damage = replay.damage.unwrap().to_string();
        assert!(damage.starts_with("line 4, ply 2: `bG1 wS9`: "), "{damage}");
    }

    #[test]
    fn a_text_falls_into_tags_words_and_comments_with_their_lines() {
        let text = "[White \"a \"b\" c\"]\n% no\n[Round]\n\n1. wS1 $4 {two\nlines} 2.bG1 /wS1;end\n(x (y {)}) z) 1-0";
        let parts: Vec<(usize, Part)> = Parts::of(text).collect();
        let tag = |name: &str, value: &str| Part::Tag(name.to_owned(), value.to_owned());
        let word = |word: &str| Part::Word(word.to_owned());
        let comment = |text: &str| Part::Comment(text.to_owned());
        assert_eq!(
            parts,
            [
                (1, tag("White", "a \"b\" c")),
                (3, tag("Round", "")),
                (5, word("1.")),
                (5, word("wS1")),
                (5, Part::Glyph(Glyph::Blunder)),
                (5, comment("two\nlines")),
                (6, word("2.bG1")),
                (6, word("/wS1")),
                (6, comment("end")),
                (7, Part::Open),
                (7, word("x")),
                (7, Part::Open),
                (7, word("y")),
                (7, comment(")")),
                (7, Part::Close),
                (7, word("z")),
                (7, Part::Close),
                (7, word("1-0")),
            ]
        );
    }

    #[test]
    fn what_does_not_end_ends_with_the_text() {
        for text in ["[", "{", "(", ")", ";", "%", "[x", "$", "$9"] {
            assert!(Parts::of(text).count() <= 1, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_what_was_read() {
        let text = "[GameType \"Base\"]\n[Date \"2026.11.21\"]\n[Event \"\"]\n[Site \"here\"]\n[Round \"\"]\n\
            [White \"A\"]\n[Black \"B\"]\n[Result \"BlackWins\"]\n[Mood \"good\"]\n\n\
            1. wS1\n{why\nnot}\n2. bG1 /wS1\n\nBlackWins\n";
        assert_eq!(write_pgn(&first(text)).unwrap(), text);
    }

    const ANNOTATED: &str = "[GameType \"Base\"]\n[Date \"????.??.??\"]\n[Event \"\"]\n[Site \"\"]\n[Round \"\"]\n\
        [White \"A\"]\n[Black \"B\"]\n[Result \"InProgress\"]\n\n{before}\n\
        1. wS1\n{} $1 (1. wG1 $3 {why\nnot}) (1. wA1 2. bA1 wA1- (2. bG1 wA1- $6 3. wQ -wA1) (2. bS1 wA1-)) {}\n\
        2. bG1 -wS1\n{plain}\n3. wQ wS1-\n{} $4 {bad}\n4. bQ -bG1\n{} (4. bQ /bG1 {else}) {}\n";

    #[test]
    fn variations_and_judgements_are_read_and_written() {
        let replay = first(ANNOTATED);
        assert_eq!(replay.last().to_string(), GAME);
        assert_eq!(replay.damage, None);
        assert_eq!(
            Vec::from_iter(replay.glyphs.clone()),
            [(1, Glyph::Good), (3, Glyph::Blunder)]
        );
        let [good, other, late] = &replay.variations[..] else {
            panic!("{:?}", replay.variations);
        };
        assert_eq!((good.after, &good.moves[..]), (0, &["wG1".to_owned()][..]));
        assert_eq!(good.glyphs, [(1, Glyph::Brilliant)]);
        assert_eq!(good.remarks, [(1, "why\nnot".to_owned())]);
        assert_eq!((other.moves.len(), other.variations.len()), (2, 2));
        assert_eq!(other.variations[0].moves, ["bG1 wA1-", "wQ -wA1"]);
        assert_eq!((other.variations[0].after, late.after), (1, 3));
        assert_eq!(write_pgn(&replay).unwrap(), ANNOTATED);
    }

    /// What MzingaViewer reads: a tag, a comment over any number of lines that ends with a brace, or a move.
    fn moves_of_mzinga(text: &str) -> Vec<&str> {
        let mut in_comment = false;
        let mut moves = Vec::new();
        for line in text.lines().map(str::trim) {
            let begins = in_comment || line.starts_with('{');
            in_comment = begins && !line.ends_with('}');
            if !begins && !line.is_empty() && !line.starts_with('[') {
                moves.push(line.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit()));
            }
        }
        moves
    }

    #[test]
    fn other_readers_see_the_game_alone() {
        let moves = moves_of_mzinga(ANNOTATED);
        assert_eq!(moves, [" wS1", " bG1 -wS1", " wQ wS1-", " bQ -bG1"]);
    }

    #[test]
    fn damaged_variations_leave_the_game_whole() {
        let read = |notes: &str| {
            let replay = first(&format!(
                "[GameType \"Base\"]\n\n1. wS1\n{notes}\n2. bG1 -wS1\n3. wQ wS1-\n4. bQ -bG1\n"
            ));
            assert_eq!(replay.last().to_string(), GAME, "{notes}");
            (replay.variations, replay.damage)
        };
        for notes in [")", "()", "(*)", "($4)", "({x})"] {
            assert_eq!(read(notes), (Vec::new(), None), "{notes}");
        }
        let (variations, damage) = read("(1. wG1 2. bG1 wX9 3. wQ -wG1)");
        assert_eq!(variations[0].moves, ["wG1"]);
        assert!(damage.unwrap().to_string().contains("in a variation"));
        let (variations, damage) = read(&"(wG1) ".repeat(MOST_VARIATIONS + 1));
        assert_eq!(variations.len(), MOST_VARIATIONS);
        assert!(damage.unwrap().to_string().contains("left out"));
        let (open, close) = ("(wG1 ".repeat(100_000), ")".repeat(100_000));
        assert!(read(&(open + &close)).1.is_some());
    }

    #[test]
    fn a_variation_without_an_end_ends_with_its_game() {
        let replays =
            read_pgn("[White \"A\"]\n1. wS1 (1. wG1 2. bG1 wG1- \n[White \"B\"]\n1. wA1\n")
                .unwrap();
        assert_eq!(replays.len(), 2);
        assert_eq!(replays[0].variations[0].moves.len(), 2);
    }

    #[test]
    fn a_game_from_another_position_has_no_portable_form() {
        let game = first("1. wS1\n2. bG1 -wS1");
        let middle = crate::game::Record::new(GameType::default(), *game.last().position());
        assert_eq!(write_pgn(&Replay::of(middle)), None);
    }

    #[test]
    fn names_and_comments_cannot_break_out() {
        let mut replay = first("1. wS1");
        replay.names.red = "\"]\n[X \"".to_owned();
        replay.remarks.insert(1, "{ a } b".to_owned());
        let again = first(&write_pgn(&replay).unwrap());
        assert_eq!(again.names.red, "'] [X '");
        assert_eq!(again.remarks[&1], "( a ) b");
        assert!(again.tags.iter().all(|(name, _)| name != "X"));
    }

    #[test]
    fn unknown_players_have_no_name() {
        let text = write_pgn(&first("1. wS1")).unwrap();
        assert!(text.contains("[White \"?\"]\n[Black \"?\"]"), "{text}");
        assert_eq!(first(&text).names, ByColor::default());
    }
}
