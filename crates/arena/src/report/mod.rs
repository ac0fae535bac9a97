//! Renders the report of a run as a self-contained web page with charts of score, Elo, LLR, move
//! times and expected scores.

mod chart;

use anyhow::Context;

use super::summary::Summary;
use super::tally::SCORE_BARS;
use crate::statistics::{Estimate, MatchEstimate, Pentanomial};
use chart::{Chart, Scale, Series};
use wabe_records::view::escape;

/// Number of bars in the histogram of move times.
const TIME_BARS: usize = 40;

/// Maximum number of points per curve.
const MAX_CURVE_POINTS: usize = 1000;

/// Minimum range of the Elo chart, to both sides of 0. Larger finite values extend it. Infinite
/// values, from clean sweeps, are drawn at the edge.
const MIN_ELO_RANGE: f64 = 400.0;

/// Renders the report of a run as HTML.
///
/// # Errors
/// When a chart cannot be drawn.
pub fn report_page(summary: &Summary<'_>) -> anyhow::Result<String> {
    let names: Vec<&str> = summary.engines.iter().map(|e| e.name.as_str()).collect();
    let mut plots = String::new();
    for chart in charts(summary, &names) {
        let svg = chart.draw().map_err(anyhow::Error::msg);
        let svg = svg.context("cannot draw the report")?;
        let note = match chart.note.as_str() {
            "" => String::new(),
            note => format!("<figcaption>{}</figcaption>", escape(note)),
        };
        plots += &format!("<figure>{svg}{note}</figure>\n");
    }
    // Escaped texts cannot contain these placeholders.
    Ok(include_str!("page.html")
        .replace("<!--plots-->", &plots)
        .replace("<!--summary-->", &escape(&summary.to_string()))
        .replace("<!--heading-->", &escape(&names.join(" – "))))
}

/// Selects at most [`MAX_CURVE_POINTS`] points of a pairing's history, always including the last.
fn thin_out(history: &[Pentanomial]) -> impl Iterator<Item = &Pentanomial> {
    let step = history.len().div_ceil(MAX_CURVE_POINTS).max(1);
    let offset = history.len().saturating_sub(1) % step;
    history.iter().skip(offset).step_by(step)
}

/// A pairing's curve: number of pairs, and estimate after that many pairs.
type Curve = Vec<(f64, MatchEstimate)>;

/// All charts for which there is data.
fn charts(summary: &Summary<'_>, names: &[&str]) -> Vec<Chart> {
    let tally = summary.tally;
    let name = |engine: &usize| names.get(*engine).copied().unwrap_or("?").to_owned();
    let point = |counts: &Pentanomial| Some((counts.pairs() as f64, counts.estimate()?));
    let curves: Vec<(String, Curve)> = (tally.pairings.iter())
        .map(|(&key, pairing)| {
            (
                summary.names(key),
                thin_out(&pairing.history).filter_map(point).collect(),
            )
        })
        .collect();
    let over_pairs = |title: &str, y_label, mark, part: &dyn Fn(&MatchEstimate) -> Estimate| {
        let series = |(name, curve): &(String, Curve)| Series {
            name: name.clone(),
            points: curve
                .iter()
                .map(|(pairs, e)| (*pairs, part(e).value))
                .collect(),
        };
        let band = match &curves[..] {
            [(_, only)] => only.iter().map(|(pairs, e)| (*pairs, part(e))).collect(),
            // Several bands would overlap.
            _ => Vec::new(),
        };
        Chart {
            title: title.to_owned(),
            x_label: "pairs",
            y_label,
            series: curves.iter().map(series).collect(),
            band,
            marks: vec![mark],
            ..Chart::default()
        }
    };
    let elos = curves.iter().flat_map(|(_, curve)| curve);
    let elos: Vec<f64> = elos
        .flat_map(|(_, e)| [e.elo.value, e.elo.low, e.elo.high])
        .collect();
    let is_infinite = elos.iter().any(|elo| elo.is_infinite());
    let finite = elos.into_iter().map(f64::abs).filter(|elo| elo.is_finite());
    let edge = finite.fold(MIN_ELO_RANGE, f64::max);
    let percent = |e: &MatchEstimate| e.score.map(|score| 100.0 * score);
    let drawn_elo = |e: &MatchEstimate| e.elo.map(|elo| elo.clamp(-edge, edge));
    let mut charts = vec![
        over_pairs("Score", "%", 50.0, &percent),
        Chart {
            note: if is_infinite {
                format!("Infinite values and bounds are drawn at ±{edge:.0} Elo.")
            } else {
                String::new()
            },
            ..over_pairs("Elo difference", "Elo", 0.0, &drawn_elo)
        },
    ];
    if let Some(sprt) = summary.sprt {
        let first = tally.pairings.get(&(0, 1)).into_iter();
        let counts = first.flat_map(|pairing| thin_out(&pairing.history));
        let ratio =
            |counts: &Pentanomial| (counts.pairs() as f64, sprt.log_likelihood_ratio(*counts));
        charts.push(Chart {
            title: format!("Log-likelihood ratio: {}", summary.names((0, 1))),
            x_label: "pairs",
            y_label: "LLR",
            series: vec![Series {
                name: sprt.to_string(),
                points: counts.map(ratio).collect(),
            }],
            marks: vec![sprt.lower_bound(), 0.0, sprt.upper_bound()],
            ..Chart::default()
        });
    }
    let times = tally.engines.iter().map(|(engine, tally)| Series {
        name: name(engine),
        points: time_histogram(&tally.move_micros),
    });
    charts.push(Chart {
        title: "Time per move".to_owned(),
        x_label: "milliseconds",
        y_label: "% of the moves",
        x_scale: Scale::Logarithmic,
        series: times.collect(),
        ..Chart::default()
    });
    let scored = (tally.engines.iter()).filter(|(_, tally)| tally.scores != [0; SCORE_BARS]);
    let scores = scored.map(|(engine, tally)| Series {
        name: name(engine),
        points: outline(0.0, 1.0 / SCORE_BARS as f64, &tally.scores),
    });
    charts.push(Chart {
        title: "Expected score of the mover".to_owned(),
        x_label: "expected score",
        y_label: "% of the moves",
        series: scores.collect(),
        ..Chart::default()
    });
    charts.retain(|chart| chart.series.iter().any(|series| !series.points.is_empty()));
    charts
}

