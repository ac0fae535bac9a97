//! Observations with equally spaced scores: what games and pairs of games have in common.

/// How often each of `N` scores was observed, the `i`-th of them being `i / (N - 1)`.
///
/// `N` is 3 for single games (0, ½, 1) and 5 for pairs (0, ¼, ½, ¾, 1: a pair's points divided by its two games).
#[derive(Clone, Debug)]
pub(super) struct ScoreCounts<const N: usize> {
    counts: [f64; N],
}

impl<const N: usize> ScoreCounts<N> {
    /// How many games one observation consists of.
    pub(super) const GAMES: f64 = (N as f64 - 1.0) / 2.0;

    pub(super) fn new(counts: [u64; N]) -> ScoreCounts<N> {
        ScoreCounts {
            counts: counts.map(|count| count as f64),
        }
    }

    /// The possible scores, ascending from 0 to 1.
    pub(super) fn scores() -> [f64; N] {
        std::array::from_fn(|i| i as f64 / (N as f64 - 1.0))
    }

    /// Number of observations.
    pub(super) fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// The counts with `pseudo_count` in place of every zero.
    pub(super) fn without_zeros(&self, pseudo_count: f64) -> [f64; N] {
        self.counts
            .map(|count| if count > 0.0 { count } else { pseudo_count })
    }

    /// The score of all observations if they are all alike.
    pub(super) fn only_score(&self) -> Option<f64> {
        let mut observed = (0..N).filter(|&i| self.counts[i] > 0.0);
        let only = observed.next().filter(|_| observed.next().is_none())?;
        Some(Self::scores()[only])
    }

    /// Mean score of the observations; there must be some.
    pub(super) fn mean(&self) -> f64 {
        self.average(|score| score)
    }

    /// Moment of that order of one observation's score around the mean of them all; there must be some.
    pub(super) fn central_moment(&self, order: i32) -> f64 {
        let mean = self.mean();
        self.average(|score| (score - mean).powi(order))
    }

    fn average(&self, value: impl Fn(f64) -> f64) -> f64 {
        let weighted = self.counts.iter().zip(Self::scores());
        weighted.map(|(n, score)| n * value(score)).sum::<f64>() / self.total()
    }
}
