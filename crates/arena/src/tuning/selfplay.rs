//! Games of the search against itself, for training.
//!
//! Most moves are made by a short search; a share of them by a full one, and only its positions are
//! kept (playout cap randomisation, KataGo, Wu 2019). A full search gives more than its root:
//! positions in its tree with enough visits, and proven ones, are labelled with the score that the
//! search expected there. The root and positions with many visits also keep the visits of their
//! moves, for the policy. A game ends as soon as its result is proven.

use std::collections::HashSet;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::ArenaGame;
use crate::dataset::{InnerPosition, Label, SearchSummary, TrainingGame, TrainingPly};
use wabe_engine::evaluation::NetworkEvaluator;
use wabe_engine::search::{
    Branch, Branches, Choice, Limits, MctsOptions, MctsPlayer, Params, Player, RootMove,
    SearchControl, Solved, with_limits,
};
use wabe_hive::game::Record;
use wabe_hive::{MAX_MOVES, Move};

/// The settings of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlaySettings {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Iterations of a full search.
    pub nodes: u64,
    /// Iterations of a short search.
    pub short_nodes: u64,
    /// Share of full searches, in `0..=1`.
    pub full_share: f64,
    /// Most random plies at the start of a game.
    pub random_plies: u16,
    /// Plies after these whose moves are drawn by visits.
    pub drawn_plies: u16,
    /// True if the visits of moves are recorded.
    pub visits: bool,
}

/// Plays games. The game with a given number is always the same, except that each position is kept
/// only once.
#[derive(Debug)]
pub struct SelfPlay<G: ArenaGame> {
    settings: SelfPlaySettings,
    variants: Vec<G::Variant>,
    player: MctsPlayer<G>,
    /// Hashes of the positions already kept.
    seen: HashSet<u64>,
}

/// Memory of the search's tree, in MiB.
const MEMORY_MIB: usize = 32;

/// Most positions of one search that are kept besides its root.
const MAX_INNER: usize = 12;

/// Least share of the root's visits with which a position inside a tree is kept.
const INNER_SHARE: f64 = 0.06;

/// Fewest visits with which a proven position is kept.
const PROVEN_VISITS: u64 = 4;

/// Numbers of children considered for keeping, ply by ply.
const WIDTHS: [usize; 5] = [6, 4, 3, 2, 2];

/// Least share of the root's visits with which a position inside a tree keeps the visits of its
/// moves.
const VISITS_SHARE: f64 = 0.15;

/// Plies after which a game without its own limit is a draw.
const MAX_PLIES: u32 = 400;

/// Most hashes that are remembered; beyond that, all are forgotten.
const MAX_SEEN: usize = 8_000_000;

impl<G: ArenaGame> SelfPlay<G> {
    /// Games of `variants` in turn; without any, of the default one.
    pub fn new(
        evaluator: &NetworkEvaluator<G>,
        variants: &[G::Variant],
        settings: SelfPlaySettings,
    ) -> SelfPlay<G> {
        let options = MctsOptions {
            memory_mib: MEMORY_MIB,
            seed: settings.seed,
            // A policy trained on visits that it has guided itself loses strength:
            // docs/log/strength.md contains the match.
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
            seen: HashSet::new(),
        }
    }

    /// Remembers the positions of an earlier run's game, so that they are not kept again.
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

