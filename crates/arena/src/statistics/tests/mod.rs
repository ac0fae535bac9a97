//! Compares statistics with published numbers and simulated matches.

mod published_estimates;
mod published_ratios;
mod ratings;
mod simulated_pairs;
mod simulation;
