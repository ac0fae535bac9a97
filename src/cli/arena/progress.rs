//! How a run gets on: a bar in a terminal, a line for each pair elsewhere.

use std::fmt;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::arena::{EngineSpec, PairRecord, Tally};
use crate::statistics::Sprt;

/// Shows how a run gets on, on standard error.
#[derive(Debug)]
pub(super) enum Progress {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// For a run of `games` games, of which `played` have been played before.
    pub(super) fn new(quiet: bool, games: u64, played: u64) -> Progress {
        if quiet {
            return Progress::Nothing;
        }
        if !std::io::stderr().is_terminal() {
            return Progress::Lines;
        }
        let bar = ProgressBar::new(games).with_position(played);
        let template = "{wide_bar} {pos}/{len} games, {msg}{eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // What was played before says nothing about the speed.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress::Bar(bar)
    }

    /// A pair is complete and counted.
    pub(super) fn pair(
        &self,
        pair: &PairRecord,
        engines: &[EngineSpec],
        tally: &Tally,
        sprt: Option<&Sprt>,
    ) {
        match self {
            Progress::Nothing => {}
            Progress::Lines => eprintln!(
                "{}",
                PairLine {
                    pair,
                    engines,
                    tally
                }
            ),
            Progress::Bar(bar) => {
                bar.inc(pair.games.len() as u64);
                bar.set_message(standing(tally, sprt));
            }
        }
    }

    /// The run is over, or broken off, after it has played games that took this long, so many at a time.
    pub(super) fn finish(&self, thought: Duration, wall: Duration, concurrency: usize) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
        if !matches!(self, Progress::Nothing) && !thought.is_zero() {
            let available = wall.as_secs_f64() * concurrency as f64;
            eprintln!(
                "{concurrency} at a time for {:.1} s: engines thought {:.1}% of the time",
                wall.as_secs_f64(),
                100.0 * thought.as_secs_f64() / available
            );
        }
    }
}

/// How the first two engines stand: `score 56.3%, Elo 44 ± 31, LLR 1.20 (-2.94, 2.94), `.
fn standing(tally: &Tally, sprt: Option<&Sprt>) -> String {
    let Some(pairs) = tally.pairings.get(&(0, 1)).map(|match_| match_.pairs()) else {
        return String::new();
    };
    let mut text = pairs.estimate().map_or(String::new(), |estimate| {
        format!(
            "score {:.1}%, Elo {:.0}, ",
            100.0 * estimate.score.value,
            estimate.elo
        )
    });
    if let Some(sprt) = sprt {
        text += &format!(
            "LLR {:.2} ({:.2}, {:.2}), ",
            sprt.log_likelihood_ratio(pairs),
            sprt.lower_bound(),
            sprt.upper_bound()
        );
    }
    text
}

/// The line that is printed when a pair is complete.
struct PairLine<'a> {
    pair: &'a PairRecord,
    engines: &'a [EngineSpec],
    tally: &'a Tally,
}

impl fmt::Display for PairLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [game, _] = &self.pair.games;
        let key = (game.red.min(game.blue), game.red.max(game.blue));
        let name = |engine: usize| self.engines.get(engine).map_or("?", |e| e.name.as_str());
        let points = self.pair.half_points(key.0).unwrap_or(0);
        write!(
            f,
            "pair {}: {} {} - {} {}",
            self.pair.pair + 1,
            name(key.0),
            f64::from(points) / 2.0,
            f64::from(4 - points.min(4)) / 2.0,
            name(key.1)
        )?;
        let Some(tally) = self.tally.pairings.get(&key) else {
            return Ok(());
        };
        let games = tally.games();
        write!(f, "  (+{} ={} -{}", games.wins, games.draws, games.losses)?;
        match tally.pairs().estimate() {
            Some(estimate) => write!(f, ", Elo {:.0})", estimate.elo),
            None => write!(f, ")"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{GameScore, MatchTally};

    #[test]
    fn the_bar_says_how_the_first_two_stand() {
        let mut tally = Tally::default();
        assert_eq!(standing(&tally, None), "");
        let mut met = MatchTally::default();
        met.record([GameScore::Win, GameScore::Draw]);
        met.record([GameScore::Loss, GameScore::Win]);
        met.record([GameScore::Win, GameScore::Win]);
        tally.pairings.insert((0, 1), met);
        let sprt: Sprt = "elo0=0 elo1=10".parse().unwrap();
        let text = standing(&tally, Some(&sprt));
        assert!(text.starts_with("score 75.0%, Elo 191 ± "), "{text}");
        assert!(text.contains(", LLR 0."), "{text}");
        assert!(text.ends_with(" (-2.94, 2.94), "), "{text}");
    }
}
