//! Tests of proven results.

use super::super::node::NodeId;
use super::super::on_board::history;
use super::*;
use crate::search::{Solved, minimax_wins};
use wabe_hive::contest::LAST_TURN;
use wabe_hive::game::Repetition;
use wabe_hive::{ByColor, Color};

/// Plain minimax to the end of the game.
fn solve(position: &Position<Contest>) -> Solved {
    if let Some(outcome) = position.outcome() {
        return Solved::from_winner(outcome.winner(), position.side_to_move());
    }
    let moves = position.legal_moves();
    let mut best = Solved::Loss;
    for &mv in moves.iter() {
        best = best.max(solve(&position.after(mv)).reversed());
        if best == Solved::Win {
            break;
        }
    }
    best
}

#[test]
fn endgame_proofs_match_minimax() {
    let mut compared = 0;
    for seed in 0..20 {
        for position in random_game_from(seed, LAST_TURN - 2) {
            let choices = [1, 3].map(|threads| {
                let mut player = player_with_threads(threads, 32);
                choose(&mut player, &position, Limits::Nodes(20_000))
            });
            if choices[0].nodes == 0 {
                continue;
            }
            let solved = Some(solve(&position));
            assert_eq!(
                choices.map(|choice| choice.best.proof),
                [solved; 2],
                "{position}"
            );
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared} positions reached the end");
}

/// True if the side to move can win in this round: red against every reply, blue with this move.
fn wins_this_round(position: &Position<Contest>) -> bool {
    let side = position.side_to_move();
    minimax_wins(position, side, if side == Color::Red { 2 } else { 1 })
}

/// A round ends with blue's ply, so surrounding blue's bee wins only if blue has no defence.
#[test]
fn wins_within_the_round_are_proven() {
    let mut found = ByColor::<u32>::default();
    for seed in 0..60 {
        for position in random_game_from(seed, 12) {
            if wins_this_round(&position) {
                let choice = choose(&mut player(1), &position, Limits::Nodes(100_000));
                assert_eq!(choice.best.proof, Some(Solved::Win), "{position}");
                found[position.side_to_move()] += 1;
            }
        }
    }
    assert!(found.red >= 4 && found.blue >= 4, "{found:?}");
}

fn choose_in(
    player: &mut MctsPlayer<Standard>,
    record: &Record<Standard>,
    nodes: u64,
) -> Choice<Standard> {
    player
        .choose_within(record, Limits::Nodes(nodes))
        .expect("the game is running")
}

/// Black can move its queen to repeat a position for the third time.
const BEFORE_THIRD_OCCURRENCE: &str =
    r"Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-;wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-;wQ \wS1;bQ bG1/;wQ -wS1";

#[test]
fn tree_scores_third_occurrences_as_draws() {
    let record: Record<Standard> = BEFORE_THIRD_OCCURRENCE.parse().unwrap();
    let drawing = record.read("bQ bG1-").unwrap();
    assert!(record.repeats(drawing));
    let mut player = player_with(16, 0);
    choose_in(&mut player, &record, 200);
    for line in player.lines(usize::MAX) {
        let is_drawing = line.mv == drawing;
        assert_eq!(line.proof == Some(Solved::Draw), is_drawing, "{}", line.mv);
    }
    // One ply earlier, the same move is a reply.
    let mut earlier = record.after(record.plies().len() - 1).unwrap();
    let mut repetitions = repetition::Repetitions::default();
    repetitions.begin(history(&earlier).as_deref(), earlier.position());
    let allowing = earlier.read("wQ -wS1").unwrap();
    let next = earlier.position().after(allowing);
    repetitions.follow(allowing, &next);
    let proof = |mv| repetitions.proof_of(mv, &next.after(mv), next.side_to_move());
    assert_eq!(proof(drawing), Some(Solved::Draw));
    let other = record.read("bA1 bQ-").unwrap();
    assert_eq!(proof(other), None);
    // If repetition is ignored, no move is a draw.
    earlier.set_repetition(Repetition::Ignore);
    let mut player = player_with(16, 0);
    choose_in(&mut player, &earlier, 300);
    assert!(
        player
            .lines(usize::MAX)
            .iter()
            .all(|line| line.proof.is_none())
    );
}

/// The tree may prove a longer win than the one that is played.
#[test]
fn choose_plays_the_shortest_win() {
    let mut compared = 0;
    for seed in 0..20 {
        for position in random_game_from(seed, 20).into_iter().step_by(3) {
            let mut player = player(1);
            let choice = choose(&mut player, &position, Limits::Nodes(600));
            let Some(plies) = choice.best.plies else {
                continue;
            };
            assert!(choice.best.proof != Some(Solved::Draw));
            if choice.best.proof == Some(Solved::Win) && choice.nodes > 0 {
                assert_eq!(player.lines(1), std::slice::from_ref(&choice.best));
                let end = choice.best.pv();
                let end = end.fold(position, |position, mv| position.after(mv));
                assert!(end.turn() <= position.turn() + plies, "{position}");
                let shorter = short_wins::shorter_win(&position, plies, &|| false);
                assert_eq!(shorter, None, "{position}");
                compared += 1;
            }
        }
    }
    assert!(compared > 15, "only {compared} wins");
}

/// Without the exhaustive search the tree does not find this win in 3,000 iterations, because its
/// first move has a small prior.
#[test]
fn short_wins_are_proven_early() {
    const SACRIFICE: &str = "Base 34 - 0,1:rG;1,1:rS;1,2:rA;2,2:bA;-3,-1:rA;-3,0:rB;-3,3:bG;\
        -2,-3:rA;-2,-2:bA;-2,-1:bQ;-2,0:rG;-2,3:bS;-1,-4:bS;-1,-1:bArBbB;-1,0:bGbB;-1,1:rS;\
        -1,2:rQ G/G";
    let record: Record<Standard> = SACRIFICE.parse().unwrap();
    for (nodes, plies) in [(99, None), (100, Some(3))] {
        let mut player = player_with::<Standard>(32, 1);
        let limits = Limits::Nodes(nodes);
        let choice = player.choose_within(&record, limits).unwrap();
        assert_eq!(choice.best.plies, plies);
        assert!(plies.is_none_or(|plies| choice.best.pv().count() == usize::from(plies)));
    }
    // Also at a root that has been visited more often in an earlier search.
    let mut player = player_with::<Standard>(32, 1);
    for (nodes, plies) in [(20, None), (3, Some(3))] {
        let limits = Limits::Nodes(nodes);
        let choice = player.choose_within(&record, limits).unwrap();
        assert_eq!(choice.best.plies, plies);
        if let Some(Search::Narrow(OnBoard { search, .. })) = &player.search {
            (0..600).for_each(|_| search.tree[NodeId::ROOT].count_visit());
        }
    }
}

/// The exhaustive search for a shorter win reaches its limit before it finds this one, and the tree
/// does not contain its moves.
#[test]
fn long_wins_have_their_moves() {
    let game = concat!(
        r"Base+MLP;InProgress;White[20];wB1;bA1 wB1-;wQ /wB1;bP bA1\;wS1 \wB1;bA2 bP/;wA1 \wS1;",
        r"bQ bP\;wA1 bQ-;bB1 /bP;wS1 bA2/;bA3 bB1\;wP -wQ;bA3 \wB1;wM wA1\;bB1 wB1\;wM bB1\;",
        r"bB1 wQ;wB2 /wM;bA3 /wB2;wA2 \wB1;bM bA3\;wA2 /bM;bL -bA3;wA3 \wB1;bL bB1\;wM bQ;",
        r"bG1 -bA3;wS2 wM\;bG1 wB2\;wL wA1\;bB1 wP;wM bP;bA3 bB1\;wL /bQ;bA1 wA1/;wA3 bA1/;",
        r"bB2 \bB1"
    );
    let record = StandardRecord::from_game_string(game, OpeningRule::default()).unwrap();
    let mut player = player_with::<Standard>(32, 1);
    let choice = player.choose_within(&record, Limits::Nodes(8_500));
    let best = choice.unwrap().best;
    assert_eq!(best.plies, Some(7));
    let moves: Vec<_> = best.pv().collect();
    let end = moves
        .iter()
        .fold(*record.position(), |position, &mv| position.after(mv));
    assert_eq!(moves.len(), 7);
    assert_eq!(end.outcome().and_then(|end| end.winner()), Some(Color::Red));
}
