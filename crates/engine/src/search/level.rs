//! Strength levels for human opponents.

use rand::SeedableRng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::{Choice, RootMove, Solved};
use super::control::SearchControl;
use super::player::Player;
use crate::Playable;
use wabe_hive::Position;
use wabe_hive::game::Record;

/// A strength level from 1, the weakest, to 10, the player's full strength.
///
/// It determines how long the player searches, and how randomly it chooses among the root moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// Maximum number of iterations per move of each level; `None` for no limit.
const NODES: [Option<u64>; Level::MAX as usize] = [
    Some(1),
    Some(1),
    Some(1),
    Some(1),
    Some(5),
    Some(11),
    Some(24),
    Some(62),
    Some(400),
    None,
];

/// Number of plies at the start of a game in which all levels except the highest vary their moves.
const OPENING_PLIES: usize = 10;

/// Minimum temperature in these plies.
const MIN_OPENING_TEMPERATURE: f64 = 0.02;

/// Minimum visits of a drawn move, as a share of the best move's visits, rounded down. After more
/// than a few iterations, bad moves have few visits and inaccurate scores.
const MIN_VISIT_SHARE: f64 = 0.1;

/// A move is e to this power times as likely for each field that it fills around the enemy queen, and
/// less likely for each that it frees. Without it, the lowest levels seldom finish a game.
const QUEEN_HUNT: f64 = 2.0;

impl Level {
    /// The number of the highest level.
    pub const MAX: u8 = 10;

    /// The level with this number; `None` unless it is 1 to [`Level::MAX`].
    pub fn new(number: u64) -> Option<Level> {
        let number = u8::try_from(number).ok()?;
        (1..=Level::MAX).contains(&number).then_some(Level(number))
    }

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=Level::MAX).map(Level)
    }

    /// The number, from 1.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Maximum number of iterations per move; `None` for no limit.
    pub fn nodes(self) -> Option<u64> {
        NODES[self.index()]
    }

    /// The temperature after `plies` plies.
    fn temperature_after<G: Playable>(self, plies: usize) -> f64 {
        let temperature = G::LEVEL_TEMPERATURES[self.index()];
        if self.0 < Level::MAX && plies < OPENING_PLIES {
            temperature.max(MIN_OPENING_TEMPERATURE)
        } else {
            temperature
        }
    }

    fn index(self) -> usize {
        usize::from(self.0 - 1)
    }
}

/// Plays at a level: wins in one ply if it can, and otherwise draws moves by a softmax of their
/// expected scores and of the fields that they fill around the enemy queen.
pub struct LevelPlayer<G: Playable> {
    player: Box<dyn Player<G>>,
    level: Level,
    seed: u64,
    rng: Xoshiro256PlusPlus,
}

impl<G: Playable> LevelPlayer<G> {
    /// Wraps `player`, which must search with the node limit of `level`. `seed` determines the
    /// drawn moves.
    pub fn new(player: Box<dyn Player<G>>, level: Level, seed: u64) -> LevelPlayer<G> {
        LevelPlayer {
            player,
            level,
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Draws one of the root moves of the last search, in `position`.
    fn draw(&mut self, position: &Position<G>, temperature: f64) -> Option<RootMove<G>> {
        let mut lines = self.player.lines(usize::MAX);
        let wins = |line: &RootMove<G>| line.proof == Some(Solved::Win) && line.plies == Some(1);
        if let Some(index) = lines.iter().position(wins) {
            return Some(lines.swap_remove(index));
        }
        let min_visits = libm::floor(MIN_VISIT_SHARE * lines.first()?.visits as f64);
        lines.retain(|line| line.visits as f64 >= min_visits);
        let score = |line: &RootMove<G>| line.score.unwrap_or(0.0);
        let highest = lines.iter().map(score).fold(0.0, f64::max);
        let enemy = position.side_to_move().opponent();
        let free = |position: &Position<G>| position.free_around_bee(enemy).map(f64::from);
        let filled = |line: &RootMove<G>| {
            let after = free(&position.after(line.mv));
            free(position)
                .zip(after)
                .map_or(0.0, |(before, after)| before - after)
        };
        let weight = |line: &RootMove<G>| {
            libm::exp((score(line) - highest) / temperature + QUEEN_HUNT * filled(line))
        };
        let drawn = WeightedIndex::new(lines.iter().map(weight)).ok()?;
        let index = drawn.sample(&mut self.rng);
        (index < lines.len()).then(|| lines.swap_remove(index))
    }
}

impl<G: Playable> Player<G> for LevelPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        let mut choice = self.player.choose(record, control)?;
        let temperature = self.level.temperature_after::<G>(record.plies().len());
        // Without iterations, as for a forced move, there is nothing to draw from.
        if temperature > 0.0
            && choice.nodes > 0
            && let Some(drawn) = self.draw(record.position(), temperature)
        {
            choice.best = drawn;
        }
        Some(choice)
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        self.player.ponder(record, control);
    }

