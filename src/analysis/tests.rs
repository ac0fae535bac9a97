//! Analyses and reviews with few iterations.

use super::*;
use crate::hive::{ByColor, Color};
use crate::replay::{Ply, Replay};

fn analyst(nodes: u64) -> Analyst {
    Analyst::new(ContestEvaluator::default(), Limits::Nodes(nodes), 16)
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// A game in which blue's bee is covered from the fifth ply on, so that blue can only skip.
const FORCED_SKIPS: &str = "set B -2,-2; set Q -1,-3; set Q -2,-1; drag -1,-3 -1,-2; drag -2,-2 -1,-2; skip; set A -1,-3; \
    skip; set G -1,-1; skip; set A 0,-2; skip; set A 0,-3; skip; set B -2,-2; skip";

const START: &str = "0 -4,2;-1,1;5,-3 - AAABBGGQSSS/AAABBGGQSSS";

fn game(start: &str, moves: &str) -> Replay {
    let ply = |position, last_move| Ply {
        position,
        last_move,
        hint: None,
        time: None,
    };
    let mut plies = vec![ply(position(start), None)];
    for mv in moves.split("; ") {
        let mv: Move = mv.parse().unwrap();
        let mut next = plies[plies.len() - 1].position;
        next.try_play(mv).unwrap();
        plies.push(ply(next, Some(mv)));
    }
    Replay {
        names: ByColor::default(),
        plies,
        result: None,
        damage: None,
    }
}

fn review(replay: &Replay, nodes: u64) -> Vec<ReviewedPly> {
    Reviewer::new(analyst(nodes), analyst(nodes)).review(replay, |_, _| ())
}

#[test]
fn a_single_legal_move_is_worth_what_the_position_after_it_is() {
    let before = position("5 -4,2;-1,1;5,-3 -2,-1:rQ;-1,-2:bQrB AAABGGSSS/AAABBGGSSS");
    let analysis = analyst(40).analyze(&before, 5);
    let after = analyst(40).analyze(&before.after(Move::Pass), 1);
    let [line] = &analysis.lines[..] else {
        panic!("{analysis:?}");
    };
    assert_eq!((line.mv, analysis.forced), (Move::Pass, 1));
    assert_eq!(analysis.value, after.value.reversed());
    assert_eq!(line.score, Some(analysis.value.score()));
    assert!(line.visits > 0 && analysis.nodes == 40, "{analysis:?}");
    assert_eq!(line.continuation[0], after.lines[0].mv);
}

#[test]
fn a_single_legal_move_that_ends_the_game_has_a_certain_result() {
    let surrounded = "15 -4,2;-1,1;5,-3 \
        -2,-2:rB;-2,-1:rQ;-1,-3:rA;-1,-2:bQrB;-1,-1:rG;0,-3:rA;0,-2:rA GSSS/AAABBGGSSS";
    let analysis = analyst(10).analyze(&position(surrounded), 5);
    assert_eq!(analysis.value, Value::Proven(Proof::Loss));
    assert_eq!((analysis.forced, analysis.nodes), (1, 0));
    assert_eq!(analysis.lines[0].proof, Some(Proof::Loss));
    assert!(analysis.lines[0].continuation.is_empty());
}

#[test]
fn a_finished_game_has_a_value_and_no_moves() {
    let analysis = analyst(10).analyze(&position("60 - 0,0:rQ;1,0:bQ -/-"), 5);
    assert_eq!(analysis.value, Value::Proven(Proof::Draw));
    assert!(analysis.lines.is_empty());
}

#[test]
fn forced_moves_give_nothing_away() {
    let reviewed = review(&game(START, FORCED_SKIPS), 200);
    assert_eq!(reviewed.len(), 16);
    for ply in &reviewed {
        if ply.played == Move::Pass {
            assert_eq!(ply.mistake, None, "{ply:?}");
            assert_eq!(ply.red_before, ply.red_after, "{ply:?}");
            assert_ne!(ply.red_after, Value::Expected(0.5), "{ply:?}");
        }
    }
    assert_eq!(reviewed[15].red_after, Value::Proven(Proof::Win));
    // Its bee stands below red's beetle: what blue gave away it gave away before.
    let lost: f64 = reviewed[..5].iter().map(ReviewedPly::loss).sum();
    assert!(lost > 0.2, "{reviewed:#?}");
}

/// Whatever the searches say, the values of a game belong together.
fn assert_consistent(reviewed: &[ReviewedPly]) {
    for pair in reviewed.windows(2) {
        if pair[1].turn == pair[0].turn + 1 {
            assert_eq!(pair[0].red_after, pair[1].red_before);
        }
    }
    for ply in reviewed {
        let gain = ply.red_after.score() - ply.red_before.score();
        let movers_gain = match ply.mover() {
            Color::Red => gain,
            Color::Blue => -gain,
        };
        assert!((movers_gain + ply.loss()).abs() < 0.001, "{ply:#?}");
        if let Some(Mistake { better, loss }) = ply.mistake {
            assert_ne!(better, ply.played);
            assert!(loss > 0.0);
        }
    }
}

#[test]
fn every_change_of_the_score_is_what_the_mover_gave_away() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/transcripts/replay_1.xml.gz"
    );
    let mut replay = crate::replay::read(std::fs::File::open(file).unwrap()).unwrap();
    for nodes in [1, 60] {
        assert_consistent(&review(&replay, nodes));
    }
    let reviewed = review(&replay, 60);
    assert_eq!(reviewed.len(), 42);
    assert_eq!(reviewed[41].red_after, Value::Proven(Proof::Loss));
    assert!(reviewed.iter().any(|ply| ply.mistake.is_some()));
    // Where plies are missing nothing is known of the moves between.
    replay.plies.drain(20..22);
    let reviewed = review(&replay, 20);
    assert_eq!(reviewed.len(), 39);
    assert_consistent(&reviewed);
}

#[test]
fn a_game_that_breaks_off_is_judged_by_a_search_of_its_last_position() {
    let moves: Vec<&str> = FORCED_SKIPS.split("; ").take(7).collect();
    let reviewed = review(&game(START, &moves.join("; ")), 100);
    assert_consistent(&reviewed);
    assert!(reviewed[6].red_after.score() > 0.5, "{reviewed:#?}");
}