/// Histogram of move times as an outline: log10 of milliseconds, percent of moves.
fn time_histogram(micros: &[u64]) -> Vec<(f64, f64)> {
    let log_ms = |micros: u64| (micros.max(1) as f64 / 1e3).log10();
    let (Some(&min), Some(&max)) = (micros.iter().min(), micros.iter().max()) else {
        return Vec::new();
    };
    let low = log_ms(min);
    // Not zero even if all moves took the same time.
    let width = ((log_ms(max) - low) / TIME_BARS as f64).max(0.01);
    let mut counts = [0u64; TIME_BARS];
    for &time in micros {
        let bar = ((log_ms(time) - low) / width) as usize;
        counts[bar.min(TIME_BARS - 1)] += 1;
    }
    outline(low, width, &counts)
}

/// Outline of a histogram that starts at `low`, in percent of all counts.
fn outline(low: f64, width: f64, counts: &[u64]) -> Vec<(f64, f64)> {
    let total: u64 = counts.iter().sum();
    let share = |count: u64| 100.0 * count as f64 / total.max(1) as f64;
    let mut points = vec![(low, 0.0)];
    for (i, &count) in counts.iter().enumerate() {
        let left = low + i as f64 * width;
        points.extend([(left, share(count)), (left + width, share(count))]);
    }
    points.push((low + counts.len() as f64 * width, 0.0));
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Sprt;
    use crate::{EngineSpec, GameEnd, GameRecord, GameResult, PairRecord, Tally};
    use wabe_hive::contest::Contest;

    fn pair(pair: u64, result: GameResult) -> PairRecord {
        let game = |red, blue| GameRecord {
            red,
            blue,
            result,
            end: GameEnd::Surrounded,
            detail: String::new(),
            moves: "skip;skip".to_owned(),
            micros: vec![900, 40_000],
            scores: vec![Some(523), None],
            nodes: vec![10, 0],
        };
        PairRecord {
            pair,
            opening: "4 - - AQ/AQ".to_owned(),
            games: [game(0, 1), game(1, 0)],
        }
    }

    fn render(pairs: &[PairRecord], sprt: Option<&Sprt>) -> String {
        let engines: [EngineSpec; 2] =
            ["mcts name='<script>alert(1)</script>'", "greedy"].map(|text| text.parse().unwrap());
        let tally = Tally::new::<Contest>(pairs);
        let summary = Summary::new::<Contest>(&engines, &tally, sprt);
        report_page(&summary).unwrap()
    }

    /// Pairs in which the first engine wins both games.
    fn sweep(pairs: u64) -> Vec<PairRecord> {
        let mut sweep: Vec<PairRecord> = (0..pairs).map(|n| pair(n, GameResult::Red)).collect();
        for pair in &mut sweep {
            pair.games[1].result = GameResult::Blue;
        }
        sweep
    }

    #[test]
    fn elo_plot_extends_to_large_differences() {
        let mut pairs = sweep(20);
        pairs[0] = pair(0, GameResult::Red);
        let text = render(&pairs, None);
        let elo = text.split("<figure>").nth(2).unwrap();
        assert!(
            elo.contains("Elo difference") && elo.contains("\n600"),
            "{elo}"
        );
    }

    #[test]
    fn page_notes_infinite_bounds() {
        let note = "Infinite values and bounds are drawn at ±400 Elo.";
        assert_eq!(render(&sweep(4), None).matches(note).count(), 1);
        let even: Vec<PairRecord> = (0..4).map(|n| pair(n, GameResult::Draw)).collect();
        assert!(!render(&even, None).contains("Infinite"));
    }

    #[test]
    fn pages_are_complete_offline() {
        let sprt: Sprt = "elo0=0 elo1=10".parse().unwrap();
        let results = [GameResult::Red, GameResult::Draw, GameResult::Blue];
        let pairs: Vec<PairRecord> = (0..30)
            .map(|n| pair(n, results[n as usize % results.len()]))
            .collect();
        let text = render(&pairs, Some(&sprt));
        for part in [
            "Score",
            "Elo difference",
            "Log-likelihood ratio",
            "Time per move",
            "Expected score",
        ] {
            assert!(text.contains(part), "{part}");
        }
        assert_eq!(text.matches("<svg").count(), 5);
        assert!(!text.contains("<script"), "names are escaped");
        assert!(!text.contains("NaN") && !text.contains("inf\""));
        for reference in ["href=", "src=", "url(", "@import"] {
            assert!(!text.contains(reference), "{reference}");
        }
    }
}
