//! The standing of the engines of a running arena, in a line.

use wabe_arena::statistics::{GameScore, Sprt};
use wabe_arena::{EngineSpec, PairRecord, Tally};

/// The standing of the first two engines: `score 56.3%, Elo 44 ± 31, LLR 1.20 (-2.94, 2.94), `.
pub(super) fn standing(tally: &Tally, sprt: Option<&Sprt>) -> String {
    let Some(pairs) = tally.pairings.get(&(0, 1)).map(|met| met.pairs()) else {
        return String::new();
    };
    let mut text = pairs.estimate().map_or(String::new(), |estimate| {
        let percent = 100.0 * estimate.score.value;
        format!("score {percent:.1}%, Elo {:.0}, ", estimate.elo)
    });
    if let Some(sprt) = sprt {
        let ratio = sprt.log_likelihood_ratio(pairs);
        let (lower, upper) = (sprt.lower_bound(), sprt.upper_bound());
        text += &format!("LLR {ratio:.2} ({lower:.2}, {upper:.2}), ");
    }
    text
}

/// The line for a pair that is complete and counted, with the standing of its engines.
pub(super) fn pair_line(pair: &PairRecord, engines: &[EngineSpec], tally: &Tally) -> String {
    let key @ (first, second) = pair.engines();
    let name = |engine: usize| engines.get(engine).map_or("?", |e| e.name.as_str());
    let half_points: u8 = pair.scores().map(GameScore::half_points).iter().sum();
    let points = f64::from(half_points) / 2.0;
    let (number, rest) = (pair.pair + 1, 2.0 - points);
    let (first, second) = (name(first), name(second));
    let line = format!("pair {number}: {first} {points} - {rest} {second}");
    let Some(met) = tally.pairings.get(&key) else {
        return line;
    };
    match met.pairs().estimate() {
        Some(estimate) => format!("{line}  ({}, Elo {:.0})", met.games(), estimate.elo),
        None => format!("{line}  ({})", met.games()),
    }
}
