//! Fits maximum-likelihood strengths.

use std::ops::{Index, IndexMut};

/// The games between two players.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairing {
    /// Indices of two different players.
    pub(super) players: [usize; 2],
    /// Number of games, above 0.
    pub(super) games: f64,
    /// Points of the first player.
    pub(super) points: f64,
}

/// Maximum-likelihood strengths, in natural log odds.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The strengths, with mean 0.
    pub(super) strengths: Vec<f64>,
    /// Covariance of the strengths if games were independent and never drawn: the inverse of the
    /// information matrix, restricted to strengths with mean 0.
    pub(super) covariance: SquareMatrix,
}

impl Fit {
    /// Requires that any two players are connected by a chain in which each player took points from
    /// the next. The likelihood is then strictly concave and has a finite maximum (Hunter,
    /// assumption 1).
    pub(super) fn new(players: usize, pairings: &[Pairing]) -> Fit {
        // Newton's method converges quadratically. It needs many steps only if the first ones are
        // halved.
        const MAX_STEPS: usize = 200;
        let mut strengths = vec![0.0; players];
        let mut likelihood = log_likelihood(&strengths, pairings);
        for _ in 0..MAX_STEPS {
            let covariance = covariance(&strengths, pairings);
            let mut step = covariance.times(&gradient(&strengths, pairings));
            let is_tiny = |step: &[f64]| step.iter().all(|change| change.abs() < 1e-10);
            loop {
                let next: Vec<f64> = strengths.iter().zip(&step).map(|(s, d)| s + d).collect();
                let next_likelihood = log_likelihood(&next, pairings);
                if next_likelihood >= likelihood || is_tiny(&step) {
                    (strengths, likelihood) = (next, next_likelihood);
                    break;
                }
                step.iter_mut().for_each(|change| *change /= 2.0);
            }
            if is_tiny(&step) {
                break;
            }
        }
        let covariance = covariance(&strengths, pairings);
        Fit {
            strengths,
            covariance,
        }
    }

    /// Expected points per game of one player against another.
    pub(super) fn expected_score(&self, player: usize, opponent: usize) -> f64 {
        expected_score(&self.strengths, [player, opponent])
    }
}

fn expected_score(strengths: &[f64], [player, opponent]: [usize; 2]) -> f64 {
    1.0 / (1.0 + (strengths[opponent] - strengths[player]).exp())
}

fn log_likelihood(strengths: &[f64], pairings: &[Pairing]) -> f64 {
    let terms = pairings.iter().map(|pairing| {
        let [i, j] = pairing.players;
        // ln(1 / (1 + e^-x)), without overflow for either sign of x.
        let log_score = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
        let difference = strengths[i] - strengths[j];
        pairing.points * log_score(difference)
            + (pairing.games - pairing.points) * log_score(-difference)
    });
    terms.sum()
}

/// Points minus expected points, for each player.
fn gradient(strengths: &[f64], pairings: &[Pairing]) -> Vec<f64> {
    let mut gradient = vec![0.0; strengths.len()];
    for pairing in pairings {
        let excess = pairing.points - pairing.games * expected_score(strengths, pairing.players);
        let [i, j] = pairing.players;
        gradient[i] += excess;
        gradient[j] -= excess;
    }
    gradient
}

/// Inverse of the information matrix, restricted to strengths with mean 0.
fn covariance(strengths: &[f64], pairings: &[Pairing]) -> SquareMatrix {
    let players = strengths.len();
    let mut information = SquareMatrix::zero(players);
    for pairing in pairings {
        let [i, j] = pairing.players;
        let score = expected_score(strengths, pairing.players);
        let weight = pairing.games * score * (1.0 - score);
        information[(i, i)] += weight;
        information[(j, j)] += weight;
        information[(i, j)] -= weight;
        information[(j, i)] -= weight;
    }
    // The matrix is singular, because adding a constant to all strengths changes nothing.
    // Information in that direction is added before inversion and subtracted afterwards. It has the
    // same magnitude as the rest, so that no precision is lost.
    let trace: f64 = (0..players).map(|i| information[(i, i)]).sum();
    let scale = trace / players as f64;
    let share = 1.0 / players as f64;
    let filled = SquareMatrix::from_fn(players, |i, j| information[(i, j)] + scale * share);
    let inverse = filled.inverse_of_positive_definite();
    SquareMatrix::from_fn(players, |i, j| inverse[(i, j)] - share / scale)
}

