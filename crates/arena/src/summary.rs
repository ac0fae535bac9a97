//! The text summary of a run, short enough for a log or commit message.

use std::collections::BTreeMap;
use std::fmt;

use super::engine::EngineSpec;
use super::rating_table::rating_table;
use super::record::{GameEnd, PairRecord};
use super::tally::{EngineTally, PairingTally, Tally};
use crate::statistics::{Estimate, GameScore, Sprt, Verdict, WinDrawLoss};
use wabe_hive::game::{Game, Side};
use wabe_hive::{ByColor, Color};

/// Quantile of move times shown next to the mean.
pub(super) const TIME_QUANTILE: f64 = 0.999;

/// The counts of a run with their statistics.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// Engines, in the order of their indices.
    pub(super) engines: &'a [EngineSpec],
    /// Counts of all games.
    pub(super) tally: &'a Tally,
    /// Names of the sides.
    pub(super) sides: ByColor<Side>,
    /// SPRT of the first two engines.
    pub(super) sprt: Option<&'a Sprt>,
}

impl<'a> Summary<'a> {
    /// The summary of games of `G`.
    pub fn new<G: Game>(
        engines: &'a [EngineSpec],
        tally: &'a Tally,
        sprt: Option<&'a Sprt>,
    ) -> Summary<'a> {
        Summary {
            engines,
            tally,
            sides: G::SIDES,
            sprt,
        }
    }

    fn name(&self, engine: usize) -> &str {
        self.engines.get(engine).map_or("?", |e| e.name.as_str())
    }

    /// Names of a pairing's engines.
    pub(super) fn names(&self, (first, second): (usize, usize)) -> String {
        format!("{} against {}", self.name(first), self.name(second))
    }

    /// The SPRT's log-likelihood ratio and bounds: `LLR 1.20 (-2.94, 2.94)`.
    fn ratio(&self, sprt: &Sprt) -> String {
        let ratio = sprt.log_likelihood_ratio(self.tally.first_pairing());
        let (lower, upper) = (sprt.lower_bound(), sprt.upper_bound());
        format!("LLR {ratio:.2} ({lower:.2}, {upper:.2})")
    }

    /// Verdict of the SPRT so far; [`Verdict::Continue`] without one.
    pub fn verdict(&self) -> Verdict {
        self.sprt.map_or(Verdict::Continue, |sprt| {
            sprt.verdict(sprt.log_likelihood_ratio(self.tally.first_pairing()))
        })
    }

    /// Interim result of the first two engines:
    /// `score 56.3%, Elo 44 ± 31, LLR 1.20 (-2.94, 2.94), `.
    pub fn standing(&self) -> String {
        let mut text = String::new();
        if let Some(estimate) = self.tally.first_pairing().estimate() {
            let percent = 100.0 * estimate.score.value;
            text += &format!("score {percent:.1}%, Elo {:.0}, ", estimate.elo);
        }
        if let Some(sprt) = self.sprt {
            text += &format!("{}, ", self.ratio(sprt));
        }
        text
    }

    /// A line for a completed pair, with the interim result of its engines.
    pub fn pair_line(&self, pair: &PairRecord) -> String {
        let key @ (first, second) = pair.engines();
        let points: f64 = pair.scores().map(GameScore::points).iter().sum();
        let (number, opponent_points) = (pair.pair + 1, 2.0 - points);
        let (first, second) = (self.name(first), self.name(second));
        let mut line = format!("pair {number}: {first} {points} - {opponent_points} {second}");
        if let Some(pairing) = self.tally.pairings.get(&key) {
            let elo = pairing.all.pairs().estimate().map(|estimate| estimate.elo);
            let elo = elo.map_or(String::new(), |elo| format!(", Elo {elo:.0}"));
            line += &format!("  ({}{elo})", pairing.all.games());
        }
        line
    }

    fn fmt_pairing(
        &self,
        f: &mut fmt::Formatter<'_>,
        engines: (usize, usize),
        PairingTally { all, as_red, .. }: &PairingTally,
    ) -> fmt::Result {
        let (games, pairs) = (all.games(), all.pairs());
        writeln!(f, "{}", self.names(engines))?;
        writeln!(f, "games    {}", counted(games))?;
        let side = |color| format!("as {}", self.sides[color]);
        writeln!(f, "{:<8} {}", side(Color::Red), counted(*as_red))?;
        let as_blue = WinDrawLoss {
            wins: games.wins - as_red.wins,
            draws: games.draws - as_red.draws,
            losses: games.losses - as_red.losses,
        };
        writeln!(f, "{:<8} {}", side(Color::Blue), counted(as_blue))?;
        let count = pairs.pairs();
        writeln!(f, "pairs    {count}: {pairs} with 0, 0.5, 1, 1.5, 2 points")?;
        let Some(estimate) = pairs.estimate() else {
            return Ok(());
        };
        writeln!(f, "score    {}", percent(estimate.score))?;
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

    fn fmt_games(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, draws, blue] = self.tally.by_color;
        let games = red + draws + blue;
        if games == 0 {
            return Ok(());
        }
        let share = |count: u64| 100.0 * count as f64 / games as f64;
        writeln!(
            f,
            "colours  {} won {:.1}%, drawn {:.1}%, {} won {:.1}%; {:.1} plies per game",
            self.sides.red,
            share(red),
            share(draws),
            self.sides.blue,
            share(blue),
            self.tally.plies as f64 / games as f64
        )?;
        writeln!(f, "ends     {}", by_cause(&self.tally.ends))?;
        for (&engine, EngineTally { wins, .. }) in &self.tally.engines {
            if !wins.is_empty() {
                writeln!(f, "wins     {}: {}", self.name(engine), by_cause(wins))?;
            }
        }
        Ok(())
    }

    fn fmt_engines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&engine, tally) in &self.tally.engines {
            let faults: BTreeMap<GameEnd, u64> = tally.faults().collect();
            write!(f, "engine   {}: ", self.name(engine))?;
            if let (Some(mean), Some(slow)) =
                (tally.mean_move_ms(), tally.move_ms_quantile(TIME_QUANTILE))
            {
                write!(f, "{mean:.2} ms per move, p99.9 {slow:.2} ms, ")?;
            }
            if let Some(speed) = tally.nodes_per_second() {
                write!(f, "{speed:.0} nodes/s, ")?;
            }
            if faults.is_empty() {
                writeln!(f, "no faults")?;
            } else {
                writeln!(f, "lost by fault: {}", by_cause(&faults))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&engines, tally) in &self.tally.pairings {
            self.fmt_pairing(f, engines, tally)?;
        }
        if self.engines.len() > 2 {
            f.write_str(&rating_table(self.engines, self.tally))?;
        }
        if let Some(sprt) = self.sprt {
            let verdict = match self.verdict() {
                Verdict::Continue => "not decided",
                Verdict::AcceptH0 => "H0 accepted: no gain",
                Verdict::AcceptH1 => "H1 accepted: a gain",
            };
            writeln!(f, "SPRT     {} {sprt}: {verdict}", self.ratio(sprt))?;
        }
        self.fmt_games(f)?;
        self.fmt_engines(f)
    }
}

