//! Games and their text forms.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::game::Repetition;
use wabe_hive::standard::{GameState, GameType, OpeningRule, StandardRecord};

fn play_game(plies: &[&str]) -> StandardRecord {
    let mut game: StandardRecord = "Base+MLP".parse().unwrap();
    for ply in plies {
        game.play_text(ply)
            .unwrap_or_else(|error| panic!("{ply}: {error}"));
    }
    game
}

#[test]
fn game_strings_are_normalised() {
    for (text, printed) in [
        ("Base+MLP", "Base+MLP;NotStarted;White[1]"),
        (
            "Base;;;wS1;bG1 wS1-;wQ -wS1",
            "Base;InProgress;Black[2];wS1;bG1 wS1-;wQ -wS1",
        ),
        // State and turn of the input are ignored.
        (
            "Base; Draw ;Black[99]; wS1;bG1  wS1-",
            "Base;InProgress;White[2];wS1;bG1 wS1-",
        ),
    ] {
        let game: StandardRecord = text.parse().unwrap();
        assert_eq!(game.to_string(), printed);
    }
    for text in [
        "",
        "Bass",
        "Base;;;wS1;bG1",
        "Base;;;wS1;bG1 wA1-",
        "Base;;;wX",
        // A misspelled first move is neither a state nor a turn.
        "Base;wS9;wS1;bG1 wS1-",
        "Base;InProgress;w S1;wB1",
        "Base;foo;bar",
    ] {
        assert!(text.parse::<StandardRecord>().is_err(), "{text}");
    }
}

#[test]
fn write_uses_the_first_matching_mark() {
    // The target is north-east of bG1 and north-west of bQ. `MARKS` lists north-west
    // before north-east.
    let game = play_game(&[
        "wS1", "bG1 wS1-", r"wQ \wS1", "bQ bG1-", "wA1 -wQ", "bA1 bQ-",
    ]);
    let mv = game.read("wA1 bG1/").unwrap();
    assert_eq!(game.write(mv), r"wA1 \bQ");
    // A piece may be its own reference.
    assert!(game.read(r"wA1 wA1\").is_ok());
}

#[test]
fn errors_explain_illegal_moves() {
    let two = &["wS1", "bS1 wS1-"][..];
    for (plies, ply, part) in [
        (&[][..], "bS1", "not the turn of bS1"),
        (two, "wS1", "needs a target like `wS1-`"),
        (&[], "wQ", "cannot be placed on the first turn"),
        (&[], "wA2", "before wA1"),
        (&[], "pass", "can't pass"),
        (&["wS1"], "bS1 wS1", "cannot be placed there"),
        (two, "wS2 wS1-", "target of wS2 is already occupied"),
        (&["wS1"], "bS1 wA1-", "wA1 is not in play"),
        (two, "wS1 /bS1", "before the queen is placed"),
        (two, "", "Unable to parse"),
        (two, "wS1-", "Unable to parse"),
        (two, "wS1 -bS1-", "Unable to parse"),
        (two, "wS1 bS1 bG1", "Unable to parse"),
        (two, "wS1 --bS1", "Unable to parse"),
        (two, "🐝 wS1-", "Unable to parse"),
    ] {
        let error = play_game(plies).play_text(ply).unwrap_err().to_string();
        assert!(error.contains(part), "{ply}: {error}");
    }
}

#[test]
fn third_occurrence_draws_unless_ignored() {
    let opening = ["wS1", "bG1 wS1-", "wQ -wS1", "bQ bG1-"];
    let cycle = [r"wQ \wS1", r"bQ bG1/", "wQ -wS1", "bQ bG1-"];
    let plies = [opening, cycle, cycle].concat();
    let game = play_game(&plies);
    assert_eq!(game.state(), GameState::Draw);
    assert!(game.legal_moves().is_empty());
    let earlier = play_game(&plies[..plies.len() - 1]);
    assert_eq!(earlier.state(), GameState::InProgress);
    assert!(earlier.repeats(earlier.read("bQ bG1-").unwrap()));

    // A game that continues after the repetition still loads.
    let mut game: StandardRecord = format!("{game};wA1 -wQ").parse().unwrap();
    assert_eq!(game.state(), GameState::InProgress);
    assert!(game.undo(1) && !game.undo(99));
    assert_eq!(game.state(), GameState::Draw);
    assert!(game.play_text("wA1 -wQ").is_err());
    game.set_repetition(Repetition::Ignore);
    assert_eq!(game.state(), GameState::InProgress);
    assert_eq!(game.play_text("wA1 -wQ"), Ok(()));
}

#[test]
fn random_games_round_trip() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for game_type in GameType::ALL {
        for _ in 0..4 {
            let mut game = StandardRecord::standard(game_type, OpeningRule::Tournament);
            for _ in 0..80 {
                let moves = game.legal_moves();
                for &mv in moves.iter() {
                    assert_eq!(game.read(&game.write(mv)), Ok(mv), "{mv} in {game}");
                }
                let Some(&mv) = moves.choose(&mut rng) else {
                    break;
                };
                game.play(mv).unwrap();
            }
            let again: StandardRecord = game.to_string().parse().unwrap();
            assert_eq!(again.position(), game.position());
            assert_eq!(again.to_string(), game.to_string());
        }
    }
}
