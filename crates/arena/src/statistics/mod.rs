//! Statistics of matches: estimates of the difference in strength, and their uncertainty.
//!
//! All functions depend only on counts, not on the game.
//!
//! Every opening is played twice with colours swapped. The two games of a pair share the opening's
//! bias, so they are not independent, but the pairs are. As in chess testing, the pair is therefore
//! the unit of observation.
//!
//! - [`GameScore`]: a player's points in one game
//! - [`Pentanomial`]: pairs by their score of 0, ½, 1, 1½ or 2; [`WinDrawLoss`]: games;
//!   [`MatchTally`]: both
//! - [`MatchEstimate`]: score, Elo, normalized Elo and likelihood of superiority with 95 %
//!   intervals
//! - [`Sprt`]: the sequential test that stops a match early
//! - [`Crosstable`] and [`RatingGroup`]: maximum-likelihood ratings of more than two players
//!
//! # Units
//! A *score* is points per game, from 0 to 1, a draw counting one half. *Elo* is logistic: a
//! difference `d` means an expected score of `1 / (1 + 10^(-d/400))`. *Normalized Elo* measures the
//! score's distance from one half in standard deviations of one game, scaled so that both agree for
//! small differences between players who never draw.
//!
//! # Sources
//! - M. Van den Bergh, *Normalized Elo* and *Comments on normalized Elo*,
//!   <https://www.cantate.be/Fishtest/normalized_elo.pdf>,
//!   <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>
//! - M. Van den Bergh, *Comparing the approximations for the generalized log likelihood ratio of a
//!   multinomial distribution*, <https://www.cantate.be/Fishtest/comparing_approximations.pdf>; its
//!   Proposition 1.1 is also in <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>
//! - *Fishtest mathematics*,
//!   <https://official-stockfish.github.io/docs/fishtest-wiki/Fishtest-mathematics.html>
//! - fastchess, <https://github.com/Disservin/fastchess>: the name `Ptnml(0-2)`, the formulas of
//!   its estimates
//! - A. Wald, *Sequential tests of statistical hypotheses*, Annals of Mathematical Statistics 16
//!   (1945)
//! - X. Li, J. Liu, Z. Ying, *Generalized sequential probability ratio test for separate families
//!   of hypotheses*, Sequential Analysis 33 (2014)
//! - S. S. Wilks, *The large-sample distribution of the likelihood ratio*, Annals of Mathematical
//!   Statistics 9 (1938)
//! - D. R. Hunter, *MM algorithms for generalized Bradley–Terry models*, Annals of Statistics 32
//!   (2004)
//! - R. W. M. Wedderburn, *Quasi-likelihood functions*, Biometrika 61 (1974)

mod estimate;
mod ratings;
mod sprt;
mod tally;

#[cfg(test)]
mod tests;

pub use estimate::{
    ELO_PER_LOG_ODDS, Estimate, MatchEstimate, NORMALIZED_ELO_PER_DEVIATION, elo_of_score,
    score_of_elo,
};
pub use ratings::{Crosstable, Rating, RatingGroup};
pub use sprt::{EloModel, Sprt, Verdict};
pub use tally::{GameScore, MatchTally, Pentanomial, WinDrawLoss};
