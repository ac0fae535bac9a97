//! Plays games of the search against itself, for training.
//!
//! Most moves use a short search, a random share of them a full one. Only positions of full
//! searches are kept (playout cap randomisation; KataGo, Wu 2019). Besides its root, a full search
//! provides positions inside its tree that are proven or have enough visits. The root and positions
//! with many visits also store the visits of their moves, for training the policy. A game ends as
//! soon as its result is proven.
//!
//! The network judges every move of a position, and most of them are bad, while games and the best
//! parts of trees contain mostly good ones. So each full search is followed by searches of side
//! positions, one random move away from a position of its tree (KataGo also searches side
//! positions).

use std::collections::HashSet;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::ArenaGame;
use crate::dataset::{
    InnerPosition, Label, MAX_DEPTH, MAX_INNER, SearchSummary, TrainingGame, TrainingPly,
    thousandths,
};
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{
    Branch, Branches, Choice, Limits, MctsOptions, MctsPlayer, Params, Player, RootMove, Solved,
};
use wabe_hive::game::Record;
use wabe_hive::{MAX_MOVES, Move};

/// Settings of self-play: searches and openings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlaySettings {
    /// Random seed.
    pub seed: u64,
    /// Iterations of a full search.
    pub nodes: u64,
    /// Iterations of a short search.
    pub short_nodes: u64,
    /// Share of moves with a full search, in `0..=1`.
    pub full_share: f64,
    /// Maximum number of random plies at the start of a game.
    pub random_plies: u16,
    /// Number of plies after the random ones whose moves are sampled in proportion to visits.
    pub drawn_plies: u16,
    /// True to store the visits of moves.
    pub visits: bool,
}

/// Plays self-play games. A game depends only on its number and the settings, except that repeated
/// positions are dropped.
#[derive(Debug)]
pub struct SelfPlay<G: ArenaGame> {
    settings: SelfPlaySettings,
    variants: Vec<G::Variant>,
    player: MctsPlayer<G>,
    /// Searches side positions.
    side_player: MctsPlayer<G>,
    /// Hashes of positions kept so far.
    seen: HashSet<u64>,
}

/// Memory of the search's tree, in MiB.
const MEMORY_MIB: usize = 32;

/// Maximum number of positions kept inside the tree of a full search.
const MAX_TREE: usize = 12;

/// Minimum share of the root's visits at which a position inside the tree is kept.
const MIN_INNER_SHARE: f64 = 0.06;

/// Minimum number of visits at which a proven position is kept.
const MIN_PROVEN_VISITS: u64 = 4;

/// Maximum number of children per position that may be kept, by ply below the root.
const WIDTHS: [usize; 5] = [6, 4, 3, 2, 2];

/// The same below side positions, whose paths must not exceed [`MAX_DEPTH`].
const SIDE_WIDTHS: &[usize] = &[3, 2];

const _: () = assert!(WIDTHS.len() + 1 + SIDE_WIDTHS.len() <= MAX_DEPTH);

/// Number of side positions searched per full search.
const SIDE_SEARCHES: usize = 2;

/// Iterations of the search of a side position, relative to a full one.
const SIDE_SHARE: f64 = 0.3;

/// Minimum share of the root's visits at which a position inside the tree stores the visits of its
/// moves.
const MIN_VISITS_SHARE: f64 = 0.15;

/// Ply limit for games without one. The game is then a draw.
const MAX_PLIES: u32 = 400;

/// Maximum number of stored hashes. All are dropped when it is reached.
const MAX_SEEN: usize = 8_000_000;

impl<G: ArenaGame> SelfPlay<G> {
    /// Plays `variants` in rotation. An empty list stands for the default variant.
    pub fn new(
        evaluator: &NetworkEvaluator<G>,
        variants: &[G::Variant],
        settings: SelfPlaySettings,
    ) -> SelfPlay<G> {
        let options = MctsOptions {
            memory_mib: MEMORY_MIB,
            seed: settings.seed,
            // A policy becomes weaker when trained on visits that it has guided itself: see the
            // match in docs/log/strength.md.
            params: Params {
                policy: 0.0,
                ..Params::for_game::<G>()
            },
            ..MctsOptions::for_game::<G>()
        };
        let mut variants = variants.to_vec();
        if variants.is_empty() {
            variants.push(G::Variant::default());
        }
        SelfPlay {
            settings,
            variants,
            player: MctsPlayer::new(evaluator, options),
            side_player: MctsPlayer::new(evaluator, options),
            seen: HashSet::new(),
        }
    }

