//! Labelled positions from the games of a run.

use crate::arena::{GameRecord, PairRecord};
use crate::dataset::LabelledPosition;
use crate::hive::Color;
use crate::hive::contest::{Move, Position};
use crate::statistics::GameScore;

impl PairRecord {
    /// Every position of the pair's games in which a move was made, as long as the game was played to an end by the rules; a
    /// fault says nothing about positions. Nothing of a record whose moves are not legal.
    pub fn labelled_positions(&self) -> Vec<LabelledPosition> {
        let Ok(opening) = self.opening.parse::<Position>() else {
            return Vec::new();
        };
        (0u64..)
            .zip(&self.games)
            .filter(|(_, game)| game.end.is_regular())
            .flat_map(|(in_pair, game)| {
                let number = 2 * self.pair + in_pair;
                // Numbers only tell games apart.
                label(game, number as u32, opening).unwrap_or_default()
            })
            .collect()
    }
}

fn label(game: &GameRecord, number: u32, opening: Position) -> Option<Vec<LabelledPosition>> {
    let moves: Vec<Move> = game
        .moves
        .split(';')
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().ok())
        .collect::<Option<_>>()?;
    let mut position = opening;
    let mut labelled = Vec::with_capacity(moves.len());
    for (ply, &mv) in moves.iter().enumerate() {
        labelled.push(LabelledPosition {
            game: number,
            position,
            expected_thousandths: game.scores.get(ply).copied().flatten(),
            result: result_for(game, position.side_to_move())?,
            plies_to_end: u8::try_from(moves.len() - ply).ok()?,
        });
        position.try_play(mv).ok()?;
    }
    Some(labelled)
}

fn result_for(game: &GameRecord, color: Color) -> Option<GameScore> {
    GameScore::from_half_points(game.result.half_points(color))
}
