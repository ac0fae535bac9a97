//! Tests against published numbers and with simulated matches.

mod published_estimates;
mod published_ratios;
mod ratings;
mod simulated_pairs;
mod simulation;
