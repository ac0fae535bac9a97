//! Public test data of other programs: move lists, illegal moves, a suite. It lies outside the project, in the folder that the
//! environment variable `WABE_HIVE_VECTORS` names; without it these tests say so and pass.

use std::collections::HashSet;
use std::path::PathBuf;

use wabe::game::standard::StandardRecord;
use wabe::hive::standard::{Move, Opening};

/// The rows of a table below its header; `None` without the data.
fn rows(file: &str) -> Option<Vec<Vec<String>>> {
    let Some(folder) = std::env::var_os("WABE_HIVE_VECTORS") else {
        eprintln!("skipped: WABE_HIVE_VECTORS names no folder with {file}");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    let row = |line: &str| line.split('\t').map(str::to_owned).collect();
    Some(text.lines().skip(1).map(row).collect())
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
fn valid_moves_are_those_of_the_lists() {
    for row in rows("valid_moves.tsv").into_iter().flatten() {
        let [id, _, _, _, game, scope, count, moves] = &row[..] else {
            panic!("{row:?} has not eight fields");
        };
        let game = load(game);
        let expected = read_all(&game, moves.split(';').filter(|text| !text.is_empty()));
        assert_eq!(expected.len(), count.parse::<usize>().unwrap(), "{id}");
        let mut listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        if let Some(piece) = scope.strip_prefix("piece:") {
            listed.retain(|&mv| game.write(mv).split(' ').next() == Some(piece));
        }
        assert_eq!(listed, expected, "{id}");
        assert_written_moves_read_back(&game);
    }
}

#[test]
fn illegal_moves_are_refused() {
    for row in rows("invalid_moves.tsv").into_iter().flatten() {
        let [id, _, _, rule, game, text] = &row[..] else {
            panic!("{row:?} has not six fields");
        };
        let mut game = load(game);
        let before = game.to_string();
        let error = game.play_text(text).expect_err(id);
        println!("{rule}: {error}");
        assert_eq!(game.to_string(), before);
    }
}

#[test]
fn the_suites_games_end_as_they_should_and_have_its_moves() {
    for row in rows("uhp_suite.tsv").into_iter().flatten() {
        let [id, name, text, state, count, moves] = &row[..] else {
            panic!("{row:?} has not six fields");
        };
        let game = load(text);
        assert_eq!(game.state().to_string(), *state, "{id} {name}");
        let expected = read_all(&game, moves.split(';').filter(|text| !text.is_empty()));
        let listed: HashSet<Move> = game.legal_moves().iter().copied().collect();
        assert_eq!(listed, expected, "{id} {name}");
        assert_eq!(listed.len(), count.parse().unwrap_or(0), "{id} {name}");
        assert_written_moves_read_back(&game);
        // One by one, as a viewer plays them.
        let mut played = StandardRecord::standard(game.variant(), Opening::Tournament);
        for ply in game.plies() {
            played
                .play_text(&ply.text)
                .unwrap_or_else(|error| panic!("{id} {}: {error}", ply.text));
        }
        assert_eq!(played.to_string(), game.to_string());
    }
}
