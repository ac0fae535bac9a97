//! What several searches of one position found, put together.

use std::collections::HashMap;

use crate::hive::standard::{Move, Wide};
use crate::search::{Line, Proof};

/// All lines; the first move is the one that all of them together like best.
pub(super) fn merged(found: Vec<Vec<Line<Wide>>>) -> Vec<Line<Wide>> {
    let mut found = found.into_iter();
    let mut lines = found.next().unwrap_or_default();
    let others: Vec<_> = found.flatten().collect();
    if others.is_empty() {
        return lines;
    }
    let mut places: HashMap<Move, usize> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| (line.mv, i))
        .collect();
    for other in others {
        let place = *places.entry(other.mv).or_insert_with(|| {
            lines.push(Line::unjudged(other.mv));
            lines.len() - 1
        });
        if let Some(line) = lines.get_mut(place) {
            add(line, other);
        }
    }
    // A stable sort: of equals, the first player's order.
    lines.sort_by_key(|line| {
        let certainty = match line.proof {
            Some(Proof::Win) => 2,
            Some(Proof::Loss) => 0,
            Some(Proof::Draw) | None => 1,
        };
        std::cmp::Reverse((certainty, line.visits))
    });
    lines
}

fn add(line: &mut Line<Wide>, other: Line<Wide>) {
    let visits = line.visits + other.visits;
    if let (Some(score), Some(more)) = (line.score, other.score) {
        let share = (other.visits as f64 + 1.0) / (visits as f64 + 2.0);
        line.score = Some(score + (more - score) * share);
    } else {
        line.score = line.score.or(other.score);
    }
    if other.visits > line.visits {
        line.continuation = other.continuation;
    }
    line.proof = line.proof.or(other.proof);
    line.visits = visits;
}
