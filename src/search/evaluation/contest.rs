//! The hand-made evaluation of the contest's positions.

use super::Evaluator;
use crate::hex::{Cell, CellSet, ContestBoard, Grid};
use crate::hive::contest::{Contest, Kind, LAST_TURN, Position};
use crate::hive::{Color, PieceKind};

/// A weighted sum of what a player looks at first (free fields around the bees, who is pinned, beetles near a bee, pieces
/// in reserve), for one side minus the other, squashed to an expected score by the logistic function.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContestEvaluator;

// All weights are in logits: 1.0 takes an even game to an expected score of 73%.

/// For a bee with this many free fields around it.
const FREE_AROUND_BEE: [f32; 7] = [-4.2, -2.7, -1.6, -0.8, -0.3, 0.0, 0.1];

/// For a bee still in reserve.
const BEE_IN_RESERVE: f32 = -0.2;

/// What a difference of one free field is worth at the end of the game, where it decides; before, it grows with the square
/// of the turn.
const LATE_FREE_FIELD: f32 = 0.9;

/// For a piece that may leave its field, by [`Kind`].
const UNPINNED: [f32; 5] = [0.35, 0.10, 0.30, 0.12, 0.35];

/// For a piece under another one, by kind.
const COVERED: [f32; 5] = [-0.9, -0.1, -0.15, -0.1, -0.3];

/// For an own beetle on top of the enemy's bee's stack.
const BEETLE_ON_BEE: f32 = 0.5;

/// For an own beetle next to the enemy's bee.
const BEETLE_BESIDE_BEE: f32 = 0.25;

/// For a piece in reserve, by kind.
const RESERVE: [f32; 5] = [0.0, 0.05, 0.15, 0.05, 0.15];

/// For having the move.
const TEMPO: f32 = 0.15;

impl Evaluator<Contest> for ContestEvaluator {
    fn evaluate(&self, position: &Position) -> f32 {
        let side = position.side_to_move();
        let mut logit = TEMPO + one_side(position, side) - one_side(position, side.opponent());
        let lateness = f32::from(position.turn()) / f32::from(LAST_TURN);
        let lead = free_fields(position, side) - free_fields(position, side.opponent());
        logit += LATE_FREE_FIELD * lateness * lateness * lead;
        1.0 / (1.0 + (-logit).exp())
    }
}

/// Free fields as the rules count them at the end: -1 for a bee in reserve.
fn free_fields(position: &Position, color: Color) -> f32 {
    position
        .free_around_bee(color)
        .map_or(-1.0, |free| free as f32)
}

fn one_side(position: &Position, color: Color) -> f32 {
    let enemy_bee = position.bee(color.opponent());
    let mut sum = match position.free_around_bee(color) {
        Some(free) => FREE_AROUND_BEE[(free as usize).min(6)],
        None => BEE_IN_RESERVE,
    };
    let unpinned = position.unpinned(color);
    for (&kind, (unpinned_weight, reserve_weight)) in
        Kind::ALL.iter().zip(UNPINNED.iter().zip(&RESERVE))
    {
        let free_to_go = (unpinned & position.tops_of_kind(kind)).count_cells();
        sum += unpinned_weight * free_to_go as f32;
        sum += reserve_weight * f32::from(position.reserve(color).count(kind));
    }
    for cell in position.stacked() {
        for piece in position.covered_on(cell).filter(|p| p.color == color) {
            sum += COVERED[piece.kind.index()];
        }
    }
    if let Some(bee) = enemy_bee {
        sum += beetles_near(position, color, bee);
    }
    sum
}

fn beetles_near(position: &Position, color: Color, bee: Cell) -> f32 {
    let beetles = position.tops(color) & position.tops_of_kind(Kind::Beetle);
    let bee = CellSet::single(bee);
    let on_top = (beetles & bee).count_cells() as f32;
    let beside = (beetles & ContestBoard::neighbours(bee)).count_cells() as f32;
    BEETLE_ON_BEE * on_top + BEETLE_BESIDE_BEE * beside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(position: &str) -> f32 {
        ContestEvaluator.evaluate(&position.parse().unwrap())
    }

    #[test]
    fn scores_are_probabilities_that_favour_the_freer_bee() {
        // Blue's bee in the middle of red's pieces, red's at the rim of the hive.
        let red_attacks = "20 - 0,0:bQ;1,0:rA;0,1:rA;-1,1:rS;-1,0:rQ;0,-1:bA - AAGG";
        let position = red_attacks.replace(" - AAGG", " AG/AG");
        let score = score(&position);
        assert!(score > 0.6 && score < 1.0, "{score}");
    }

    #[test]
    fn both_sides_see_the_same_position() {
        let even = score("6 - 0,0:rQ;1,0:bQ AAA/AAA");
        let even_for_blue = score("7 - 0,0:rQ;1,0:bQ AAA/AAA");
        assert!((even - even_for_blue).abs() < 1e-6);
        assert!(even > 0.5);
    }
}