    /// Plays the game with that number.
    pub fn play(&mut self, number: u32) -> TrainingGame<G> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            self.settings.seed.rotate_left(32) ^ u64::from(number),
        );
        let variant = self.variants[number as usize % self.variants.len()];
        let mut record = Record::<G>::new(variant, G::start(variant, &mut rng));
        let mut game = TrainingGame {
            number,
            variant,
            start: *record.start(),
            plies: Vec::new(),
            winner: None,
        };
        let random = rng.random_range(0..=self.settings.random_plies);
        for _ in 0..random {
            if let Some(mv) = record.position().random_move(&mut rng)
                && record.play(mv).is_ok()
            {
                game.plies.push(TrainingPly { mv, search: None });
            }
        }
        self.player.new_game();
        let drawn_until = usize::from(random) + usize::from(self.settings.drawn_plies);
        let most_plies = G::MAX_PLIES.unwrap_or(MAX_PLIES) as usize;
        while record.plies().len() < most_plies {
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
            let choice = with_limits(Limits::Nodes(nodes), |control: &SearchControl<'_, G>| {
                self.player.choose(&record, control)
            });
            let Some(Choice { best, nodes: done }) = choice else {
                break;
            };
            // A forced move was not searched.
            let is_searched = done > 0 || best.proof.is_some();
            let score = best.score.filter(|_| is_searched);
            let search = score.map(|score| self.summary(&record, &best, score, is_full, done > 0));
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
                drawn(&self.player.lines(usize::MAX), &mut rng).unwrap_or(best.mv)
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

    /// Score, training positions and visits of the last search.
    fn summary(
        &mut self,
        record: &Record<G>,
        best: &RootMove<G>,
        score: f64,
        is_full: bool,
        has_tree: bool,
    ) -> SearchSummary<G> {
        let branches = (is_full && has_tree).then(|| self.branches());
        let is_kept = is_full && self.is_new(record.position().hash());
        // A search ends at a proof, so its visits say little.
        let judged = branches.as_ref();
        let judged = judged.filter(|_| is_kept && best.proof.is_none());
        SearchSummary {
            root: Label {
                score: thousandths(score),
                visits: judged.map(|b| self.visits(record, b)).unwrap_or_default(),
            },
            is_full,
            is_kept,
            inner: branches.map_or_else(Vec::new, |b| self.inner_positions(record, &b)),
        }
    }

    /// The tree of the last search: all moves if their visits are kept, or else only those that may
    /// be kept.
    fn branches(&self) -> Branches<G> {
        if self.settings.visits {
            self.player.branches(&[MAX_MOVES; WIDTHS.len() + 1])
        } else {
            self.player.branches(&WIDTHS)
        }
    }

    /// The new positions below the root of `branches`, the most visited first.
    fn inner_positions(
        &mut self,
        root: &Record<G>,
        branches: &Branches<G>,
    ) -> Vec<InnerPosition<G>> {
        let share = |share: f64| (branches.visits as f64 * share).ceil() as u64;
        let (least, least_for_visits) = (share(INNER_SHARE), share(VISITS_SHARE));
        let mut found = Vec::new();
        let mut record = root.clone();
        walk(
            &mut record,
            branches,
            &WIDTHS,
            least.max(PROVEN_VISITS),
            &mut |record, branch| {
                let mut label = Label {
                    score: thousandths(1.0 - branch.score),
                    visits: Vec::new(),
                };
                if branch.visits >= least_for_visits && branch.proof.is_none() {
                    label.visits = self.visits(record, &branch.replies);
                }
                let below = record.plies().iter().skip(root.plies().len());
                let path = below.map(|ply| ply.mv).collect();
                let hash = record.position().hash();
                found.push((branch.visits, hash, InnerPosition { path, label }));
            },
        );
        found.sort_by_key(|(visits, ..)| std::cmp::Reverse(*visits));
        let found = found.into_iter().take(MAX_INNER);
        let new = found.filter(|&(_, hash, _)| self.is_new(hash));
        new.map(|(_, _, inner)| inner).collect()
    }

    /// The visits of all moves in `branches`, the tree of the record's position. Empty if the move
    /// is forced, as its visits say nothing, or if visits are not recorded.
    fn visits(&self, record: &Record<G>, branches: &Branches<G>) -> Vec<u8> {
        let moves = record.legal_moves();
        let most = branches.shown.iter().map(|branch| branch.visits).max();
        let Some(most) = most.filter(|_| moves.len() > 1 && self.settings.visits) else {
            return Vec::new();
        };
        let levels = moves.into_iter().map(|mv| {
            let branch = branches.shown.iter().find(|branch| branch.mv == mv);
            Label::level(branch.map_or(0, |branch| branch.visits), most)
        });
        levels.collect()
    }
}

