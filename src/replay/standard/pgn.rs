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

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

use super::moves::{WrittenMove, game_type_of, play_all};
use super::{account_of, final_state};
use crate::game::standard::{GameState, PieceName};
use crate::hive::ByColor;
use crate::hive::standard::{GameType, Wide};
use crate::replay::{Replay, ReplayError, push};

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
                if reading.has_moves {
                    // The next game begins.
                    push(&mut replays, std::mem::take(&mut reading).finish())?;
                }
                reading.tag(line, &name, value)?;
            }
            Part::Word(word) => reading.word(line, &word),
            Part::Comment(text) => reading.comment(text),
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
    moves: Vec<WrittenMove>,
    /// A piece whose target is not read yet.
    piece: Option<WrittenMove>,
    comments: BTreeMap<usize, String>,
    result: Option<GameState>,
    has_moves: bool,
    is_over: bool,
}

impl Reading {
    fn tag(&mut self, line: usize, name: &str, value: String) -> Result<(), ReplayError> {
        match name {
            "GameType" => {
                let game_type = value.parse::<GameType>();
                self.game_type = Some(game_type.map_err(|error| ReplayError::Line {
                    line,
                    problem: error.to_string(),
                })?);
            }
            "White" => self.names.red = value,
            "Black" => self.names.blue = value,
            "Result" => self.result = result_of(&value).flatten(),
            _ => self.tags.push((name.to_owned(), value)),
        }
        Ok(())
    }

    fn word(&mut self, line: usize, word: &str) {
        self.has_moves = true;
        if self.is_over {
            return;
        }
        if let Some(result) = result_of(word) {
            self.end_move();
            self.result = result.or(self.result);
            self.is_over = true;
            return;
        }
        let unnumbered = without_number(word);
        if unnumbered.len() < word.len() {
            self.end_move();
        }
        if unnumbered.is_empty() {
            return;
        }
        let is_second = |first: &WrittenMove, ply: usize| {
            // The first move of a game has no target.
            ply > 0 || first.text.parse::<PieceName>().is_err() || unnumbered == "."
        };
        match self.piece.take() {
            Some(first) if is_second(&first, self.moves.len()) => {
                self.moves.push(WrittenMove {
                    text: format!("{} {unnumbered}", first.text),
                    ..first
                });
            }
            first => {
                self.moves.extend(first);
                self.piece = Some(WrittenMove {
                    line,
                    text: unnumbered.to_owned(),
                });
                if unnumbered.eq_ignore_ascii_case("pass") {
                    self.end_move();
                }
            }
        }
    }

    /// Ends a move without a target.
    fn end_move(&mut self) {
        self.moves.extend(self.piece.take());
    }

    fn comment(&mut self, text: String) {
        if self.is_over || text.is_empty() {
            return;
        }
        self.end_move();
        let comment = self.comments.entry(self.moves.len()).or_default();
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(&text);
    }

    fn finish(mut self) -> Replay<Wide> {
        self.end_move();
        let game_type = self.game_type.unwrap_or_else(|| {
            let words = self.moves.iter().flat_map(|mv| mv.text.split_whitespace());
            game_type_of(words.filter_map(|word| word.parse().ok()))
        });
        let (game, damage) = play_all(game_type, &self.moves);
        Replay {
            names: self.names,
            tags: self.tags,
            remarks: self.comments,
            account: self.result.and_then(account_of),
            damage,
            ..Replay::of(game)
        }
    }
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

/// The game in portable game notation, as MzingaViewer writes and reads it.
pub(super) fn write_pgn(replay: &Replay<Wide>) -> String {
    let game = replay.last();
    let result = final_state(replay).to_string();
    let value_of = |name| {
        let mut tags = replay.tags.iter();
        let found = tags.find(|(tag, _)| tag == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let mut text = String::new();
    push_tag(&mut text, "GameType", &game.variant().to_string());
    for name in USUAL_TAGS {
        push_tag(&mut text, name, value_of(name));
    }
    push_tag(&mut text, "White", &replay.names.red);
    push_tag(&mut text, "Black", &replay.names.blue);
    push_tag(&mut text, "Result", &result);
    for (name, value) in &replay.tags {
        if !USUAL_TAGS.contains(&name.as_str()) {
            push_tag(&mut text, name, value);
        }
    }
    text.push('\n');
    push_comment(&mut text, replay, 0);
    for (number, ply) in (1..).zip(game.plies()) {
        let _ = writeln!(text, "{number}. {}", ply.text);
        push_comment(&mut text, replay, number);
    }
    if final_state(replay).is_over() {
        let _ = writeln!(text, "\n{result}");
    }
    text
}

fn push_comment(text: &mut String, replay: &Replay<Wide>, plies: usize) {
    if let Some(comment) = replay.remarks.get(&plies) {
        let _ = writeln!(text, "{{{}}}", comment.replace('}', ")"));
    }
}

/// Writes a tag. Characters that would end its name or its line are replaced.
fn push_tag(text: &mut String, name: &str, value: &str) {
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let value: String = value
        .chars()
        .map(|c| match c {
            '"' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
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
}

/// The parts of a PGN text, each with its line from 1. Variations, `$1` and lines that begin with `%` are left out.
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
        let is_inside = |c: &char| !c.is_whitespace() && !matches!(c, '{' | ';' | '(' | '[');
        while let Some(character) = self.characters.next_if(is_inside) {
            word.push(character);
        }
        self.begins_line = false;
        word
    }

    /// Skips a variation, with nested ones and their comments.
    fn skip_variation(&mut self) {
        let mut depth = 0_usize;
        while let Some(character) = self.take() {
            match character {
                '(' => depth += 1,
                ')' if depth <= 1 => return,
                ')' => depth -= 1,
                '{' => drop(self.until(|c| c == '}')),
                _ => {}
            }
        }
    }

    /// Takes the line of a tag. The value may hold anything, even quotation marks.
    fn tag(&mut self) -> Part {
        let (line, _) = self.until(|c| c == '\n');
        let line = line.trim().trim_start_matches('[').trim_end_matches(']');
        let (name, value) = line
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((line, ""));
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
                '(' => self.skip_variation(),
                c if c.is_whitespace() => drop(self.take()),
                _ => {
                    let word = self.word();
                    if !word.starts_with('$') {
                        return Some((line, Part::Word(word)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                (5, comment("two\nlines")),
                (6, word("2.bG1")),
                (6, word("/wS1")),
                (6, comment("end")),
                (7, word("1-0")),
            ]
        );
    }

    #[test]
    fn what_does_not_end_ends_with_the_text() {
        for text in ["[", "{", "(", "((", ";", "%", "[x", "$"] {
            assert!(Parts::of(text).count() <= 1, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_what_was_read() {
        let text = "[GameType \"Base\"]\n[Date \"2026.11.21\"]\n[Event \"\"]\n[Site \"here\"]\n[Round \"\"]\n\
            [White \"A\"]\n[Black \"B\"]\n[Result \"BlackWins\"]\n[Mood \"good\"]\n\n\
            1. wS1\n{why\nnot}\n2. bG1 /wS1\n\nBlackWins\n";
        assert_eq!(write_pgn(&first(text)), text);
    }

    #[test]
    fn names_and_comments_cannot_break_out() {
        let mut replay = first("1. wS1");
        replay.names.red = "\"]\n[X \"".to_owned();
        replay.remarks.insert(1, "a } b".to_owned());
        let again = first(&write_pgn(&replay));
        assert_eq!(again.names.red, "'] [X '");
        assert_eq!(again.remarks[&1], "a ) b");
        assert!(again.tags.iter().all(|(name, _)| name != "X"));
    }
}
