//! The players that can be compared with each other.

use super::Crosstable;

/// The connections between players by games and by points.
pub(super) struct Connections {
    /// `games[i][j]`: true if a chain of games leads from `i` to `j`, as it does for `i == j`.
    games: Vec<Vec<bool>>,
    /// `points[i][j]`: true if a chain leads from `i` to `j` in which each player took points from the next.
    points: Vec<Vec<bool>>,
}

impl Connections {
    pub(super) fn of(table: &Crosstable) -> Connections {
        let relation = |holds: &dyn Fn(usize, usize) -> bool| {
            let players = 0..table.players();
            let row = |i| players.clone().map(|j| i == j || holds(i, j)).collect();
            transitive_closure(players.clone().map(row).collect())
        };
        Connections {
            games: relation(&|i, j| table.between(i, j).pairs() > 0),
            points: relation(&|i, j| table.between(i, j).points() > 0.0),
        }
    }

    /// The groups of players connected by games, without those who have played none.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let connected = |i: usize| (0..self.games.len()).filter(move |&j| self.games[i][j]);
        (0..self.games.len())
            .filter(|&i| connected(i).min() == Some(i))
            .map(|i| connected(i).collect())
            .filter(|group: &Vec<usize>| group.len() > 1)
            .collect()
    }

    /// True if one of two players who met took points from the other, but no chain of points leads back.
    pub(super) fn is_one_sided(&self, i: usize, j: usize) -> bool {
        self.points[i][j] != self.points[j][i]
    }
}

/// Warshall's algorithm.
fn transitive_closure(mut relation: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    for middle in 0..relation.len() {
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
    fn chains_connect_but_points_may_lead_one_way_only() {
        let mut table = Crosstable::new(6);
        table.add(0, 1, Pentanomial::new([0, 0, 0, 0, 3]));
        table.add(1, 2, Pentanomial::new([1, 0, 1, 0, 1]));
        table.add(4, 3, Pentanomial::new([0, 0, 1, 0, 0]));
        let connections = Connections::of(&table);
        assert_eq!(connections.groups(), [vec![0, 1, 2], vec![3, 4]]);
        assert!(connections.is_one_sided(0, 1));
        assert!(connections.is_one_sided(1, 0));
        assert!(!connections.is_one_sided(1, 2));
        assert!(!connections.is_one_sided(3, 4));
    }
}
