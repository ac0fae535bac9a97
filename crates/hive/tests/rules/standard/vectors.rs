//! Move lists, illegal moves and game states from other programs; see
//! `tests/data/standard/README.md` for the sources.

use std::collections::HashSet;

use wabe_hive::standard::{Move, OpeningRule, StandardRecord};

/// The rows of a table below its header.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn load(text: &str) -> StandardRecord {
    StandardRecord::from_game_string(text, OpeningRule::Tournament)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn read_all(game: &StandardRecord, texts: &str) -> HashSet<Move> {
    let texts = texts.split(';').filter(|text| !text.is_empty());
    let read = |text| {
        game.read(text)
            .unwrap_or_else(|e| panic!("{text} in {game}: {e}"))
    };
    texts.map(read).collect()
}

#[test]
fn move_lists_match_other_programs() {
    for row in rows(include_str!("../../../../../tests/data/standard/moves.tsv")) {
        let [text, piece, moves] = row[..] else {
            panic!("{row:?}");
        };
        let game = load(text);
        let expected = read_all(&game, moves);
        let mut listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        if !piece.is_empty() {
            listed.retain(|&mv| game.write(mv).split(' ').next() == Some(piece));
        }
        assert_eq!(listed, expected, "{text} {piece}");
    }
}

#[test]
fn play_rejects_illegal_moves() {
    for row in rows(include_str!(
        "../../../../../tests/data/standard/illegal-moves.tsv"
    )) {
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
    for row in rows(include_str!(
        "../../../../../tests/data/standard/states.tsv"
    )) {
        let [text, state, moves] = row[..] else {
            panic!("{row:?}");
        };
        let game = load(text);
        assert_eq!(game.state().to_string(), state, "{text}");
        let expected = read_all(&game, moves);
        let listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        assert_eq!(listed, expected, "{text}");
        // One by one, as a viewer plays them.
        let mut played = StandardRecord::standard(game.variant(), OpeningRule::Tournament);
        for ply in game.plies() {
            played
                .play_text(&ply.text)
                .unwrap_or_else(|error| panic!("{text}, {}: {error}", ply.text));
        }
        assert_eq!(played.to_string(), game.to_string());
    }
}
