//! Properties of the rules: what must hold in every game and every position.

mod games;
mod properties;
mod robustness;
mod rules;
mod slow_rules;
