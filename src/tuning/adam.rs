//! A stochastic gradient step.

use serde::{Deserialize, Serialize};

const MEAN_DECAY: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Adam (Kingma and Ba 2015, algorithm 1) with the constants of its authors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    steps: i32,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Adam {
    /// For that many numbers.
    pub(super) fn new(count: usize) -> Adam {
        Adam {
            steps: 0,
            means: vec![0.0; count],
            squares: vec![0.0; count],
        }
    }

    /// Moves `values` against `gradient`.
    pub(super) fn step(&mut self, values: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps = self.steps.saturating_add(1);
        let mean_scale = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_scale = 1.0 - SQUARE_DECAY.powi(self.steps);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((value, slope), (mean, square)) in values.iter_mut().zip(gradient).zip(moments) {
            *mean += (1.0 - MEAN_DECAY) * (slope - *mean);
            *square += (1.0 - SQUARE_DECAY) * (slope * slope - *square);
            *value -= rate * (*mean / mean_scale) / ((*square / square_scale).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate_whatever_the_slope() {
        let mut values = [1.0, 1.0, 1.0];
        Adam::new(3).step(&mut values, &[1e-3, -50.0, 0.0], 0.1);
        for (value, expected) in values.iter().zip([0.9, 1.1, 1.0]) {
            assert!((value - expected).abs() < 1e-4, "{values:?}");
        }
    }

    #[test]
    fn a_valley_is_found() {
        let mut values = [3.0, -2.0];
        let mut adam = Adam::new(2);
        for _ in 0..3000 {
            let gradient = [2.0 * (values[0] - 1.0), 20.0 * (values[1] - 0.5)];
            adam.step(&mut values, &gradient, 0.01);
        }
        assert!((values[0] - 1.0).abs() < 1e-3 && (values[1] - 0.5).abs() < 1e-3);
    }
}