/// `surrounded 30, time 2`.
fn by_cause(counts: &BTreeMap<GameEnd, u64>) -> String {
    let counts: Vec<String> = counts
        .iter()
        .map(|(end, count)| format!("{end} {count}"))
        .collect();
    counts.join(", ")
}

/// `68: +28 =30 -10`.
fn counted(games: WinDrawLoss) -> String {
    format!("{}: {games}", games.games())
}

/// A score as a percentage with its margin.
fn percent(score: Estimate) -> String {
    let [value, low, high] = [score.value, score.low, score.high].map(|score| 100.0 * score);
    format!("{value:.1}% [{low:.1}, {high:.1}]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, GameResult, PairRecord};
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn game(red: usize, blue: usize, result: GameResult, end: GameEnd) -> GameRecord {
        GameRecord {
            red,
            blue,
            result,
            end,
            detail: String::new(),
            moves: "set A 0,0;set A 1,0".to_owned(),
            // Red is twice as slow.
            micros: vec![2000, 1000],
            scores: vec![None, None],
            nodes: vec![100, 100],
        }
    }

    #[test]
    fn summary_shows_faults_per_engine() {
        use GameEnd::{BothSurrounded, Crash, Surrounded, Time};
        use GameResult::{Blue, Draw, Red};
        let pairs = [
            [
                game(0, 1, Red, Surrounded),
                game(1, 0, Draw, BothSurrounded),
            ],
            [game(0, 1, Red, Crash), game(1, 0, Blue, Time)],
            [game(0, 1, Blue, Crash), game(1, 0, Blue, Surrounded)],
        ];
        let pairs = (0..).zip(pairs).map(|(pair, games)| PairRecord {
            pair,
            opening: "0 - - AQ/AQ".to_owned(),
            games,
        });
        let tally = Tally::new::<Contest>(&pairs.collect::<Vec<_>>());
        let engines = ["mcts name=a", "mcts name=b"].map(|text| text.parse().unwrap());
        let summary = Summary::new::<Contest>(&engines, &tally, None);
        let white = Summary::new::<Standard>(&engines, &tally, None).to_string();
        assert!(white.contains("\nas black 3: +2 =1 -0\n"), "{white}");
        let text = summary.to_string();
        let lines: Vec<&str> = text.lines().collect();
        for line in [
            "a against b",
            "games    6: +4 =1 -1",
            "as red   3: +2 =0 -1",
            "as blue  3: +2 =1 -0",
            "pairs    3: [0, 0, 1, 1, 1] with 0, 0.5, 1, 1.5, 2 points",
            "draws    16.7%",
            "colours  red won 33.3%, drawn 16.7%, blue won 50.0%; 2.0 plies per game",
            "ends     surrounded 2, both surrounded 1, time 1, crash 2",
            "wins     a: surrounded 2, time 1, crash 1",
            "wins     b: crash 1",
            "engine   a: 1.50 ms per move, p99.9 2.00 ms, 66667 nodes/s, lost by fault: crash 1",
            "engine   b: 1.50 ms per move, p99.9 2.00 ms, 66667 nodes/s, lost by fault: time 1, crash 1",
        ] {
            assert!(lines.contains(&line), "{line} in\n{text}");
        }
        for heading in ["score    75.0% [", "Elo      ", "nElo     ", "LOS      "] {
            assert!(lines.iter().any(|line| line.starts_with(heading)), "{text}");
        }
    }
}
