//! Instantiates the generic functions for both games. In debug builds, dependent crates link these
//! instances instead of compiling their own, which saves a third of the CPU time of building all
//! tests.

use std::hint::black_box;

use crate::Playable;
use crate::analysis::{Analysis, Analyzer, GameReview};
use crate::evaluation::{Evaluator, NetworkEvaluator};
use crate::search::{MctsOptions, MctsPlayer, Player, PlayerSpec, Search};
use crate::thread::Engine;
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;

#[doc(hidden)]
pub fn instances() {
    instances_for::<Contest>();
    instances_for::<Standard>();
}

fn instances_for<G: Playable>() {
    black_box::<fn(&NetworkEvaluator<G>, MctsOptions) -> Box<dyn Player<G>>>(
        |evaluator, options| Box::new(MctsPlayer::new(evaluator, options)),
    );
    black_box::<fn(&PlayerSpec) -> Option<Box<dyn Player<G>>>>(|spec| {
        Some(spec.prepare(0).ok()?())
    });
    black_box([
        MctsPlayer::<G>::branches as *const (),
        Engine::<G>::start as *const (),
        Engine::<G>::ponder as *const (),
        Analyzer::<G>::new as *const (),
        Analyzer::<G>::analyze as *const (),
        Analysis::<G>::table as *const (),
        GameReview::<G>::new as *const (),
        GameReview::<G>::step as *const (),
        GameReview::<G>::plies as *const (),
        Search::<G>::with_options as *const (),
        Search::<G>::best as *const (),
        NetworkEvaluator::<G>::built_in as *const (),
        <NetworkEvaluator<G> as Evaluator<G>>::evaluate as *const (),
        Record::<G>::play as *const (),
        Record::<G>::play_text as *const (),
        Record::<G>::undo as *const (),
        Record::<G>::continues as *const (),
        Record::<G>::legal_moves as *const (),
        Record::<G>::describe_state as *const (),
    ]);
}
