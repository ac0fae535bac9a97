//! Playing games of standard Hive: the search on whichever board the hive fits on, and choices that know of repetition.

mod choice;
mod merging;
mod player;
mod searcher;

pub use choice::choose_in_game;
pub use player::StandardPlayer;
pub use searcher::{
    BestSoFar, Findings, SearcherSettings, StandardControl, StandardSearcher, standard_params,
};
