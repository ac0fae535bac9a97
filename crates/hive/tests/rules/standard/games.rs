//! Games and their text forms.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::game::Repetition;
use wabe_hive::standard::{GameState, StandardRecord};
use wabe_hive::standard::{GameType, Opening};

fn begun(plies: &[&str]) -> StandardRecord {
    let mut game: StandardRecord = "Base+MLP".parse().unwrap();
    for ply in plies {
        game.play_text(ply)
            .unwrap_or_else(|error| panic!("{ply}: {error}"));
    }
    game
}

fn refusal(plies: &[&str], ply: &str) -> String {
    begun(plies).play_text(ply).unwrap_err().to_string()
}

#[test]
fn a_game_prints_its_type_state_turn_and_moves() {
    assert_eq!(begun(&[]).to_string(), "Base+MLP;NotStarted;White[1]");
    let game = begun(&["wS1", "bG1 wS1-", "WQ -ws1"]);
    assert_eq!(
        game.to_string(),
        "Base+MLP;InProgress;Black[2];wS1;bG1 wS1-;wQ -wS1"
    );
    assert_eq!(
        begun(&["wS1 ."]).to_string(),
        "Base+MLP;InProgress;Black[1];wS1"
    );
}

#[test]
fn the_state_and_turn_of_a_text_do_not_matter() {
    let game: StandardRecord = "Base; Draw ;Black[99]; wS1;bG1  wS1-".parse().unwrap();
    assert_eq!(game.to_string(), "Base;InProgress;White[2];wS1;bG1 wS1-");
    for text in [
        "",
        "Bass",
        "Base;;;wS1;bG1",
        "Base;;;wS1;bG1 wA1-",
        "Base;;;wX",
        "Base;;;wQ",
    ] {
        assert!(text.parse::<StandardRecord>().is_err(), "{text}");
    }
    assert_eq!(
        "Base".parse::<StandardRecord>().unwrap().to_string(),
        "Base;NotStarted;White[1]"
    );
}

#[test]
fn all_six_directions_are_read_from_the_reference_piece() {
    for (target, written) in [
        ("wS1-", "wS1-"),
        ("wS1/", "wS1/"),
        (r"\wS1", r"\wS1"),
        ("-wS1", "-wS1"),
        ("/wS1", "/wS1"),
        (r"wS1\", r"wS1\"),
    ] {
        let game = begun(&["wS1", &format!("bG1 {target}")]);
        assert!(game.to_string().ends_with(&format!("bG1 {written}")));
    }
}

#[test]
fn moves_are_written_beside_the_first_piece_clockwise_from_north_west() {
    // North-east of bG1 and north-west of bQ: south-east comes before south-west.
    let game = begun(&[
        "wS1", "bG1 wS1-", r"wQ \wS1", "bQ bG1-", "wA1 -wQ", "bA1 bQ-",
    ]);
    let mv = game.read("wA1 bG1/").unwrap();
    assert_eq!(game.write(mv), r"wA1 \bQ");
}

#[test]
fn a_piece_may_be_its_own_reference() {
    let game = begun(&[
        "wS1", "bG1 wS1-", "wB1 -wS1", "bQ bG1-", "wQ /wS1", "bA1 bQ-",
    ]);
    assert_eq!(game.read(r"wB1 \wB1"), game.read(r"wB1 \wB1"));
    assert!(game.read("wB1 wB1/").is_ok());
}

#[test]
fn refusals_say_why() {
    assert_eq!(refusal(&[], "bS1"), "It is not the turn of bS1.");
    assert_eq!(
        refusal(&["wS1", "bS1 wS1-"], "wS1"),
        "wS1 has to go somewhere: a target like `wS1-` is missing."
    );
    assert_eq!(
        refusal(&[], "wQ"),
        "The queen cannot be placed on the first turn."
    );
    assert_eq!(refusal(&[], "wA2"), "wA2 cannot be placed before wA1.");
    assert_eq!(
        refusal(&[], "pass"),
        "You can't pass when you have valid moves."
    );
    assert_eq!(
        refusal(&["wS1"], "bS1 wS1"),
        "That piece cannot be placed there."
    );
    assert_eq!(
        refusal(&["wS1", "bS1 wS1-"], "wS2 wS1-"),
        "There is a piece already where wS2 would go."
    );
    assert_eq!(refusal(&["wS1"], "bS1 wA1-"), "wA1 is not in play.");
    assert_eq!(
        refusal(&["wS1", "bS1 wS1-"], "wS1 /bS1"),
        "No piece can be moved before the queen is placed."
    );
    for text in [
        "",
        "x",
        "wS1-",
        "wS1 -bS1-",
        "wS1 bS1 bG1",
        "wS1 --bS1",
        "🐝 wS1-",
        "wS1 🐝",
    ] {
        assert!(
            refusal(&["wS1", "bS1 wS1-"], text).starts_with("Unable to parse move"),
            "{text}"
        );
    }
}

#[test]
fn the_third_occurrence_is_a_draw_unless_it_is_ignored() {
    let opening = ["wS1", "bG1 wS1-", "wQ -wS1", "bQ bG1-"];
    let dance = [r"wQ \wS1", r"bQ bG1/", "wQ -wS1", "bQ bG1-"];
    let mut plies = opening.to_vec();
    plies.extend(dance);
    plies.extend(dance);
    let game = begun(&plies);
    assert_eq!(game.state(), GameState::Draw);
    assert!(game.legal_moves().is_empty());
    let earlier = begun(&plies[..plies.len() - 1]);
    assert_eq!(earlier.state(), GameState::InProgress);
    assert!(earlier.repeats(earlier.read("bQ bG1-").unwrap()));

    // Whoever played on regardless has a game that still loads.
    let played_on = format!("{game};wA1 -wQ");
    let mut game: StandardRecord = played_on.parse().unwrap();
    assert_eq!(game.state(), GameState::InProgress);
    assert!(game.undo(1));
    assert_eq!(game.state(), GameState::Draw);
    assert!(game.play_text("wA1 -wQ").is_err());
    game.set_repetition(Repetition::Ignore);
    assert_eq!(game.state(), GameState::InProgress);
    assert_eq!(game.play_text("wA1 -wQ"), Ok(()));
}

#[test]
fn undo_takes_back_plies_and_no_more_than_there_are() {
    let mut game = begun(&["wS1", "bG1 wS1-", "wQ -wS1"]);
    let before = game.to_string();
    assert!(!game.undo(4));
    assert_eq!(game.to_string(), before);
    assert!(game.undo(2));
    assert_eq!(game.to_string(), "Base+MLP;InProgress;Black[1];wS1");
    assert!(game.undo(1));
    assert!(game.undo(0));
    assert_eq!(game.to_string(), "Base+MLP;NotStarted;White[1]");
}

#[test]
fn random_games_read_back_as_they_were_written() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for game_type in GameType::ALL {
        for _ in 0..4 {
            let mut game = StandardRecord::standard(game_type, Opening::Tournament);
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
