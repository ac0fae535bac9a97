//! Labelled positions from the games of a run.

use super::{GameRecord, PairRecord};
use crate::dataset::LabelledPosition;
use crate::hive::contest::{Contest, Move, Position as ContestPosition};
use crate::hive::standard::notation::{Game, Repetition};
use crate::hive::standard::{Opening, Wide};
use crate::hive::{Color, Position, RuleBook};
use crate::statistics::GameScore;

/// A game whose records hold positions to learn from.
pub trait LabelledGame: RuleBook {
    /// The positions of a game's record in which a move was made, in order; `None` if the record makes no sense.
    fn positions_of(opening: &str, moves: &[&str]) -> Option<Vec<Position<Self>>>;
}

impl LabelledGame for Contest {
    fn positions_of(opening: &str, moves: &[&str]) -> Option<Vec<ContestPosition>> {
        let mut position: ContestPosition = opening.parse().ok()?;
        let mut positions = Vec::with_capacity(moves.len());
        for text in moves {
            positions.push(position);
            let mv: Move = text.parse().ok()?;
            position.try_play(mv).ok()?;
        }
        Some(positions)
    }
}

impl LabelledGame for Wide {
    fn positions_of(opening: &str, moves: &[&str]) -> Option<Vec<Position<Wide>>> {
        // Under the freer rule every opening loads.
        let mut game = Game::parse(opening, Opening::Free, Repetition::Ignore).ok()?;
        let mut positions = Vec::with_capacity(moves.len());
        for text in moves {
            positions.push(*game.position());
            game.play(text).ok()?;
        }
        Some(positions)
    }
}

impl PairRecord {
    /// Every position of the pair's games in which a move was made, as long as the game was played to an end by the rules; a
    /// fault says nothing about positions. Nothing of a record whose moves are not legal.
    pub fn labelled_positions<R: LabelledGame>(&self) -> Vec<LabelledPosition<R>> {
        (0u64..)
            .zip(&self.games)
            .filter(|(_, game)| game.end.is_regular())
            .flat_map(|(in_pair, game)| {
                let number = 2 * self.pair + in_pair;
                // Numbers only tell games apart.
                label(game, number as u32, &self.opening).unwrap_or_default()
            })
            .collect()
    }
}

fn label<R: LabelledGame>(
    game: &GameRecord,
    number: u32,
    opening: &str,
) -> Option<Vec<LabelledPosition<R>>> {
    let moves: Vec<&str> = game.moves.split(';').filter(|m| !m.is_empty()).collect();
    let positions = R::positions_of(opening, &moves)?.into_iter().enumerate();
    let labelled = positions.map(|(ply, position)| {
        Some(LabelledPosition {
            game: number,
            position,
            expected_thousandths: game.scores.get(ply).copied().flatten(),
            result: result_for(game, position.side_to_move())?,
            plies_to_end: u8::try_from(moves.len() - ply).unwrap_or(u8::MAX),
        })
    });
    labelled.collect()
}

fn result_for(game: &GameRecord, color: Color) -> Option<GameScore> {
    GameScore::from_half_points(game.result.half_points(color))
}
