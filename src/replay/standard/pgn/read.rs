//! Reading PGN.

use std::collections::BTreeMap;

use super::super::moves::{WrittenMove, game_type_of, play_all};
use super::super::{ReadStandardError, StandardReplay};
use super::result_of;
use super::words::{Part, Parts};
use crate::hive::ByColor;
use crate::hive::standard::GameType;
use crate::hive::standard::notation::{GameState, PieceName};

/// Reads the first game of a PGN text, as far as its moves are legal. Without a tag `GameType`, it is played with the expansions whose
/// pieces occur.
///
/// # Errors
/// For an unknown game type.
pub fn read_pgn(text: &str) -> Result<StandardReplay, ReadStandardError> {
    let mut reading = Reading::default();
    for (line, part) in Parts::of(text) {
        match part {
            Part::Tag(name, value) => reading.tag(line, &name, value)?,
            Part::Word(word) => reading.word(line, &word),
            Part::Comment(text) => reading.comment(text),
        }
    }
    Ok(reading.finish())
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    game_type: Option<GameType>,
    names: ByColor<String>,
    tags: Vec<(String, String)>,
    moves: Vec<WrittenMove>,
    /// A piece whose target has not come yet.
    piece: Option<WrittenMove>,
    comments: BTreeMap<usize, String>,
    result: Option<GameState>,
    has_moves: bool,
    is_over: bool,
    further_games: usize,
}

impl Reading {
    fn tag(&mut self, line: usize, name: &str, value: String) -> Result<(), ReadStandardError> {
        if self.has_moves {
            // The next game begins.
            self.end_move();
            self.is_over = true;
            self.has_moves = false;
            self.further_games += 1;
        }
        if self.is_over {
            return Ok(());
        }
        match name {
            "GameType" => {
                let game_type = value
                    .parse()
                    .map_err(|error| ReadStandardError::GameType { line, error })?;
                self.game_type = Some(game_type);
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

    /// A piece without a target is a whole move.
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

    fn finish(mut self) -> StandardReplay {
        self.end_move();
        let game_type = self.game_type.unwrap_or_else(|| {
            let words = self.moves.iter().flat_map(|mv| mv.text.split_whitespace());
            game_type_of(words.filter_map(|word| word.parse().ok()))
        });
        let (game, damage) = play_all(game_type, &self.moves);
        StandardReplay {
            names: self.names,
            tags: self.tags,
            comments: self.comments,
            result: self.result,
            damage,
            further_games: self.further_games,
            game,
        }
    }
}

/// The word without a move's number, `12.` or `12...`, before it. A bare number is one too.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == word.len() {
        return word;
    }
    rest.trim_start_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(text: &str) -> String {
        read_pgn(text).unwrap().game.to_string()
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
        let replay = read_pgn(text).unwrap();
        assert_eq!(
            (replay.names.red.as_str(), replay.names.blue.as_str()),
            ("A", "B")
        );
        assert_eq!(replay.tags, [("Event".to_owned(), "E".to_owned())]);
        assert_eq!(replay.result, Some(GameState::Draw));
        assert_eq!(replay.comments[&0], "before");
        assert_eq!(replay.comments[&1], "one\ntwo");
    }

    #[test]
    fn the_first_of_several_games_is_read() {
        let text =
            "[White \"A\"]\n1. wS1\n[White \"B\"]\n1. wG1\n2. bG1 wG1-\n[White \"C\"]\n1. wA1\n";
        let replay = read_pgn(text).unwrap();
        assert_eq!((replay.plies(), replay.further_games), (1, 2));
        assert_eq!(replay.names.red, "A");
    }

    #[test]
    fn a_move_that_is_not_possible_ends_the_game_with_its_line() {
        let replay = read_pgn("[GameType \"Base\"]\n\n1. wS1\n2. bG1 wS9\n3. wQ wS1-\n").unwrap();
        assert_eq!(replay.plies(), 1);
        let damage = replay.damage.unwrap().to_string();
        assert!(damage.starts_with("line 4, ply 2: `bG1 wS9`: "), "{damage}");
    }
}
