//! The block of text that ends a run, made to be copied into a log.

use std::fmt;

use super::rating_table::RatingTable;
use super::{EngineSpec, Tally};
use crate::statistics::{Estimate, MatchTally, Sprt, Verdict};

/// The share of the moves whose time is shown next to the mean.
const LATE_SHARE: f64 = 0.999;

/// A tally with its statistics.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// Who played.
    pub engines: &'a [EngineSpec],
    /// What happened.
    pub tally: &'a Tally,
    /// The test that the run is about, if it is; it judges the first two engines.
    pub sprt: Option<&'a Sprt>,
}

impl Summary<'_> {
    fn name(&self, engine: usize) -> &str {
        self.engines.get(engine).map_or("?", |e| e.name.as_str())
    }

    fn fmt_pairing(
        &self,
        f: &mut fmt::Formatter<'_>,
        (first, second): (usize, usize),
        tally: MatchTally,
    ) -> fmt::Result {
        let games = tally.games();
        let pairs = tally.pairs();
        writeln!(f, "{} against {}", self.name(first), self.name(second))?;
        writeln!(
            f,
            "games    {}: +{} ={} -{}",
            games.games(),
            games.wins,
            games.draws,
            games.losses
        )?;
        let [p0, p1, p2, p3, p4] = pairs.counts();
        writeln!(
            f,
            "pairs    {}: [{p0}, {p1}, {p2}, {p3}, {p4}] with 0, 0.5, 1, 1.5, 2 points",
            pairs.pairs()
        )?;
        let Some(estimate) = pairs.estimate() else {
            return Ok(());
        };
        writeln!(f, "score    {}", Percent(estimate.score))?;
        writeln!(f, "Elo      {:.1}", estimate.elo)?;
        if let Some(normalized) = estimate.normalized_elo {
            writeln!(f, "nElo     {normalized:.1}")?;
        }
        writeln!(f, "LOS      {:.2}%", 100.0 * estimate.superiority)?;
        if let Some(draws) = games.draw_ratio() {
            writeln!(f, "draws    {:.1}%", 100.0 * draws)?;
        }
        Ok(())
    }

    fn fmt_sprt(&self, f: &mut fmt::Formatter<'_>, sprt: &Sprt) -> fmt::Result {
        let pairs = self.sprt_pairs();
        let ratio = sprt.log_likelihood_ratio(pairs);
        let verdict = match sprt.verdict(ratio) {
            Verdict::Continue => "not decided",
            Verdict::AcceptH0 => "H0 accepted: no gain",
            Verdict::AcceptH1 => "H1 accepted: a gain",
        };
        writeln!(
            f,
            "SPRT     LLR {ratio:.2} ({:.2}, {:.2}) {sprt}: {verdict}",
            sprt.lower_bound(),
            sprt.upper_bound()
        )
    }

    /// The pairs of the first two engines.
    fn sprt_pairs(&self) -> crate::statistics::Pentanomial {
        let tally = self.tally.pairings.get(&(0, 1)).copied();
        tally.unwrap_or_default().pairs()
    }

    /// Where the test stands; [`Verdict::Continue`] without a test.
    pub fn verdict(&self) -> Verdict {
        self.sprt.map_or(Verdict::Continue, |sprt| {
            sprt.verdict(sprt.log_likelihood_ratio(self.sprt_pairs()))
        })
    }

    fn fmt_games(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, draws, blue] = self.tally.by_color;
        let games = red + draws + blue;
        if games == 0 {
            return Ok(());
        }
        let share = |count: u64| 100.0 * count as f64 / games as f64;
        writeln!(
            f,
            "colours  red won {:.1}%, drawn {:.1}%, blue won {:.1}%; {:.1} plies a game",
            share(red),
            share(draws),
            share(blue),
            self.tally.plies as f64 / games as f64
        )?;
        let ends: Vec<String> = self
            .tally
            .ends
            .iter()
            .map(|(end, count)| format!("{end} {count}"))
            .collect();
        writeln!(f, "ends     {}", ends.join(", "))
    }

    fn fmt_engines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&engine, tally) in &self.tally.engines {
            let faults: Vec<String> = tally
                .faults
                .iter()
                .map(|(fault, count)| format!("{fault} {count}"))
                .collect();
            write!(f, "engine   {}: ", self.name(engine))?;
            if let (Some(mean), Some(late)) =
                (tally.mean_move_ms(), tally.move_ms_quantile(LATE_SHARE))
            {
                write!(f, "{mean:.2} ms a move, p99.9 {late:.2} ms, ")?;
            }
            if let Some(speed) = tally.nodes_per_second() {
                write!(f, "{speed:.0} nodes/s, ")?;
            }
            match &faults[..] {
                [] => writeln!(f, "no faults")?,
                faults => writeln!(f, "lost by fault: {}", faults.join(", "))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&engines, &tally) in &self.tally.pairings {
            self.fmt_pairing(f, engines, tally)?;
        }
        if self.engines.len() > 2 {
            RatingTable::new(self.engines, self.tally).fmt(f)?;
        }
        if let Some(sprt) = self.sprt {
            self.fmt_sprt(f, sprt)?;
        }
        self.fmt_games(f)?;
        self.fmt_engines(f)
    }
}

/// A score as a percentage with its margin.
struct Percent(Estimate);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { value, low, high } = self.0;
        write!(
            f,
            "{:.1}% [{:.1}, {:.1}]",
            100.0 * value,
            100.0 * low,
            100.0 * high
        )
    }
}
