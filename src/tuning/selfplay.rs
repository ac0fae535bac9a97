//! Games of the search against itself, for training.
//!
//! Most moves are made by a short search; a share of them by a full one, and only its positions are kept (playout cap randomisation,
//! KataGo, Wu 2019). A full search gives more than its root: positions in its tree with enough visits, and proven ones, are labelled with
//! the score that the search expected there. The root and positions with many visits also keep the visits of their moves, for the policy. A
//! game ends as soon as its result is proven.

use std::collections::HashSet;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::dataset::{LabelledPosition, Visits, result_for, tells_visits};
use crate::evaluation::NetworkEvaluator;
use crate::game::{Game, Record};
use crate::hive::{Color, MOST_MOVES, Move};
use crate::search::{
    Branch, Branches, Choice, Limits, Line, MctsOptions, MctsPlayer, Params, Player, Proof,
    SearchControl, unstopped,
};

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
}

/// Plays games. The game with a given number is always the same, except that each position is kept only once.
#[derive(Debug)]
pub struct SelfPlay<G: Game> {
    settings: SelfPlaySettings,
    variants: Vec<G::Variant>,
    player: MctsPlayer<G>,
    /// Hashes of the positions already kept.
    seen: HashSet<u64>,
}

/// Memory of the search's tree, in MiB.
const MEMORY_MIB: usize = 32;

/// Most positions of one search that are kept besides its root.
const MOST_INNER: usize = 12;

/// Least share of the root's visits with which a position inside a tree is kept.
const INNER_SHARE: f64 = 0.06;

/// Fewest visits with which a proven position is kept.
const PROVEN_VISITS: u64 = 4;

/// Numbers of children considered for keeping, ply by ply.
const WIDTHS: [usize; 5] = [6, 4, 3, 2, 2];

/// Least share of the root's visits with which a position inside a tree keeps the visits of its moves.
const VISITS_SHARE: f64 = 0.15;

/// Plies after which a game without its own limit is a draw.
const MOST_PLIES: u32 = 400;

/// Most hashes that are remembered; beyond that, all are forgotten.
const MOST_SEEN: usize = 8_000_000;

impl<G: Game> SelfPlay<G> {
    /// Games of `variants` in turn; without any, of the default one.
    pub fn new(
        evaluator: &NetworkEvaluator<G>,
        variants: &[G::Variant],
        settings: SelfPlaySettings,
    ) -> SelfPlay<G> {
        let options = MctsOptions {
            memory_mib: MEMORY_MIB,
            seed: settings.seed,
            // A policy trained on visits that it has guided itself loses strength: docs/strength.md has the match.
            params: Params {
                policy: 0.0,
                ..Params::of::<G>()
            },
            ..MctsOptions::of::<G>()
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

    /// Remembers a position of an earlier run, so that it is not kept again.
    pub fn skip(&mut self, position: &LabelledPosition<G>) {
        self.is_new(position.position.hash());
    }

    fn is_new(&mut self, hash: u64) -> bool {
        if self.seen.len() >= MOST_SEEN {
            self.seen.clear();
        }
        self.seen.insert(hash)
    }

    /// Plays the game with that number and labels its positions.
    pub fn play(&mut self, number: u32) -> Vec<LabelledPosition<G>> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            self.settings.seed.rotate_left(32) ^ u64::from(number),
        );
        let variant = self.variants[number as usize % self.variants.len()];
        let mut record = Record::<G>::new(variant, G::start(variant, &mut rng));
        let random = rng.random_range(0..=self.settings.random_plies);
        for _ in 0..random {
            if let Some(mv) = record.position().random_move(&mut rng) {
                let _ = record.play(mv);
            }
        }
        self.player.new_game();
        let drawn_until = usize::from(random) + usize::from(self.settings.drawn_plies);
        let most_plies = G::MAX_PLIES.unwrap_or(MOST_PLIES) as usize;
        let mut kept: Vec<LabelledPosition<G>> = Vec::new();
        // The positions that occurred: their places in `kept` and their plies.
        let mut occurred: Vec<(usize, usize)> = Vec::new();
        let mut winner = None;
        let mut beyond = 0;
        while record.plies().len() < most_plies {
            if let Some(ending) = record.ending() {
                winner = ending.winner();
                break;
            }
            let is_full = rng.random_bool(self.settings.full_share.clamp(0.0, 1.0));
            let nodes = if is_full {
                self.settings.nodes
            } else {
                self.settings.short_nodes
            };
            let choice = unstopped(Limits::Nodes(nodes), |control: &SearchControl<'_, G>| {
                self.player.choose(&record, control)
            });
            let Some(Choice { best, nodes: done }) = choice else {
                break;
            };
            // A forced move was not searched.
            let is_searched = done > 0 || best.proof.is_some();
            if is_full
                && is_searched
                && let Some(score) = best.score
            {
                let branches = (done > 0).then(|| self.branches());
                if self.is_new(record.position().hash()) {
                    occurred.push((kept.len(), record.plies().len()));
                    // A search ends at a proof, so its visits say little.
                    let branches = branches.as_ref().filter(|_| best.proof.is_none());
                    kept.push(LabelledPosition {
                        visits: branches.map(|b| visits(&record, b)).unwrap_or_default(),
                        ..labelled(number, &record, score)
                    });
                }
                if let Some(branches) = &branches {
                    self.keep_inner(number, &record, branches, &mut kept);
                }
            }
            if let Some(proof) = best.proof {
                beyond = usize::from(best.plies.unwrap_or(1));
                let side = record.position().side_to_move();
                winner = match proof {
                    Proof::Win => Some(side),
                    Proof::Loss => Some(side.opponent()),
                    Proof::Draw => None,
                };
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
        }
        label_results(&mut kept, &occurred, record.plies().len() + beyond, winner);
        kept
    }

