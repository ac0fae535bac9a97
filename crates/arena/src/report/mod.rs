//! A run as one self-contained web page: the course of score, Elo and LLR, the times of moves, and the engines' scores.

mod chart;
mod history;

use thiserror::Error;

use super::summary::Summary;
use crate::statistics::Estimate;
use chart::{Chart, Scale, Series};
pub use history::History;
use history::Standing;
use wabe_records::view::escape;

/// Bars of a histogram of move times.
const TIME_BARS: usize = 40;

/// Elo differences are drawn at least up to this, and beyond it as far as finite ones reach; infinite ones, from a sweep, lie at the edge.
const DRAWN_ELO: f64 = 400.0;

/// A page could not be drawn.
#[derive(Debug, Error)]
#[error("cannot draw the report: {0}")]
pub struct ReportError(String);

/// The page about a run: its summary and its history.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn report_page(summary: &Summary<'_>, history: &History) -> Result<String, ReportError> {
    let names: Vec<&str> = summary.engines.iter().map(|e| e.name.as_str()).collect();
    let mut plots = String::new();
    for chart in charts(summary, &names, history) {
        let svg = chart.draw().map_err(ReportError)?;
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

/// The plots that have something to show.
fn charts(summary: &Summary<'_>, names: &[&str], history: &History) -> Vec<Chart> {
    let name = |engine: usize| names.get(engine).copied().unwrap_or("?");
    let against = |(first, second)| format!("{} against {}", name(first), name(second));
    let over_pairs = |title: &str, y_label, mark, of: &dyn Fn(&Standing) -> Estimate| {
        let curve = |(pairing, standings): (_, Vec<&Standing>)| {
            let points = standings.iter();
            Series {
                name: against(pairing),
                points: points.map(|s| (s.pairs as f64, of(s).value)).collect(),
            }
        };
        let mut standings = history.pairings().map(|(_, standings)| standings);
        let band = match (standings.next(), standings.next()) {
            (Some(only), None) => only.iter().map(|s| (s.pairs as f64, of(s))).collect(),
            // Several would hide each other.
            _ => Vec::new(),
        };
        Chart {
            title: title.to_owned(),
            x_label: "pairs",
            y_label,
            series: history.pairings().map(curve).collect(),
            band,
            marks: vec![mark],
            ..Chart::default()
        }
    };
    let standings = history.pairings().flat_map(|(_, standings)| standings);
    let elos = standings.flat_map(|s| [s.elo.value, s.elo.low, s.elo.high]);
    let elos: Vec<f64> = elos.collect();
    let is_infinite = elos.iter().any(|elo| elo.is_infinite());
    let finite = elos.into_iter().map(f64::abs).filter(|elo| elo.is_finite());
    let most = finite.fold(DRAWN_ELO, f64::max);
    let percent = |s: &Standing| s.score.map(|score| 100.0 * score);
    let drawn_elo = |s: &Standing| s.elo.map(|elo| elo.clamp(-most, most));
    let mut charts = vec![
        over_pairs("Score", "%", 50.0, &percent),
        Chart {
            note: match is_infinite {
                true => format!("Infinite values and bounds are drawn at ±{most:.0} Elo."),
                false => String::new(),
            },
            ..over_pairs("Elo difference", "Elo", 0.0, &drawn_elo)
        },
    ];
    if let Some(sprt) = summary.sprt {
        let ratios = history.log_likelihood_ratios(sprt);
        charts.push(Chart {
            title: format!("Log-likelihood ratio: {}", against((0, 1))),
            x_label: "pairs",
            y_label: "LLR",
            series: vec![Series {
                name: sprt.to_string(),
                points: ratios,
            }],
            marks: vec![sprt.lower_bound(), 0.0, sprt.upper_bound()],
            ..Chart::default()
        });
    }
    let times = summary.tally.engines.iter().map(|(&engine, tally)| Series {
        name: name(engine).to_owned(),
        points: time_histogram(tally.move_micros()),
    });
    charts.push(Chart {
        title: "Time for a move".to_owned(),
        x_label: "milliseconds",
        y_label: "% of the moves",
        x_scale: Scale::PowersOfTen,
        series: times.collect(),
        ..Chart::default()
    });
    let evaluations = history.evaluations().map(|(engine, points)| Series {
        name: name(engine).to_owned(),
        points,
    });
    charts.push(Chart {
        title: "Expected score of the side that moved".to_owned(),
        x_label: "expected score",
        y_label: "% of the moves",
        series: evaluations.collect(),
        ..Chart::default()
    });
    charts.retain(|chart| chart.series.iter().any(|series| !series.points.is_empty()));
    charts
}

/// Steps over the logarithm to base ten of milliseconds, in percent of the moves.
fn time_histogram(micros: &[u64]) -> Vec<(f64, f64)> {
    let log_ms = |micros: u64| (micros.max(1) as f64 / 1e3).log10();
    let (Some(&least), Some(&most)) = (micros.iter().min(), micros.iter().max()) else {
        return Vec::new();
    };
    let low = log_ms(least);
    // All moves may have taken the same time.
    let width = ((log_ms(most) - low) / TIME_BARS as f64).max(0.01);
    let mut counts = [0u64; TIME_BARS];
    for &time in micros {
        let bar = ((log_ms(time) - low) / width) as usize;
        counts[bar.min(TIME_BARS - 1)] += 1;
    }
    steps(low, width, &counts)
}

/// The outline of a histogram, in percent of what was counted.
fn steps(low: f64, width: f64, counts: &[u64]) -> Vec<(f64, f64)> {
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
    use crate::{EngineSpec, GameEnd, GameRecord, GameResult, PairRecord, Tally};
    use wabe_hive::game::Game;

    use crate::statistics::Sprt;
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

    fn page(pairs: &[PairRecord], sprt: Option<&Sprt>) -> String {
        let engines: [EngineSpec; 2] =
            ["mcts name='<script>alert(1)</script>'", "greedy"].map(|text| text.parse().unwrap());
        let mut history = History::default();
        for pair in pairs {
            history.add::<Contest>(pair);
        }
        let summary = Summary {
            engines: &engines,
            tally: &Tally::of::<Contest>(pairs),
            sides: Contest::SIDES,
            sprt,
        };
        report_page(&summary, &history).unwrap()
    }

    #[test]
    fn large_differences_are_drawn_as_they_are() {
        let mut pairs: Vec<PairRecord> = (0..20).map(|n| pair(n, GameResult::Red)).collect();
        for pair in &mut pairs[1..] {
            pair.games[1].result = GameResult::Blue;
        }
        let text = page(&pairs, None);
        let elo = text.split("<figure>").nth(2).unwrap();
        assert!(
            elo.contains("Elo difference") && elo.contains("\n600"),
            "{elo}"
        );
    }

    #[test]
    fn a_page_says_where_infinite_bounds_are_drawn() {
        let note = "Infinite values and bounds are drawn at ±400 Elo.";
        let mut sweep: Vec<PairRecord> = (0..4).map(|n| pair(n, GameResult::Red)).collect();
        for pair in &mut sweep {
            pair.games[1].result = GameResult::Blue;
        }
        assert_eq!(page(&sweep, None).matches(note).count(), 1);
        let even: Vec<PairRecord> = (0..4).map(|n| pair(n, GameResult::Draw)).collect();
        assert!(!page(&even, None).contains("Infinite"));
    }

    #[test]
    fn pages_are_complete_offline() {
        let sprt: Sprt = "elo0=0 elo1=10".parse().unwrap();
        let results = [GameResult::Red, GameResult::Draw, GameResult::Blue];
        let pairs: Vec<PairRecord> = (0..30)
            .map(|n| pair(n, results[n as usize % results.len()]))
            .collect();
        let text = page(&pairs, Some(&sprt));
        for part in [
            "Score",
            "Elo difference",
            "Log-likelihood ratio",
            "Time for a move",
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

    #[test]
    fn a_histogram_counts_every_move_once() {
        let points = time_histogram(&[1_000, 1_000, 10_000, 100_000]);
        let tops: f64 = points
            .windows(2)
            .map(|w| if w[0].0 == w[1].0 { 0.0 } else { w[1].1 })
            .sum();
        assert!((tops - 100.0).abs() < 1e-9, "{tops}");
        assert_eq!(points.first().map(|p| p.0), Some(0.0));
    }
}