    /// True if `play` gives the moves and scores of this game. It does not if the game was played
    /// with other settings, another network or a build that plays differently.
    pub fn repeats_searches(&mut self, game: &TrainingGame<G>) -> bool {
        let own = self.play(game.number);
        let plies = |game: &TrainingGame<G>| -> Vec<_> {
            let score = |search: &SearchSummary<G>| (search.is_full, search.root.score);
            let ply = |ply: &TrainingPly<G>| (ply.mv, ply.search.as_ref().map(score));
            game.plies.iter().map(ply).collect()
        };
        plies(&own) == plies(game)
    }

    /// True if `play` gives the opening of this game.
    pub fn repeats_opening(&self, game: &TrainingGame<G>) -> bool {
        let (opening, _) = self.opening(game.number);
        // With fewer random plies, the opening would only be a part of the game's.
        let is_whole = (game.plies.get(opening.plies.len()))
            .is_none_or(|ply| ply.search.is_some() || opening.record().legal_moves().len() <= 1);
        (opening.variant, opening.start) == (game.variant, game.start)
            && game.plies.starts_with(&opening.plies)
            && is_whole
    }

    /// Marks the positions of an earlier game as seen, so that they are not kept again.
    pub fn skip(&mut self, game: &TrainingGame<G>) {
        for labelled in game.positions() {
            self.is_new(labelled.position.hash());
        }
    }

    fn is_new(&mut self, hash: u64) -> bool {
        if self.seen.len() >= MAX_SEEN {
            self.seen.clear();
        }
        self.seen.insert(hash)
    }