    /// The tree of the last search: all moves if their visits are kept, or else only those that may be kept.
    fn branches(&self) -> Branches<G> {
        if tells_visits::<G>() {
            self.player.branches(&[MOST_MOVES; WIDTHS.len() + 1])
        } else {
            self.player.branches(&WIDTHS)
        }
    }

    /// Keeps positions below the root of `branches`.
    fn keep_inner(
        &mut self,
        number: u32,
        root: &Record<G>,
        branches: &Branches<G>,
        kept: &mut Vec<LabelledPosition<G>>,
    ) {
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
                let mut labelled = labelled(number, record, 1.0 - branch.score);
                if branch.visits >= least_for_visits && branch.proof.is_none() {
                    labelled.visits = visits(record, &branch.replies);
                }
                found.push((branch.visits, labelled));
            },
        );
        found.sort_by_key(|(visits, _)| std::cmp::Reverse(*visits));
        for (_, position) in found.into_iter().take(MOST_INNER) {
            if self.is_new(position.position.hash()) {
                kept.push(position);
            }
        }
    }
}

/// A position that did not occur, with the score that its side to move expects.
fn labelled<G: Game>(game: u32, record: &Record<G>, score: f64) -> LabelledPosition<G> {
    LabelledPosition {
        game,
        position: *record.position(),
        expected_thousandths: Some((score.clamp(0.0, 1.0) * 1000.0).round() as u16),
        result: None,
        plies_to_end: 0,
        visits: Vec::new(),
    }
}

/// The visits of all moves in `branches`, the tree of the record's position. Empty if the move is forced, as its visits say nothing, or if
/// files of the game cannot hold visits.
fn visits<G: Game>(record: &Record<G>, branches: &Branches<G>) -> Vec<Visits<G>> {
    let moves = record.legal_moves();
    let most = branches.shown.iter().map(|branch| branch.visits).max();
    let Some(most) = most.filter(|_| moves.len() > 1 && tells_visits::<G>()) else {
        return Vec::new();
    };
    let visits = moves.into_iter().map(|mv| {
        let branch = branches.shown.iter().find(|branch| branch.mv == mv);
        let visits = branch.map_or(0, |branch| branch.visits);
        let share = (visits as f64 / most as f64 * 255.0).round() as u8;
        Visits { mv, share }
    });
    visits.collect()
}

