//! Labelled positions from the games of a run.

use super::record::PairRecord;
use crate::dataset::{LabelledPosition, label};
use crate::game::Game;

impl PairRecord {
    /// Every position of the pair's games in which a move was made, as far as the game ended by the rules; a fault says nothing
    /// about positions. Nothing of a record whose moves are not legal.
    pub fn labelled_positions<G: Game>(&self) -> Vec<LabelledPosition<G>> {
        let games = (0u64..).zip(&self.games);
        let regular = games.filter(|(_, game)| game.end.is_regular());
        let labelled = regular.filter_map(|(in_pair, game)| {
            // Numbers only tell games apart.
            let number = (2 * self.pair + in_pair) as u32;
            let winner = game.result.winner();
            label(number, &self.opening, &game.moves, &game.scores, winner)
        });
        labelled.flatten().collect()
    }
}