    fn lines(&self, max_lines: usize) -> Vec<RootMove<G>> {
        self.player.lines(max_lines)
    }

    fn memory_bytes(&self) -> usize {
        self.player.memory_bytes()
    }

    fn new_game(&mut self) {
        self.player.new_game();
        self.rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Limits, PlayerSpec};
    use wabe_hive::contest::Contest;
    use wabe_hive::game::Game;
    use wabe_hive::standard::Standard;

    /// The first moves of a level in 40 new games.
    fn first_moves(level: u64) -> Vec<String> {
        let record: Record<Contest> =
            Record::from_position(Contest::plain_start(Default::default()));
        let best = PlayerSpec::default().prepare(7).unwrap()();
        let level = Level::new(level).unwrap();
        let mut player = LevelPlayer::<Contest>::new(best, level, 7);
        let limits = Limits::Nodes(level.nodes().unwrap_or(40));
        let choose = |_| {
            let choice = player.choose_within(&record, limits);
            let mv = choice.unwrap().best.mv;
            assert!(record.legal_moves().contains(&mv));
            mv.to_string()
        };
        (0..40).map(choose).collect()
    }

    fn count_distinct(mut moves: Vec<String>) -> usize {
        moves.sort_unstable();
        moves.dedup();
        moves.len()
    }

    #[test]
    fn lower_levels_play_more_varied_moves() {
        for level in [1, 3, 4, 5] {
            assert!(count_distinct(first_moves(level)) > 3, "level {level}");
        }
        assert!(count_distinct(first_moves(1)) > count_distinct(first_moves(4)));
        assert_eq!(first_moves(3), first_moves(3));
    }

    fn check_order<G: Playable>() {
        assert_eq!(Level(Level::MAX).temperature_after::<G>(0), 0.0);
        for (lower, higher) in Level::all().zip(Level::all().skip(1)) {
            let max_nodes = |level: Level| level.nodes().unwrap_or(u64::MAX);
            let temperature = |level: Level| level.temperature_after::<G>(20);
            assert!(max_nodes(lower) <= max_nodes(higher));
            assert!(temperature(lower) >= temperature(higher));
        }
    }

    #[test]
    fn higher_levels_search_more_and_draw_less() {
        check_order::<Contest>();
        check_order::<Standard>();
        assert!(Level(9).temperature_after::<Standard>(20) > 0.0);
        assert_eq!(Level(9).temperature_after::<Contest>(20), 0.0);
    }

    #[test]
    fn lowest_level_wins_in_one_ply() {
        let game = "31 -5,3;0,2;0,3 0,-2:rG;1,-2:rA;1,-1:rG;2,-2:bQ;2,-1:bGrB;2,0:bB;2,1:bA;3,-3:bA;\
            3,-1:bS;3,0:rQ;3,1:bA;4,-4:rA;4,-2:bG;4,0:rB;4,1:rSbB;5,-1:rA SS/SS moves drag 4,1 4,0; \
            set S -1,-2";
        let record: Record<Contest> = game.parse().unwrap();
        for seed in 0..20 {
            let best = PlayerSpec::default().prepare(seed).unwrap()();
            let mut player = LevelPlayer::<Contest>::new(best, Level(1), seed);
            let choice = player.choose_within(&record, Limits::Nodes(1)).unwrap();
            assert_eq!(choice.best.mv.to_string(), "drag 4,0 4,-1");
        }
    }

    #[test]
    fn levels_are_numbered_from_1_to_10() {
        let numbers: Vec<u8> = Level::all().map(Level::number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(Level::new(10), Level::all().last());
        for number in [0, 11, 257, u64::MAX] {
            assert_eq!(Level::new(number), None);
        }
    }
}