/// A square matrix.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SquareMatrix {
    size: usize,
    entries: Vec<f64>,
}

impl SquareMatrix {
    pub(super) fn from_fn(size: usize, entry: impl Fn(usize, usize) -> f64) -> SquareMatrix {
        SquareMatrix {
            size,
            entries: (0..size * size)
                .map(|index| entry(index / size, index % size))
                .collect(),
        }
    }

    pub(super) fn zero(size: usize) -> SquareMatrix {
        SquareMatrix::from_fn(size, |_, _| 0.0)
    }

    /// The inverse of a symmetric positive definite matrix, by sweeping every row (Goodnight, *A
    /// tutorial on the SWEEP operator*, American Statistician 33, 1979). Such a matrix needs no
    /// pivoting.
    pub(super) fn inverse_of_positive_definite(mut self) -> SquareMatrix {
        for k in 0..self.size {
            let pivot = self[(k, k)];
            for j in 0..self.size {
                self[(k, j)] /= pivot;
            }
            for i in (0..self.size).filter(|&i| i != k) {
                let factor = self[(i, k)];
                for j in 0..self.size {
                    let change = factor * self[(k, j)];
                    self[(i, j)] -= change;
                }
                self[(i, k)] = -factor / pivot;
            }
            self[(k, k)] = 1.0 / pivot;
        }
        self
    }

    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        let row = |i| (0..self.size).map(|j| self[(i, j)] * vector[j]).sum();
        (0..self.size).map(row).collect()
    }

    /// For a covariance matrix: the variance of the difference of two variables.
    pub(super) fn difference_variance(&self, i: usize, j: usize) -> f64 {
        self[(i, i)] + self[(j, j)] - 2.0 * self[(i, j)]
    }
}

impl Index<(usize, usize)> for SquareMatrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[row * self.size + column]
    }
}

impl IndexMut<(usize, usize)> for SquareMatrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[row * self.size + column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(players: usize, results: &[(usize, usize, f64, f64)]) -> Fit {
        let pairings: Vec<Pairing> = results
            .iter()
            .map(|&(first, second, points, opponent_points)| Pairing {
                players: [first, second],
                games: points + opponent_points,
                points,
            })
            .collect();
        Fit::new(players, &pairings)
    }

    /// The example of the R package `BradleyTerry2` (Turner and Firth, Journal of Statistical
    /// Software 48(9), 2012, section 2.1): citations among Biometrika, Communications in
    /// Statistics, JASA and JRSS-B, from Stigler (1994).
    #[test]
    fn strengths_match_the_r_package() {
        let fit = fit(
            4,
            &[
                (0, 1, 730.0, 33.0),
                (0, 2, 498.0, 320.0),
                (0, 3, 221.0, 284.0),
                (1, 2, 68.0, 813.0),
                (1, 3, 17.0, 276.0),
                (2, 3, 142.0, 325.0),
            ],
        );
        let expected = [
            (0.0, 0.0),
            (-2.94907, 0.10255),
            (-0.47957, 0.06059),
            (0.26895, 0.07083),
        ];
        for (journal, (strength, standard_error)) in expected.into_iter().enumerate() {
            let ours = fit.strengths[journal] - fit.strengths[0];
            assert!((ours - strength).abs() < 1e-5, "{journal}: {ours}");
            let error = fit
                .covariance
                .difference_variance(journal, 0)
                .max(0.0)
                .sqrt();
            assert!((error - standard_error).abs() < 1e-5, "{journal}: {error}");
        }
        assert!(fit.strengths.iter().sum::<f64>().abs() < 1e-12);
    }

    #[test]
    fn expected_points_equal_observed_points() {
        let results = [
            (0, 1, 999.5, 0.5),
            (1, 2, 3.0, 4.5),
            (2, 3, 0.5, 70.0),
            (3, 0, 1.0, 1.0),
        ];
        let fit = fit(4, &results);
        for player in 0..4 {
            let mut excess = 0.0;
            for (first, second, points, opponent_points) in results {
                let expected = (points + opponent_points) * fit.expected_score(first, second);
                if first == player {
                    excess += points - expected;
                } else if second == player {
                    excess -= points - expected;
                }
            }
            assert!(excess.abs() < 1e-7, "{player}: {excess}");
        }
    }
}
