//! The contest's rules: a reference implementation and properties of games and positions.

mod games;
mod properties;
mod robustness;
mod rules;
mod slow_rules;
