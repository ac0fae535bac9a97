//! Ratings of whole tournaments.

use super::simulated_pairs::{PairSource, distribution_at};
use crate::statistics::{Crosstable, EloModel, Pentanomial, RatingGroup};

fn only_group(table: &Crosstable) -> RatingGroup {
    let mut groups = table.rate();
    assert_eq!(groups.len(), 1);
    groups.remove(0)
}

fn elo_of(group: &RatingGroup, player: usize) -> f64 {
    let mut ratings = group.ratings().iter();
    let rating = ratings.find(|rating| rating.player == player).unwrap();
    rating.elo.value
}

fn difference(group: &RatingGroup, player: usize, opponent: usize) -> f64 {
    elo_of(group, player) - elo_of(group, opponent)
}

/// "EloStat, Bayeselo and Ordo", <https://www.talkchess.com>, 24 June 2012: 30 games per pairing.
/// The first scores 75 % against the second, the second 75 % against the third, the first 90 %
/// against the third. In Elo, 90 % is exactly twice 75 %, so the ratings are exactly
/// 400 log₁₀ 3 = 190.85 apart. (Ordo printed 190.1, EloStat 180, Bayeselo 158.)
#[test]
fn ratings_of_three_players_match_theory() {
    let mut table = Crosstable::new(3);
    let three_quarters = Pentanomial::new([0, 2, 2, 5, 6]);
    let nine_tenths = Pentanomial::new([0, 0, 1, 4, 10]);
    table.add(0, 1, three_quarters);
    table.add(2, 1, three_quarters.reversed());
    table.add(0, 2, nine_tenths);
    assert_eq!(three_quarters.score(), Some(0.75));
    assert_eq!(nine_tenths.score(), Some(0.9));
    let group = only_group(&table);
    let step = 400.0 * 3f64.log10();
    for (rating, (player, elo)) in group
        .ratings()
        .iter()
        .zip([(0, step), (1, 0.0), (2, -step)])
    {
        assert_eq!(rating.player, player);
        assert!((rating.elo.value - elo).abs() < 1e-6);
    }
    assert!(!group.is_regularised());
}

#[test]
fn ratings_of_two_players_match_their_estimate() {
    let pairs = Pentanomial::new([34, 54, 63, 64, 75]);
    let mut table = Crosstable::new(2);
    table.add(0, 1, pairs);
    let group = only_group(&table);
    let estimate = pairs.estimate().unwrap();
    // The two ratings lie symmetrically around the mean.
    let elo = group.ratings()[0].elo;
    assert!((2.0 * elo.value - estimate.elo.value).abs() < 1e-6);
    assert!((2.0 * elo.margin() / estimate.elo.margin() - 1.0).abs() < 0.02);
}

#[test]
fn unconnected_players_are_rated_separately() {
    let mut table = Crosstable::new(7);
    let better = Pentanomial::new([1, 2, 3, 4, 5]);
    table.add(5, 6, better);
    table.add(0, 1, better);
    table.add(1, 3, better);
    let groups = table.rate();
    let players = |group: &RatingGroup| -> Vec<usize> {
        group.ratings().iter().map(|rating| rating.player).collect()
    };
    assert_eq!(players(&groups[0]), [0, 1, 3]);
    assert_eq!(players(&groups[1]), [5, 6]);
    assert_eq!(groups.len(), 2);
    for group in &groups {
        let sum: f64 = group.ratings().iter().map(|rating| rating.elo.value).sum();
        assert!(sum.abs() < 1e-9);
    }
    assert!(Crosstable::new(3).rate().is_empty());
    assert!(Crosstable::new(0).rate().is_empty());
}

#[test]
fn clean_sweeps_get_finite_ratings() {
    // 0 and 1 are about equal. 2 lost every game against both, and 3 every game against 2.
    let even = Pentanomial::new([10, 25, 40, 30, 20]);
    let sweep = Pentanomial::new([0, 0, 0, 0, 50]);
    let mut table = Crosstable::new(4);
    table.add(0, 1, even);
    let without_others = difference(&only_group(&table), 0, 1);
    table.add(0, 2, sweep);
    table.add(1, 2, sweep);
    table.add(2, 3, sweep);
    let group = only_group(&table);
    assert!(group.is_regularised());
    let ratings = group.ratings();
    assert!(ratings.iter().all(|rating| rating.elo.margin().is_finite()));
    assert_eq!(
        ratings
            .iter()
            .map(|rating| rating.player)
            .collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    // 100 games won plus one drawn.
    let swept = difference(&group, 2, 3);
    assert!((swept - 400.0 * (100.5f64 / 0.5).log10()).abs() < 1e-6);
    assert!((difference(&group, 0, 1) - without_others).abs() < 0.5);

    // The prior disappears once the loser has made half a point.
    let mut table = Crosstable::new(2);
    table.add(0, 1, sweep);
    let before = only_group(&table);
    table.add(0, 1, Pentanomial::new([0, 0, 0, 1, 0]));
    let after = only_group(&table);
    assert!(before.is_regularised() && !after.is_regularised());
    assert!((elo_of(&before, 0) - elo_of(&after, 0)).abs() < 5.0);
}

#[test]
fn rating_intervals_cover_95_percent() {
    const STRENGTHS: [f64; 5] = [-200.0, -60.0, 20.0, 40.0, 200.0];
    const TOURNAMENTS: u32 = 1000;
    let mut sources = Vec::new();
    for (i, strength) in STRENGTHS.iter().enumerate() {
        for (j, opponent) in STRENGTHS.iter().enumerate().skip(i + 1) {
            let distribution = distribution_at(strength - opponent, EloModel::Logistic);
            sources.push((i, j, PairSource::new(distribution, (10 * i + j) as u64)));
        }
    }
    let mut covered = [0; STRENGTHS.len()];
    for _ in 0..TOURNAMENTS {
        let mut table = Crosstable::new(STRENGTHS.len());
        for (i, j, source) in &mut sources {
            table.add(*i, *j, source.pairs(40));
        }
        let group = only_group(&table);
        for rating in group.ratings() {
            covered[rating.player] +=
                u32::from((rating.elo.low..=rating.elo.high).contains(&STRENGTHS[rating.player]));
        }
    }
    let percent = |covered: u32| 100.0 * f64::from(covered) / f64::from(TOURNAMENTS);
    let all = covered.map(percent);
    assert!(all.iter().all(|p| (93.0..97.0).contains(p)), "{all:?} %");
}
