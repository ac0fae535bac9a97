//! Properties of the rules: what must hold in every game and every position.

mod agreement;
mod games;
mod hash;
mod legality;
mod outcomes;
mod robustness;
mod slow_rules;
mod stacks;
mod symmetry;
mod text_forms;