/// An expected score in thousandths.
fn thousandths(score: f64) -> u16 {
    (score.clamp(0.0, 1.0) * 1000.0).round() as u16
}

/// Hands those positions of a tree that may be kept to `found`, each with the branch that leads to
/// it.
fn walk<G: ArenaGame>(
    record: &mut Record<G>,
    branches: &Branches<G>,
    widths: &[usize],
    least: u64,
    found: &mut impl FnMut(&Record<G>, &Branch<G>),
) {
    let (width, below) = widths.split_first().unwrap_or((&0, &[]));
    for branch in branches.shown.iter().take(*width) {
        let is_known = branch.proof.is_some() && branch.visits >= PROVEN_VISITS;
        if branch.visits < least && !is_known || record.play(branch.mv).is_err() {
            continue;
        }
        if !record.is_over() {
            found(record, branch);
            walk(record, &branch.replies, below, least, found);
        }
        let _ = record.undo(1);
    }
}

/// A move drawn by visits.
fn drawn<G: ArenaGame>(lines: &[RootMove<G>], rng: &mut Xoshiro256PlusPlus) -> Option<Move<G>> {
    let chances = WeightedIndex::new(lines.iter().map(|line| line.visits)).ok()?;
    lines.get(chances.sample(rng)).map(|line| line.mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::MoveList;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    const SETTINGS: SelfPlaySettings = SelfPlaySettings {
        seed: 5,
        nodes: 120,
        short_nodes: 20,
        full_share: 0.5,
        random_plies: 6,
        drawn_plies: 8,
        visits: true,
    };

    fn games<G: ArenaGame>(variants: &[G::Variant], settings: SelfPlaySettings) -> SelfPlay<G> {
        SelfPlay::new(&NetworkEvaluator::built_in(), variants, settings)
    }

    #[test]
    fn all_plies_may_be_drawn() {
        let settings = SelfPlaySettings {
            nodes: 5,
            short_nodes: 5,
            drawn_plies: u16::MAX,
            ..SETTINGS
        };
        let mut games = games::<Contest>(&[Default::default()], settings);
        // Some of these games begin with random plies.
        assert!((0..4).any(|number| !games.play(number).positions().is_empty()));
    }

    fn labels_agree_with_the_game<G: ArenaGame>(variants: &[G::Variant], visits: bool) {
        let settings = SelfPlaySettings { visits, ..SETTINGS };
        let mut first = games::<G>(variants, settings);
        let (mut occurred, mut inner) = (0, 0);
        let (mut roots_with_visits, mut inner_with_visits) = (0, 0);
        for number in 0..4 {
            let kept = first.play(number).positions();
            let mut hashes: Vec<u64> = kept.iter().map(|k| k.position.hash()).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), kept.len(), "a position is kept once");
            for labelled in &kept {
                assert_eq!(labelled.game, number);
                assert_eq!(labelled.position.outcome(), None);
                let levels = &labelled.label.visits;
                if !levels.is_empty() {
                    assert_eq!(levels.iter().max(), Some(&15));
                    let mut moves = MoveList::new();
                    labelled.position.legal_moves(&mut moves);
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
            // Not those of forced moves and proven results.
            assert!(2 * roots_with_visits > occurred, "{roots_with_visits}");
            assert!(inner_with_visits > 10, "{inner_with_visits}");
        } else {
            assert_eq!((roots_with_visits, inner_with_visits), (0, 0));
        }
        // The same game again, from another place of the run.
        let play = || games::<G>(variants, settings).play(2);
        assert_eq!(play(), play());
        let again = first.play(2).positions();
        assert!(again.is_empty(), "all positions are known");
    }

    #[test]
    fn positions_of_either_game_are_labelled() {
        labels_agree_with_the_game::<Contest>(&[], false);
        labels_agree_with_the_game::<Contest>(&[], true);
        let variants = ["Base", "Base+MLP"].map(|name| name.parse().unwrap());
        labels_agree_with_the_game::<Standard>(&variants, true);
    }
}
