//! Simulated matches: what the statistics promise must come true as often as they promise it.

use super::simulated_pairs::{
    PairSource, distribution_at, pair_distribution, score_and_normalized_elo,
};
use crate::statistics::{Pentanomial, Sprt, Verdict, elo_of_score};

/// How a match ends.
fn verdict(sprt: &Sprt, source: &mut PairSource, pairs_between_looks: usize) -> Verdict {
    let mut pairs = Pentanomial::default();
    loop {
        pairs += source.pairs(pairs_between_looks);
        let verdict = sprt.verdict(sprt.log_likelihood_ratio(pairs));
        if verdict != Verdict::Continue {
            return verdict;
        }
    }
}

/// How many of 2,000 matches end with H1, in percent.
fn accepted_percent(sprt: &Sprt, truth: f64, pairs_between_looks: usize) -> f64 {
    const MATCHES: u32 = 2000;
    let mut source = PairSource::new(distribution_at(truth, sprt.model), 1);
    let accepted = (0..MATCHES)
        .filter(|_| verdict(sprt, &mut source, pairs_between_looks) == Verdict::AcceptH1)
        .count();
    100.0 * accepted as f64 / f64::from(MATCHES)
}

// Of 2,000 matches, 5 % come out as 3.5 to 6.5 % in 997 of 1,000 cases.

#[test]
fn at_most_5_percent_of_matches_between_equals_pass_for_a_gain() {
    let sprt = "elo0=0 elo1=40".parse().unwrap();
    let percent = accepted_percent(&sprt, 0.0, 1);
    assert!((3.0..6.5).contains(&percent), "{percent} %");
}

#[test]
fn at_least_95_percent_of_gains_are_recognised() {
    let sprt = "elo0=0 elo1=40".parse().unwrap();
    let percent = accepted_percent(&sprt, 40.0, 1);
    assert!((93.5..97.0).contains(&percent), "{percent} %");
}

#[test]
fn the_logistic_test_keeps_its_promises_too() {
    let sprt = "elo0=0 elo1=40 model=logistic".parse().unwrap();
    let (equal, gain) = (
        accepted_percent(&sprt, 0.0, 1),
        accepted_percent(&sprt, 40.0, 1),
    );
    assert!((3.0..6.5).contains(&equal), "{equal} %");
    assert!((93.5..97.0).contains(&gain), "{gain} %");
}

/// With more pairs between two looks at the ratio, as when many are played at once, errors only get rarer.
#[test]
fn a_long_test_looked_at_rarely_keeps_its_promises() {
    let sprt = "elo0=0 elo1=10".parse().unwrap();
    let percent = accepted_percent(&sprt, 0.0, 32);
    assert!((3.0..6.5).contains(&percent), "{percent} %");
}

#[test]
fn intervals_cover_the_truth_in_95_percent_of_matches() {
    const MATCHES: u32 = 2000;
    for elo in [0.0, 30.0, 100.0, 250.0] {
        let distribution = pair_distribution(elo);
        let (score, normalized_elo) = score_and_normalized_elo(&distribution);
        let mut source = PairSource::new(distribution, 2);
        let mut covered = [0; 3];
        for _ in 0..MATCHES {
            let estimate = source.pairs(150).estimate().unwrap();
            let hits = [
                estimate.score.covers(score),
                estimate.elo.covers(elo_of_score(score)),
                estimate.normalized_elo.unwrap().covers(normalized_elo),
            ];
            for (covered, hit) in covered.iter_mut().zip(hits) {
                *covered += u32::from(hit);
            }
        }
        let percent = covered.map(|covered| 100.0 * f64::from(covered) / f64::from(MATCHES));
        assert!(
            percent.iter().all(|p| (93.0..97.0).contains(p)),
            "{elo}: {percent:?} %"
        );
    }
}

#[test]
fn equals_reach_95_percent_superiority_in_5_percent_of_matches() {
    let mut source = PairSource::new(pair_distribution(0.0), 3);
    let superior = (0..2000)
        .filter(|_| source.pairs(150).estimate().unwrap().superiority > 0.95)
        .count();
    assert!((70..130).contains(&superior), "{superior} of 2000");
}
