//! Writing PGN.

use std::fmt::Write;

use super::super::StandardReplay;
use crate::hive::standard::notation::GameState;

/// The tags that every file has, behind the game type.
const USUAL_TAGS: [&str; 4] = ["Date", "Event", "Site", "Round"];

impl StandardReplay {
    /// The game in portable game notation, as MzingaViewer writes and reads it.
    pub fn pgn(&self) -> String {
        let game_type = self.game.game_type().to_string();
        let result = self
            .final_state()
            .unwrap_or(GameState::InProgress)
            .to_string();
        let value_of = |name| {
            let mut tags = self.tags.iter();
            let found = tags.find(|(tag, _)| tag == name);
            found.map_or("", |(_, value)| value.as_str())
        };
        let mut text = String::new();
        push_tag(&mut text, "GameType", &game_type);
        for name in USUAL_TAGS {
            push_tag(&mut text, name, value_of(name));
        }
        push_tag(&mut text, "White", &self.names.red);
        push_tag(&mut text, "Black", &self.names.blue);
        push_tag(&mut text, "Result", &result);
        for (name, value) in &self.tags {
            if !USUAL_TAGS.contains(&name.as_str()) {
                push_tag(&mut text, name, value);
            }
        }
        text.push('\n');
        self.push_comment(&mut text, 0);
        for (number, (_, mv)) in (1..).zip(self.game.plies()) {
            let _ = writeln!(text, "{number}. {mv}");
            self.push_comment(&mut text, number);
        }
        if self.final_state().is_some() {
            let _ = writeln!(text, "\n{result}");
        }
        text
    }

    fn push_comment(&self, text: &mut String, plies: usize) {
        if let Some(comment) = self.comments.get(&plies) {
            let _ = writeln!(text, "{{{}}}", comment.replace('}', ")"));
        }
    }
}

/// A tag; what would end its name or its line becomes something else.
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

#[cfg(test)]
mod tests {
    use super::super::read_pgn;

    #[test]
    fn what_is_written_is_what_was_read() {
        let text = "[GameType \"Base\"]\n[Date \"2026.11.21\"]\n[Event \"\"]\n[Site \"here\"]\n[Round \"\"]\n\
            [White \"A\"]\n[Black \"B\"]\n[Result \"BlackWins\"]\n[Mood \"good\"]\n\n\
            1. wS1\n{why\nnot}\n2. bG1 /wS1\n\nBlackWins\n";
        assert_eq!(read_pgn(text).unwrap().pgn(), text);
    }

    #[test]
    fn names_and_comments_cannot_break_out() {
        let mut replay = read_pgn("1. wS1").unwrap();
        replay.names.red = "\"]\n[X \"".to_owned();
        replay.comments.insert(1, "a } b".to_owned());
        let again = read_pgn(&replay.pgn()).unwrap();
        assert_eq!(again.names.red, "'] [X '");
        assert_eq!(again.comments[&1], "a ) b");
        assert!(again.tags.iter().all(|(name, _)| name != "X"));
    }
}
