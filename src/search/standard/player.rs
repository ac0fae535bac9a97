//! The built-in players of standard Hive.

use super::{
    BestSoFar, SearcherSettings, StandardControl, StandardSearcher, choose_in_game, standard_params,
};
use crate::hive::standard::Wide;
use crate::hive::standard::notation::Game;
use crate::search::{
    BestKnown, Choice, Clock, DEFAULT_MEMORY_MIB, GreedyPlayer, Limits, OtherGameError, Player,
    PlayerKind, PlayerSpec, RandomPlayer, SearchControl, StandardEvaluator,
};
use std::sync::atomic::AtomicBool;

/// A built-in player in one game of standard Hive.
#[derive(Debug)]
pub struct StandardPlayer(Inner);

#[derive(Debug)]
enum Inner {
    Random(RandomPlayer),
    Greedy(GreedyPlayer<StandardEvaluator>),
    Mcts {
        searcher: Box<StandardSearcher>,
        settings: SearcherSettings,
        evaluator: StandardEvaluator,
    },
}

impl StandardPlayer {
    /// The player that `spec` means in this game; `default_seed` where it names none.
    ///
    /// # Errors
    /// When its weights are for another game.
    pub fn new(spec: &PlayerSpec, default_seed: u64) -> Result<StandardPlayer, OtherGameError> {
        let seed = spec.seed.unwrap_or(default_seed);
        let evaluator = match &spec.weights {
            Some(file) => StandardEvaluator::new(file.standard()?),
            None => StandardEvaluator::default(),
        };
        Ok(StandardPlayer(match spec.kind {
            PlayerKind::Random => Inner::Random(RandomPlayer::new(seed)),
            PlayerKind::Greedy => Inner::Greedy(GreedyPlayer::new(evaluator, seed)),
            PlayerKind::Mcts => Inner::Mcts {
                searcher: Box::default(),
                settings: SearcherSettings {
                    threads: 1,
                    memory_mib: spec.memory_mib.unwrap_or(DEFAULT_MEMORY_MIB),
                    seed,
                    params: spec.params.over(standard_params()),
                },
                evaluator,
            },
        }))
    }

    /// Chooses a move of a game until `limits` or `stop` end that; `None` when the game is over.
    pub fn choose(
        &mut self,
        game: &Game,
        limits: Limits,
        clock: &dyn Clock,
        stop: &AtomicBool,
    ) -> Option<Choice<Wide>> {
        if game.state().is_over() {
            return None;
        }
        let control = SearchControl {
            limits,
            clock,
            stop,
            best_known: &BestKnown::new(),
        };
        match &mut self.0 {
            Inner::Random(player) => player.choose(game.position(), &control),
            Inner::Greedy(player) => player.choose(game.position(), &control),
            Inner::Mcts {
                searcher,
                settings,
                evaluator,
            } => {
                let control = StandardControl {
                    limits,
                    clock,
                    stop,
                    best_so_far: &BestSoFar::default(),
                };
                let found = searcher.search(game.position(), *settings, evaluator, control);
                Some(Choice {
                    best: choose_in_game(game, &found.lines)?.clone(),
                    nodes: found.nodes,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::seq::IndexedRandom;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::time::Instant;

    use super::*;
    use crate::search::SystemClock;

    fn play(spec: &str, plies: usize) -> String {
        let mut player = StandardPlayer::new(&spec.parse().unwrap(), 3).unwrap();
        let mut game: Game = "Base+MLP".parse().unwrap();
        for _ in 0..plies {
            let (clock, stop) = (SystemClock::since(Instant::now()), AtomicBool::new(false));
            let choice = player.choose(&game, Limits::Nodes(30), &clock, &stop);
            let text = game.write(choice.unwrap().best.mv);
            game.play(&text).unwrap();
        }
        game.to_string()
    }

    #[test]
    fn players_play_legal_moves_and_the_same_ones_again() {
        for spec in ["random", "greedy", "mcts", "mcts:exploration=0.5"] {
            assert_eq!(play(spec, 20), play(spec, 20), "{spec}");
        }
    }

    #[test]
    fn players_that_meet_play_legal_moves_to_the_end() {
        for seed in 0..60 {
            let player = |spec: &str| StandardPlayer::new(&spec.parse().unwrap(), seed).unwrap();
            let mut players = [player("mcts:memory=16"), player("mcts:memory=16")];
            let mut game: Game = "Base".parse().unwrap();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            for _ in 0..6 {
                let mv = *game.legal_moves().choose(&mut rng).unwrap();
                let text = game.write(mv);
                game.play(&text).unwrap();
            }
            while !game.state().is_over() && game.plies().len() < 120 {
                let turn = game.plies().len() % 2;
                let (clock, stop) = (SystemClock::since(Instant::now()), AtomicBool::new(false));
                let limits = Limits::Nodes(if turn == 0 { 40 } else { 25 });
                let choice = players[turn].choose(&game, limits, &clock, &stop);
                let mv = choice.expect("a move").best.mv;
                assert!(game.position().check(mv).is_ok(), "{mv} in {game}");
                let text = game.write(mv);
                game.play(&text).unwrap();
            }
        }
    }

    #[test]
    fn moves_are_judged_however_full_the_tree_is() {
        let mut game: Game = "Base+MLP".parse().unwrap();
        let player = |seed| StandardPlayer::new(&"mcts:memory=1".parse().unwrap(), seed).unwrap();
        let mut players = [player(1), player(2)];
        while !game.state().is_over() && game.plies().len() < 60 {
            let turn = game.plies().len() % 2;
            let (clock, stop) = (SystemClock::since(Instant::now()), AtomicBool::new(false));
            let choice = players[turn].choose(&game, Limits::Nodes(1500), &clock, &stop);
            let best = choice.expect("a move").best;
            let is_forced = game.legal_moves().len() == 1;
            assert!(is_forced || best.score.is_some(), "{} in {game}", best.mv);
            let text = game.write(best.mv);
            game.play(&text).unwrap();
        }
    }

    #[test]
    fn parameters_of_the_search_begin_with_this_games_own() {
        let exploration =
            |spec: &str| match StandardPlayer::new(&spec.parse().unwrap(), 0).unwrap().0 {
                Inner::Mcts { settings, .. } => settings.params.exploration,
                _ => panic!("{spec} does not search"),
            };
        assert_eq!(exploration("mcts"), 0.9);
        assert_eq!(exploration("mcts:minimax_share=0.25"), 0.9);
        // The contest's default, said for this game.
        assert_eq!(exploration("mcts:exploration=0.5"), 0.5);
    }
}
