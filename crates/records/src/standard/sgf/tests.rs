//! Special cases in BoardSpace's files.

use super::read_sgf;
use crate::{Place, Replay};
use wabe_hive::Color;
use wabe_hive::game::{Adjudication, Ending};
use wabe_hive::standard::Standard;

fn read_actions(actions: &[&str]) -> Replay<Standard> {
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

fn moves(replay: &Replay<Standard>) -> Vec<String> {
    assert_eq!(replay.damage, None);
    let plies = replay.record.plies().iter();
    plies.map(|ply| ply.text.clone()).collect()
}

const OPENING: [&str; 4] = [
    "0 Dropb wS1 Z 1 .",
    "0 Done",
    "1 Dropb bS1 A 1 wS1-",
    "1 Done",
];

#[test]
fn players_can_change_their_move_until_done() {
    let changes = [
        "0 Pick W 0 wQ",
        "0 Dropb wQ Y 1 -wS1",
        "0 Pickb Y 1 wQ",
        "0 Drop W 0 wQ",
        "0 Pick W 1 wA1",
        "0 Dropb wA1 Y 1 -wS1",
        "0 Dropb wA1 Y 26 /wS1",
        "0 Done",
    ];
    let replay = read_actions(&[&OPENING[..], &changes].concat());
    assert_eq!(moves(&replay), ["wS1", "bS1 wS1-", "wA1 /wS1"]);
}

#[test]
fn invalid_fields_fall_back_to_references() {
    let field = read_actions(&[&OPENING[..], &["0 Dropb wQ Z 2 .", "0 Done"]].concat());
    assert_eq!(moves(&field)[2], "wQ \\wS1");
    let reference = read_actions(&[&OPENING[..], &["0 Dropb wQ 5 5 -wS1", "0 Done"]].concat());
    assert_eq!(moves(&reference)[2], "wQ -wS1");
}

#[test]
fn draw_offers_are_not_moves() {
    let offered = ["0 OfferDraw", "0 Done", "1 DeclineDraw", "1 Done", "0 Done"];
    let queen = ["0 Dropb wQ Y 1 -wS1", "0 Done", "1 AcceptDraw", "1 Done"];
    let replay = read_actions(&[&OPENING[..], &offered, &queen].concat());
    assert_eq!(moves(&replay).len(), 3);
    assert_eq!(
        replay.record.ending(),
        Some(Ending::Agreement(Adjudication::Draw))
    );
    assert_eq!(replay.result_line(), "draw: the players agreed");
}

#[test]
fn result_comes_from_resignations_or_names() {
    let resigned = read_actions(&[&OPENING[..], &["1 resign", "1 done"]].concat());
    assert_eq!(resigned.result_line(), "white wins: black resigned");
    assert_eq!(resigned.winner(), Some(Some(Color::Red)));
    let retracted = ["1 resign", "1 reset", "0 Dropb wQ Y 1 -wS1", "0 Done"];
    let played = read_actions(&[&OPENING[..], &retracted].concat());
    assert_eq!(moves(&played)[2], "wQ -wS1");
    assert_eq!(played.record.ending(), None);
    assert_eq!(read_actions(&OPENING).winner(), Some(Some(Color::Red)));
    assert_eq!(read_actions(&OPENING).names.blue, "Anna");
}

#[test]
fn damage_reports_its_place() {
    let replay = read_actions(&[&OPENING[..], &["0 Dropb wQ B 1 bS1-", "0 Done"]].concat());
    assert_eq!(replay.record.plies().len(), 2);
    let damage = replay.damage.unwrap();
    assert_eq!(damage.place, Place::Line { line: 11, ply: 3 });
    assert!(
        damage.fault.to_string().starts_with("`wQ bS1-`: "),
        "{damage}"
    );
    let nonsense = read_actions(&[&OPENING[..], &["0 Dropb"]].concat())
        .damage
        .unwrap();
    assert_eq!(
        nonsense.to_string(),
        "line 11, ply 3: unknown action `5 Dropb`"
    );
}

#[test]
fn queen_can_be_placed_first() {
    let replay = read_actions(&[
        "0 Dropb wQ N 13 .",
        "0 Done",
        "1 Dropb bQ O 13 wQ-",
        "1 Done",
    ]);
    assert_eq!(moves(&replay), ["wQ", "bQ wQ-"]);
}

#[test]
fn passdone_is_one_ply() {
    let game = include_str!("../../../../../tests/data/standard/pass.uhp");
    let mut texts: Vec<&str> = game.trim().split(';').skip(3).collect();
    let pass = texts.iter().position(|text| *text == "pass").unwrap();
    texts.truncate(pass + 1);
    // The field is invalid, so the reference piece is used.
    let actions = texts.iter().enumerate().map(|(ply, text)| {
        let put = match text.split_once(' ') {
            Some((piece, target)) => format!("{piece} 5 5 {}", target.replace('\\', r"\\")),
            None => format!("{text} N 13 ."),
        };
        match *text {
            "pass" => format!("{} PassDone", ply % 2),
            _ => format!("{} MoveDone {} {put}", ply % 2, ["W", "B"][ply % 2]),
        }
    });
    let actions: Vec<String> = actions.collect();
    let mut actions: Vec<&str> = actions.iter().map(String::as_str).collect();
    assert_eq!(moves(&read_actions(&actions)), texts);
    // Forced passes are added only once.
    actions.push("1 OfferDraw");
    actions.push("1 Done");
    assert_eq!(moves(&read_actions(&actions)).len(), texts.len());
}

#[test]
fn move_times_come_from_the_players_clock() {
    let text = "(;SU[hive]DT[Tue Mar 29 21:05:19 CEST 2016]\n\
        ; P0[1 Dropb wS1 N 13 .]TM[1500]\n; P0[2 Done]TM[2000]\n\
        ; P1[3 MoveDone B bS1 O 13 wS1-]TM[700]\n\
        ; P0[4 Dropb wQ M 13 -wS1]TM[2500]\n; P0[5 Done]TM[5250]\n\
        ; P1[6 MoveDone B bQ P 13 bS1-]TM[x]\n)";
    let replay = read_sgf(text).unwrap().swap_remove(0);
    assert_eq!(moves(&replay).len(), 4);
    let times = replay
        .times
        .iter()
        .map(|(&at, time)| (at, time.as_millis()));
    assert_eq!(times.collect::<Vec<_>>(), [(1, 2000), (2, 700), (3, 3250)]);
}

#[test]
fn dates_are_converted_to_pgn() {
    for (written, date) in [
        ("21 November 2026", Some("2026.11.21")),
        ("Tue Mar 29 21:05:19 CEST 2016", Some("2016.03.29")),
        ("Sat May 3 01:00:00 PDT 2014", Some("2014.05.03")),
        ("yesterday", None),
        ("", None),
    ] {
        assert_eq!(super::date(written).as_deref(), date, "{written}");
    }
}

/// Archives may contain games of Hive Ultimate.
#[test]
fn unreadable_games_keep_their_index() {
    let text = "(;SU[hive-ultimate])(;SU[hive]\n; P0[1 MoveDone W wM1 N 13 .])";
    let replays = read_sgf(text).unwrap();
    let damage = replays[0].damage.as_ref().unwrap().to_string();
    assert!(damage.starts_with("line 1: `hive-ultimate`"), "{damage}");
    assert_eq!(
        replays[1].record.to_string(),
        "Base+M;InProgress;Black[1];wM"
    );
}

#[test]
fn game_type_comes_from_setup_or_pieces() {
    let read =
        |setup: &str| read_sgf(&format!("(;{setup})")).map(|r| r[0].record.variant().to_string());
    assert_eq!(read("SU[Hive-PLM 2 0 101]").unwrap(), "Base+MLP");
    assert_eq!(read("SU[hive-p]").unwrap(), "Base+P");
    assert_eq!(read("P0[1 dropb wL1 N 13 .]").unwrap(), "Base+L");
    for setup in ["SU[hive-u]", "SU[hive-ultimate]", "SU[chess]", "SU[]"] {
        assert!(read(setup).is_err(), "{setup}");
    }
}
