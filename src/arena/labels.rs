//! Labelled positions from the games of a run.

use super::record::PairRecord;
use crate::dataset::{LabelledPosition, label};
use crate::game::Game;

impl PairRecord {
    /// Every position in which a move was made in the pair's games that ended by the rules; a fault says nothing about positions. Games
    /// with illegal moves are left out.
    pub fn labelled_positions<G: Game>(&self) -> Vec<LabelledPosition<G>> {
        let games = self.labelled_games().into_iter();
        games.flatten().flatten().collect()
    }

    /// The positions of each game that ended by the rules; `None` for a game with illegal moves.
    pub fn labelled_games<G: Game>(&self) -> Vec<Option<Vec<LabelledPosition<G>>>> {
        let games = (0u64..).zip(&self.games);
        let regular = games.filter(|(_, game)| game.end.is_regular());
        let labelled = regular.map(|(in_pair, game)| {
            // Numbers only tell games apart.
            let number = self.pair.wrapping_mul(2).wrapping_add(in_pair) as u32;
            let winner = game.result.winner();
            label(number, &self.opening, &game.moves, &game.scores, winner)
        });
        labelled.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{GameEnd, GameRecord};
    use crate::hive::ByColor;
    use crate::hive::contest::{Contest, Deal};

    #[test]
    fn pairs_of_any_number_have_labels() {
        let game = |end| GameRecord {
            end,
            moves: "set A 0,0".to_owned(),
            scores: vec![Some(500)],
            ..GameRecord::new(ByColor { red: 0, blue: 1 })
        };
        let pair = PairRecord {
            pair: u64::MAX,
            opening: Contest::plain_start(Deal::Server).to_string(),
            games: [game(GameEnd::PlyLimit), game(GameEnd::PlyLimit)],
        };
        assert_eq!(pair.labelled_positions::<Contest>().len(), 2);
    }
}
