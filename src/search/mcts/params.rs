//! The numbers that shape the search.

/// Tunable parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Params {
    /// Weight of a move's prior against its expected score in PUCT.
    pub(super) exploration: f32,
    /// Difference in expected score that makes a prior e times larger: the softmax's temperature.
    pub(super) prior_temperature: f32,
    /// Share of the minimax value in a node's expected score; the rest is the mean over its visits.
    pub(super) minimax_share: f32,
    /// Relative size of the random change of priors that makes games with different seeds differ.
    pub(super) prior_jitter: f32,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            exploration: 0.5,
            prior_temperature: 0.08,
            minimax_share: 0.5,
            prior_jitter: 0.05,
        }
    }
}
