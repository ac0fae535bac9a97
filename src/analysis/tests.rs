//! Analyses and reviews with few iterations.

use super::*;
use crate::hive::Color;
use crate::hive::contest::{Contest, Move, Position};
use crate::hive::standard::notation::Game;
use crate::hive::standard::{self, Wide};
use crate::search::{ContestEvaluator, StandardEvaluator, standard_params};

fn analyst(nodes: u64) -> Analyst<Contest, ContestEvaluator> {
    let limits = Limits::Nodes(nodes);
    Analyst::new(ContestEvaluator::default(), Params::default(), limits, 16)
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// A game in which blue's bee is covered from the fifth ply on, so that blue can only skip.
const FORCED_SKIPS: &str = "set B -2,-2; set Q -1,-3; set Q -2,-1; drag -1,-3 -1,-2; drag -2,-2 -1,-2; skip; set A -1,-3; \
    skip; set G -1,-1; skip; set A 0,-2; skip; set A 0,-3; skip; set B -2,-2; skip";

const START: &str = "0 -4,2;-1,1;5,-3 - AAABBGGQSSS/AAABBGGQSSS";

fn game(start: &str, moves: &str) -> Vec<Step<Contest>> {
    let step = |position, last_move| Step {
        position,
        last_move,
        ended: None,
    };
    let mut steps = vec![step(position(start), None)];
    for mv in moves.split("; ") {
        let mv: Move = mv.parse().unwrap();
        let mut next = steps[steps.len() - 1].position;
        next.try_play(mv).unwrap();
        steps.push(step(next, Some(mv)));
    }
    steps
}

fn review(steps: &[Step<Contest>], nodes: u64) -> Vec<ReviewedPly<Contest>> {
    Reviewer::new(analyst(nodes), analyst(nodes)).review(steps, |_, _| ())
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
    let lost: f64 = reviewed[..5].iter().map(|ply| ply.loss()).sum();
    assert!(lost > 0.2, "{reviewed:#?}");
}

/// Whatever the searches say, the values of a game belong together.
fn assert_consistent<R: RuleBook>(reviewed: &[ReviewedPly<R>]) {
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
    let replay = crate::replay::read(std::fs::File::open(file).unwrap()).unwrap();
    let mut steps = replay.steps();
    for nodes in [1, 60] {
        assert_consistent(&review(&steps, nodes));
    }
    let reviewed = review(&steps, 60);
    assert_eq!(reviewed.len(), 42);
    assert_eq!(reviewed[41].red_after, Value::Proven(Proof::Loss));
    assert!(reviewed.iter().any(|ply| ply.mistake.is_some()));
    // Where plies are missing nothing is known of the moves between.
    steps.drain(20..22);
    let reviewed = review(&steps, 20);
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

/// How a game of standard Hive begins.
const STANDARD_OPENING: &str = r"Base;InProgress;White[1];wS1;bS1 wS1-;wQ -wS1;bQ bS1-";

#[test]
fn a_game_of_standard_hive_is_reviewed_and_written_in_its_own_notation() {
    let text = format!(r"{STANDARD_OPENING};wA1 -wQ;bA1 bQ-;wA2 /wQ;bA2 bA1-;wA2 bQ/");
    let replay = crate::replay::read_game_string(&text).unwrap();
    let standard = || -> Analyst<Wide, StandardEvaluator> {
        let limits = Limits::Nodes(100);
        Analyst::new(StandardEvaluator::default(), standard_params(), limits, 16)
    };
    let reviewed = Reviewer::new(standard(), standard()).review(&replay.steps(), |_, _| ());
    assert_eq!(reviewed.len(), 9);
    assert_consistent(&reviewed);
    let game: Game = text.parse().unwrap();
    let analysis = standard().analyze(game.position(), 3);
    let table = analysis.table(&game);
    let first = game.write(analysis.lines[0].mv);
    assert!(table.starts_with(&format!("  1. {first}")), "{table}");
    assert!(table.contains("  then w"), "{table}");
}

#[test]
fn a_draw_by_repetition_is_certain() {
    let dance = r"wQ \wS1;bQ bS1/;wQ -wS1;bQ bS1-;wQ \wS1;bQ bS1/;wQ -wS1;bQ bS1-";
    let replay = crate::replay::read_game_string(&format!("{STANDARD_OPENING};{dance}")).unwrap();
    let steps: Vec<Step<standard::Wide>> = replay.steps();
    assert_eq!(steps.iter().filter(|step| step.ended.is_some()).count(), 1);
    assert_eq!(steps[steps.len() - 1].ended, Some(Proof::Draw));
}
