//! Results of players against each other, and the groups that they connect.

use std::collections::BTreeMap;

use crate::statistics::Pentanomial;

/// Results of a round robin or of any other set of matches. Players are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crosstable {
    players: usize,
    /// Results from the view of the first player, which has the smaller index.
    matches: BTreeMap<(usize, usize), Pentanomial>,
}

impl Crosstable {
    /// A table without results.
    pub fn new(players: usize) -> Crosstable {
        Crosstable {
            players,
            matches: BTreeMap::new(),
        }
    }

    /// Number of players.
    pub(super) fn players(&self) -> usize {
        self.players
    }

    /// Adds the results of `player` in pairs of games.
    ///
    /// # Panics
    /// If the players are the same or not in the table.
    pub fn add(&mut self, player: usize, opponent: usize, pairs: Pentanomial) {
        assert!(
            player != opponent && player.max(opponent) < self.players,
            "players {player} and {opponent} of {} cannot meet",
            self.players
        );
        let (key, pairs) = if player < opponent {
            ((player, opponent), pairs)
        } else {
            ((opponent, player), pairs.reversed())
        };
        *self.matches.entry(key).or_default() += pairs;
    }

    /// Results of `player` against `opponent`; empty if they never met.
    pub fn between(&self, player: usize, opponent: usize) -> Pentanomial {
        let key = (player.min(opponent), player.max(opponent));
        let pairs = self.matches.get(&key).copied().unwrap_or_default();
        if player < opponent {
            pairs
        } else {
            pairs.reversed()
        }
    }

    /// Results of a player against all opponents.
    pub fn total(&self, player: usize) -> Pentanomial {
        let mut total = Pentanomial::default();
        (0..self.players).for_each(|opponent| total += self.between(player, opponent));
        total
    }
}

/// The reflexive transitive closure of a relation between players: `closure[i][j]` is true if a
/// chain of related players leads from `i` to `j` (Warshall's algorithm).
pub(super) fn closure(players: usize, is_related: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let row = |i| (0..players).map(|j| i == j || is_related(i, j)).collect();
    let mut relation: Vec<Vec<bool>> = (0..players).map(row).collect();
    for middle in 0..players {
        let from_middle = relation[middle].clone();
        for row in &mut relation {
            if row[middle] {
                for (entry, &reached) in row.iter_mut().zip(&from_middle) {
                    *entry |= reached;
                }
            }
        }
    }
    relation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Pentanomial;

    #[test]
    fn between_returns_the_players_own_results() {
        let mut table = Crosstable::new(3);
        table.add(0, 2, Pentanomial::new([1, 2, 3, 4, 5]));
        table.add(2, 0, Pentanomial::new([0, 0, 0, 0, 7]));
        table.add(1, 0, Pentanomial::new([0, 0, 1, 0, 0]));
        assert_eq!(table.between(0, 2), Pentanomial::new([8, 2, 3, 4, 5]));
        assert_eq!(table.between(2, 0), Pentanomial::new([5, 4, 3, 2, 8]));
        assert_eq!(table.between(1, 2).pairs(), 0);
        assert_eq!(table.total(0), Pentanomial::new([8, 2, 4, 4, 5]));
    }

    #[test]
    #[should_panic(expected = "players 1 and 1 of 2 cannot meet")]
    fn add_rejects_a_player_against_itself() {
        Crosstable::new(2).add(1, 1, Pentanomial::default());
    }
}
