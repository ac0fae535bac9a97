//! Move lists, illegal moves and game states of other programs; `tests/data/standard/README.md` names the sources.

use std::collections::HashSet;

use wabe_hive::standard::StandardRecord;
use wabe_hive::standard::{Move, Opening};

/// The rows of a table below its header.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn load(text: &str) -> StandardRecord {
    StandardRecord::from_game_string(text, Opening::Tournament)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn read_all<'t>(game: &StandardRecord, texts: impl Iterator<Item = &'t str>) -> HashSet<Move> {
    texts
        .map(|text| {
            game.read(text)
                .unwrap_or_else(|e| panic!("{text} in {game}: {e}"))
        })
        .collect()
}

/// Reads back the text of each move.
fn assert_written_moves_read_back(game: &StandardRecord) {
    for &mv in game.legal_moves().iter() {
        assert_eq!(game.read(&game.write(mv)), Ok(mv), "{mv} in {game}");
    }
}

#[test]
fn move_lists_match_other_programs() {
    for row in rows(include_str!("../../../../../tests/data/standard/moves.tsv")) {
        let [text, piece, moves] = row[..] else {
            panic!("{row:?}");
        };
        let game = load(text);
        let expected = read_all(&game, moves.split(';').filter(|text| !text.is_empty()));
        let mut listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        if !piece.is_empty() {
            listed.retain(|&mv| game.write(mv).split(' ').next() == Some(piece));
        }
        assert_eq!(listed, expected, "{text} {piece}");
        assert_written_moves_read_back(&game);
    }
}

#[test]
fn illegal_moves_are_refused() {
    for row in rows(include_str!("../../../../../tests/data/standard/illegal-moves.tsv")) {
        let [text, mv] = row[..] else {
            panic!("{row:?}");
        };
        let mut game = load(text);
        let before = game.to_string();
        game.play_text(mv).expect_err(text);
        assert_eq!(game.to_string(), before);
    }
}

#[test]
fn states_match_other_programs() {
    for row in rows(include_str!("../../../../../tests/data/standard/states.tsv")) {
        let [text, state, moves] = row[..] else {
            panic!("{row:?}");
        };
        let game = load(text);
        assert_eq!(game.state().to_string(), state, "{text}");
        let expected = read_all(&game, moves.split(';').filter(|text| !text.is_empty()));
        let listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        assert_eq!(listed, expected, "{text}");
        assert_written_moves_read_back(&game);
        // One by one, as a viewer plays them.
        let mut played = StandardRecord::standard(game.variant(), Opening::Tournament);
        for ply in game.plies() {
            played
                .play_text(&ply.text)
                .unwrap_or_else(|error| panic!("{text}, {}: {error}", ply.text));
        }
        assert_eq!(played.to_string(), game.to_string());
    }
}