/// Hands those positions of a tree that may be kept to `found`, each with the branch that leads to it.
fn walk<G: Game>(
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
fn drawn<G: Game>(lines: &[Line<G>], rng: &mut Xoshiro256PlusPlus) -> Option<Move<G>> {
    let chances = WeightedIndex::new(lines.iter().map(|line| line.visits)).ok()?;
    lines.get(chances.sample(rng)).map(|line| line.mv)
}

fn label_results<G: Game>(
    kept: &mut [LabelledPosition<G>],
    occurred: &[(usize, usize)],
    plies: usize,
    winner: Option<Color>,
) {
    for &(place, ply) in occurred {
        if let Some(labelled) = kept.get_mut(place) {
            labelled.result = Some(result_for(labelled.position.side_to_move(), winner));
            labelled.plies_to_end = u8::try_from(plies.saturating_sub(ply)).unwrap_or(u8::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::MoveList;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;

    const SETTINGS: SelfPlaySettings = SelfPlaySettings {
        seed: 5,
        nodes: 120,
        short_nodes: 20,
        full_share: 0.5,
        random_plies: 6,
        drawn_plies: 8,
    };

    fn games<G: Game>(variants: &[G::Variant]) -> SelfPlay<G> {
        SelfPlay::new(&NetworkEvaluator::built_in(), variants, SETTINGS)
    }

    #[test]
    fn all_plies_may_be_drawn() {
        let settings = SelfPlaySettings {
            nodes: 5,
            short_nodes: 5,
            drawn_plies: u16::MAX,
            ..SETTINGS
        };
        let deals = &[Default::default()];
        let mut games = SelfPlay::<Contest>::new(&NetworkEvaluator::built_in(), deals, settings);
        // Some of these games begin with random plies.
        assert!((0..4).any(|number| !games.play(number).is_empty()));
    }

    fn labels_agree_with_the_game<G: Game>(variants: &[G::Variant]) {
        let mut first = games::<G>(variants);
        let (mut occurred, mut inner) = (0, 0);
        let (mut roots_that_tell, mut inner_that_tell) = (0, 0);
        for number in 0..4 {
            let kept = first.play(number);
            let mut hashes: Vec<u64> = kept.iter().map(|k| k.position.hash()).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), kept.len(), "a position is kept once");
            for labelled in &kept {
                assert_eq!(labelled.game, number);
                assert_eq!(labelled.position.outcome(), None);
                assert!(labelled.expected_thousandths.is_some());
                assert_eq!(labelled.result.is_some(), labelled.plies_to_end > 0);
                let told = !labelled.visits.is_empty();
                if told {
                    let shares = labelled.visits.iter().map(|visits| visits.share);
                    assert_eq!(shares.max(), Some(255));
                    let mut moves = MoveList::new();
                    labelled.position.legal_moves(&mut moves);
                    let told_of: Vec<Move<G>> = labelled.visits.iter().map(|v| v.mv).collect();
                    assert_eq!(told_of, moves[..], "{}", labelled.position);
                }
                if labelled.result.is_some() {
                    occurred += 1;
                    roots_that_tell += usize::from(told);
                } else {
                    inner += 1;
                    inner_that_tell += usize::from(told);
                }
            }
        }
        assert!(occurred > 10 && inner > occurred, "{occurred}, {inner}");
        if tells_visits::<G>() {
            // Not those of forced moves and proven results.
            assert!(2 * roots_that_tell > occurred, "{roots_that_tell}");
            assert!(inner_that_tell > 10, "{inner_that_tell}");
        } else {
            assert_eq!((roots_that_tell, inner_that_tell), (0, 0));
        }
        // The same game again, from another place of the run.
        assert_eq!(games::<G>(variants).play(2), games::<G>(variants).play(2));
        assert!(first.play(2).is_empty(), "all positions are known");
    }

    #[test]
    fn positions_of_either_game_are_labelled() {
        labels_agree_with_the_game::<Contest>(&[]);
        let variants = ["Base", "Base+MLP"].map(|name| name.parse().unwrap());
        labels_agree_with_the_game::<Wide>(&variants);
    }
}
