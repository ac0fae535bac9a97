//! Games with BoardSpace's peculiarities.

use super::read_sgf;
use crate::game::{Agreement, Ending};
use crate::hive::Color;
use crate::hive::standard::Wide;
use crate::replay::{Place, Replay};

fn of(actions: &[&str]) -> Replay<Wide> {
    let numbered = (1..).zip(actions);
    let lines: Vec<String> = numbered
        .map(|(number, action)| {
            let (player, action) = action.split_once(' ').unwrap();
            format!("; P{player}[{number} {action}]")
        })
        .collect();
    let text = format!(
        "(;\nGM[27]VV[1]\nSU[hive]\nRE[Ann won]\nP0[id \"Ann\"]\nP1[id \"Anna\"]\n{}\n)\n",
        lines.join("\n")
    );
    read_sgf(&text).unwrap().swap_remove(0)
}

fn moves(replay: &Replay<Wide>) -> Vec<String> {
    assert_eq!(replay.damage, None);
    let plies = replay.last().plies().iter();
    plies.map(|ply| ply.text.clone()).collect()
}

const OPENING: [&str; 4] = [
    "0 Dropb wS1 Z 1 .",
    "0 Done",
    "1 Dropb bS1 A 1 wS1-",
    "1 Done",
];

#[test]
fn a_player_may_think_again_until_he_is_done() {
    let thinking = [
        "0 Pick W 0 wQ",
        "0 Dropb wQ Y 1 -wS1",
        "0 Pickb Y 1 wQ",
        "0 Drop W 0 wQ",
        "0 Pick W 1 wA1",
        "0 Dropb wA1 Y 1 -wS1",
        "0 Dropb wA1 Y 26 /wS1",
        "0 Done",
    ];
    let replay = of(&[&OPENING[..], &thinking].concat());
    assert_eq!(moves(&replay), ["wS1", "bS1 wS1-", "wA1 /wS1"]);
}

#[test]
fn the_field_counts_across_the_edge_and_the_piece_beside_where_it_makes_no_sense() {
    let field = of(&[&OPENING[..], &["0 Dropb wQ Z 2 .", "0 Done"]].concat());
    assert_eq!(moves(&field)[2], "wQ \\wS1");
    let beside = of(&[&OPENING[..], &["0 Dropb wQ 5 5 -wS1", "0 Done"]].concat());
    assert_eq!(moves(&beside)[2], "wQ -wS1");
}

#[test]
fn pieces_may_be_numbered_in_any_order() {
    let replay = of(&[
        "0 Dropb wA3 N 13 .",
        "0 Done",
        "1 Dropb bS2 O 13 wA3-",
        "1 Done",
        "0 Dropb wA1 M 13 -wA3",
        "0 Done",
    ]);
    assert_eq!(moves(&replay), ["wA1", "bS1 wA1-", "wA2 -wA1"]);
}

#[test]
fn offers_of_a_draw_are_no_moves() {
    let offered = ["0 OfferDraw", "0 Done", "1 DeclineDraw", "1 Done", "0 Done"];
    let queen = ["0 Dropb wQ Y 1 -wS1", "0 Done", "1 AcceptDraw", "1 Done"];
    let replay = of(&[&OPENING[..], &offered, &queen].concat());
    assert_eq!(moves(&replay).len(), 3);
    assert_eq!(
        replay.last().ending(),
        Some(Ending::Agreement(Agreement::Draw))
    );
    assert_eq!(replay.result_line(), "draw: the players agreed");
}

#[test]
fn who_gives_up_loses_and_else_who_is_named_has_won() {
    let given_up = of(&[&OPENING[..], &["1 resign", "1 done"]].concat());
    assert_eq!(given_up.result_line(), "white wins: black resigned");
    assert_eq!(given_up.winner(), Some(Some(Color::Red)));
    assert_eq!(of(&OPENING).winner(), Some(Some(Color::Red)));
    assert_eq!(of(&OPENING).names.blue, "Anna");
}

#[test]
fn what_is_not_possible_ends_the_game_with_line_and_ply() {
    let replay = of(&[&OPENING[..], &["0 Dropb wQ B 1 bS1-", "0 Done"]].concat());
    assert_eq!(replay.last().plies().len(), 2);
    let damage = replay.damage.unwrap();
    assert_eq!(damage.place, Place::Line { line: 11, ply: 3 });
    assert!(damage.problem.starts_with("`wQ bS1-`: "), "{damage}");
    let nonsense = of(&[&OPENING[..], &["0 Dropb"]].concat()).damage.unwrap();
    assert_eq!(
        nonsense.to_string(),
        "line 11, ply 3: `5 Dropb` makes no sense"
    );
}

#[test]
fn a_file_that_is_cut_off_gives_what_is_there() {
    let text = "(;SU[hive]\n; P0[1 dropb wS1 N 13 .]\n; P0[2 done]\n; P1[3 dropb bS1 O 13 wS1-";
    let replay = read_sgf(text).unwrap().swap_remove(0);
    assert_eq!(replay.last().plies().len(), 1);
    assert_eq!(
        replay.damage.unwrap().to_string(),
        "line 4, ply 2: the recording is cut off here"
    );
}

#[test]
fn a_queen_may_come_first() {
    let replay = of(&[
        "0 Dropb wQ N 13 .",
        "0 Done",
        "1 Dropb bQ O 13 wQ-",
        "1 Done",
    ]);
    assert_eq!(moves(&replay), ["wQ", "bQ wQ-"]);
}

#[test]
fn the_variant_decides_the_pieces() {
    let of =
        |setup: &str| read_sgf(&format!("(;{setup})")).map(|r| r[0].last().variant().to_string());
    assert_eq!(of("SU[Hive-PLM 2 0 101]").unwrap(), "Base+MLP");
    assert_eq!(of("SU[hive-p]").unwrap(), "Base+P");
    assert_eq!(of("P0[1 dropb wL1 N 13 .]").unwrap(), "Base+L");
    for setup in ["SU[hive-u]", "SU[hive-ultimate]", "SU[chess]", "SU[]"] {
        assert!(of(setup).is_err(), "{setup}");
    }
}