    /// The random plies of the game with this number, and the generator after them.
    fn opening(&self, number: u32) -> (TrainingGame<G>, Xoshiro256PlusPlus) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            self.settings.seed.rotate_left(32) ^ u64::from(number),
        );
        let variant = self.variants[number as usize % self.variants.len()];
        let start = G::start(variant, &mut rng);
        let mut record = Record::<G>::new(variant, start);
        let mut plies = Vec::new();
        for _ in 0..rng.random_range(0..=self.settings.random_plies) {
            if let Some(mv) = record.position().random_move(&mut rng)
                && record.play(mv).is_ok()
            {
                plies.push(TrainingPly { mv, search: None });
            }
        }
        let game = TrainingGame {
            number,
            variant,
            start,
            plies,
            winner: None,
        };
        (game, rng)
    }

    /// Plays the game with this number.
    pub fn play(&mut self, number: u32) -> TrainingGame<G> {
        let (mut game, mut rng) = self.opening(number);
        let mut record = game.record();
        self.player.new_game();
        let drawn_until = game.plies.len() + usize::from(self.settings.drawn_plies);
        let max_plies = G::MAX_PLIES.unwrap_or(MAX_PLIES) as usize;
        while record.plies().len() < max_plies {
            if let Some(ending) = record.ending() {
                game.winner = ending.winner();
                break;
            }
            let is_full = rng.random_bool(self.settings.full_share.clamp(0.0, 1.0));
            let nodes = if is_full {
                self.settings.nodes
            } else {
                self.settings.short_nodes
            };
            let Some(Choice { best, nodes: done }) = choose(&mut self.player, &record, nodes)
            else {
                break;
            };
            let search = (best.score)
                .map(|score| self.summarize(&record, &best, score, is_full, done > 0, &mut rng));
            if let Some(proof) = best.proof {
                let side = record.position().side_to_move();
                game.winner = match proof {
                    Solved::Win => Some(side),
                    Solved::Loss => Some(side.opponent()),
                    Solved::Draw => None,
                };
                let mv = best.mv;
                game.plies.push(TrainingPly { mv, search });
                break;
            }
            let mv = if record.plies().len() < drawn_until && done > 0 {
                sample_move(&self.player.lines(usize::MAX), &mut rng).unwrap_or(best.mv)
            } else {
                best.mv
            };
            if record.play(mv).is_err() {
                break;
            }
            game.plies.push(TrainingPly { mv, search });
        }
        game
    }

    /// Collects score, visits and training positions of the last search.
    fn summarize(
        &mut self,
        record: &Record<G>,
        best: &RootMove<G>,
        score: f64,
        is_full: bool,
        has_tree: bool,
        rng: &mut Xoshiro256PlusPlus,
    ) -> SearchSummary<G> {
        let branches = (is_full && has_tree).then(|| self.branches());
        let is_kept = is_full && self.is_new(record.position().hash());
        // A proof ends the search early, which makes its visits meaningless.
        let visited = branches.as_ref();
        let visited = visited.filter(|_| is_kept && best.proof.is_none());
        SearchSummary {
            root: Label {
                score: thousandths(score),
                visits: visited.map(|b| self.visits(record, b)).unwrap_or_default(),
            },
            is_full,
            is_kept,
            inner: branches.map_or_else(Vec::new, |b| self.inner_positions(record, &b, rng)),
        }
    }

    /// The tree of the last search. Contains all moves if visits are stored, otherwise only those
    /// that may be kept.
    fn branches(&self) -> Branches<G> {
        if self.settings.visits {
            self.player.branches(&[MAX_MOVES; WIDTHS.len() + 1])
        } else {
            self.player.branches(&WIDTHS)
        }
    }

    /// Unseen positions below the root of `branches`, most visited first, then side positions.
    fn inner_positions(
        &mut self,
        root: &Record<G>,
        branches: &Branches<G>,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<InnerPosition<G>> {
        let share = |share: f64| (branches.visits as f64 * share).ceil() as u64;
        let (min_visits, min_for_labels) = (share(MIN_INNER_SHARE), share(MIN_VISITS_SHARE));
        let mut found = Vec::new();
        let mut record = root.clone();
        walk(
            &mut record,
            branches,
            &WIDTHS,
            min_visits.max(MIN_PROVEN_VISITS),
            &mut |record, branch| {
                let mut inner = inner_position(root, record, branch);
                if branch.visits >= min_for_labels && branch.proof.is_none() {
                    inner.label.visits = self.visits(record, &branch.replies);
                }
                found.push((branch.visits, record.position().hash(), inner));
            },
        );
        found.sort_by_key(|(visits, ..)| std::cmp::Reverse(*visits));
        found.truncate(MAX_TREE);
        let mut paths: Vec<Vec<Move<G>>> = vec![Vec::new()];
        paths.extend(found.iter().map(|(_, _, inner)| inner.path.clone()));
        for _ in 0..SIDE_SEARCHES {
            if let Some(path) = paths.choose(rng) {
                found.extend(self.side_positions(root, path, rng));
            }
        }
        // Lazily, because positions that are not kept must not count as seen.
        let kept = found.into_iter().filter(|&(_, hash, _)| self.is_new(hash));
        kept.take(MAX_INNER).map(|(_, _, inner)| inner).collect()
    }

    /// Searches a side position: the one after `path` and a random move. Returns it and those of
    /// its tree, with their visits and hashes. Empty if the random move ends the game or leaves a
    /// forced one.
    fn side_positions(
        &mut self,
        root: &Record<G>,
        path: &[Move<G>],
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<(u64, u64, InnerPosition<G>)> {
        let mut record = root.clone();
        if !path.iter().all(|&mv| record.play(mv).is_ok()) {
            return Vec::new();
        }
        let mv = record.position().random_move(rng);
        if mv.is_none_or(|mv| record.play(mv).is_err()) || record.is_over() {
            return Vec::new();
        }
        let nodes = (self.settings.nodes as f64 * SIDE_SHARE).ceil() as u64;
        self.side_player.new_game();
        let Some(Choice { best, nodes: done }) = choose(&mut self.side_player, &record, nodes)
        else {
            return Vec::new();
        };
        let Some(score) = best.score else {
            return Vec::new();
        };
        let label = Label {
            score: thousandths(score),
            visits: Vec::new(),
        };
        let path = path_from(root, &record);
        let mut found = vec![(
            done,
            record.position().hash(),
            InnerPosition { path, label },
        )];
        let min_visits = (self.settings.nodes as f64 * MIN_INNER_SHARE).ceil() as u64;
        walk(
            &mut record,
            &self.side_player.branches(SIDE_WIDTHS),
            SIDE_WIDTHS,
            min_visits.max(MIN_PROVEN_VISITS),
            &mut |record, branch| {
                let inner = inner_position(root, record, branch);
                found.push((branch.visits, record.position().hash(), inner));
            },
        );
        found
    }

    /// Visit levels of all legal moves, from the tree of the current position. Empty for forced
    /// moves, or if visits are not stored.
    fn visits(&self, record: &Record<G>, branches: &Branches<G>) -> Vec<u8> {
        let moves = record.legal_moves();
        let max = branches.shown.iter().map(|branch| branch.visits).max();
        let Some(max) = max.filter(|_| moves.len() > 1 && self.settings.visits) else {
            return Vec::new();
        };
        let levels = moves.into_iter().map(|mv| {
            let branch = branches.shown.iter().find(|branch| branch.mv == mv);
            Label::level(branch.map_or(0, |branch| branch.visits), max)
        });
        levels.collect()
    }
}

/// Searches the position and chooses a move; `None` if the game is over. Forced moves are not
/// searched and have no score.
fn choose<G: ArenaGame>(
    player: &mut MctsPlayer<G>,
    record: &Record<G>,
    nodes: u64,
) -> Option<Choice<G>> {
    let mut choice = player.choose_within(record, Limits::Nodes(nodes))?;
    let is_forced = choice.nodes == 0 && choice.best.proof.is_none();
    if is_forced {
        choice.best.score = None;
    }
    Some(choice)
}

/// The moves of `record` after those of `root`.
fn path_from<G: ArenaGame>(root: &Record<G>, record: &Record<G>) -> Vec<Move<G>> {
    let below = record.plies().iter().skip(root.plies().len());
    below.map(|ply| ply.mv).collect()
}

/// The position of `record` below `root`, labelled by the branch that leads to it.
fn inner_position<G: ArenaGame>(
    root: &Record<G>,
    record: &Record<G>,
    branch: &Branch<G>,
) -> InnerPosition<G> {
    InnerPosition {
        path: path_from(root, record),
        label: Label {
            score: thousandths(1.0 - branch.score),
            visits: Vec::new(),
        },
    }
}

/// Calls `found` for each position of a tree that may be kept, with the branch that leads to it.
fn walk<G: ArenaGame>(
    record: &mut Record<G>,
    branches: &Branches<G>,
    widths: &[usize],
    min_visits: u64,
    found: &mut impl FnMut(&Record<G>, &Branch<G>),
) {
    let (width, below) = widths.split_first().unwrap_or((&0, &[]));
    for branch in branches.shown.iter().take(*width) {
        let is_proven = branch.proof.is_some() && branch.visits >= MIN_PROVEN_VISITS;
        if branch.visits < min_visits && !is_proven || record.play(branch.mv).is_err() {
            continue;
        }
        if !record.is_over() {
            found(record, branch);
            walk(record, &branch.replies, below, min_visits, found);
        }
        let _ = record.undo(1);
    }
}

/// Samples a move in proportion to visits.
fn sample_move<G: ArenaGame>(
    root_moves: &[RootMove<G>],
    rng: &mut Xoshiro256PlusPlus,
) -> Option<Move<G>> {
    let visits = root_moves.iter().map(|root_move| root_move.visits);
    let distribution = WeightedIndex::new(visits).ok()?;
    let sampled = root_moves.get(distribution.sample(rng));
    sampled.map(|root_move| root_move.mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    const SETTINGS: SelfPlaySettings = SelfPlaySettings {
        seed: 5,
        nodes: 80,
        short_nodes: 15,
        full_share: 0.5,
        random_plies: 6,
        drawn_plies: 8,
        visits: true,
    };

    fn games<G: ArenaGame>(variants: &[G::Variant], settings: SelfPlaySettings) -> SelfPlay<G> {
        SelfPlay::new(&NetworkEvaluator::built_in(), variants, settings)
    }

    #[test]
    fn all_plies_may_be_sampled() {
        let settings = SelfPlaySettings {
            nodes: 5,
            short_nodes: 5,
            drawn_plies: u16::MAX,
            ..SETTINGS
        };
        let mut games = games::<Contest>(&[Default::default()], settings);
        // Some of these games start with random plies.
        assert!((0..4).any(|number| !games.play(number).positions().is_empty()));
    }

    #[test]
    fn openings_of_other_settings_differ() {
        let with = |random_plies| {
            let settings = SelfPlaySettings {
                random_plies,
                nodes: 2,
                short_nodes: 2,
                ..SETTINGS
            };
            games::<Contest>(&[Default::default()], settings)
        };
        let mut own = with(6);
        let played: Vec<_> = (0..20).map(|number| own.play(number)).collect();
        let repeats_all =
            |other: &SelfPlay<_>| played.iter().all(|game| other.repeats_opening(game));
        assert!(repeats_all(&own));
        assert!(!repeats_all(&with(5)) && !repeats_all(&with(7)));
    }

    #[test]
    fn side_positions_follow_random_moves() {
        let settings = SelfPlaySettings {
            nodes: 400,
            ..SETTINGS
        };
        let mut games = games::<Standard>(&[], settings);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut root: Record<Standard> = "Base".parse().unwrap();
        for _ in 0..14 {
            let mv = root.position().random_move(&mut rng).unwrap();
            root.play(mv).unwrap();
        }
        let first = root.legal_moves()[0];
        let (mut drawn, mut below) = (HashSet::new(), 0);
        for _ in 0..12 {
            let found = games.side_positions(&root, &[first], &mut rng);
            for (index, (_, hash, inner)) in found.iter().enumerate() {
                assert_eq!(inner.path[0], first);
                let mut record = root.clone();
                for &mv in &inner.path {
                    record.play(mv).unwrap();
                }
                assert_eq!(record.position().hash(), *hash);
                if index == 0 {
                    drawn.insert(inner.path[1]);
                } else {
                    below += 1;
                }
            }
        }
        assert!(drawn.len() > 6 && below > 0, "{}, {below}", drawn.len());
    }

    fn check_labels<G: ArenaGame>(variants: &[G::Variant], visits: bool) {
        let settings = SelfPlaySettings { visits, ..SETTINGS };
        let mut first = games::<G>(variants, settings);
        let (mut occurred, mut inner) = (0, 0);
        let (mut roots_with_visits, mut inner_with_visits) = (0, 0);
        let mut known = HashSet::new();
        for number in 0..4 {
            let kept = first.play(number).positions();
            let mut hashes: Vec<u64> = kept.iter().map(|k| k.position.hash()).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), kept.len(), "repeated positions");
            known.extend(hashes);
            for labelled in &kept {
                assert_eq!(labelled.game, number);
                assert_eq!(labelled.position.outcome(), None);
                let levels = &labelled.label.visits;
                if !levels.is_empty() {
                    assert_eq!(levels.iter().max(), Some(&15));
                    let moves = labelled.position.legal_moves();
                    assert_eq!(levels.len(), moves.len(), "{}", labelled.position);
                }
                if labelled.result.is_some() {
                    occurred += 1;
                    roots_with_visits += usize::from(!levels.is_empty());
                } else {
                    inner += 1;
                    inner_with_visits += usize::from(!levels.is_empty());
                }
            }
        }
        assert!(occurred > 10 && inner > occurred, "{occurred}, {inner}");
        if visits {
            // Forced moves and proven results store no visits.
            assert!(2 * roots_with_visits > occurred, "{roots_with_visits}");
            assert!(inner_with_visits > 10, "{inner_with_visits}");
        } else {
            assert_eq!((roots_with_visits, inner_with_visits), (0, 0));
        }
        let play = || games::<G>(variants, settings).play(2);
        assert_eq!(play(), play());
        // A repeated search may keep positions that it had no room for.
        let repeated = first.play(2).positions();
        let mut hashes = repeated.iter().map(|k| k.position.hash());
        assert!(
            !hashes.any(|hash| known.contains(&hash)),
            "positions kept twice"
        );
    }

    #[test]
    fn skipped_games_count_as_played() {
        let settings = SelfPlaySettings {
            // Few enough for searches with more positions than are kept.
            nodes: 66,
            full_share: 1.0,
            visits: false,
            ..SETTINGS
        };
        let play_again = |number| {
            let [mut played, mut resumed] = [(); 2].map(|()| games::<Contest>(&[], settings));
            resumed.skip(&played.play(number));
            let again = played.play(number);
            assert!(again == resumed.play(number), "game {number}");
            again.positions()
        };
        let mut numbers = [3, 1, 0].into_iter();
        assert!(numbers.any(|number| !play_again(number).is_empty()));
    }

    #[test]
    fn labels_agree_with_the_games() {
        check_labels::<Contest>(&[], false);
        check_labels::<Contest>(&[], true);
        let variants = ["Base", "Base+MLP"].map(|name| name.parse().unwrap());
        check_labels::<Standard>(&variants, true);
    }
}
