//! Analyses and reviews with few iterations.

use super::*;
use wabe_hive::Color;
use wabe_hive::contest::Contest;
use wabe_hive::game::Repetition;
use wabe_hive::standard::Standard;

fn analyzer<G: Playable>(nodes: u64) -> Analyzer<G> {
    Analyzer::new(1, &NetworkEvaluator::built_in(), Limits::Nodes(nodes), 16)
}

fn record(text: &str) -> Record<Contest> {
    text.parse().unwrap()
}

/// A game in which blue's bee is covered from the fifth ply on, so that blue can only skip.
const FORCED_SKIPS: &str = "set B -2,-2; set Q -1,-3; set Q -2,-1; drag -1,-3 -1,-2; drag -2,-2 -1,-2; skip; set A -1,-3; \
    skip; set G -1,-1; skip; set A 0,-2; skip; set A 0,-3; skip; set B -2,-2; skip";

const START: &str = "0 -4,2;-1,1;5,-3 - AAABBGGQSSS/AAABBGGQSSS";

fn game(start: &str, moves: &str) -> Record<Contest> {
    record(&format!("{start} moves {moves}"))
}

fn review<G: Playable>(game: &Record<G>, nodes: u64) -> Vec<ReviewedPly<G>> {
    let mut review = GameReview::new(game.clone(), 0, analyzer(nodes), analyzer(nodes));
    while !review.is_over() {
        review.step();
    }
    review.plies().map(|(_, ply)| ply).collect()
}

#[test]
fn forced_move_has_the_value_after_it() {
    let mut before = record("5 -4,2;-1,1;5,-3 -2,-1:rQ;-1,-2:bQrB AAABGGSSS/AAABBGGSSS");
    let analysis = analyzer(40).analyze(&before, 5);
    before.play(Move::Pass).unwrap();
    let after = analyzer(40).analyze(&before, 1);
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
fn forced_move_may_end_the_game() {
    for (position, text) in [
        ("59 - -2,-1:rQ;-1,-2:bQrB;-2,0:rA -/-", "win in 1 ply"),
        ("59 - -2,-1:rQ;-1,-2:bQrB -/-", "draw  "),
    ] {
        let record = record(position);
        let analysis = analyzer(40).analyze(&record, 5);
        assert_eq!(record.write(analysis.lines[0].mv), "skip");
        let table = analysis.table(&record);
        assert!(table.contains(text), "{table}");
    }
}

#[test]
fn forced_moves_are_not_mistakes() {
    let reviewed = review(&game(START, FORCED_SKIPS), 200);
    assert_eq!(reviewed.len(), 16);
    for ply in &reviewed {
        if ply.played.mv == Move::Pass {
            assert_eq!(ply.mistake, None, "{ply:?}");
            assert_eq!(ply.red_before, ply.red_after, "{ply:?}");
            assert_ne!(ply.red_after, Value::Expected(0.5), "{ply:?}");
        }
    }
    assert_eq!(reviewed[15].red_after, Value::Proven(Solved::Win));
    // Blue can only skip once red's beetle covers its bee. All of its losses come before.
    let lost: f64 = reviewed[..5].iter().map(|ply| ply.loss()).sum();
    assert!(lost > 0.2, "{reviewed:#?}");
}

/// Checks that values and losses are consistent, whatever the searches found.
fn assert_consistent<G: Playable>(reviewed: &[ReviewedPly<G>]) {
    for pair in reviewed.windows(2) {
        if pair[1].turn == pair[0].turn + 1 {
            assert_eq!(pair[0].red_after, pair[1].red_before);
        }
    }
    for ply in reviewed {
        let gain = ply.red_after.score() - ply.red_before.score();
        let movers_gain = match Color::to_move(ply.turn) {
            Color::Red => gain,
            Color::Blue => -gain,
        };
        assert!((movers_gain + ply.loss()).abs() < 0.001, "{ply:#?}");
        if let Some(Mistake { better, loss }) = &ply.mistake {
            assert_ne!(*better, ply.played);
            assert!(*loss > 0.0);
        }
    }
}

#[test]
fn losses_match_score_changes() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/transcripts/replay_1.xml.gz"
    );
    let file = std::fs::File::open(file).unwrap();
    let replay = wabe_records::read::<Contest>(file).unwrap().swap_remove(0);
    let whole = &replay.record;
    for nodes in [1, 60] {
        assert_consistent(&review(whole, nodes));
    }
    let reviewed = review(whole, 60);
    assert_eq!(reviewed.len(), 42);
    assert_eq!(reviewed[41].red_after, Value::Proven(Solved::Loss));
    assert!(reviewed.iter().any(|ply| ply.mistake.is_some()));
}

/// An opening of standard Hive.
const STANDARD_OPENING: &str = r"Base;InProgress;White[1];wS1;bS1 wS1-;wQ -wS1;bQ bS1-";

#[test]
fn review_writes_standard_notation() {
    let text = format!(r"{STANDARD_OPENING};wA1 -wQ;bA1 bQ-;wA2 /wQ;bA2 bA1-;wA2 bQ/");
    let game: Record<Standard> = text.parse().unwrap();
    let reviewed = review(&game, 100);
    assert_eq!(reviewed.len(), 9);
    assert_consistent(&reviewed);
    let mut analysis = analyzer(100).analyze(&game, 3);
    let table = analysis.table(&game);
    let first = game.write(analysis.lines[0].mv);
    assert!(table.starts_with(&format!("  1. {first}")), "{table}");
    assert!(table.contains("  then w"), "{table}");
    (analysis.lines[0].proof, analysis.lines[0].plies) = (Some(Solved::Win), Some(3));
    let table = analysis.table(&game);
    assert!(table.contains("  win in 3 plies  "), "{table}");
}

#[test]
fn repetition_is_a_proven_draw() {
    let cycle = r";wQ \wS1;bQ bS1/;wQ -wS1;bQ bS1-".repeat(2);
    let game: Record<Standard> = format!("{STANDARD_OPENING}{cycle}").parse().unwrap();
    let reviewed = review(&game, 20);
    assert_eq!(reviewed.len(), 12);
    assert_eq!(reviewed[11].red_after, Value::Proven(Solved::Draw));
    let again = analyzer(20).analyze(&game.after(11).unwrap(), 1);
    assert_ne!(again.lines[0].proof, Some(Solved::Loss), "{again:?}");
    // A review does not end at a repetition.
    let game = format!("{STANDARD_OPENING}{cycle};wA1 /wS1");
    let game: Record<Standard> = game.parse().unwrap();
    let reviewed = review(&game.with_repetition(Repetition::Draw), 10);
    assert_eq!(reviewed.len(), 13);
    assert!(reviewed[12].red_after.proof().is_none(), "{reviewed:?}");
}

#[test]
fn stop_interrupts_a_review() {
    let stop = Arc::new(AtomicBool::new(false));
    let endless = || {
        let evaluator = NetworkEvaluator::<Standard>::built_in();
        Analyzer::new(1, &evaluator, Limits::Infinite, 16).with_stop(Arc::clone(&stop))
    };
    let game: Record<Standard> = "Base;InProgress;White[2];wA1;bA1 wA1-".parse().unwrap();
    let mut review = GameReview::new(game, 0, endless(), endless());
    // The search of the first position would never end.
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    review.step();
    assert_eq!(review.progress(), (1, 3));
}
