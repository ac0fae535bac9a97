//! A small square matrix.

use std::ops::{Index, IndexMut};

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

    /// The inverse of a symmetric positive definite matrix, by sweeping every row (Goodnight, *A tutorial on the SWEEP
    /// operator*, American Statistician 33, 1979). Such a matrix needs no pivoting.
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

    /// If this is a covariance matrix, the variance of the difference of two of its variables.
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

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let size = 6;
        let matrix = SquareMatrix::from_fn(size, |i, j| {
            let distance = i.abs_diff(j) as f64;
            1.0 / (1.0 + distance) + if i == j { 0.5 + i as f64 } else { 0.0 }
        });
        let inverse = matrix.clone().inverse_of_positive_definite();
        for i in 0..size {
            let unit: Vec<f64> = (0..size).map(|j| f64::from(u8::from(i == j))).collect();
            for (entry, expected) in matrix.times(&inverse.times(&unit)).iter().zip(&unit) {
                assert!((entry - expected).abs() < 1e-12);
            }
        }
    }
}
