//! A match between two functions, with statistics: closures [PAIRS]
//!
//! Each opening is played twice with colours swapped, so that neither player benefits from it.

use rand::SeedableRng;
use rand::seq::IndexedRandom;

use wabe_arena::statistics::{GameScore, MatchTally};
use wabe_engine::search::{Limits, Search};
use wabe_hive::Color;
use wabe_hive::standard::{Move, Standard, StandardRecord};

/// Games of this many plies are scored as draws.
const MAX_PLIES: usize = 200;

fn main() {
    let pairs = std::env::args()
        .nth(1)
        .map_or(20, |pairs| pairs.parse().expect("a number of pairs"));
    let mut chance = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    let mut search = Search::<Standard>::new();
    let mut strong = |game: &StandardRecord| search.best(game, Limits::Nodes(20)).expect("a move");
    let mut dice = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(2);
    let mut weak = |game: &StandardRecord| *game.legal_moves().choose(&mut dice).expect("a move");

    let mut tally = MatchTally::default();
    for _ in 0..pairs {
        let mut opening = StandardRecord::default();
        for _ in 0..4 {
            let mv = *opening.legal_moves().choose(&mut chance).expect("a move");
            opening.play(mv).expect("it is legal");
        }
        let first = play(opening.clone(), &mut strong, &mut weak);
        let second = play(opening, &mut weak, &mut strong);
        tally.record([score(first, Color::Red), score(second, Color::Blue)]);
    }
    let games = tally.games();
    println!("+{} ={} -{}", games.wins, games.draws, games.losses);
    if let Some(estimate) = tally.pairs().estimate() {
        println!(
            "Elo {:+.0} (95%: {:+.0} to {:+.0})",
            estimate.elo.value, estimate.elo.low, estimate.elo.high
        );
    }
}

/// Plays a game to its end and returns the winner.
fn play(
    mut game: StandardRecord,
    red: &mut dyn FnMut(&StandardRecord) -> Move,
    blue: &mut dyn FnMut(&StandardRecord) -> Move,
) -> Option<Color> {
    while !game.is_over() && game.plies().len() < MAX_PLIES {
        let mv = match game.position().side_to_move() {
            Color::Red => red(&game),
            Color::Blue => blue(&game),
        };
        game.play(mv).expect("players make legal moves");
    }
    game.ending().and_then(|ending| ending.winner())
}

fn score(winner: Option<Color>, side: Color) -> GameScore {
    match winner {
        None => GameScore::Draw,
        Some(winner) if winner == side => GameScore::Win,
        Some(_) => GameScore::Loss,
    }
}
